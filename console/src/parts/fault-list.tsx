import { Alert, List } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';

/** Errors that belong to no single field. */
export const FaultList = ({ faults, title = 'Could not save' }: { faults: readonly string[]; title?: string }) =>
  faults.length === 0 ? null : (
    <Alert color="red" icon={<IconAlertCircle />} title={title} role="alert">
      {faults.length === 1 ? (
        faults[0]
      ) : (
        <List size="sm">
          {faults.map((fault) => (
            <List.Item key={fault}>{fault}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
