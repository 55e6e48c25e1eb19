import type { Schemas } from '../interface/client.ts';

/** Entities as versions, plans and drafts contain them: whole, without times and team. */

export const KINDS = ['attribute', 'classifier', 'space', 'item', 'template'] as const;
export type Kind = (typeof KINDS)[number];

/** How far players and the public can check the rolls of a template. Left out: they cannot. */
interface Trust {
  readonly verifiable?: true;
  readonly disclosure?: 'public';
}

export interface TemplateEntity extends Trust {
  readonly id: string;
  readonly name: string;
  readonly type: Schemas['Template']['type'];
  readonly config: object;
  /** The options that tiers were bound to; made by the service when a template is saved. */
  readonly bindings?: Readonly<Record<string, string>>;
}

export interface Entities {
  attribute: Schemas['AttributeEntity'];
  classifier: Schemas['ClassifierEntity'];
  space: Schemas['SpaceEntity'];
  item: Schemas['ItemEntity'];
  template: TemplateEntity;
}

export type Entity = Entities[Kind];

/** Entities as the API returns them. */
export interface Shown {
  attribute: Schemas['Attribute'];
  classifier: Schemas['Classifier'];
  space: Schemas['Space'];
  item: Schemas['Item'];
  template: Schemas['Template'];
}

/** Without what is the same as leaving it out, so that entities can be compared. */
export const trustOf = ({ verifiable, disclosure }: { verifiable?: boolean; disclosure?: string }): Trust => ({
  ...(verifiable && { verifiable }),
  ...(disclosure === 'public' && { disclosure }),
});

const ENTITY_OF: { readonly [K in Kind]: (shown: Shown[K]) => Entities[K] } = {
  attribute: ({ id, name, min, max, step }) => ({ id, name, min, max, step }),
  classifier: ({ id, name, classifierOptions }) => ({
    id,
    name,
    classifierOptions: classifierOptions.map(({ id: own, name: called, dropRateMultiplier }) => ({
      id: own,
      name: called,
      dropRateMultiplier,
    })),
  }),
  space: ({ id, name, cols, rows }) => ({ id, name, cols, rows }),
  item: ({ id, name, thumbnail, rollNumerator, width, height, classifiers, attributes }) => ({
    id,
    name,
    thumbnail,
    rollNumerator,
    width,
    height,
    classifierOptionIds: classifiers.map(({ classifierOption }) => classifierOption.id),
    itemAttributes: attributes.map(({ id: own, attributeId, min, max }) => ({ id: own, attributeId, min, max })),
  }),
  template: ({ id, name, type, config, ...more }) => ({ id, name, type, config, ...trustOf(more) }),
};

export const entityOf = <K extends Kind>(kind: K, shown: Shown[K]): Entities[K] => ENTITY_OF[kind](shown);

/** Sorts the members of objects, whose order means nothing, and leaves out what the service adds by itself. */
const inOrder = (key: string, value: unknown): unknown => {
  if (key === 'bindings') return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
};

/** A text that is the same for the same entity. */
export const canonical = (entity: unknown): string => JSON.stringify(entity ?? null, inOrder);

export const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** An id for a new entity. Not `crypto.randomUUID`: browsers provide it to secure origins only. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

const KIND_WORDS: { readonly [K in Kind]: { one: string; many: string; section: string } } = {
  attribute: { one: 'attribute', many: 'Attributes', section: 'attributes' },
  classifier: { one: 'classifier', many: 'Classifiers', section: 'classifiers' },
  space: { one: 'space', many: 'Spaces', section: 'spaces' },
  item: { one: 'item', many: 'Items', section: 'items' },
  template: { one: 'template', many: 'Templates', section: 'templates' },
};

export const kindWords = (kind: Kind) => KIND_WORDS[kind];

/** Where the console shows an entity: its page, or the list if it has none of its own. */
export const pathOfEntity = (kind: Kind, id: string): string =>
  kind === 'item' || kind === 'template'
    ? `/${KIND_WORDS[kind].section}/${encodeURIComponent(id)}`
    : `/${KIND_WORDS[kind].section}`;

export const keyOf = ({ kind, id }: { readonly kind: Kind; readonly id: string }): string => `${kind} ${id}`;

/** What an entity may leave out, as the service fills it in. */
const DEFAULTS: { readonly [K in Kind]: object } = {
  attribute: { step: null },
  classifier: { classifierOptions: [] },
  space: {},
  item: { thumbnail: null, rollNumerator: 100, width: 1, height: 1, classifierOptionIds: [], itemAttributes: [] },
  template: {},
};

/** An entity of a draft that another client may have written, with everything that pages rely on. */
export const completed = (kind: Kind, entity: Entity | null): Entity | null => {
  if (entity === null) return null;
  const whole = { ...DEFAULTS[kind], ...entity } as Entity;
  if (kind === 'classifier') {
    const classifier = whole as Entities['classifier'];
    return {
      ...classifier,
      classifierOptions: classifier.classifierOptions.map((option) => ({
        ...option,
        id: option.id ?? option.name,
        dropRateMultiplier: option.dropRateMultiplier ?? null,
      })),
    };
  }
  if (kind === 'template') {
    const { verifiable, disclosure, ...template } = whole as Entities['template'];
    return { ...template, ...trustOf({ verifiable, disclosure }) };
  }
  if (kind !== 'item') return whole;
  const item = whole as Entities['item'];
  return { ...item, itemAttributes: item.itemAttributes.map((own) => ({ ...own, id: own.id ?? own.attributeId })) };
};
