import { useInfiniteQuery } from '@tanstack/react-query';
import { useRead } from '../../api/requests.ts';
import type { Version, VersionWithChanges } from '../../catalog/api.ts';
import type { EntityKey } from '../../catalog/entities.ts';
import { useApi } from '../../session/session.tsx';

export type VersionFilter = Partial<EntityKey>;

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

/** A version, which never changes. */
export const useVersion = (version: number) =>
  useRead(
    ['version', version],
    async (api, options) => (await api.catalog.version(version, {}, options)) as unknown as VersionWithChanges,
    { staleTime: Number.POSITIVE_INFINITY },
  );

const SOURCES: Readonly<Record<Version['source'], string>> = {
  api: 'API',
  console: 'console',
  cli: 'command line',
  publish: 'published',
  rollback: 'restored',
  import: 'imported',
};

export const sourceInWords = (source: Version['source']): string => SOURCES[source] ?? source;
