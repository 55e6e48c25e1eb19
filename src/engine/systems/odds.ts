import { sortedBy } from '../byte-order.ts';
import { packOdds, stepsOfPack } from './card-pack/pack-odds.ts';
import { gachaOdds, type Odds, stepsOfGacha, type TierOdds } from './gacha/gacha-odds.ts';
import { type OddsInput, oddsInputOf } from './odds-input.ts';
import type { CompiledTemplate } from './templates.ts';

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

const oddsByTier = (input: OddsInput): TierOdds[] =>
  input.kind === 'rolls' ? gachaOdds(input.rules) : packOdds(input.plan);

/** Odds in columns, which are cheap to send to another thread: by tier, and by item grouped by tier. Null is NaN. */
export interface OddsTable {
  readonly tiers: OddsColumns;
  readonly items: OddsColumns;
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

export const oddsTableOf = (input: OddsInput): OddsTable => {
  const odds = oddsByTier(input);
  return { tiers: columnsOf(odds), items: columnsOf(odds.flatMap(({ items }) => items)) };
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

/** What a store must disclose about a template: exact odds, computed from the rolling rules, never sampled. */
export const templateOdds = (template: CompiledTemplate): TemplateOdds => {
  const { all, ranked, featured } = template.tiers;
  const odds = oddsByTier(oddsInputOf(template));
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
