import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../interface/client.ts';
import { useApi } from '../session/session.tsx';
import { type Draft, type DraftWithTag, readCurrentVersion, readDraft, readDrafts } from './api.ts';
import { useChoice } from './choice.ts';
import type { Entities, Kind } from './entities.ts';

export const draftQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['drafts', 'one', id],
    queryFn: ({ signal }): Promise<DraftWithTag> => readDraft(api, id, signal),
  });

export const useDraft = (id: string) => useQuery(draftQuery(useApi(), id));

export const useDrafts = () => {
  const api = useApi();
  return useQuery({ queryKey: ['drafts'], queryFn: ({ signal }) => readDrafts(api, signal) });
};

export const useCurrentVersion = () => {
  const api = useApi();
  return useQuery({ queryKey: ['current-version'], queryFn: ({ signal }) => readCurrentVersion(api, signal) });
};

/** The draft that the console shows and edits; undefined if there is none, or while it loads. */
export const useActiveDraft = (): Draft | undefined => {
  const api = useApi();
  const choice = useChoice();
  const { data } = useQuery({
    ...draftQuery(api, choice.to === 'draft' ? choice.id : ''),
    enabled: choice.to === 'draft',
  });
  return choice.to === 'draft' ? data?.draft : undefined;
};

export type ChangesOf<K extends Kind> = ReadonlyMap<string, Entities[K] | null>;

/** What the active draft makes of the entities of a kind, by id. */
export const useDraftChanges = <K extends Kind>(kind: K): ChangesOf<K> => {
  const draft = useActiveDraft();
  return useMemo(
    () =>
      new Map(
        (draft?.changes ?? [])
          .filter((change) => change.kind === kind)
          .map(({ id, after }) => [id, after as Entities[K] | null]),
      ),
    [draft, kind],
  );
};
