import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** Number of placeholder lines while loading. */
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

export const Lines = ({ count = 5 }: { count?: number }) => (
  <Stack gap="sm" role="status" aria-label="Loading">
    {Array.from({ length: count }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never change their order.
      <Skeleton key={line} height={34} />
    ))}
  </Stack>
);

/** Shows the data of a query, a placeholder while it loads, or its error. */
export const Loaded = <T,>({ query, lines, children }: LoadedProps<T>) => {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failure error={query.error} retry={query.refetch} />;
  return <Lines count={lines} />;
};
