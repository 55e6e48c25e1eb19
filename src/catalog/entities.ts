/**
 * The things that a catalog consists of, one schema each. Bodies of the API, documents, drafts, plans and columns of
 * spreadsheets derive from these. Entities have neither times nor a team, so that the same catalog always gives the same
 * text; their members are in the order of the API.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { SPENDING, type Spending } from '../engine/economy/balance.ts';
import { Id, Name, Nullable, OneOf, OwnId, Strict } from '../http/schemas.ts';
import { DISCLOSURES, type EntityKind } from '../shared/context.ts';
import { LIMITS } from '../shared/limits.ts';
import { Config, TEMPLATE_TYPES } from './configs.ts';

export const Step = Nullable(Type.Number({ exclusiveMinimum: 0 }), {
  description:
    'Distance between adjacent values, greater than 0. Null: whole numbers if both bounds are whole, otherwise any value.',
  examples: [0.5],
});

export const DropRateMultiplier = Nullable(Type.Number({ minimum: 0 }), {
  description: 'Multiplies the weight of items that have the option. 0: they never drop. Null is the same as 1.',
  examples: [0.25],
});

export const Color = Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), {
  description:
    'Colour in which the option is shown, as in CSS: `#` and six hexadecimal digits. Only classifiers have it. Null: whoever shows it chooses one.',
  examples: ['#a335ee'],
});

const Thumbnail = Nullable(Type.String({ maxLength: LIMITS.thumbnailLength }), {
  description: 'Reference to an image: a URL or anything that your game understands.',
  examples: ['https://cdn.example/sword.png'],
});

const Description = Nullable(Type.String({ maxLength: LIMITS.descriptionLength }), {
  description: 'What it is, for players or for the team.',
  examples: ['Forged at first light.'],
});

const Data = Nullable(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }), {
  description: `Whatever your game wants to know about it, as a JSON object of up to ${LIMITS.itemDataBytes} bytes. The service does not look into it.`,
  examples: [{ sound: 'clang', questIds: [7, 12] }],
});

const Currency = Type.Boolean({
  description:
    'Whether it is a currency: users have balances of it instead of item instances, and it has neither a footprint nor attributes.',
});

const Spend = OneOf(SPENDING, {
  description: 'For a currency: which units are spent first. Defaults to `freeFirst`.',
  examples: ['freeFirst'],
});

const RollNumerator = Type.Number({
  minimum: 0,
  description: 'Base weight, multiplied by the multipliers of its options. 0: it never drops. Defaults to 100.',
  examples: [100],
});

const side = (which: string) =>
  Type.Integer({ minimum: 1, maximum: LIMITS.itemSide, description: `${which} in grid cells; defaults to 1.` });

const gridSide = (what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: LIMITS.spaceSide,
    description: `${what}, 1 to ${LIMITS.spaceSide}.`,
    examples: [10],
  });

export const TemplateType = OneOf(TEMPLATE_TYPES, { description: 'The game system.', examples: ['gacha'] });

export const Verifiable = Type.Boolean({
  description:
    'Whether every roll needs a user and leaves a receipt that the player can verify. Must be the same for all templates of a `pityGroup`.',
});

export const Disclosure = OneOf(DISCLOSURES, {
  description: '`public`: anyone may read the odds, their history and the results at `/public`.',
  examples: ['public'],
});

/** The members that a row has, which requests and responses have as well. */
export const MEMBERS = {
  attribute: {
    name: Name,
    min: Type.Number({ description: 'Lowest value.' }),
    max: Type.Number({ description: 'Highest value.' }),
    step: Step,
  },
  classifier: { name: Name },
  space: { name: Name, cols: gridSide('Columns of the grid'), rows: gridSide('Rows of the grid') },
  item: {
    name: Name,
    thumbnail: Thumbnail,
    rollNumerator: RollNumerator,
    width: side('Width'),
    height: side('Height'),
    description: Description,
    data: Data,
    currency: Currency,
    spend: Spend,
  },
  template: { name: Name, type: TemplateType, config: Config },
} as const;

type OptionalMembers<P extends TProperties, K extends PropertyKey> = {
  [N in keyof P]: N extends K ? ReturnType<typeof Type.Optional<P[N]>> : P[N];
};

/** The same members, some of which may be left out. */
export const optional = <P extends TProperties, K extends keyof P>(members: P, ...names: readonly K[]) =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, names.includes(name as K) ? Type.Optional(schema) : schema]),
  ) as OptionalMembers<P, K>;

export const allOptional = <P extends TProperties>(members: P): OptionalMembers<P, keyof P> =>
  optional(members, ...Object.keys(members)) as OptionalMembers<P, keyof P>;

const { optionsPerClassifier, optionsPerItem, attributesPerItem } = LIMITS;

/** Every entity has one: only requests for single entities may leave it out. */
const EntityId = { ...OwnId, description: 'Identifier, unique in the team.' };

const Attribute = Strict({ id: EntityId, ...MEMBERS.attribute }, { title: 'AttributeEntity' });

const ClassifierOption = Strict({
  id: EntityId,
  name: Name,
  dropRateMultiplier: DropRateMultiplier,
  color: Type.Optional(Color),
});

const Classifier = Strict(
  {
    id: EntityId,
    ...MEMBERS.classifier,
    classifierOptions: Type.Array(ClassifierOption, { maxItems: optionsPerClassifier }),
  },
  { title: 'ClassifierEntity' },
);

const Space = Strict({ id: EntityId, ...MEMBERS.space }, { title: 'SpaceEntity' });

/** The attributes that an item carries. */
const ItemAttribute = Strict({ id: EntityId, attributeId: Id, min: Type.Number(), max: Type.Number() });

const Item = Strict(
  {
    id: EntityId,
    ...optional(MEMBERS.item, 'description', 'data'),
    currency: Type.Optional(Type.Literal(true, { description: 'Left out if it is no currency.' })),
    spend: Type.Optional(Type.Literal('paidFirst', { description: 'Left out if free units are spent first.' })),
    classifierOptionIds: Type.Array(Id, { maxItems: optionsPerItem }),
    itemAttributes: Type.Array(ItemAttribute, { maxItems: attributesPerItem }),
  },
  { title: 'ItemEntity' },
);

const Template = Strict(
  {
    id: EntityId,
    ...MEMBERS.template,
    bindings: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The option that each tier of the configuration was bound to when it was saved.',
    }),
    verifiable: Type.Optional(Type.Literal(true, { description: 'Left out if rolls are not verifiable.' })),
    disclosure: Type.Optional(Type.Literal('public', { description: 'Left out if the odds are not public.' })),
  },
  { title: 'TemplateEntity' },
);

export const ENTITIES = {
  attribute: Attribute,
  classifier: Classifier,
  item: Item,
  template: Template,
  space: Space,
} as const satisfies Record<EntityKind, TObject>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type EntityOf<S extends TSchema> = DeepReadonly<Static<S>>;

export type AttributeEntity = EntityOf<typeof Attribute>;
export type OptionEntity = EntityOf<typeof ClassifierOption>;
export type ClassifierEntity = EntityOf<typeof Classifier>;
export type ItemAttributeEntity = EntityOf<typeof ItemAttribute>;
export type ItemEntity = EntityOf<typeof Item>;
export type TemplateEntity = EntityOf<typeof Template>;
export type SpaceEntity = EntityOf<typeof Space>;
export type Entities = { readonly [K in EntityKind]: EntityOf<(typeof ENTITIES)[K]> };

/** What an entity has that a request leaves out. */
export const DEFAULTS = {
  attribute: { step: null },
  classifier: {},
  space: {},
  item: { thumbnail: null, rollNumerator: 100, width: 1, height: 1, classifierOptionIds: [], itemAttributes: [] },
  template: { bindings: {} },
} as const satisfies { [K in EntityKind]: Partial<Entities[K]> };

/** The lists of a document, in order. */
export const LISTS: readonly (readonly [member: string, kind: EntityKind])[] = [
  ['attributes', 'attribute'],
  ['classifiers', 'classifier'],
  ['spaces', 'space'],
  ['items', 'item'],
  ['templates', 'template'],
];

export const FORMAT_VERSION = 1;

/** An entity of which parts have no ids yet, and what has a default may be missing. */
export type Given<K extends EntityKind> = Omit<
  Entities[K],
  keyof (typeof DEFAULTS)[K] | 'classifierOptions' | 'itemAttributes'
> &
  Partial<Omit<Entities[K], 'classifierOptions' | 'itemAttributes'>> &
  (K extends 'classifier'
    ? { readonly classifierOptions: readonly (Pick<OptionEntity, 'name'> & Partial<OptionEntity>)[] }
    : K extends 'item'
      ? { readonly itemAttributes?: readonly (Omit<ItemAttributeEntity, 'id'> & Partial<ItemAttributeEntity>)[] }
      : unknown);

/** What a currency says about itself, as one value; null for other items. */
export const spendingOf = ({ currency, spend }: Pick<ItemEntity, 'currency' | 'spend'>): Spending | null =>
  currency === true ? (spend ?? 'freeFirst') : null;

/** The same as the members of an item, which has none of them if it is no currency. */
export const currencyMembers = (spending: Spending | null): Pick<ItemEntity, 'currency' | 'spend'> => ({
  ...(spending !== null && { currency: true }),
  ...(spending === 'paidFirst' && { spend: spending }),
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly const?: unknown;
}

type Members = Readonly<Record<string, unknown>>;
const NO_PARTS: Members = {};

/** Takes what a schema describes from a value: its members and no others, in order. */
const pickerOf = (schema: Schema, defaults: Members = {}): ((value: unknown, parts?: Members) => unknown) => {
  const { properties, required = [], items } = schema;
  if (items !== undefined) {
    const pickElement = pickerOf(items);
    return (value) => (value as unknown[]).map((element) => pickElement(element));
  }
  // Negative zero is the same number as 0, but not the same text.
  if (properties === undefined) return (value) => (typeof value === 'number' ? value + 0 : value);
  const described = Object.entries(properties).map(([name, member]) => ({
    name,
    isRequired: required.includes(name),
    only: member.const,
    pick: pickerOf(member),
  }));
  return (value, parts = NO_PARTS) => {
    const members: Record<string, unknown> = {};
    for (const { name, isRequired, only, pick } of described) {
      let given = parts[name];
      if (given === undefined) given = (value as Members)[name];
      if (given === undefined) given = defaults[name];
      // A member that may be left out is, if it says nothing.
      const isNothing = given === null ? !isRequired : only !== undefined && only !== given;
      if (given !== undefined && !isNothing) members[name] = pick(given);
    }
    return members;
  };
};

const pickerOfKind = (kind: EntityKind) => pickerOf(ENTITIES[kind] as Schema, DEFAULTS[kind]);

const PICKERS = {
  attribute: pickerOfKind('attribute'),
  classifier: pickerOfKind('classifier'),
  space: pickerOfKind('space'),
  item: pickerOfKind('item'),
  template: pickerOfKind('template'),
};

/**
 * The members of an entity and no others, in order, with defaults for what is missing. Its parts come first: a row and
 * what belongs to it need not be put together before, which takes longer than all the rest.
 */
export const entityOf = <K extends EntityKind>(
  kind: K,
  given: object,
  parts?: { readonly [N in keyof Entities[K]]?: unknown },
): Entities[K] => PICKERS[kind](given, parts) as Entities[K];
