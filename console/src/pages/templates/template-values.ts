import type { Schemas } from '../../api/client.ts';
import { isSame } from '../../catalog/entities.ts';
import type { OptionsById } from '../../parts/options.tsx';

export type TemplateType = Schemas['Template']['type'];

/** All members of the four systems. */
export type Config = Schemas['GachaConfig'] &
  Schemas['CardPackConfig'] &
  Schemas['RoguelikeConfig'] &
  Partial<Schemas['IdleConfig']>;

/** A number as form value: an empty string while the field is empty. */
type Field = number | string;

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

/** How a member of a configuration becomes a form value, and the other way round. An empty value leaves it out. */
interface Editor<M, V> {
  toValue(member: M | undefined, resolve: Resolve): V;
  toMember(value: V): M | undefined;
}

type Editors = Readonly<Record<string, Editor<unknown, unknown>>>;

type ValuesOf<E> = { [K in keyof E]: E[K] extends Editor<infer _, infer V> ? V : never };

const valuesOf = <E extends Editors>(editors: E, members: object, resolve: Resolve): ValuesOf<E> => {
  const given = members as Record<string, unknown>;
  const values = Object.entries(editors).map(([name, { toValue }]) => [name, toValue(given[name], resolve)]);
  return Object.fromEntries(values) as ValuesOf<E>;
};

const membersOf = (editors: Editors, values: object): object => {
  const given = values as Record<string, unknown>;
  const members = Object.entries(editors).map(([name, { toMember }]) => [name, toMember(given[name])]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
};

let made = 0;
/** Rows have a key of their own, since their values may change. */
export const newKey = (): string => {
  made += 1;
  return `row-${made}`;
};

/** Keeps a percentage from becoming 6.000000000000001. */
const rounded = (value: number): number => Number(value.toPrecision(12));

const text: Editor<string, string> = {
  toValue: (member = '') => member,
  toMember: (value) => value || undefined,
};

const tier: Editor<string, string> = {
  ...text,
  toValue: (member, resolve) => (member === undefined ? '' : resolve(member)),
};

const number: Editor<number, Field> = {
  toValue: (member) => member ?? '',
  toMember: (value) => (value === '' ? undefined : Number(value)),
};

/** A number that is never left out. */
const count: Editor<number, Field> = { ...number, toMember: Number };

/** A share, edited in percent. */
const percent: Editor<number, Field> = {
  toValue: (share) => (share === undefined ? '' : rounded(share * 100)),
  toMember: (value) => (value === '' ? undefined : rounded(Number(value) / 100)),
};

const flag: Editor<boolean, boolean> = {
  toValue: (member = false) => member,
  toMember: (value) => value || undefined,
};

const ids: Editor<string[], string[]> = {
  toValue: (member = []) => member,
  toMember: (value) => (value.length === 0 ? undefined : value),
};

/** A time, edited in a `datetime-local` field. */
const time: Editor<string, string> = {
  toValue: (iso) => {
    if (iso === undefined) return '';
    const moment = new Date(iso);
    return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  },
  toMember: (local) => (local === '' ? undefined : new Date(local).toISOString()),
};

export interface TierRate {
  key: string;
  tier: string;
  rate: Field;
}

const rates: Editor<Record<string, number>, TierRate[]> = {
  toValue: (member = {}, resolve) =>
    Object.entries(member).map(([name, rate]) => ({ key: newKey(), tier: resolve(name), rate })),
  toMember: (rows) =>
    rows.length === 0 ? undefined : Object.fromEntries(rows.map((row) => [row.tier, Number(row.rate)])),
};

const group = <E extends Editors>(editors: E): Editor<object, ValuesOf<E>> => ({
  toValue: (member = {}, resolve) => valuesOf(editors, member, resolve),
  toMember: (values) => {
    const members = membersOf(editors, values);
    return Object.keys(members).length === 0 ? undefined : members;
  },
});

const rowsOf = <E extends Editors>(editors: E): Editor<object[], (ValuesOf<E> & { key: string })[]> => ({
  toValue: (list = [], resolve) => list.map((member) => ({ ...valuesOf(editors, member, resolve), key: newKey() })),
  toMember: (rows) => (rows.length === 0 ? undefined : rows.map((row) => membersOf(editors, row))),
});

const softPity = rowsOf({ from: count, add: { ...percent, toMember: (value: Field) => percent.toMember(value) ?? 0 } });

const COMMON = {
  baseRates: rates,
  pool: group({ classifierOptionIds: ids, itemIds: ids }),
  pityThreshold: number,
  rateUpMultiplier: number,
  sparkCurrency: number,
  featuredItemIds: ids,
  startsAt: time,
  endsAt: time,
};

const GACHA = {
  ...COMMON,
  pityTier: tier,
  softPity,
  pities: rowsOf({ tier: { ...tier, toMember: String }, threshold: count, softPity, higherResets: flag }),
  featuredShare: percent,
  guaranteeAfterLosses: number,
  pityGroup: text,
};

const SYSTEM_EDITORS = {
  gacha: GACHA,
  card_pack: { ...COMMON, slots: rowsOf({ count, rates, classifierOptionIds: ids }), unique: flag },
  roguelike: { ...COMMON, choices: number, depthScaling: rates },
  idle: { ...GACHA, rollsPerHour: number, maxHours: number },
};

const EDITORS = { ...SYSTEM_EDITORS.idle, ...SYSTEM_EDITORS.card_pack, ...SYSTEM_EDITORS.roguelike };

/** A template as form values: those of every system, with the names that they have in a configuration. */
export interface TemplateValues extends ValuesOf<typeof EDITORS> {
  id: string;
  name: string;
  verifiable: boolean;
  isPublic: boolean;
}

interface Source {
  readonly name: string;
  readonly config: object;
  readonly verifiable?: boolean;
  readonly disclosure?: Schemas['Template']['disclosure'];
}

export const toValues = (template: Source, resolve: Resolve): TemplateValues => ({
  id: '',
  name: template.name,
  verifiable: template.verifiable ?? false,
  isPublic: template.disclosure === 'public',
  ...valuesOf(EDITORS, template.config, resolve),
});

/** The configuration, with only the given members that the system has. */
export const toConfig = (type: TemplateType, values: TemplateValues): Config =>
  membersOf(SYSTEM_EDITORS[type], values) as Config;

/**
 * A configuration with everything that the form did not change as it was: a tier may be called by its name, which the
 * form does not keep.
 */
export const keepingMembers = (edited: Config, shown: Config, original: object): Config => {
  const [members, before, known] = [edited, shown, original] as Record<string, unknown>[];
  const names = new Set([...Object.keys(known ?? {}), ...Object.keys(members ?? {})]);
  const kept = [...names].map((name) => [
    name,
    isSame(members?.[name], before?.[name]) ? known?.[name] : members?.[name],
  ]);
  return Object.fromEntries(kept.filter(([, member]) => member !== undefined)) as Config;
};

/** Faults that the form finds by itself, by field. */
export const repeatedTiers = (values: TemplateValues): Record<string, string> => {
  const faults: Record<string, string> = {};
  const check = (path: string, rows: readonly { readonly tier: string }[]): void => {
    for (const [place, { tier: own }] of rows.entries())
      if (own !== '' && rows.slice(0, place).some((row) => row.tier === own))
        faults[`${path}.${place}.tier`] = 'This tier is already in the list';
  };
  check('baseRates', values.baseRates);
  check('depthScaling', values.depthScaling);
  check('pities', values.pities);
  for (const [place, { rates: own }] of values.slots.entries()) check(`slots.${place}.rates`, own);
  return faults;
};

/** The initial configuration of a new template. */
export const START: Record<TemplateType, Config> = {
  gacha: { pityThreshold: 90 },
  card_pack: { slots: [{ count: 5 }] },
  roguelike: { choices: 3 },
  idle: { rollsPerHour: 1, maxHours: 24 },
};
