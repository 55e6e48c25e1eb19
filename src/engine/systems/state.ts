import type { CompiledItem, RolledValue } from '../pool/catalog.ts';

/** The rolls since a tier was last rolled. */
export interface TierCounter {
  readonly tier: string;
  readonly since: number;
}

/** The part of a user's state that templates of one pity group share. */
export interface PityState {
  /** In byte order of the tiers; a missing tier counts as 0. */
  readonly counters: readonly TierCounter[];
  /** Consecutive results of the top tier that were not featured. */
  readonly losses: number;
}

/** What an idle template owes a user: whole rolls, and units, 3.6 × 10^12 of which make another roll. */
export interface IdleAccount {
  readonly atMs: number;
  readonly rolls: number;
  readonly units: number;
}

/** The part of a user's state that belongs to a single template. */
export interface OwnState {
  readonly rolls: number;
  readonly sparkPoints: number;
  /** Null until the first call of an idle template, and for all other templates. */
  readonly idle: IdleAccount | null;
}

/** Everything that a template stores about a user. It is plain JSON and never mutated. */
export interface TemplateState {
  readonly pity: PityState;
  readonly own: OwnState;
}

export interface RollResult {
  /** A classifier option; null for the only tier of a template without tiers. */
  readonly tier: string | null;
  /** Whether the tier was due because of a threshold. */
  readonly pity: boolean;
  /** Whether the item is a featured one. */
  readonly featured: boolean;
  readonly item: CompiledItem;
  readonly values: readonly RolledValue[];
}

export const initialPityState = (): PityState => ({ counters: [], losses: 0 });

export const initialOwnState = (): OwnState => ({ rolls: 0, sparkPoints: 0, idle: null });

export const initialState = (): TemplateState => ({ pity: initialPityState(), own: initialOwnState() });

export const sinceOf = ({ counters }: PityState, tier: string | null): number =>
  counters.find((counter) => counter.tier === tier)?.since ?? 0;
