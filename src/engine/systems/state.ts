import type { CompiledItem, RolledValue } from '../pool/catalog.ts';

/** The rolls since a tier last came. */
export interface TierCounter {
  readonly tier: string;
  readonly since: number;
}

/** The part of a user's state that templates of one pity group share. */
export interface PityState {
  /** In byte order of the tiers; a tier that is not here has come with the last roll, or there was none. */
  readonly counters: readonly TierCounter[];
  /** Results of the top tier in a row that were not featured. */
  readonly losses: number;
}

/** What an idle template owes a user: whole rolls, and units of which 3.6 × 10^12 make one more. */
export interface IdleAccount {
  readonly atMs: number;
  readonly rolls: number;
  readonly units: number;
}

/** The part of a user's state that belongs to one template alone. */
export interface OwnState {
  readonly rolls: number;
  readonly sparkPoints: number;
  /** Null until the first call of an idle template, and on all other templates. */
  readonly idle: IdleAccount | null;
}

/** Everything that a template remembers of a user. It is plain JSON, never changed in place. */
export interface TemplateState {
  readonly pity: PityState;
  readonly own: OwnState;
}

export interface RollResult {
  /** A classifier option; null for the nameless tier. */
  readonly tier: string | null;
  /** Whether the tier was due by a threshold. */
  readonly pity: boolean;
  /** Whether the item is one of the featured. */
  readonly featured: boolean;
  readonly item: CompiledItem;
  readonly values: readonly RolledValue[];
}

export const initialPityState = (): PityState => ({ counters: [], losses: 0 });

export const initialOwnState = (): OwnState => ({ rolls: 0, sparkPoints: 0, idle: null });

export const initialState = (): TemplateState => ({ pity: initialPityState(), own: initialOwnState() });

export const sinceOf = ({ counters }: PityState, tier: string | null): number =>
  counters.find((counter) => counter.tier === tier)?.since ?? 0;
