import { Alert, Button, Stack } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { explain } from '../interface/refusal.ts';

/** Something could not be read: what the service said, and a way to ask again. */
export const Failure = ({ error, retry }: { error: unknown; retry?: () => unknown }) => (
  <Alert color="red" icon={<IconAlertCircle />} title="This could not be loaded" role="alert">
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
