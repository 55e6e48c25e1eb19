import { useLocation, useSearch } from 'wouter';
import { KINDS, type Kind } from '../../catalog/entities.ts';
import type { VersionFilter } from './versions.ts';

export const historyPath = ({ kind, id }: VersionFilter): string => {
  const query = new URLSearchParams({
    ...(kind !== undefined && { kind }),
    ...(id !== undefined && { id }),
  }).toString();
  return query === '' ? '/history' : `/history?${query}`;
};

/** The filter of the history, kept in the URL, so that it can be linked to. */
export const useHistoryFilter = (): { filter: VersionFilter; setFilter: (filter: VersionFilter) => void } => {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const kind = KINDS.find((known) => known === query.get('kind')) as Kind | undefined;
  const id = query.get('id');
  return {
    filter: { ...(kind !== undefined && { kind }), ...(id !== null && { id }) },
    setFilter: (filter) => navigate(historyPath(filter)),
  };
};
