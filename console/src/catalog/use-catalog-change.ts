import { useMutation, useQueryClient } from '@tanstack/react-query';
import { hasStatus } from '../api/client.ts';
import { notifyError, notifySuccess, refreshAll } from '../api/requests.ts';
import { useApi } from '../session/session.tsx';
import { commit, commitAll } from './commit.tsx';
import { useTeamId } from './draft.ts';
import { type Edit, editOf } from './edits.ts';
import type { Entities, Kind } from './entities.ts';
import { Cancelled } from './questions.tsx';

interface CatalogChange<V, K extends Kind> {
  readonly kind: K;
  /** The entity as the page shows it, and as it should be. Null: there is none. */
  readonly edit: (variables: V) => { readonly before: Entities[K] | null; readonly after: Entities[K] | null };
  /** What was done, for the notification; left out if the page shows it anyway. */
  readonly done?: (edit: Edit) => string;
  /** What follows, even if the page is gone by then: a draft may no longer have what it shows. */
  readonly afterwards?: (entity: Entities[K] | null) => void;
  /** The title of the error notification; left out if the form shows the errors itself. */
  readonly failed?: string;
}

/** A mutation of the catalog. Whether it goes to a draft or to the live catalog is decided by `commit` alone. */
export const useCatalogChange = <V, K extends Kind>({ kind, edit, done, afterwards, failed }: CatalogChange<V, K>) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const teamId = useTeamId();
  return useMutation({
    mutationFn: async (variables: V): Promise<Entities[K] | null> => {
      const { before, after } = edit(variables);
      const wanted = editOf(kind, before, after);
      const { entity, draftName } = await commit({ api, queryClient, teamId }, wanted);
      if (done !== undefined) notifySuccess(draftName === undefined ? done(wanted) : `${done(wanted)} in the draft`);
      return entity as Entities[K] | null;
    },
    onSuccess: (entity) => {
      afterwards?.(entity);
      return refreshAll(queryClient);
    },
    onError: async (error) => {
      const isCancelled = error instanceof Cancelled;
      if (failed !== undefined && !isCancelled) notifyError(failed, error);
      // Somebody else changed it: show the current state.
      if (isCancelled || hasStatus(error, 404, 412)) await refreshAll(queryClient);
    },
  });
};

interface BulkChange<K extends Kind> {
  readonly kind: K;
  /** What was done, for the notification. */
  readonly done: (count: number) => string;
}

/** A mutation of several entities of a kind, all or none. */
export const useBulkChange = <K extends Kind>({ kind, done }: BulkChange<K>) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const teamId = useTeamId();
  return useMutation({
    mutationFn: async (edits: readonly { before: Entities[K] | null; after: Entities[K] | null }[]) => {
      const wanted = edits.map(({ before, after }) => editOf(kind, before, after));
      if (wanted.length === 0) return;
      const draftName = await commitAll({ api, queryClient, teamId }, wanted);
      notifySuccess(draftName === undefined ? done(wanted.length) : `${done(wanted.length)} in the draft`);
    },
    onSettled: () => refreshAll(queryClient),
    onError: (error) => {
      if (!(error instanceof Cancelled)) notifyError('Could not save', error);
    },
  });
};

/** Deletes an entity that the page shows. */
export const useRemoval = <K extends Kind>(kind: K, shown: Entities[K] | null, afterwards?: () => void) =>
  useCatalogChange<void, K>({
    kind,
    edit: () => ({ before: shown, after: null }),
    done: ({ before }) => `${before?.name} deleted`,
    afterwards,
    failed: 'Could not delete',
  });
