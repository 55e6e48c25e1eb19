import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.tsx';
import { type Api, orNull, readAll, unwrap } from './client.ts';

/** All queries of the console, in one place, so that pages with the same query share its result. */

export const queries = {
  team: (api: Api) =>
    queryOptions({ queryKey: ['team'], queryFn: ({ signal }) => unwrap(api.GET('/team', { signal })) }),
  secrets: (api: Api) =>
    queryOptions({ queryKey: ['secrets'], queryFn: ({ signal }) => unwrap(api.GET('/secrets', { signal })) }),
  attributes: (api: Api) =>
    queryOptions({
      queryKey: ['attributes'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/attributes', { params: { query: { cursor } }, signal })),
    }),
  classifiers: (api: Api) =>
    queryOptions({
      queryKey: ['classifiers'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/classifiers', { params: { query: { cursor } }, signal })),
    }),
  items: (api: Api) =>
    queryOptions({
      queryKey: ['items'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/items', { params: { query: { cursor } }, signal })),
    }),
  itemOdds: (api: Api) =>
    queryOptions({ queryKey: ['item-odds'], queryFn: ({ signal }) => unwrap(api.GET('/items/odds', { signal })) }),
  templates: (api: Api) =>
    queryOptions({
      queryKey: ['templates'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/templates', { params: { query: { cursor } }, signal })),
    }),
  spaces: (api: Api) =>
    queryOptions({
      queryKey: ['spaces'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/spaces', { params: { query: { cursor } }, signal })),
    }),
  userSpacesOf: (api: Api, id: string) =>
    queryOptions({
      queryKey: ['spaces', id, 'user-spaces'],
      queryFn: ({ signal }) => unwrap(api.GET('/spaces/{id}/user-spaces', { params: { path: { id } }, signal })),
    }),
  users: (api: Api) =>
    queryOptions({
      queryKey: ['users'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/users', { params: { query: { cursor } }, signal })),
    }),
};

export interface RollFilter {
  readonly from?: string;
  readonly to?: string;
  readonly templateId?: string;
}

export const useTeam = () => useQuery(queries.team(useApi()));
export const useSecrets = () => useQuery(queries.secrets(useApi()));
export const useAttributes = () => useQuery(queries.attributes(useApi()));
export const useClassifiers = () => useQuery(queries.classifiers(useApi()));
export const useItems = () => useQuery(queries.items(useApi()));
export const useItemOdds = () => useQuery(queries.itemOdds(useApi()));
export const useTemplates = () => useQuery(queries.templates(useApi()));
export const useSpaces = () => useQuery(queries.spaces(useApi()));
export const useUserSpacesOf = (spaceId: string) => useQuery(queries.userSpacesOf(useApi(), spaceId));
export const useUsers = () => useQuery(queries.users(useApi()));

/** Enough to show the number of players, up to a thousand. */
export const useFirstUsers = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['users', 'first'],
    queryFn: ({ signal }) => readAll((cursor) => api.GET('/users', { params: { query: { cursor } }, signal }), 1),
  });
};

/** The odds of several templates; for those that cannot be rolled on, the error. */
export const useOddsOfTemplates = (ids: readonly string[]) => {
  const api = useApi();
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['template-odds', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        unwrap(api.GET('/templates/{id}/odds', { params: { path: { id } }, signal })),
    })),
  });
};

export const useUser = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['users', 'one', userId],
    queryFn: ({ signal }) => unwrap(api.GET('/users/{userId}', { params: { path: { userId } }, signal })),
  });
};

/** The bags of a player, without their contents. */
export const useBags = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['bags', userId],
    queryFn: ({ signal }) =>
      readAll((cursor) =>
        api.GET('/users/{userId}/spaces', { params: { path: { userId }, query: { cursor } }, signal }),
      ),
  });
};

export const instancesKey = (userId: string) => ['item-instances', userId];

/** Everything a player owns, placed or not. */
export const useInstances = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: instancesKey(userId),
    queryFn: ({ signal }) =>
      readAll((cursor) => api.GET('/item-instances', { params: { query: { userId, cursor } }, signal })),
  });
};

export const useInstanceHistory = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['item-instance-history', id],
    queryFn: ({ signal }) =>
      readAll((cursor) =>
        api.GET('/item-instances/{id}/history', { params: { path: { id }, query: { cursor } }, signal }),
      ),
  });
};

/** The state of a player on a template. */
export const usePlayerState = (userId: string, id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['player-state', userId, id],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/users/{userId}/templates/{id}', { params: { path: { userId, id } }, signal })),
  });
};

/** The seeds of a player; null if there are none yet. */
export const useFairness = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['fairness', userId],
    queryFn: ({ signal }) =>
      orNull(unwrap(api.GET('/users/{userId}/fairness', { params: { path: { userId } }, signal }))),
  });
};

/** The odds of a saved template, of offers at a depth; disabled without an id. */
export const useTemplateOdds = (id: string | undefined, depth = 0) => {
  const api = useApi();
  return useQuery({
    queryKey: ['template-odds', id, ...(depth > 0 ? [depth] : [])],
    queryFn: ({ signal }) => {
      const query = depth > 0 ? { depth } : {};
      return unwrap(api.GET('/templates/{id}/odds', { params: { path: { id: id ?? '' }, query }, signal }));
    },
    enabled: id !== undefined,
  });
};

export const useRollStatistics = (filter: RollFilter = {}) => {
  const api = useApi();
  return useQuery({
    queryKey: ['roll-statistics', filter],
    queryFn: ({ signal }) => unwrap(api.GET('/roll-events/stats', { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
};

export const useDropRates = (filter: RollFilter = {}) => {
  const api = useApi();
  return useQuery({
    queryKey: ['drop-rates', filter],
    queryFn: ({ signal }) => unwrap(api.GET('/roll-events/drop-rates', { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
};

/** How strongly results speak against the odds, by configuration. The service looks once a minute, so that is enough. */
export const useEvidence = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['evidence'],
    queryFn: ({ signal }) => unwrap(api.GET('/roll-events/evidence', { signal })),
    staleTime: 60_000,
  });
};

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
