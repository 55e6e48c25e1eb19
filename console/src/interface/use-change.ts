import { notifications } from '@mantine/notifications';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../session/session.tsx';
import { explain, hasStatus } from './api-error.ts';
import type { Api } from './client.ts';

export const notifyError = (title: string, error: unknown): void => {
  notifications.show({ color: 'red', title, message: explain(error), autoClose: 10_000 });
};

export const notifySuccess = (message: string): void => {
  notifications.show({ color: 'verdigris', message, autoClose: 3_000 });
};

interface Change<V, R> {
  readonly run: (api: Api, variables: V) => Promise<R>;
  /** The success notification; left out if the page shows the result anyway. */
  readonly done?: (result: R, variables: V) => string;
  /** The title of the error notification; left out if the form shows the errors itself. */
  readonly failed?: string;
}

/** Refetches everything that is shown, except plans: what they plan and on which version is part of their keys. */
export const refreshAll = (queryClient: QueryClient): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'plan' });

/** A mutation. All queries are refetched afterwards: odds and statistics depend on everything. */
export const useChange = <V, R>({ run, done, failed }: Change<V, R>) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (variables: V) => run(api, variables),
    onSuccess: async (result, variables) => {
      if (done !== undefined) notifySuccess(done(result, variables));
      await refreshAll(queryClient);
    },
    onError: async (error) => {
      if (failed !== undefined) notifyError(failed, error);
      // Somebody else changed it: show the current state.
      if (hasStatus(error, 412)) await refreshAll(queryClient);
    },
  });
};
