import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useApi } from '../session/session.tsx';
import { type Api, orNull, readAll } from './client.ts';

/** All queries of the console, in one place, so that pages with the same query share its result. */

export const queries = {
  team: (api: Api) => queryOptions({ queryKey: ['team'], queryFn: ({ signal }) => api.team.get({ signal }) }),
  secrets: (api: Api) => queryOptions({ queryKey: ['secrets'], queryFn: ({ signal }) => api.secrets.list({ signal }) }),
  attributes: (api: Api) =>
    queryOptions({
      queryKey: ['attributes'],
      queryFn: ({ signal }) => readAll(api.attributes.list({}, { signal })),
    }),
  classifiers: (api: Api) =>
    queryOptions({
      queryKey: ['classifiers'],
      queryFn: ({ signal }) => readAll(api.classifiers.list({}, { signal })),
    }),
  items: (api: Api) =>
    queryOptions({
      queryKey: ['items'],
      queryFn: ({ signal }) => readAll(api.items.list({}, { signal })),
    }),
  itemOdds: (api: Api) =>
    queryOptions({ queryKey: ['item-odds'], queryFn: ({ signal }) => api.items.odds({ signal }) }),
  templates: (api: Api) =>
    queryOptions({
      queryKey: ['templates'],
      queryFn: ({ signal }) => readAll(api.templates.list({}, { signal })),
    }),
  spaces: (api: Api) =>
    queryOptions({
      queryKey: ['spaces'],
      queryFn: ({ signal }) => readAll(api.spaces.list({}, { signal })),
    }),
  userSpacesOf: (api: Api, id: string) =>
    queryOptions({
      queryKey: ['spaces', id, 'user-spaces'],
      queryFn: async ({ signal }) => (await api.spaces.userSpaces(id, {}, { signal }).page()).rows,
    }),
  users: (api: Api) =>
    queryOptions({
      queryKey: ['users'],
      queryFn: ({ signal }) => readAll(api.users.list({}, { signal })),
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
    queryFn: ({ signal }) => readAll(api.users.list({}, { signal }), 1),
  });
};

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

export const useUser = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['users', 'one', userId],
    queryFn: ({ signal }) => api.users.get(userId, { signal }),
  });
};

/** The bags of a player, without their contents. */
export const useBags = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['bags', userId],
    queryFn: ({ signal }) => readAll(api.userSpaces.list(userId, {}, { signal })),
  });
};

export const instancesKey = (userId: string) => ['item-instances', userId];

/** Everything a player owns, placed or not. */
export const useInstances = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: instancesKey(userId),
    queryFn: ({ signal }) => readAll(api.itemInstances.list({ userId }, { signal })),
  });
};

export const useInstanceHistory = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['item-instance-history', id],
    queryFn: ({ signal }) => readAll(api.itemInstances.history(id, {}, { signal })),
  });
};

/** The state of a player on a template. */
export const usePlayerState = (userId: string, id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['player-state', userId, id],
    queryFn: ({ signal }) => api.users.templateState(userId, id, { signal }),
  });
};

/** The seeds of a player; null if there are none yet. */
export const useFairness = (userId: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['fairness', userId],
    queryFn: ({ signal }) => orNull(api.fairness.get(userId, { signal })),
  });
};

/** The odds of a saved template, of offers at a depth; disabled without an id. */
export const useTemplateOdds = (id: string | undefined, depth = 0) => {
  const api = useApi();
  return useQuery({
    queryKey: ['template-odds', id, ...(depth > 0 ? [depth] : [])],
    queryFn: ({ signal }) => api.templates.odds(id ?? '', depth > 0 ? { depth } : {}, { signal }),
    enabled: id !== undefined,
  });
};

export const useRollStatistics = (filter: RollFilter = {}) => {
  const api = useApi();
  return useQuery({
    queryKey: ['roll-statistics', filter],
    queryFn: ({ signal }) => api.rollEvents.stats(filter, { signal }),
    placeholderData: keepPreviousData,
  });
};

export const useDropRates = (filter: RollFilter = {}) => {
  const api = useApi();
  return useQuery({
    queryKey: ['drop-rates', filter],
    queryFn: ({ signal }) => api.rollEvents.dropRates(filter, { signal }),
    placeholderData: keepPreviousData,
  });
};

/** How strongly results speak against the odds, by configuration. The service looks once a minute, so that is enough. */
export const useEvidence = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['evidence'],
    queryFn: ({ signal }) => api.rollEvents.evidence({}, { signal }),
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
