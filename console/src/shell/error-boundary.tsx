import { Alert, Button, Code, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';

/** Catches rendering errors of a page, so that the rest of the console stays usable. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Alert color="red" icon={<IconAlertTriangle />} title="Something went wrong" role="alert">
        <Stack align="flex-start">
          This is a bug in the console; no data was changed. Reloading may help, especially after the service was
          updated.
          <Code block>{error.message}</Code>
          <Button variant="default" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </Stack>
      </Alert>
    );
  }
}
