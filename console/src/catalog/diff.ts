import type { Entities, Entity, Kind } from './entities.ts';

/** Names of everything that an entity may refer to, by id. */
export interface Names {
  readonly of: (id: string) => string | undefined;
  /** The classifier that an option belongs to. */
  readonly classifierOf: (optionId: string) => { readonly id: string; readonly name: string } | undefined;
}

/** One field of an entity in words. Fields with the same key are compared with each other. */
interface Field {
  readonly key: string;
  readonly label: string;
  readonly text: string;
}

export interface FieldDiff {
  readonly key: string;
  readonly label: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What designers call the members of a configuration. */
const WORDS: Readonly<Record<string, string>> = {
  baseRates: 'Rate',
  pool: 'Pool',
  classifierOptionIds: 'Only items with',
  itemIds: 'Only these items',
  pityThreshold: 'Hard pity',
  pityTier: 'Top tier',
  softPity: 'Soft pity',
  pities: 'Lower pity',
  featuredItemIds: 'Featured',
  featuredShare: 'Featured share',
  guaranteeAfterLosses: 'Guaranteed after',
  rateUpMultiplier: 'Rate up',
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

const textOf = (value: unknown, names: Names): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => textOf(one, names)).join(', ');
  return names.of(String(value)) ?? String(value);
};

/** The members of a configuration, each with its path in words: `Rate › Legendary`. */
const configFields = (value: unknown, names: Names, keys: readonly string[], labels: readonly string[]): Field[] => {
  const isList = Array.isArray(value) && value.some((one) => typeof one === 'object');
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !isList))
    return [{ key: `config/${keys.join('/')}`, label: labels.join(' › '), text: textOf(value, names) }];
  return Object.entries(value).flatMap(([key, member]) => {
    if (member === undefined) return [];
    const label = isList ? String(Number(key) + 1) : (WORDS[key] ?? names.of(key) ?? key);
    return configFields(member, names, [...keys, key], [...labels, label]);
  });
};

const field = (key: string, label: string, value: unknown): Field => ({ key, label, text: String(value) });

const optionFields = (optionIds: readonly string[], names: Names): Field[] =>
  [...Map.groupBy(optionIds, (id) => names.classifierOf(id)?.id ?? '')].map(([id, members]) => ({
    key: `options/${id}`,
    label: names.classifierOf(members[0] ?? '')?.name ?? 'Options',
    text: members.map((option) => names.of(option) ?? option).join(', '),
  }));

const FIELDS: { readonly [K in Kind]: (entity: Entities[K], names: Names) => Field[] } = {
  attribute: ({ name, min, max, step }) => [
    field('name', 'Name', name),
    field('min', 'Lowest', min),
    field('max', 'Highest', max),
    field('step', 'Step', step ?? 'none'),
  ],
  classifier: ({ name, classifierOptions }) => [
    field('name', 'Name', name),
    ...classifierOptions.map((option) =>
      field(`option/${option.id}`, `Option ${option.name}`, `${option.name} × ${option.dropRateMultiplier ?? 1}`),
    ),
  ],
  space: ({ name, cols, rows }) => [
    field('name', 'Name', name),
    field('cols', 'Columns', cols),
    field('rows', 'Rows', rows),
  ],
  item: (item, names) => [
    field('name', 'Name', item.name),
    field('thumbnail', 'Picture', item.thumbnail ?? 'none'),
    field('rollNumerator', 'Weight', item.rollNumerator),
    field('size', 'Size', `${item.width} × ${item.height}`),
    ...optionFields(item.classifierOptionIds, names),
    ...item.itemAttributes.map(({ attributeId, min, max }) =>
      field(`attribute/${attributeId}`, names.of(attributeId) ?? attributeId, `${min} to ${max}`),
    ),
  ],
  template: ({ name, type, config, verifiable, disclosure }, names) => [
    field('name', 'Name', name),
    field('type', 'System', type.replaceAll('_', ' ')),
    field('verifiable', 'Verifiable rolls', verifiable ? 'yes' : 'no'),
    field('disclosure', 'Public odds', disclosure === 'public' ? 'yes' : 'no'),
    ...configFields(config, names, [], []),
  ],
};

const fieldsOf = (kind: Kind, entity: Entity | null, names: Names): Field[] =>
  entity === null ? [] : (FIELDS[kind] as (entity: Entity, names: Names) => Field[])(entity, names);

/** The fields that differ, in words: names before ids. */
export const diffOf = (kind: Kind, before: Entity | null, after: Entity | null, names: Names): FieldDiff[] => {
  const old = new Map(fieldsOf(kind, before, names).map((one) => [one.key, one]));
  const now = new Map(fieldsOf(kind, after, names).map((one) => [one.key, one]));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({
      key,
      label: (old.get(key) ?? now.get(key))?.label ?? key,
      before: old.get(key)?.text,
      after: now.get(key)?.text,
    }))
    .filter((one) => one.before !== one.after);
};

/** Everything that has a name: what the catalog has, overlaid by the given entities, which may be deleted ones. */
export const namesOf = (
  known: Iterable<readonly [Kind, Entity]>,
  given: Iterable<readonly [Kind, Entity]> = [],
): Names => {
  const names = new Map<string, string>();
  const classifiers = new Map<string, { id: string; name: string }>();
  for (const list of [known, given])
    for (const [kind, entity] of list) {
      names.set(entity.id, entity.name);
      if (kind !== 'classifier') continue;
      for (const option of (entity as Entities['classifier']).classifierOptions) {
        names.set(option.id, option.name);
        classifiers.set(option.id, entity);
      }
    }
  return { of: (id) => names.get(id), classifierOf: (id) => classifiers.get(id) };
};
