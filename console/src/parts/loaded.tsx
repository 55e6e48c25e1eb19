import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

export const Lines = ({ count = 5 }: { count?: number }) => (
  <Stack gap="sm" role="status" aria-label="Loading">
    {Array.from({ length: count }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never change their order.
      <Skeleton key={line} height={34} />
    ))}
  </Stack>
);

type Result<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'isError' | 'refetch'>;

interface AllLoadedProps<T extends readonly unknown[]> {
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
