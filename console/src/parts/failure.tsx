import { Alert, Button, Stack } from '@mantine/core';
import { IconAlertCircle, IconMapOff } from '@tabler/icons-react';
import { explain, hasStatus } from '../interface/api-error.ts';
import { Empty } from './empty.tsx';

/** A failed query: the error, and a button to retry. */
export const Failure = ({ error, retry }: { error: unknown; retry?: () => unknown }) => {
  if (hasStatus(error, 404))
    return (
      <Empty title="Not found" icon={IconMapOff}>
        It may have been deleted, or the address may be wrong.
      </Empty>
    );
  return (
    <Alert color="red" icon={<IconAlertCircle />} title="Could not load this" role="alert">
      <Stack align="flex-start" gap="sm">
        {explain(error)}
        {retry !== undefined && (
          <Button size="xs" variant="default" onClick={() => retry()}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
};
