import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useInterface } from '../session/session.tsx';
import { answer, type Interface, readAll } from './client.ts';

/** All queries of the console, in one place, so that pages with the same query share its result. */

export const queries = {
  team: (api: Interface) =>
    queryOptions({ queryKey: ['team'], queryFn: ({ signal }) => answer(api.GET('/team', { signal })) }),
  secrets: (api: Interface) =>
    queryOptions({ queryKey: ['secrets'], queryFn: ({ signal }) => answer(api.GET('/secrets', { signal })) }),
  attributes: (api: Interface) =>
    queryOptions({
      queryKey: ['attributes'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/attributes', { params: { query: { cursor } }, signal })),
    }),
  classifiers: (api: Interface) =>
    queryOptions({
      queryKey: ['classifiers'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/classifiers', { params: { query: { cursor } }, signal })),
    }),
  items: (api: Interface) =>
    queryOptions({
      queryKey: ['items'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/items', { params: { query: { cursor } }, signal })),
    }),
  itemOdds: (api: Interface) =>
    queryOptions({ queryKey: ['item-odds'], queryFn: ({ signal }) => answer(api.GET('/items/odds', { signal })) }),
  templates: (api: Interface) =>
    queryOptions({
      queryKey: ['templates'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/templates', { params: { query: { cursor } }, signal })),
    }),
  spaces: (api: Interface) =>
    queryOptions({
      queryKey: ['spaces'],
      queryFn: ({ signal }) => readAll((cursor) => api.GET('/spaces', { params: { query: { cursor } }, signal })),
    }),
  userSpacesOf: (api: Interface, id: string) =>
    queryOptions({
      queryKey: ['spaces', id, 'user-spaces'],
      queryFn: ({ signal }) => answer(api.GET('/spaces/{id}/user-spaces', { params: { path: { id } }, signal })),
    }),
  users: (api: Interface) =>
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

export const useTeam = () => useQuery(queries.team(useInterface()));
export const useSecrets = () => useQuery(queries.secrets(useInterface()));
export const useAttributes = () => useQuery(queries.attributes(useInterface()));
export const useClassifiers = () => useQuery(queries.classifiers(useInterface()));
export const useItems = () => useQuery(queries.items(useInterface()));
export const useItemOdds = () => useQuery(queries.itemOdds(useInterface()));
export const useTemplates = () => useQuery(queries.templates(useInterface()));
export const useSpaces = () => useQuery(queries.spaces(useInterface()));
export const useUserSpacesOf = (spaceId: string) => useQuery(queries.userSpacesOf(useInterface(), spaceId));
export const useUsers = () => useQuery(queries.users(useInterface()));

/** Enough to show the number of players, up to a thousand. */
export const useFirstUsers = () => {
  const api = useInterface();
  return useQuery({
    queryKey: ['users', 'first'],
    queryFn: ({ signal }) => readAll((cursor) => api.GET('/users', { params: { query: { cursor } }, signal }), 1),
  });
};

/** The odds of several templates; for those that cannot be rolled on, the error. */
export const useOddsOfTemplates = (ids: readonly string[]) => {
  const api = useInterface();
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['template-odds', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        answer(api.GET('/templates/{id}/odds', { params: { path: { id } }, signal })),
    })),
  });
};

export const useItem = (id: string) => {
  const api = useInterface();
  return useQuery({
    queryKey: ['items', id],
    queryFn: ({ signal }) => answer(api.GET('/items/{id}', { params: { path: { id } }, signal })),
  });
};

export const useTemplate = (id: string) => {
  const api = useInterface();
  return useQuery({
    queryKey: ['templates', id],
    queryFn: ({ signal }) => answer(api.GET('/templates/{id}', { params: { path: { id } }, signal })),
  });
};

export const useUser = (userId: string) => {
  const api = useInterface();
  return useQuery({
    queryKey: ['users', 'one', userId],
    queryFn: ({ signal }) => answer(api.GET('/users/{userId}', { params: { path: { userId } }, signal })),
  });
};

/** The bags of a player, without their contents. */
export const useBags = (userId: string) => {
  const api = useInterface();
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
  const api = useInterface();
  return useQuery({
    queryKey: instancesKey(userId),
    queryFn: ({ signal }) =>
      readAll((cursor) => api.GET('/item-instances', { params: { query: { userId, cursor } }, signal })),
  });
};

export const useInstanceHistory = (id: string) => {
  const api = useInterface();
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
  const api = useInterface();
  return useQuery({
    queryKey: ['player-state', userId, id],
    queryFn: ({ signal }) =>
      answer(api.GET('/users/{userId}/templates/{id}', { params: { path: { userId, id } }, signal })),
  });
};

/** The odds of a saved template; disabled without an id. */
export const useTemplateOdds = (id: string | undefined) => {
  const api = useInterface();
  return useQuery({
    queryKey: ['template-odds', id],
    queryFn: ({ signal }) => answer(api.GET('/templates/{id}/odds', { params: { path: { id: id ?? '' } }, signal })),
    enabled: id !== undefined,
  });
};

export const useRollStatistics = (filter: RollFilter = {}) => {
  const api = useInterface();
  return useQuery({
    queryKey: ['roll-statistics', filter],
    queryFn: ({ signal }) => answer(api.GET('/roll-events/stats', { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
};

export const useDropRates = (filter: RollFilter = {}) => {
  const api = useInterface();
  return useQuery({
    queryKey: ['drop-rates', filter],
    queryFn: ({ signal }) => answer(api.GET('/roll-events/drop-rates', { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
};

/** What the role of the secret allows; nothing until it is known. */
export const usePermissions = (): { canWrite: boolean; canAdminister: boolean } => {
  const role = useTeam().data?.role;
  return { canWrite: role === 'write' || role === 'admin', canAdminister: role === 'admin' };
};
