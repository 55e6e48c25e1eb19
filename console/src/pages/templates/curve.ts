import type { Schemas } from '@itemwright/client';

type TierOdds = Schemas['ConfigOdds']['tiers'][number];
type ItemOdds = Schemas['ConfigOdds']['items'][number];
/** Packs and offers have fewer of its members. */
type WaitRules = Schemas['GachaConfig'];
type Segments = NonNullable<WaitRules['softPity']>;

/** A tier by its place among all, rarest first, or an item. */
export type Waited = { readonly tier: number } | { readonly itemId: string };

/**
 * Where a roll leads that does not give what is waited for: three columns, state 0 being that of a new player. What is
 * missing to a sum of 1 is the chance to get it.
 */
interface Chain {
  readonly states: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly chance: readonly number[];
}

const chainOf = (states: number, movesOf: (state: number) => readonly (readonly [number, number])[]): Chain => {
  const from: number[] = [];
  const to: number[] = [];
  const chance: number[] = [];
  for (let state = 0; state < states; state += 1)
    for (const [target, share] of movesOf(state)) {
      if (share <= 0) continue;
      from.push(state);
      to.push(target);
      chance.push(share);
    }
  return { states, from, to, chance };
};

/** The chance by the number of rolls since the last one; the last entry is that of all later rolls, too. */
const chainOfChances = (chances: readonly number[]): Chain =>
  chainOf(chances.length, (since) => [[Math.min(since + 1, chances.length - 1), 1 - (chances[since] ?? 0)]]);

/** What soft pity has added to a share by roll number k. */
const softened = (segments: Segments, k: number): number =>
  segments.reduce((sum, { from, add }, place) => {
    const last = Math.min(k, (segments[place + 1]?.from ?? Number.POSITIVE_INFINITY) - 1);
    return sum + add * Math.max(0, last - from + 1);
  }, 0);

/** Rounding must not leave a certain tier a chance of not being rolled. */
const CERTAIN = 1 - 1e-12;
const MAX_STATES = 50_000;

interface Counter {
  /** The fraction that a tier takes of what rarer ones leave, by the rolls since the last one. */
  readonly factors: readonly number[];
  readonly higherResets: boolean;
}

/** Counters by tier, rarest first. */
const countersOf = (rules: WaitRules, tiers: readonly TierOdds[]): Counter[] => {
  let left = 1;
  return tiers.map(({ tier, name, base }, place) => {
    const pity =
      place === 0
        ? { threshold: rules.pityThreshold, softPity: rules.softPity, higherResets: false }
        : rules.pities?.find((one) => one.tier === tier || one.tier === name);
    const threshold = pity?.threshold || Number.POSITIVE_INFINITY;
    const segments = pity?.softPity ?? [];
    const room = left;
    left -= base;
    // The least rare tier takes whatever is left.
    if (place === tiers.length - 1) return { factors: [1], higherResets: false };
    const grows = threshold < Number.POSITIVE_INFINITY || segments.length > 0;
    const factors: number[] = [];
    do {
      const k = factors.length + 1;
      const factor = room > 0 ? Math.min(1, (base + softened(segments, k)) / room) : 0;
      factors.push(k >= threshold || factor >= CERTAIN ? 1 : factor);
    } while (grows && factors.at(-1) !== 1 && factors.length <= MAX_STATES);
    return { factors, higherResets: pity?.higherResets ?? false };
  });
};

type Row = Readonly<Record<'base' | 'effective', number>>;

const sumOf = (rows: readonly Row[], of: keyof Row): number => rows.reduce((sum, row) => sum + row[of], 0);

/** The part of an item among those that share a chance. A tier without a rate has no base odds. */
const partOf = (row: Row, rows: readonly Row[]): number => {
  const of = sumOf(rows, 'base') > 0 ? 'base' : 'effective';
  const sum = sumOf(rows, of);
  return sum > 0 ? row[of] / sum : 0;
};

/**
 * What a result of the tier that is not waited for leaves: shares of all results of the tier, with the losses in a row
 * after it.
 */
type Misses = (losses: number) => readonly { readonly share: number; readonly losses: number }[];

interface Wait {
  /** The place of the tier. */
  readonly rank: number;
  /** Losses in a row that make a difference: 0 up to this. */
  readonly maxLosses: number;
  readonly misses: Misses;
}

/** How an item of the top tier is waited for, where a share or a guarantee decides between featured items and others. */
const featuredWait = (
  rules: WaitRules,
  top: TierOdds,
  item: ItemOdds,
  items: readonly ItemOdds[],
): Wait | undefined => {
  const [featured, others] = [true, false].map((is) => items.filter((one) => one.featured === is)) as [
    ItemOdds[],
    ItemOdds[],
  ];
  const share = sumOf(others, 'effective') === 0 ? 1 : (rules.featuredShare ?? sumOf(featured, 'base') / top.base);
  if (Number.isNaN(share)) return undefined;
  const most = rules.guaranteeAfterLosses ?? 0;
  const isGuaranteed = (losses: number): boolean => most > 0 && losses >= most;
  const part = partOf(item, item.featured ? featured : others);
  return {
    rank: 0,
    maxLosses: most,
    misses: (losses) => {
      const won = isGuaranteed(losses) ? 1 : share;
      return [
        { share: won * (item.featured ? 1 - part : 1), losses: 0 },
        { share: (1 - won) * (item.featured ? 1 : 1 - part), losses: Math.min(losses + 1, most) },
      ];
    },
  };
};

const waitFor = (rules: WaitRules, { tiers, items }: Schemas['ConfigOdds'], waited: Waited): Wait | undefined => {
  if ('tier' in waited) return { rank: waited.tier, maxLosses: 0, misses: () => [] };
  const item = items.find(({ itemId }) => itemId === waited.itemId);
  const rank = tiers.findIndex(({ tier }) => tier === item?.tier);
  const tier = tiers[rank];
  if (item === undefined || tier === undefined) return undefined;
  const inTier = items.filter((one) => one.tier === item.tier);
  const isDivided = rules.featuredShare !== undefined || rules.guaranteeAfterLosses !== undefined;
  if (rank === 0 && isDivided) return featuredWait(rules, tier, item, inTier);
  const part = partOf(item, inTier);
  return { rank, maxLosses: 0, misses: () => [{ share: 1 - part, losses: 0 }] };
};

/** The chain of the counters that matter for a tier, and of the losses. */
const gachaChain = (rules: WaitRules, odds: Schemas['ConfigOdds'], waited: Waited): Chain | undefined => {
  const wait = waitFor(rules, odds, waited);
  if (wait === undefined) return undefined;
  const { rank, maxLosses, misses } = wait;
  const counters = countersOf(rules, odds.tiers).slice(0, rank + 1);
  const width = maxLosses + 1;
  const states = counters.reduce((product, { factors }) => product * factors.length, width);
  if (states > MAX_STATES) return undefined;

  const stateAfter = (since: readonly number[], given: number, losses: number): number => {
    let state = losses;
    for (const [place, { factors, higherResets }] of counters.entries()) {
      const isReset = place === given || (higherResets && given < place);
      state = state * factors.length + (isReset ? 0 : Math.min((since[place] ?? 0) + 1, factors.length - 1));
    }
    return state;
  };
  return chainOf(states, (state) => {
    let rest = state;
    const since = counters
      .toReversed()
      .map(({ factors }) => {
        const rolls = rest % factors.length;
        rest = Math.floor(rest / factors.length);
        return rolls;
      })
      .reverse();
    const losses = rest;
    let left = 1;
    const moves: [number, number][] = [];
    for (const [place, { factors }] of counters.entries()) {
      const chance = left * (factors[since[place] ?? 0] ?? 0);
      left -= chance;
      if (place < rank) moves.push([stateAfter(since, place, losses), chance]);
      else for (const miss of misses(losses)) moves.push([stateAfter(since, place, miss.losses), chance * miss.share]);
    }
    moves.push([stateAfter(since, counters.length, losses), left]);
    return moves;
  });
};

/**
 * The chance of one pack or offer, which is constant until pity is due, derived from the mean that the service
 * computed.
 */
const steadyChance = (mean: number, worst: number | null): number => {
  if (worst === null) return 1 / mean;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 100; step += 1) {
    const middle = (low + high) / 2;
    const meanAt = middle === 0 ? worst : (1 - (1 - middle) ** worst) / middle;
    if (meanAt > mean) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};

/** Packs are alike until one is due, which changes the chance of the top tier to 1, and others by an unknown amount. */
const packChain = (rules: WaitRules, { tiers, items }: Schemas['ConfigOdds'], waited: Waited): Chain | undefined => {
  const isTop = 'tier' in waited && waited.tier === 0;
  const row = 'tier' in waited ? tiers[waited.tier] : items.find(({ itemId }) => itemId === waited.itemId);
  if (row === undefined || (rules.pityThreshold && !isTop)) return undefined;
  const { expectedRolls, worstRolls } = row;
  if (expectedRolls === null) return chainOfChances([0]);
  const chance = steadyChance(expectedRolls, worstRolls);
  return chainOfChances(worstRolls === null ? [chance] : [...Array(worstRolls - 1).fill(chance), 1]);
};

/** Number of steps, each a multiplication, that a curve may take. */
const MAX_STEPS = 60_000_000;

/**
 * The exact chance of a new player to have a tier or an item by roll 1, 2 and so on, up to `rolls`, or until nearly
 * everybody has it; undefined if it cannot be told from the odds, or would take long.
 */
export const curveOf = (
  type: Schemas['Template']['type'],
  rules: WaitRules,
  odds: Schemas['ConfigOdds'],
  waited: Waited,
  { rolls, enough = 1 }: { readonly rolls: number; readonly enough?: number },
): readonly number[] | undefined => {
  const isPack = type === 'card_pack' || type === 'roguelike';
  const chain = isPack ? packChain(rules, odds, waited) : gachaChain(rules, odds, waited);
  if (chain === undefined || chain.chance.length * rolls > MAX_STEPS) return undefined;
  const points: number[] = [];
  let now = new Float64Array(chain.states);
  now[0] = 1;
  let left = 1;
  while (points.length < rolls && left > 1 - enough) {
    const next = new Float64Array(chain.states);
    for (let move = 0; move < chain.chance.length; move += 1) {
      const to = chain.to[move] as number;
      next[to] = (next[to] as number) + (now[chain.from[move] as number] as number) * (chain.chance[move] as number);
    }
    now = next;
    left = now.reduce((sum, share) => sum + share, 0);
    points.push(1 - left);
  }
  return points;
};
