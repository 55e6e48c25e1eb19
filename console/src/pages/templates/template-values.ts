import type { Schemas } from '../../interface/client.ts';
import type { OptionsById } from '../../parts/catalog.ts';

export type TemplateType = Schemas['Template']['type'];

/** All members of the four systems. */
export type Config = Schemas['GachaConfig'] &
  Schemas['CardPackConfig'] &
  Schemas['RoguelikeConfig'] &
  Partial<Schemas['IdleConfig']>;

/** A number as form value: an empty string while the field is empty. */
type Field = number | string;

/** Rows have a key of their own, since their values may change. */
export interface TierRate {
  key: string;
  tier: string;
  rate: Field;
}

export interface SoftPity {
  key: string;
  from: Field;
  /** In percentage points. */
  add: Field;
}

export interface LowerPity {
  key: string;
  tier: string;
  threshold: Field;
  softPity: SoftPity[];
  higherResets: boolean;
}

export interface Slot {
  key: string;
  count: Field;
  rates: TierRate[];
  classifierOptionIds: string[];
}

/** A template as form values. */
export interface TemplateValues {
  id: string;
  name: string;
  verifiable: boolean;
  isPublic: boolean;
  tiers: TierRate[];
  poolOptionIds: string[];
  poolItemIds: string[];
  pityThreshold: Field;
  pityTier: string;
  softPity: SoftPity[];
  pities: LowerPity[];
  featuredItemIds: string[];
  /** In percent. */
  featuredShare: Field;
  guaranteeAfterLosses: Field;
  rateUpMultiplier: Field;
  sparkCurrency: Field;
  pityGroup: string;
  startsAt: string;
  endsAt: string;
  slots: Slot[];
  unique: boolean;
  choices: Field;
  depthScaling: TierRate[];
  rollsPerHour: Field;
  maxHours: Field;
}

let made = 0;
export const newKey = (): string => {
  made += 1;
  return `row-${made}`;
};

/** Keeps a percentage from becoming 6.000000000000001. */
const rounded = (value: number): number => Number(value.toPrecision(12));
const toPercent = (share: number | undefined): Field => (share === undefined ? '' : rounded(share * 100));
const toShare = (percent: Field): number | undefined => (percent === '' ? undefined : rounded(Number(percent) / 100));
const toNumber = (value: Field): number | undefined => (value === '' ? undefined : Number(value));

/** A configuration may refer to a tier by the name of its option; the form uses only ids. */
type Resolve = (tier: string) => string;

export const resolverOf = (options: OptionsById): Resolve => {
  const byName = Map.groupBy(options.values(), ({ name }) => name);
  return (tier) => {
    if (options.has(tier)) return tier;
    const named = byName.get(tier);
    return named?.length === 1 ? (named[0]?.id ?? tier) : tier;
  };
};

const ratesToRows = (rates: Record<string, number> | undefined, resolve: Resolve): TierRate[] =>
  Object.entries(rates ?? {}).map(([tier, rate]) => ({ key: newKey(), tier: resolve(tier), rate }));

const softPityToRows = (segments: Config['softPity']): SoftPity[] =>
  (segments ?? []).map(({ from, add }) => ({ key: newKey(), from, add: toPercent(add) }));

/** A time as the value of a `datetime-local` field. */
const toLocal = (iso: string | undefined): string => {
  if (iso === undefined) return '';
  const moment = new Date(iso);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

interface Source {
  readonly name: string;
  readonly config: object;
  readonly verifiable?: boolean;
  readonly disclosure?: Schemas['Template']['disclosure'];
}

const configToValues = (config: Config, resolve: Resolve) => ({
  tiers: ratesToRows(config.baseRates, resolve),
  poolOptionIds: config.pool?.classifierOptionIds ?? [],
  poolItemIds: config.pool?.itemIds ?? [],
  pityThreshold: config.pityThreshold ?? '',
  pityTier: config.pityTier === undefined ? '' : resolve(config.pityTier),
  softPity: softPityToRows(config.softPity),
  pities: (config.pities ?? []).map(({ tier, threshold, softPity, higherResets = false }) => ({
    key: newKey(),
    tier: resolve(tier),
    threshold,
    softPity: softPityToRows(softPity),
    higherResets,
  })),
  featuredItemIds: config.featuredItemIds ?? [],
  featuredShare: toPercent(config.featuredShare),
  guaranteeAfterLosses: config.guaranteeAfterLosses ?? '',
  rateUpMultiplier: config.rateUpMultiplier ?? '',
  sparkCurrency: config.sparkCurrency ?? '',
  pityGroup: config.pityGroup ?? '',
  startsAt: toLocal(config.startsAt),
  endsAt: toLocal(config.endsAt),
  slots: (config.slots ?? []).map(({ count, rates, classifierOptionIds = [] }) => ({
    key: newKey(),
    count,
    rates: ratesToRows(rates, resolve),
    classifierOptionIds,
  })),
  unique: config.unique ?? false,
  choices: config.choices ?? '',
  depthScaling: ratesToRows(config.depthScaling, resolve),
  rollsPerHour: config.rollsPerHour ?? '',
  maxHours: config.maxHours ?? '',
});

export const toValues = (template: Source, resolve: Resolve): TemplateValues => ({
  id: '',
  name: template.name,
  verifiable: template.verifiable ?? false,
  isPublic: template.disclosure === 'public',
  ...configToValues(template.config as Config, resolve),
});

const rowsToRates = (rows: readonly TierRate[]): Record<string, number> | undefined =>
  rows.length === 0 ? undefined : Object.fromEntries(rows.map(({ tier, rate }) => [tier, Number(rate)]));

const rowsToSoftPity = (rows: readonly SoftPity[]): Config['softPity'] =>
  rows.length === 0 ? undefined : rows.map(({ from, add }) => ({ from: Number(from), add: toShare(add) ?? 0 }));

const toIso = (local: string): string | undefined => (local === '' ? undefined : new Date(local).toISOString());
const orNothing = (list: string[]): string[] | undefined => (list.length === 0 ? undefined : list);

const common = (values: TemplateValues): Config => ({
  baseRates: rowsToRates(values.tiers),
  pool:
    values.poolOptionIds.length + values.poolItemIds.length === 0
      ? undefined
      : { classifierOptionIds: orNothing(values.poolOptionIds), itemIds: orNothing(values.poolItemIds) },
  pityThreshold: toNumber(values.pityThreshold),
  rateUpMultiplier: toNumber(values.rateUpMultiplier),
  sparkCurrency: toNumber(values.sparkCurrency),
  featuredItemIds: orNothing(values.featuredItemIds),
  startsAt: toIso(values.startsAt),
  endsAt: toIso(values.endsAt),
});

const gacha = (values: TemplateValues): Config => ({
  ...common(values),
  pityTier: values.pityTier || undefined,
  softPity: rowsToSoftPity(values.softPity),
  pities:
    values.pities.length === 0
      ? undefined
      : values.pities.map(({ tier, threshold, softPity, higherResets }) => ({
          tier,
          threshold: Number(threshold),
          softPity: rowsToSoftPity(softPity),
          higherResets: higherResets || undefined,
        })),
  featuredShare: toShare(values.featuredShare),
  guaranteeAfterLosses: toNumber(values.guaranteeAfterLosses),
  pityGroup: values.pityGroup || undefined,
});

/** The configuration, with only the given members that the system has. */
export const toConfig = (type: TemplateType, values: TemplateValues): Config => {
  switch (type) {
    case 'gacha':
      return gacha(values);
    case 'idle':
      return { ...gacha(values), rollsPerHour: toNumber(values.rollsPerHour), maxHours: toNumber(values.maxHours) };
    case 'card_pack':
      return {
        ...common(values),
        slots:
          values.slots.length === 0
            ? undefined
            : values.slots.map(({ count, rates, classifierOptionIds }) => ({
                count: Number(count),
                rates: rowsToRates(rates),
                classifierOptionIds: orNothing(classifierOptionIds),
              })),
        unique: values.unique || undefined,
      };
    case 'roguelike':
      return {
        ...common(values),
        choices: toNumber(values.choices),
        depthScaling: rowsToRates(values.depthScaling),
      };
  }
};

/** The initial configuration of a new template. */
export const START: Record<TemplateType, Config> = {
  gacha: { pityThreshold: 90 },
  card_pack: { slots: [{ count: 5 }] },
  roguelike: { choices: 3 },
  idle: { rollsPerHour: 1, maxHours: 24 },
};
