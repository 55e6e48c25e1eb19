import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import type { Api } from '../api/client.ts';
import { useRead } from '../api/requests.ts';
import { useApi, useSession } from '../session/session.tsx';
import { type Draft, readCurrentVersion, readDraft } from './api.ts';
import type { Entities, Kind } from './entities.ts';

/**
 * What edits go to: the live catalog, a draft, or, without a choice, a draft that the first edit starts. Kept per team,
 * and the same in all tabs of a browser.
 */
export type Choice =
  | { readonly to: 'live' }
  | { readonly to: 'draft'; readonly id: string }
  | { readonly to: 'new draft' };

const LIVE = 'live';
const DRAFT = 'draft:';

const keyOf = (teamId: string): string => `itemwright.catalog.${teamId}`;

const subscribe = (listener: () => void) => {
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
};

const parse = (stored: string | null): Choice => {
  if (stored === LIVE) return { to: 'live' };
  return stored?.startsWith(DRAFT) ? { to: 'draft', id: stored.slice(DRAFT.length) } : { to: 'new draft' };
};

export const readChoice = (teamId: string): Choice => parse(localStorage.getItem(keyOf(teamId)));

export const storeChoice = (teamId: string, choice: Choice): void => {
  if (choice.to === 'new draft') localStorage.removeItem(keyOf(teamId));
  else localStorage.setItem(keyOf(teamId), choice.to === 'live' ? LIVE : `${DRAFT}${choice.id}`);
  // By itself, the browser tells other tabs only.
  window.dispatchEvent(new StorageEvent('storage'));
};

export const useTeamId = (): string => useSession().credentials?.teamId ?? '';

export const useChoice = (): Choice => {
  const teamId = useTeamId();
  const read = useCallback(() => localStorage.getItem(keyOf(teamId)), [teamId]);
  return parse(useSyncExternalStore(subscribe, read));
};

export const draftQuery = (api: Api, id: string) =>
  queryOptions({ queryKey: ['drafts', 'one', id], queryFn: ({ signal }) => readDraft(api, id, signal) });

export const useDraft = (id: string) => useQuery(draftQuery(useApi(), id));

export const useDrafts = () => useRead(['drafts'], (api, options) => api.catalogDrafts.list(options));

export const useCurrentVersion = () =>
  useRead(['current-version'], (api, { signal }) => readCurrentVersion(api, signal));

/** The draft that the console shows and edits; undefined if there is none, or while it loads. */
export const useActiveDraft = (): Draft | undefined => {
  const choice = useChoice();
  const id = choice.to === 'draft' ? choice.id : '';
  const { data } = useQuery({ ...draftQuery(useApi(), id), enabled: id !== '' });
  return id === '' ? undefined : data?.draft;
};

export type ChangesOf<K extends Kind> = ReadonlyMap<string, Entities[K] | null>;

/** What the active draft makes of the entities of a kind, by id. */
export const useDraftChanges = <K extends Kind>(kind: K): ChangesOf<K> => {
  const draft = useActiveDraft();
  return useMemo(() => {
    const own = (draft?.changes ?? []).filter((change) => change.kind === kind);
    return new Map(own.map(({ id, after }) => [id, after as Entities[K] | null]));
  }, [draft, kind]);
};

/** Tells plans of a draft apart: by its revision and by the version of the catalog. */
export const planKey = ({ id, revision }: Draft, version: number): string => `draft ${id} ${revision} ${version}`;
