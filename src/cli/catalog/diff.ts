import { ENTITIES } from '../../catalog/entities.ts';
import type { Attribute, Change, Classifier, Entity, Item, ItemAttribute, Option, Space, Template } from './api.ts';
import type { Names } from './names.ts';

/** What changed in one member of an entity. */
export interface Line {
  readonly label: string;
  /** Undefined: there was nothing. */
  readonly before?: string;
  /** Undefined: there is nothing any more. */
  readonly after?: string;
  /** Said instead of what was and is there. */
  readonly note?: string;
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** A value in a line. Texts that would look like nothing, or like another value, are quoted. */
const showValue = (value: unknown): string => {
  if (value === null) return 'none';
  if (typeof value === 'string') return value === '' || value !== value.trim() ? JSON.stringify(value) : value;
  return JSON.stringify(value);
};

const line = (label: string, before: unknown, after: unknown): Line => ({
  label,
  ...(before === undefined ? {} : { before: showValue(before) }),
  ...(after === undefined ? {} : { after: showValue(after) }),
});

const plainLines = (members: readonly string[], before: Entity, after: Entity): Line[] =>
  members
    .filter((member) => !same(before[member], after[member]))
    .map((member) => line(member, before[member], after[member]));

const multiplierOf = ({ dropRateMultiplier }: Option): string => `×${dropRateMultiplier ?? '1 (default)'}`;
const showOption = (option: Option): string =>
  [
    option.name,
    ...(option.dropRateMultiplier === null ? [] : [`×${option.dropRateMultiplier}`]),
    ...(option.color == null ? [] : [option.color]),
  ].join(' ');

/** An option before and after, reduced to what changed. */
const optionLine = (before: Option, after: Option): Line[] => {
  const hasName = before.name !== after.name;
  const hasMultiplier = before.dropRateMultiplier !== after.dropRateMultiplier;
  const hasColor = before.color !== after.color;
  if (!hasName && !hasMultiplier && !hasColor) return [];
  const show = (option: Option): string =>
    [
      ...(hasName ? [option.name] : []),
      ...(hasMultiplier ? [multiplierOf(option)] : []),
      ...(hasColor ? [option.color ?? 'no color'] : []),
    ].join(' ');
  return [{ label: `option ${before.name}`, before: show(before), after: show(after) }];
};

const orderLine = (label: string, before: readonly unknown[], after: readonly unknown[]): Line[] => {
  const kept = before.filter((one) => after.includes(one));
  const inNewOrder = after.filter((one) => before.includes(one));
  return same(kept, inNewOrder) ? [] : [{ label, note: 'in another order' }];
};

const classifierLines = (before: Classifier, after: Classifier): Line[] => {
  const earlier = new Map(before.classifierOptions.map((option) => [option.id, option]));
  const later = new Map(after.classifierOptions.map((option) => [option.id, option]));
  return [
    ...after.classifierOptions.flatMap((option) => {
      const old = earlier.get(option.id);
      return old === undefined ? [{ label: 'option', after: showOption(option) }] : optionLine(old, option);
    }),
    ...before.classifierOptions
      .filter(({ id }) => !later.has(id))
      .map((option) => ({ label: 'option', before: showOption(option) })),
    ...orderLine('options', [...earlier.keys()], [...later.keys()]),
  ];
};

/** The options that an item lost and got, by classifier. */
const itemOptionLines = (before: Item, after: Item, { options }: Names): Line[] => {
  const [earlier, later] = [before.classifierOptionIds, after.classifierOptionIds];
  const lost = earlier.filter((id) => !later.includes(id));
  const gained = later.filter((id) => !earlier.includes(id));
  const labelOf = (id: string): string => options.get(id)?.classifier ?? 'option';
  const nameOf = (id: string): string => options.get(id)?.name ?? id;
  const labels = [...new Set([...lost, ...gained].map(labelOf))];
  const lines = labels.flatMap((label): Line[] => {
    const out = lost.filter((id) => labelOf(id) === label).map(nameOf);
    const into = gained.filter((id) => labelOf(id) === label).map(nameOf);
    const most = Math.max(out.length, into.length);
    return most === 1
      ? [{ label, before: out[0], after: into[0] }]
      : [...out.map((name) => ({ label, before: name })), ...into.map((name) => ({ label, after: name }))];
  });
  return [...lines, ...orderLine('options', earlier, later)];
};

const showRange = ({ min, max }: { min: number; max: number }): string => (min === max ? `${min}` : `${min} to ${max}`);

const itemAttributeLines = (before: Item, after: Item, { attributes }: Names): Line[] => {
  const byAttribute = (item: Item) => new Map(item.itemAttributes.map((one) => [one.attributeId, one]));
  const [earlier, later] = [byAttribute(before), byAttribute(after)];
  const show = (one: ItemAttribute | undefined): string | undefined => (one === undefined ? undefined : showRange(one));
  const lines = [...new Set([...earlier.keys(), ...later.keys()])].map((id) => ({
    label: attributes.get(id) ?? id,
    before: show(earlier.get(id)),
    after: show(later.get(id)),
  }));
  return [
    ...lines.filter((one) => one.before !== one.after),
    ...orderLine('attributes', [...earlier.keys()], [...later.keys()]),
  ];
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of a configuration that refer to options or items by id. */
const OPTION_MEMBERS = ['classifierOptionIds', 'tier', 'pityTier'];
const ITEM_MEMBERS = ['itemIds', 'featuredItemIds'];

const namedIn = (names: Names, member: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (OPTION_MEMBERS.includes(member)) return names.options.get(value)?.name ?? value;
  if (ITEM_MEMBERS.includes(member)) return names.items.get(value) ?? value;
  return value;
};

/** The leaves in which two configurations differ, by their path; tiers that are given by id appear with their names. */
const configLines = (path: string, before: unknown, after: unknown, names: Names): Line[] => {
  if (same(before, after)) return [];
  const member = path.slice(path.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
  const [earlier, later] = [before ?? (isObject(after) ? {} : []), after ?? (isObject(before) ? {} : [])];
  if (isObject(earlier) && isObject(later))
    return [...new Set([...Object.keys(earlier), ...Object.keys(later)])].flatMap((key) =>
      configLines(`${path}.${names.options.get(key)?.name ?? key}`, earlier[key], later[key], names),
    );
  if (Array.isArray(earlier) && Array.isArray(later)) return listLines(path, member, earlier, later, names);
  return [line(path, namedIn(names, member, before), namedIn(names, member, after))];
};

/** Ids are a set; anything else is compared entry by entry. */
const listLines = (
  path: string,
  member: string,
  before: readonly unknown[],
  after: readonly unknown[],
  names: Names,
): Line[] => {
  if ([...before, ...after].every((one) => typeof one === 'string')) {
    const lost = before.filter((one) => !after.includes(one));
    const gained = after.filter((one) => !before.includes(one));
    return [
      ...lost.map((one) => line(path, namedIn(names, member, one), undefined)),
      ...gained.map((one) => line(path, undefined, namedIn(names, member, one))),
      ...orderLine(path, before, after),
    ];
  }
  return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) =>
    configLines(`${path}[${index}]`, before[index], after[index], names),
  );
};

/** A tier that is bound to another option than before; the others follow from the configuration. */
const bindingLines = (before: Template, after: Template, names: Names): Line[] => {
  const nameOf = (id: string | undefined): string => names.options.get(id ?? '')?.name ?? id ?? '';
  const [earlier, later] = [before.bindings ?? {}, after.bindings ?? {}];
  return Object.keys(earlier)
    .filter((tier) => Object.hasOwn(later, tier) && later[tier] !== earlier[tier])
    .map((tier) => ({ label: `bindings.${nameOf(tier)}`, before: nameOf(earlier[tier]), after: nameOf(later[tier]) }));
};

/** Members that have lines of their own. */
const NESTED = ['classifierOptions', 'classifierOptionIds', 'itemAttributes', 'config', 'bindings'];

const plainMembers = (kind: Change['kind']): string[] =>
  Object.keys(ENTITIES[kind].properties).filter((member) => !NESTED.includes(member));

const nestedLines = (kind: Change['kind'], before: unknown, after: unknown, names: Names): Line[] => {
  if (kind === 'classifier') return classifierLines(before as Classifier, after as Classifier);
  if (kind === 'item')
    return [
      ...itemOptionLines(before as Item, after as Item, names),
      ...itemAttributeLines(before as Item, after as Item, names),
    ];
  if (kind !== 'template') return [];
  const [earlier, later] = [before as Template, after as Template];
  return [...configLines('config', earlier.config, later.config, names), ...bindingLines(earlier, later, names)];
};

/** The differences of an entity that was updated. There is always one, even if only ids within it changed. */
export const updateLines = ({ kind, before, after }: Change, names: Names): Line[] => {
  if (before === null || after === null) return [];
  const lines = [...plainLines(plainMembers(kind), before, after), ...nestedLines(kind, before, after, names)];
  if (lines.length > 0) return lines;
  const members = Object.keys({ ...before, ...after }).filter((member) => !same(before[member], after[member]));
  return members.map((label) => ({ label, note: 'changed' }));
};

const itemSummary = (item: Item, names: Names): string[] => [
  `rollNumerator ${item.rollNumerator}`,
  ...(item.width === 1 && item.height === 1 ? [] : [`${item.width} × ${item.height}`]),
  ...item.classifierOptionIds.map((id) => names.options.get(id)?.name ?? id),
  ...item.itemAttributes.map((one) => `${names.attributes.get(one.attributeId) ?? one.attributeId} ${showRange(one)}`),
];

/** What a new entity is like, in a few words. A template is described by its lines instead. */
export const summaryOf = ({ kind, after }: Change, names: Names): string[] => {
  const entity: unknown = after;
  if (kind === 'attribute') {
    const attribute = entity as Attribute;
    return [showRange(attribute), ...(attribute.step === null ? [] : [`step ${attribute.step}`])];
  }
  if (kind === 'classifier') return (entity as Classifier).classifierOptions.map(showOption);
  if (kind === 'space') return [`${(entity as Space).cols} × ${(entity as Space).rows}`];
  if (kind === 'item') return itemSummary(entity as Item, names);
  return [(entity as Template).type];
};

/** The configuration of a new template. */
export const creationLines = ({ kind, after }: Change, names: Names): Line[] =>
  kind === 'template' && after !== null ? configLines('config', {}, (after as unknown as Template).config, names) : [];
