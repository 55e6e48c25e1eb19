import { Alert, Button, Code, Stack } from '@mantine/core';
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react';
import { Component, type ReactNode, useEffect } from 'react';
import { PATH_PREFIX } from '../api/path-prefix.ts';

/** The script of a page could not be loaded. */
export class LoadError extends Error {}

const RETRY_MS = 2_000;

/** Waits until the service answers. The page then begins anew: a later version may have other scripts. */
const NotLoaded = () => {
  useEffect(() => {
    const timer = setInterval(() => {
      fetch(`${PATH_PREFIX}/healthz`, { cache: 'no-store' })
        .then(({ ok }) => ok && window.location.reload())
        .catch(() => undefined);
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Alert color="yellow" icon={<IconPlugConnectedX />} title="This page could not be loaded" role="alert">
      The service cannot be reached, or was updated just now. The page opens by itself as soon as the service answers.
    </Alert>
  );
};

/** Catches errors of a page, so that the rest of the console stays usable. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof LoadError) return <NotLoaded />;
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
