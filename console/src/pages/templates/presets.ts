import type { Schemas } from '../../api/client.ts';
import { type KnownOption, type OptionsById, optionIdsOf } from '../../parts/options.tsx';
import type { Config, TemplateType } from './template-values.ts';

/** Configurations that many games have, with the options and items of the team. */

export interface Preset {
  readonly name: string;
  readonly about: string;
  readonly type: TemplateType;
  readonly make: (catalog: PresetCatalog) => Config;
}

export interface PresetCatalog {
  /** The options of one classifier that are tiers, the most common first. */
  readonly tiers: readonly KnownOption[];
  readonly items: readonly Schemas['Item'][];
}

/** The classifier whose options differ most in their multipliers; its options, the most common first. */
export const presetCatalog = (options: OptionsById, items: readonly Schemas['Item'][]): PresetCatalog => {
  const used = new Set(items.flatMap(optionIdsOf));
  const spread = (members: readonly KnownOption[]): number => {
    const multipliers = members.map(({ multiplier }) => multiplier).filter((multiplier) => multiplier > 0);
    return multipliers.length < 2 ? 0 : Math.max(...multipliers) / Math.min(...multipliers);
  };
  const groups = [...Map.groupBy(options.values(), ({ classifierId }) => classifierId).values()]
    .map((members) => members.filter(({ id }) => used.has(id)))
    .toSorted((left, right) => spread(right) - spread(left));
  return { tiers: (groups[0] ?? []).toSorted((left, right) => right.multiplier - left.multiplier), items };
};

/** Rates in percent, the rarest last; each tier before the last two has what the next leaves over. */
const ratesFor = ({ tiers }: PresetCatalog, top: number, second: number): Pick<Config, 'baseRates'> => {
  if (tiers.length < 2) return {};
  const rates = tiers.map((_, place) => {
    const fromTop = tiers.length - 1 - place;
    if (fromTop === 0) return top;
    return fromTop === 1 && tiers.length > 2 ? second : 0;
  });
  // Whatever is left is halved from tier to tier, the most common having most of it.
  const others = tiers.length - (tiers.length > 2 ? 2 : 1);
  const left = 100 - rates.reduce((sum, rate) => sum + rate, 0);
  const parts = 2 ** others - 1;
  const shared = rates.map((rate, place) =>
    place < others ? Number(((left * 2 ** (others - 1 - place)) / parts).toPrecision(6)) : rate,
  );
  return { baseRates: Object.fromEntries(tiers.map(({ id }, place) => [id, shared[place] ?? 0])) };
};

/** The first items of the rarest tier, of which at least one must be left to lose to. */
const featured = ({ tiers, items }: PresetCatalog, count: number): string[] => {
  const top = tiers.at(-1)?.id ?? '';
  const members = items.filter((item) => optionIdsOf(item).includes(top) && item.rollNumerator > 0);
  return members.slice(0, Math.min(count, members.length - 1)).map(({ id }) => id);
};

const withFeatured = (ids: string[], share: number): Partial<Config> =>
  ids.length === 0 ? {} : { featuredItemIds: ids, featuredShare: share, guaranteeAfterLosses: 1 };

/** Hard pity of the second rarest tier. */
const ten = ({ tiers }: PresetCatalog): Partial<Config> =>
  tiers.length < 3 ? {} : { pities: [{ tier: tiers.at(-2)?.id ?? '', threshold: 10 }] };

export const PRESETS: readonly Preset[] = [
  {
    name: '90-pity with 50/50',
    about: '0.6 %, soft pity from 74, hard pity 90, a 50/50 with a guarantee.',
    type: 'gacha',
    make: (catalog) => ({
      ...ratesFor(catalog, 0.6, 5.1),
      ...{ pityThreshold: 90, softPity: [{ from: 74, add: 0.06 }] },
      ...ten(catalog),
      ...withFeatured(featured(catalog, 1), 0.5),
    }),
  },
  {
    name: 'Weapon banner',
    about: '0.7 %, soft pity from 63, hard pity 80, two featured with 75 %.',
    type: 'gacha',
    make: (catalog) => ({
      ...ratesFor(catalog, 0.7, 6),
      ...{ pityThreshold: 80, softPity: [{ from: 63, add: 0.07 }] },
      ...ten(catalog),
      ...withFeatured(featured(catalog, 2), 0.75),
    }),
  },
  {
    name: '200 spark',
    about: '3 %, no pity; after 200 rolls, players choose a featured item.',
    type: 'gacha',
    make: (catalog) => {
      const ids = featured(catalog, 2);
      const more = ids.length === 0 ? {} : { featuredItemIds: ids, sparkCurrency: 200, featuredShare: 0.5 };
      return { ...ratesFor(catalog, 3, 18), ...more };
    },
  },
  {
    name: 'Five cards, one rare',
    about: 'Four cards of the common tiers, and a slot for the rare ones.',
    type: 'card_pack',
    make: (catalog) => {
      const { tiers } = catalog;
      const rare = tiers.slice(-3).filter((_, place, last) => last.length < 3 || place > 0);
      const slotRates = Object.fromEntries(rare.map(({ id }, place) => [id, place === rare.length - 1 ? 12 : 88]));
      return {
        ...ratesFor(catalog, 0.5, 4),
        slots: [{ count: 4 }, tiers.length < 2 ? { count: 1 } : { count: 1, rates: slotRates }],
        unique: true,
      };
    },
  },
  {
    name: 'Depth-scaled offer',
    about: 'Three choices; rare tiers get 15 % likelier per depth.',
    type: 'roguelike',
    make: (catalog) => ({
      ...ratesFor(catalog, 1, 6),
      choices: 3,
      ...(catalog.tiers.length > 1 && { depthScaling: { [catalog.tiers.at(-1)?.id ?? '']: 1.15 } }),
    }),
  },
  {
    name: 'Idle chest',
    about: 'Four rolls an hour, at most a day of them.',
    type: 'idle',
    make: (catalog) => ({ ...ratesFor(catalog, 1, 6), rollsPerHour: 4, maxHours: 24 }),
  },
];
