import type { RolledItem } from '../pool/pool.ts';
import type { Draws } from '../random.ts';
import { drawPack, type PackPlan } from './card-pack/card-pack.ts';
import type { Fault } from './faults.ts';
import { rollGacha, sinceByRank, withCounters, writeRates } from './gacha/gacha.ts';
import { accrue, claim } from './idle/idle.ts';
import { faultAtDepth, offerPlan } from './roguelike/roguelike.ts';
import { initialState, type PityState, type RollResult, sinceOf, type TemplateState } from './state.ts';
import type { CompiledTemplate } from './templates.ts';

export interface RollRequest {
  /** Rolls, packs or offers; an idle template rolls what has accrued instead. */
  readonly count: number;
  /** Of an offer; 0 for other types. */
  readonly depth: number;
  /** The draws of each roll of this call: one source for all, or one per offer of a seeded run. */
  readonly drawsOf: (roll: number) => Draws;
  readonly nowMs: number;
}

export interface Rolled {
  /** Grouped by pack, in the order of the cards. */
  readonly results: readonly RollResult[];
  /** Null if there was no state. */
  readonly state: TemplateState | null;
}

/** The part of a user's state that callers can see. */
export interface StateView {
  readonly rolls: number;
  readonly sinceTop: number;
  readonly losses: number;
  readonly sparkPoints: number;
  readonly pities: readonly { readonly tier: string; readonly since: number }[];
  readonly accruedRolls: number;
  /** Rarest tier first. */
  readonly next: readonly { readonly tier: string | null; readonly rate: number }[];
}

/** Whether rolls and exchanges are possible at this time. */
export const isOpen = ({ startsAtMs, endsAtMs }: CompiledTemplate, nowMs: number): boolean =>
  (startsAtMs === null || nowMs >= startsAtMs) && (endsAtMs === null || nowMs < endsAtMs);

/** What prevents a template from rolling at a depth: only offers have one, and some depths leave too few items. */
export const depthFaults = (template: CompiledTemplate, depth: number): Fault[] => {
  const message = template.type === 'roguelike' ? faultAtDepth(template.rules, depth) : undefined;
  return message === undefined ? [] : [{ path: '/depth', message }];
};

/** Packs or offers in sequence, counting those without a card of the top tier. */
const rollPacks = (
  plan: PackPlan,
  pity: PityState | null,
  { count, drawsOf }: RollRequest,
): { results: RollResult[]; pity: PityState | null } => {
  const { tiers, threshold } = plan;
  const top = tiers.all[tiers.top]?.optionId ?? null;
  let since = pity === null ? 0 : sinceOf(pity, top);
  let losses = pity?.losses ?? 0;
  const results: RollResult[] = [];
  for (let roll = 0; roll < count; roll += 1) {
    const pack = drawPack(plan, pity !== null && since + 1 >= threshold, drawsOf(roll));
    const topCards = pack.filter(({ tier }) => tier === top);
    since = topCards.length > 0 ? 0 : since + 1;
    if (tiers.featured.size > 0) for (const { featured } of topCards) losses = featured ? 0 : losses + 1;
    results.push(...pack);
  }
  if (pity === null) return { results, pity: null };
  return { results, pity: withCounters(pity, top === null ? [] : [{ tier: top, since }], losses) };
};

/** How many items a call will give, which does not depend on its draws. */
export const resultsOf = (
  template: CompiledTemplate,
  state: TemplateState | null,
  { count, nowMs }: Pick<RollRequest, 'count' | 'nowMs'>,
): number => {
  switch (template.type) {
    case 'gacha':
      return count;
    case 'idle':
      return claim(template.rules, state?.own.idle ?? null, nowMs).count;
    case 'card_pack':
      return count * template.rules.cards;
    case 'roguelike':
      return count * offerPlan(template.rules, 0).cards;
  }
};

/**
 * Rolls on a template. Without a state the rolls have base odds and leave none; a roll for an unknown user starts with
 * the initial state. A seeded run is rolled without a state, whoever it is for.
 */
export const rollTemplate = (template: CompiledTemplate, state: TemplateState | null, request: RollRequest): Rolled => {
  const pity = state?.pity ?? null;
  let count = request.count;
  let idle = state?.own.idle ?? null;
  let rolled: { results: RollResult[]; pity: PityState | null };
  switch (template.type) {
    case 'gacha':
      rolled = rollGacha(template.rules, pity, count, request.drawsOf);
      break;
    case 'idle': {
      if (state === null) throw new Error('An idle template was rolled without a user.');
      const claimed = claim(template.rules, idle, request.nowMs);
      count = claimed.count;
      idle = claimed.account;
      rolled = rollGacha(template.rules, pity, count, request.drawsOf);
      break;
    }
    case 'card_pack':
      rolled = rollPacks(template.rules, pity, request);
      break;
    case 'roguelike':
      rolled = rollPacks(offerPlan(template.rules, request.depth), pity, request);
      break;
  }
  if (state === null || rolled.pity === null) return { results: rolled.results, state: null };
  const own = { rolls: state.own.rolls + count, sparkPoints: state.own.sparkPoints + count, idle };
  return { results: rolled.results, state: { pity: rolled.pity, own } };
};

/**
 * The exact odds of the next roll by the place of the tier; for packs and offers, the probability that it contains the
 * tier.
 */
const nextRates = (template: CompiledTemplate, pity: PityState): readonly number[] => {
  if (template.type === 'gacha' || template.type === 'idle') {
    const rates = new Float64Array(template.tiers.all.length);
    writeRates(template.rules, sinceByRank(template.rules, pity), rates);
    return [...rates];
  }
  const { all, top } = template.tiers;
  const due = sinceOf(pity, all[top]?.optionId ?? null) + 1 >= template.rules.threshold;
  return template.chances()[due ? 'due' : 'fresh'];
};

/** A user's state at a given time; null, for an unknown user, is the same as the initial state. */
export const viewState = (template: CompiledTemplate, state: TemplateState | null, nowMs: number): StateView => {
  const { pity, own } = state ?? initialState();
  const { tiers } = template;
  const rates = nextRates(template, pity);
  const kept = template.type === 'gacha' || template.type === 'idle' ? template.rules.kept.slice(1) : [];
  return {
    rolls: own.rolls,
    sinceTop: sinceOf(pity, tiers.all[tiers.top]?.optionId ?? null),
    losses: pity.losses,
    sparkPoints: own.sparkPoints,
    pities: kept.flatMap(({ optionId: tier }) => (tier === null ? [] : { tier, since: sinceOf(pity, tier) })),
    accruedRolls: template.type === 'idle' ? accrue(template.rules, own.idle, nowMs).rolls : 0,
    next: tiers.ranked.map((place) => ({ tier: tiers.all[place]?.optionId ?? null, rate: rates[place] ?? 0 })),
  };
};

/** Why points cannot be exchanged for an item, however many a user has; null if they can. */
export const sparkFault = (template: CompiledTemplate, itemId: string): 'no-spark' | 'not-featured' | null => {
  if (template.sparkCost === 0) return 'no-spark';
  return template.tiers.featured.has(itemId) ? null : 'not-featured';
};

/** The state after an exchange; null if there are too few points. */
export const paySpark = (template: CompiledTemplate, state: TemplateState | null): TemplateState | null => {
  if (state === null || template.sparkCost === 0 || state.own.sparkPoints < template.sparkCost) return null;
  return { ...state, own: { ...state.own, sparkPoints: state.own.sparkPoints - template.sparkCost } };
};

/** The featured item of an exchange with new values. It is not a roll: only its attributes make draws. */
export const rollSpark = (template: CompiledTemplate, itemId: string, draws: Draws): RolledItem | undefined => {
  for (const { items } of template.tiers.all) {
    const item = items.find(({ id }) => id === itemId);
    if (item !== undefined && template.tiers.featured.has(itemId)) return { item, values: item.rollValues(draws) };
  }
  return undefined;
};
