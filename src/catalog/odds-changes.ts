import { isDeepStrictEqual } from 'node:util';
import type { Catalog, CompiledItem } from '../engine/pool/catalog.ts';
import { gachaOdds } from '../engine/systems/gacha/gacha-odds.ts';
import { stepsOfOdds, type TemplateOdds, templateOdds } from '../engine/systems/odds.ts';
import {
  type GachaOddsInput,
  type OddsItems,
  type OddsTier,
  oddsInputOf,
  plainOddsInputOf,
} from '../engine/systems/odds-input.ts';
import type { CompiledTemplate } from '../engine/systems/templates.ts';
import { LIMITS } from '../shared/limits.ts';

/** Rolls without a template. */
export const PLAIN_POOL = 'plain';

interface BeforeAfter {
  readonly before: number | null;
  readonly after: number | null;
}

/** What a change does to the odds of one pool. */
export interface PoolChange {
  readonly pool: string;
  readonly name: string;
  readonly tiers: readonly ({ readonly tier: string | null; readonly name: string | null } & BeforeAfter)[];
  readonly items: readonly ({ readonly itemId: string; readonly itemName: string } & BeforeAfter)[];
  readonly moreItems: number;
  readonly featuredMean: BeforeAfter | null;
  readonly worst: BeforeAfter | null;
}

/** The odds of a pool at one time. */
interface PoolOdds {
  readonly tiers: readonly { readonly tier: string | null; readonly name: string | null; readonly share: number }[];
  readonly items: ReadonlyMap<string, { readonly name: string; readonly share: number }>;
  readonly featuredMean: number | null;
  readonly worst: number | null;
}

const NOTHING: PoolOdds = { tiers: [], items: new Map(), featuredMean: null, worst: null };

/** Smaller changes are rounding. */
const NOTICEABLE = 1e-9;

const differs = ({ before, after }: BeforeAfter): boolean => {
  const [old, next] = [before ?? 0, after ?? 0];
  return Math.abs(old - next) > NOTICEABLE * Math.max(Math.abs(old), Math.abs(next));
};

/** What happens to any of the featured items of the top tier, as if they were one. */
const asOneFeatured = (rules: GachaOddsInput, featured: ReadonlySet<unknown>): GachaOddsInput => {
  const { tiers, feature } = rules;
  const top = tiers.all[tiers.top] as OddsTier;
  const merge = (of: OddsItems): OddsItems => {
    const [items, weights] = [[] as unknown[], [] as number[]];
    let sum = 0;
    for (const [index, item] of [...of.items].entries()) {
      const weight = of.weights[index] as number;
      if (featured.has(item)) sum += weight;
      else {
        items.push(item);
        weights.push(weight);
      }
    }
    return {
      items: [ANY_FEATURED, ...items],
      weights: [sum, ...weights],
      picker: of.picker,
      rollable: weights.filter((weight) => weight > 0).length + Number(sum > 0),
    };
  };
  return {
    ...rules,
    tiers: { ...tiers, all: tiers.all.map((tier) => (tier === top ? { ...tier, ...merge(tier) } : tier)) },
    feature: feature && { ...feature, featured: merge(feature.featured) },
  };
};
const ANY_FEATURED = 'any featured item';

/** Mean number of rolls until one of the featured items of the top tier; null if there are none. */
const featuredMeanOf = (template: CompiledTemplate, odds: TemplateOdds): number | null => {
  const { tiers } = template;
  const top = tiers.all[tiers.top];
  const featured = new Set<unknown>(top?.items.filter(({ id, weight }) => weight > 0 && tiers.featured.has(id)));
  if (featured.size === 0) return null;
  const [first] = featured as Set<CompiledItem>;
  if (featured.size === 1) return odds.items.find(({ itemId }) => itemId === first?.id)?.expectedRolls ?? null;
  const input = oddsInputOf(template);
  // Whether one of several cards is among those of a pack is another question.
  if (input.kind !== 'rolls') return null;
  return gachaOdds(asOneFeatured(input.rules, featured))[tiers.top]?.items[0]?.expectedRolls ?? null;
};

const templatePool = (template: CompiledTemplate | null): PoolOdds => {
  if (template === null) return NOTHING;
  const odds = templateOdds(template);
  return {
    tiers: odds.tiers.map(({ tier, name, effective }) => ({ tier, name, share: effective })),
    items: new Map(odds.items.map(({ itemId, itemName, effective }) => [itemId, { name: itemName, share: effective }])),
    featuredMean: featuredMeanOf(template, odds),
    worst: odds.tiers[0]?.worstRolls ?? null,
  };
};

const plainPool = ({ items }: Catalog): PoolOdds => {
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  return {
    ...NOTHING,
    items: new Map(items.map(({ id, name, weight }) => [id, { name, share: total > 0 ? weight / total : 0 }])),
  };
};

const compare = (pool: string, name: string, before: PoolOdds, after: PoolOdds): PoolChange | undefined => {
  const tierIds = [...after.tiers, ...before.tiers].map(({ tier }) => tier);
  const tiers = [...new Set(tierIds)].map((tier) => {
    const [old, next] = [before, after].map((odds) => odds.tiers.find((one) => one.tier === tier));
    return { tier, name: (next ?? old)?.name ?? null, before: old?.share ?? null, after: next?.share ?? null };
  });
  const items = [];
  for (const itemId of new Set([...before.items.keys(), ...after.items.keys()])) {
    const [old, next] = [before.items.get(itemId), after.items.get(itemId)];
    const change = { before: old?.share ?? null, after: next?.share ?? null };
    if (differs(change)) items.push({ itemId, itemName: (next ?? old)?.name ?? itemId, ...change });
  }
  const moved = ({ before: old, after: next }: BeforeAfter): number => Math.abs((next ?? 0) - (old ?? 0));
  items.sort((left, right) => moved(right) - moved(left));
  const pair = (old: number | null, next: number | null): BeforeAfter | null =>
    old === null && next === null ? null : { before: old, after: next };
  const featuredMean = pair(before.featuredMean, after.featuredMean);
  const worst = pair(before.worst, after.worst);
  const isChanged =
    items.length > 0 || [...tiers, featuredMean, worst].some((change) => change !== null && differs(change));
  if (!isChanged) return undefined;
  const listed = items.slice(0, LIMITS.listedOddsChanges);
  return { pool, name, tiers, items: listed, moreItems: items.length - listed.length, featuredMean, worst };
};

/** A pool whose odds may change. */
export interface ChangedPool {
  readonly pool: string;
  readonly name: string;
  /** How long computing the odds takes, approximately. */
  readonly steps: number;
  /** Undefined if they turn out not to change. */
  compute(): PoolChange | undefined;
}

interface Templates {
  readonly ids: Iterable<string>;
  readonly nameOf: (id: string) => string;
  readonly before: (id: string) => CompiledTemplate | null;
  readonly after: (id: string) => CompiledTemplate | null;
}

const plainChanges = (before: Catalog, after: Catalog): boolean =>
  before.items.length !== after.items.length ||
  after.items.some((item, place) => {
    const known = before.items[place] as CompiledItem;
    return known.id !== item.id || known.weight !== item.weight;
  });

/** Whether two templates give everything with the same odds, without computing them. */
const haveSameOdds = (
  before: CompiledTemplate | null,
  after: CompiledTemplate | null,
  numberOf: (item: CompiledItem) => number,
): boolean => {
  if (before === null || after === null) return before === after;
  const tiersOf = ({ tiers }: CompiledTemplate) => tiers.all.map(({ optionId }) => optionId);
  return (
    isDeepStrictEqual(tiersOf(before), tiersOf(after)) &&
    isDeepStrictEqual([...before.tiers.featured].sort(), [...after.tiers.featured].sort()) &&
    isDeepStrictEqual(plainOddsInputOf(before, numberOf), plainOddsInputOf(after, numberOf))
  );
};

/** Every pool whose odds may change, rolls without a template first. */
export const changedPools = (before: Catalog, after: Catalog, templates: Templates): ChangedPool[] => {
  const pools: ChangedPool[] = [];
  if (plainChanges(before, after))
    pools.push({
      pool: PLAIN_POOL,
      name: 'All items',
      steps: 0,
      compute: () => compare(PLAIN_POOL, 'All items', plainPool(before), plainPool(after)),
    });
  const numbers = new Map<string, number>();
  const numberOf = ({ id }: CompiledItem): number => {
    const known = numbers.get(id) ?? numbers.size;
    numbers.set(id, known);
    return known;
  };
  for (const id of templates.ids) {
    const [old, next] = [templates.before(id), templates.after(id)];
    if (haveSameOdds(old, next, numberOf)) continue;
    const name = templates.nameOf(id);
    pools.push({
      pool: id,
      name,
      steps: [old, next].reduce((sum, template) => sum + (template === null ? 0 : stepsOfOdds(template)), 0),
      compute: () => compare(id, name, templatePool(old), templatePool(next)),
    });
  }
  return pools;
};
