import { notifications } from '@mantine/notifications';
import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  queryOptions,
  type UseQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Kind, Rows } from '../catalog/entities.ts';
import { useApi } from '../session/session.tsx';
import { type Api, explain, hasStatus, type Listed, orNull, readAll } from './client.ts';

/** All queries of the console, in one place, so that pages with the same query share its result; and how it changes things. */

type Read<T> = (api: Api, options: { readonly signal: AbortSignal }) => Promise<T>;

/** A query through the API. */
export const useRead = <T, S = T>(
  queryKey: QueryKey,
  read: Read<T>,
  more: Omit<UseQueryOptions<T, Error, S>, 'queryKey' | 'queryFn'> = {},
) => {
  const api = useApi();
  return useQuery({ queryKey, queryFn: ({ signal }) => read(api, { signal }), ...more });
};

interface Lists<T> {
  readonly list: (query: object, options: object) => Listed<T>;
}

/** All live entities of a kind. */
export const listQuery = <K extends Kind>(api: Api, kind: K) =>
  queryOptions({
    queryKey: [`${kind}s`],
    queryFn: ({ signal }) => readAll((api[`${kind}s`] as unknown as Lists<Rows[K]>).list({}, { signal })),
  });

export const useAttributes = () => useQuery(listQuery(useApi(), 'attribute'));
export const useClassifiers = () => useQuery(listQuery(useApi(), 'classifier'));
export const useItems = () => useQuery(listQuery(useApi(), 'item'));
export const useTemplates = () => useQuery(listQuery(useApi(), 'template'));
export const useSpaces = () => useQuery(listQuery(useApi(), 'space'));

export const useTeam = () => useRead(['team'], (api, options) => api.team.get(options));
export const useSecrets = () => useRead(['secrets'], (api, options) => api.secrets.list(options));
export const useItemOdds = () => useRead(['item-odds'], (api, options) => api.items.odds(options));

/** Enough to show the number of players, up to a thousand. */
export const useFirstUsers = () =>
  useRead(['users', 'first'], (api, options) => readAll(api.users.list({}, options), 1));

export const useUser = (userId: string) =>
  useRead(['users', 'one', userId], (api, options) => api.users.get(userId, options));

/** The first page of the bags of a space. */
export const useUserSpacesOf = (id: string) =>
  useRead(
    ['spaces', id, 'user-spaces'],
    async (api, options) => (await api.spaces.userSpaces(id, {}, options).page()).rows,
  );

/** The players whose id or external id begins with a text, on the server; the oldest without one. */
export const useFoundUsers = (prefix: string) =>
  useRead(
    ['users', 'found', prefix],
    (api, options) => readAll(api.users.list(prefix === '' ? {} : { prefix }, options), 2),
    {
      placeholderData: keepPreviousData,
    },
  );

/** How long a player has waited for the top tier of a template. */
export const useWait = (userId: string, id: string) =>
  useRead(['wait', userId, id], (api, options) => api.users.wait(userId, id, options));

export const useCounterChanges = (userId: string) =>
  useRead(['counter-changes', userId], (api, options) => readAll(api.users.counterChanges(userId, {}, options)));

/** What can be restored to a player. */
export const useDeletedInstances = (userId: string) =>
  useRead(['deleted-item-instances', userId], (api, options) =>
    readAll(api.users.deletedItemInstances(userId, {}, options)),
  );

export interface RollLogFilter {
  readonly userId?: string;
  readonly templateId?: string;
  readonly itemId?: string;
  readonly tier?: string;
  readonly from?: string;
  readonly to?: string;
}

const ROLLS_PER_PAGE = 50;
const ROLLS_REFRESHED_MS = 5_000;

/** The log of a player, or of all. */
const rollsOf = (api: Api, { userId, ...filter }: RollLogFilter, options: { readonly signal: AbortSignal }) => {
  const query = { ...filter, limit: ROLLS_PER_PAGE };
  return userId === undefined ? api.rollEvents.list(query, options) : api.users.rolls(userId, query, options);
};

/** The newest rolls, read again every few seconds if they are live, and older ones page by page. */
export const useRollLog = (filter: RollLogFilter, isLive: boolean, beginning: number) => {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: ['roll-log', filter, beginning],
    queryFn: ({ pageParam, signal }) => rollsOf(api, filter, { signal }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: isLive && ROLLS_REFRESHED_MS,
    refetchOnWindowFocus: isLive,
  });
};

/** The ids of the newest rolls, to count what is new while the log itself stands still. */
export const useNewestRolls = (filter: RollLogFilter, isEnabled: boolean) =>
  useRead(
    ['newest-rolls', filter],
    async (api, options) => (await rollsOf(api, filter, options).page()).rows.map(({ id }) => id),
    { enabled: isEnabled, staleTime: 0, refetchInterval: ROLLS_REFRESHED_MS },
  );

/** The bags of a player, without their contents. */
export const useBags = (userId: string) =>
  useRead(['bags', userId], (api, options) => readAll(api.userSpaces.list(userId, {}, options)));

export const instancesKey = (userId: string) => ['item-instances', userId];

/** Everything a player owns, placed or not. */
export const useInstances = (userId: string) =>
  useRead(instancesKey(userId), (api, options) => readAll(api.itemInstances.list({ userId }, options)));

export const useInstanceHistory = (id: string) =>
  useRead(['item-instance-history', id], (api, options) => readAll(api.itemInstances.history(id, {}, options)));

/** The states of a player on templates. */
export const usePlayerStates = (userId: string, ids: readonly string[]) => {
  const api = useApi();
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['player-state', userId, id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.users.templateState(userId, id, { signal }),
    })),
  });
};

/** The seeds of a player; null if there are none yet. */
export const useFairness = (userId: string) =>
  useRead(['fairness', userId], (api, options) => orNull(api.fairness.get(userId, options)));

/** The odds of several templates; for those that cannot be rolled on, the error. */
export const useOddsOfTemplates = (ids: readonly string[]) => {
  const api = useApi();
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['template-odds', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.templates.odds(id, {}, { signal }),
    })),
  });
};

/** The odds of a saved template, of offers at a depth; disabled without an id. */
export const useTemplateOdds = (id: string | undefined, depth = 0) =>
  useRead(
    ['template-odds', id, ...(depth > 0 ? [depth] : [])],
    (api, options) => api.templates.odds(id ?? '', depth > 0 ? { depth } : {}, options),
    { enabled: id !== undefined },
  );

export interface RollFilter {
  readonly from?: string;
  readonly to?: string;
  readonly templateId?: string;
}

export const useRollStatistics = (filter: RollFilter = {}) =>
  useRead(['roll-statistics', filter], (api, options) => api.rollEvents.stats(filter, options), {
    placeholderData: keepPreviousData,
  });

export const useDropRates = (filter: RollFilter = {}) =>
  useRead(['drop-rates', filter], (api, options) => api.rollEvents.dropRates(filter, options), {
    placeholderData: keepPreviousData,
  });

/** How strongly results speak against the odds, by configuration. The service looks once a minute, so that is enough. */
export const useEvidence = () =>
  useRead(['evidence'], (api, options) => api.rollEvents.evidence({}, options), { staleTime: 60_000 });

/** What the role of the secret allows; nothing until it is known. */
export const usePermissions = (): { canDesign: boolean; canSupport: boolean; canAdminister: boolean } => {
  const role = useTeam().data?.role;
  const canWrite = role === 'write' || role === 'admin';
  return {
    canDesign: canWrite || role === 'design',
    canSupport: canWrite || role === 'support',
    canAdminister: role === 'admin',
  };
};

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
