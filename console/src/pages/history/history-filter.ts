import { useLocation, useSearch } from 'wouter';
import { historyPath, KINDS } from '../../catalog/entities.ts';
import type { VersionFilter } from './versions.ts';

/** The filter of the history, kept in the URL, so that it can be linked to. */
export const useHistoryFilter = (): { filter: VersionFilter; setFilter: (filter: VersionFilter) => void } => {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const kind = KINDS.find((known) => known === query.get('kind'));
  const id = query.get('id');
  return {
    filter: { ...(kind !== undefined && { kind }), ...(id !== null && { id }) },
    setFilter: (filter) => navigate(historyPath(filter)),
  };
};
