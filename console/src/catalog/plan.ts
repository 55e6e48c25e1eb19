import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { Api } from '../api/client.ts';
import { useApi } from '../session/session.tsx';
import { type Finding, type Plan, type PoolOdds, type Proposal, planOf } from './api.ts';

/** A plan whose odds arrive pool by pool. */
export interface GrowingPlan {
  readonly plan: Plan | undefined;
  readonly warnings: readonly Finding[];
  readonly error: Error | null;
  readonly retry: () => void;
  /** The odds so far, in the order of the pools. */
  readonly odds: readonly PoolOdds[];
  readonly poolsDone: number;
  readonly pools: number;
  /** Pools whose odds could not be computed. */
  readonly failed: readonly { readonly name: string; readonly error: Error }[];
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other: odds may take long, and the service computes other things too. */
export const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
  const turn = last.then(work, work);
  last = turn.catch(() => undefined);
  return turn;
};

/** Everything but the odds; `oddsLeftOut` names the pools that change. */
export const planQuery = (api: Api, key: string, proposal: Proposal) =>
  queryOptions({
    queryKey: ['plan', key],
    queryFn: ({ signal }) => planOf(api, proposal, [], signal),
    // The key says what is planned and on which version, so the plan stays as it is.
    staleTime: Number.POSITIVE_INFINITY,
  });

const isSameFinding = (one: Finding, other: Finding): boolean =>
  one.kind === other.kind && one.id === other.id && one.message === other.message;

/** Without its odds, a plan warns of every pool that may change; which ones do is known once they are computed. */
const warningsOf = (plan: Plan, parts: ReadonlyMap<string, Plan | undefined>): Finding[] =>
  plan.warnings.filter((warning) => {
    if (warning.kind !== 'template' || warning.id === null || !parts.has(warning.id)) return true;
    return parts.get(warning.id)?.warnings.some((other) => isSameFinding(warning, other)) ?? false;
  });

/** The plan of a proposal. The key must be another whenever the proposal or the version of the catalog is. */
export const usePlan = (key: string, proposal: Proposal): GrowingPlan => {
  const api = useApi();
  const first = useQuery(planQuery(api, key, proposal));
  const pools = first.data?.oddsLeftOut ?? [];
  const parts = useQueries({
    queries: pools.map(({ pool }) => ({
      queryKey: ['plan', key, pool],
      queryFn: ({ signal }: { signal: AbortSignal }) => inTurn(() => planOf(api, proposal, [pool], signal)),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  return {
    plan: first.data,
    warnings:
      first.data === undefined
        ? []
        : warningsOf(first.data, new Map(pools.map(({ pool }, place) => [pool, parts[place]?.data]))),
    error: first.error,
    retry: () => void first.refetch(),
    odds: [...(first.data?.odds ?? []), ...parts.flatMap(({ data }) => data?.odds ?? [])],
    poolsDone: parts.filter(({ isPending }) => !isPending).length,
    pools: pools.length,
    failed: parts.flatMap(({ error }, place) => (error === null ? [] : [{ name: pools[place]?.name ?? '', error }])),
  };
};
