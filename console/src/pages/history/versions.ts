import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { readVersion, type Version } from '../../catalog/api.ts';
import type { Kind } from '../../catalog/entities.ts';
import { useApi } from '../../session/session.tsx';

export interface VersionFilter {
  readonly kind?: Kind;
  readonly id?: string;
}

/** Versions, newest first, page by page. */
export const useVersions = (filter: VersionFilter, limit: number) => {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['versions', filter, limit],
    queryFn: ({ pageParam, signal }) => api.catalog.versions({ ...filter, limit }, { signal }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ rows }) => rows),
  });
};

export const useVersion = (version: number) => {
  const api = useApi();
  return useQuery({
    queryKey: ['version', version],
    queryFn: ({ signal }) => readVersion(api, version, signal),
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
};

const SOURCES: Readonly<Record<Version['source'], string>> = {
  api: 'API',
  console: 'console',
  cli: 'command line',
  publish: 'published',
  rollback: 'restored',
  import: 'imported',
};

export const sourceInWords = (source: Version['source']): string => SOURCES[source] ?? source;
