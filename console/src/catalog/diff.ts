import { formatMoment, formatShare } from '../parts/format.ts';
import type { Entities, Entity, Kind } from './entities.ts';

/** One field of an entity in words. Fields with the same key are compared with each other. */
interface Field {
  readonly key: string;
  readonly label: string;
  readonly text: string;
}

export interface FieldDiff extends Omit<Field, 'text'> {
  readonly before?: string;
  readonly after?: string;
}

export interface Named {
  readonly id: string;
  readonly name: string;
  /** Of a classifier. */
  readonly classifierOptions?: readonly Named[];
}

/** Names of everything that an entity may refer to, by id. */
export interface Names {
  readonly of: (id: string) => string | undefined;
  /** The classifier that an option belongs to. */
  readonly classifierOf: (optionId: string) => Named | undefined;
}

/** Everything that has a name. Of what is listed twice, the later counts. */
export const namesOf = (entities: Iterable<Named>): Names => {
  const names = new Map<string, string>();
  const classifiers = new Map<string, Named>();
  for (const entity of entities) {
    names.set(entity.id, entity.name);
    for (const option of entity.classifierOptions ?? []) {
      names.set(option.id, option.name);
      classifiers.set(option.id, entity);
    }
  }
  return { of: (id) => names.get(id), classifierOf: (id) => classifiers.get(id) };
};

/** What designers call the members of a configuration. */
const WORDS: Readonly<Record<string, string>> = {
  baseRates: 'Rate',
  pool: 'Pool',
  classifierOptionIds: 'Only items with',
  itemIds: 'Only these items',
  pityThreshold: 'Hard pity',
  pityTier: 'Tier that pity is for',
  softPity: 'Soft pity',
  pities: 'Lower pity',
  featuredItemIds: 'Featured',
  featuredShare: 'Featured share',
  guaranteeAfterLosses: 'Guarantee',
  rateUpMultiplier: 'Rate-up',
  sparkCurrency: 'Spark',
  pityGroup: 'Pity group',
  startsAt: 'Opens',
  endsAt: 'Closes',
  slots: 'Slot',
  count: 'Cards',
  rates: 'Rate',
  unique: 'No item twice',
  choices: 'Choices',
  depthScaling: 'Scaling by depth',
  rollsPerHour: 'Rolls per hour',
  maxHours: 'Maximum hours',
  tier: 'Tier',
  threshold: 'By roll',
  higherResets: 'A rarer result resets it',
  from: 'From roll',
  add: 'Added per roll',
};

/** Members that are edited in percent, and times. */
const FORMATS: Readonly<Record<string, (value: unknown) => string>> = {
  featuredShare: (share) => formatShare(Number(share)),
  add: (share) => formatShare(Number(share)),
  startsAt: (time) => formatMoment(String(time)),
  endsAt: (time) => formatMoment(String(time)),
};

const textOf = (value: unknown, names: Names): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => textOf(one, names)).join(', ');
  return names.of(String(value)) ?? String(value);
};

/** The members of a configuration, each with its path in words: `Rate › Legendary`. */
const configFields = (value: unknown, names: Names, key = '', labels: readonly string[] = []): Field[] => {
  const isList = Array.isArray(value) && value.some((one) => typeof one === 'object');
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !isList))
    // The same tier may be called by its id or by its name.
    return [
      {
        key: `config/${labels.join('/')}`,
        label: labels.join(' › '),
        text: FORMATS[key]?.(value) ?? textOf(value, names),
      },
    ];
  return Object.entries(value).flatMap(([own, member]) => {
    if (member === undefined) return [];
    const label = isList ? String(Number(own) + 1) : (WORDS[own] ?? names.of(own) ?? own);
    return configFields(member, names, own, [...labels, label]);
  });
};

const field = (key: string, label: string, value: unknown): Field => ({ key, label, text: String(value ?? 'none') });

/** Members that are told as they are, with their labels. */
const plain = <T extends Entity>(entity: T, labels: { readonly [K in keyof T]?: string }): Field[] =>
  Object.entries(labels).map(([key, label]) => field(key, String(label), entity[key as keyof T]));

const optionFields = (optionIds: readonly string[], names: Names): Field[] =>
  [...Map.groupBy(optionIds, (id) => names.classifierOf(id)?.id ?? '')].map(([id, members]) => ({
    key: `options/${id}`,
    label: names.classifierOf(members[0] ?? '')?.name ?? 'Options',
    text: members.map((option) => names.of(option) ?? option).join(', '),
  }));

const FIELDS: { readonly [K in Kind]: (entity: Entities[K], names: Names) => Field[] } = {
  attribute: (entity) => plain(entity, { name: 'Name', min: 'Lowest', max: 'Highest', step: 'Step' }),
  classifier: (entity) => [
    ...plain(entity, { name: 'Name' }),
    ...entity.classifierOptions.flatMap(({ id, name, dropRateMultiplier, color }) => [
      field(`option/${id}`, `Option ${name}`, `${name} × ${dropRateMultiplier ?? 1}`),
      ...(color ? [field(`colour/${id}`, `Colour of ${name}`, color)] : []),
    ]),
  ],
  space: (entity) => plain(entity, { name: 'Name', cols: 'Columns', rows: 'Rows' }),
  item: (entity, names) => [
    ...plain(entity, { name: 'Name', thumbnail: 'Picture', description: 'Description', rollNumerator: 'Weight' }),
    field('data', 'Data', entity.data && JSON.stringify(entity.data)),
    ...(entity.currency
      ? [field('currency', 'Currency', entity.spend === 'paidFirst' ? 'paid units first' : 'yes')]
      : []),
    field('size', 'Size', `${entity.width} × ${entity.height}`),
    ...optionFields(entity.classifierOptionIds, names),
    ...entity.itemAttributes.map(({ attributeId, min, max }) =>
      field(`attribute/${attributeId}`, names.of(attributeId) ?? attributeId, `${min} to ${max}`),
    ),
  ],
  template: ({ name, type, config, verifiable, disclosure }, names) => [
    field('name', 'Name', name),
    field('type', 'System', type.replaceAll('_', ' ')),
    field('verifiable', 'Verifiable rolls', verifiable ? 'yes' : 'no'),
    field('disclosure', 'Public odds', disclosure === 'public' ? 'yes' : 'no'),
    ...configFields(config, names),
  ],
};

/** The fields that differ, in words: names before ids. */
export const diffOf = (kind: Kind, before: Entity | null, after: Entity | null, names: Names): FieldDiff[] => {
  const fields = new Map<string, FieldDiff>();
  for (const [side, entity] of Object.entries({ before, after }))
    for (const { key, label, text } of entity === null ? [] : FIELDS[kind](entity as never, names))
      fields.set(key, { key, label, ...fields.get(key), [side]: text });
  return [...fields.values()].filter((one) => one.before !== one.after);
};
