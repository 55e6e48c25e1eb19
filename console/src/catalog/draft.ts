import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../interface/client.ts';
import { useRead } from '../interface/requests.ts';
import { useApi } from '../session/session.tsx';
import { type Draft, readCurrentVersion, readDraft } from './api.ts';
import { useChoice } from './choice.ts';
import type { Entities, Kind } from './entities.ts';

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
