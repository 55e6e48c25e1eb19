import { ConnectionError } from '@itemwright/client';
import { Alert, Button, Card, Center, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconAlertCircle, IconBox, IconMapOff, IconPlugConnectedX, type TablerIcon } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { explain, hasStatus } from '../api/client.ts';

interface EmptyProps {
  readonly title: string;
  readonly icon?: TablerIcon;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** An empty state: why there is nothing, and what to do about it. */
export const Empty = ({ title, icon: Icon = IconBox, children, action }: EmptyProps) => (
  <Center py={48} px="md">
    <Stack align="center" gap="sm" maw={420}>
      <ThemeIcon variant="light" color="gray" size={52} radius="xl">
        <Icon size={26} stroke={1.5} />
      </ThemeIcon>
      <Title order={2} size="h3" ta="center">
        {title}
      </Title>
      {children !== undefined && (
        <Text c="dimmed" size="sm" ta="center" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  </Center>
);

export const EmptyCard = (props: EmptyProps) => (
  <Card>
    <Empty {...props} />
  </Card>
);

const RETRY_MS = 3_000;

/** Tries again by itself: nobody should have to find out when the service is back. */
const Unreachable = ({ retry }: { retry: () => unknown }) => {
  useInterval(() => void retry(), RETRY_MS, { autoInvoke: true });
  return (
    <Alert color="yellow" icon={<IconPlugConnectedX />} title="The service cannot be reached" role="alert">
      Is it running, and are you connected? This is shown as soon as it answers.
    </Alert>
  );
};

/** A failed query: the error, and a button to retry. */
export const Failure = ({ error, retry }: { error: unknown; retry?: () => unknown }) => {
  if (hasStatus(error, 404))
    return (
      <Empty title="Not found" icon={IconMapOff}>
        It may have been deleted, or the address may be wrong.
      </Empty>
    );
  if (error instanceof ConnectionError && retry !== undefined) return <Unreachable retry={retry} />;
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

export const Lines = ({ count = 5 }: { count?: number }) => (
  <Stack gap="sm" role="status" aria-label="Loading">
    {Array.from({ length: count }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never change their order.
      <Skeleton key={line} height={34} />
    ))}
  </Stack>
);

type Result<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'isError' | 'refetch'>;

export interface AllLoadedProps<T extends readonly unknown[]> {
  readonly queries: readonly [...{ readonly [K in keyof T]: Result<T[K]> }];
  /** Number of placeholder lines while loading. */
  readonly lines?: number;
  /** Shown if the first query has found nothing. */
  readonly empty?: ReactNode;
  readonly children: (...data: NoInfer<T>) => ReactNode;
}

const isNothing = (data: unknown): boolean =>
  (Array.isArray(data) ? data : (data as { rows?: unknown[] } | undefined)?.rows)?.length === 0;

/** Shows the data of queries, a placeholder while they load, or the error of one. */
export const AllLoaded = <T extends readonly unknown[]>(props: AllLoadedProps<T>) => {
  const { queries, lines, empty, children } = props;
  if (empty !== undefined && isNothing(queries[0]?.data)) return empty;
  if (queries.every(({ data }) => data !== undefined)) return children(...(queries.map(({ data }) => data) as never));
  const failed = queries.find(({ isError, data }) => isError && data === undefined);
  return failed === undefined ? <Lines count={lines} /> : <Failure error={failed.error} retry={failed.refetch} />;
};

interface LoadedProps<T> extends Omit<AllLoadedProps<[T]>, 'queries'> {
  readonly query: Result<T>;
}

export const Loaded = <T,>({ query, ...rest }: LoadedProps<T>) => <AllLoaded<[T]> queries={[query]} {...rest} />;
