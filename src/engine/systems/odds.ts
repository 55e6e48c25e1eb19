import { sortedBy } from '../byte-order.ts';
import { type CurveLimits, type CurvePoint, curveOf } from '../chains/curve.ts';
import type { Follow } from '../chains/survival.ts';
import { packContents, packFollow, packOdds, stepsOfPack } from './card-pack/pack-odds.ts';
import { gachaFollow, gachaOdds, type Odds, stepsOfGacha, type TierOdds } from './gacha/gacha-odds.ts';
import { type OddsInput, oddsInputOf } from './odds-input.ts';
import type { CompiledTemplate } from './templates.ts';
import type { Tiers } from './tiers.ts';

export interface TierRow extends Odds {
  readonly tier: string | null;
  readonly name: string | null;
}

export interface ItemRow extends Odds {
  readonly itemId: string;
  readonly itemName: string;
  readonly tier: string | null;
  readonly featured: boolean;
}

export interface TemplateOdds {
  /** Rarest first. */
  readonly tiers: readonly TierRow[];
  /** In byte order of their ids, including those that never come up. */
  readonly items: readonly ItemRow[];
}

/** What follows from the rules: odds by the place of the tier, and the first results of new users, roll by roll. */
const workOut = (input: OddsInput): { readonly odds: () => TierOdds[]; readonly follow: Follow } => {
  if (input.kind === 'rolls') return { odds: () => gachaOdds(input.rules), follow: gachaFollow(input.rules) };
  const contents = packContents(input.plan);
  return { odds: () => packOdds(input.plan, contents), follow: packFollow(input.plan, contents) };
};

export const followTemplate = (template: CompiledTemplate): Follow => workOut(oddsInputOf(template)).follow;

/** Odds by the place of the tier, and the curve of the top tier, which is empty if that never comes up. */
const workOutCurve = (input: OddsInput, limits: CurveLimits) => {
  const { tiers } = input.kind === 'rolls' ? input.rules : input.plan;
  const { odds: byTier, follow } = workOut(input);
  const odds = byTier();
  return { odds, curve: odds[tiers.top]?.expectedRolls == null ? [] : curveOf(follow(tiers.top), limits) };
};

/** Odds in columns, which are cheap to send to another thread: by tier, and by item grouped by tier. Null is NaN. */
export interface OddsTable {
  readonly tiers: OddsColumns;
  readonly items: OddsColumns;
  /** Of the top tier. */
  readonly curve: readonly CurvePoint[];
}

export type OddsColumns = Readonly<Record<keyof Odds, Float64Array>>;

const columnsOf = (rows: readonly Odds[]): OddsColumns => {
  const column = (name: keyof Odds): Float64Array => Float64Array.from(rows, (row) => row[name] ?? Number.NaN);
  return {
    base: column('base'),
    effective: column('effective'),
    expectedRolls: column('expectedRolls'),
    medianRolls: column('medianRolls'),
    worstRolls: column('worstRolls'),
  };
};

export const oddsTableOf = (input: OddsInput, limits: CurveLimits): OddsTable => {
  const { odds, curve } = workOutCurve(input, limits);
  return { tiers: columnsOf(odds), items: columnsOf(odds.flatMap(({ items }) => items)), curve };
};

export const oddsAt = (columns: OddsColumns, row: number): Odds => {
  const orNull = (value: number | undefined): number | null =>
    value === undefined || Number.isNaN(value) ? null : value;
  return {
    base: columns.base[row] ?? 0,
    effective: columns.effective[row] ?? 0,
    expectedRolls: orNull(columns.expectedRolls[row]),
    medianRolls: orNull(columns.medianRolls[row]),
    worstRolls: orNull(columns.worstRolls[row]),
  };
};

/** The approximate number of steps that exact odds take; a step takes a few nanoseconds. */
export const stepsOfOdds = (template: CompiledTemplate): number => {
  const input = oddsInputOf(template);
  return input.kind === 'rolls' ? stepsOfGacha(input.rules) : stepsOfPack(input.plan);
};

const rowsOf = ({ all, ranked, featured }: Tiers, odds: readonly TierOdds[]): TemplateOdds => {
  const tiers = ranked.flatMap((place) => {
    const tier = all[place];
    const row = odds[place];
    if (tier === undefined || row === undefined) return [];
    const { items: _, ...rest } = row;
    return { tier: tier.optionId, name: tier.name, ...rest };
  });
  const items = all.flatMap((tier, place) =>
    tier.items.flatMap((item, index) => {
      const row = odds[place]?.items[index];
      if (row === undefined) return [];
      const { id: itemId, name: itemName } = item;
      return { itemId, itemName, tier: tier.optionId, featured: featured.has(itemId), ...row };
    }),
  );
  return { tiers, items: sortedBy(items, ({ itemId }) => itemId) };
};

/** What a store must disclose about a template: exact odds, computed from the rolling rules, never sampled. */
export const templateOdds = (template: CompiledTemplate): TemplateOdds =>
  rowsOf(template.tiers, workOut(oddsInputOf(template)).odds());

/** The same with the curve of the top tier. */
export const templateOddsAndCurve = (template: CompiledTemplate, limits: CurveLimits) => {
  const { odds, curve } = workOutCurve(oddsInputOf(template), limits);
  return { ...rowsOf(template.tiers, odds), curve };
};
