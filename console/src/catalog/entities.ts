import type { Schemas } from '../api/client.ts';
import { optionIdsOf } from '../parts/options.tsx';
import { pathTo } from '../parts/text.tsx';

/** Entities as versions, plans and drafts contain them: whole, without times and team. */

export type Kind = Schemas['WantedChange']['kind'];

/** In the order in which they refer to each other. */
export const KINDS: readonly Kind[] = ['attribute', 'classifier', 'space', 'item', 'template'];

export interface Entities {
  attribute: Schemas['AttributeEntity'];
  classifier: Schemas['ClassifierEntity'];
  space: Schemas['SpaceEntity'];
  item: Schemas['ItemEntity'];
  /** The service makes the bindings when a template is saved. */
  template: Omit<Schemas['TemplateEntity'], 'type' | 'bindings'> & Pick<Schemas['Template'], 'type'>;
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

/** Entities as the API lists them. */
export interface Rows extends Omit<Shown, 'space'> {
  space: Schemas['SpaceWithUserSpaces'];
}

type Told = Pick<Entities['item'], 'description' | 'data'>;
type Cast = Pick<Entities['item'], 'currency' | 'spend'>;

/** Without what is null, so that entities can be compared. */
export const toldOf = ({ description, data }: Told): Told => ({
  ...(typeof description === 'string' && { description }),
  ...(data && { data }),
});

type Option = Entities['classifier']['classifierOptions'][number];

/** An option without a colour that is null, so that entities can be compared. */
export const optionOf = ({ id, name, dropRateMultiplier, color }: Option): Option => ({
  ...{ id, name, dropRateMultiplier },
  ...(typeof color === 'string' && { color }),
});

/** Without what is the same as leaving it out. */
export const castOf = ({ currency, spend }: { currency?: boolean; spend?: string }): Cast => ({
  ...(currency && { currency }),
  ...(currency && spend === 'paidFirst' && { spend }),
});

type Trust = Pick<Entities['template'], 'verifiable' | 'disclosure'>;

/** Without what is the same as leaving it out, so that entities can be compared. */
export const trustOf = ({ verifiable, disclosure }: { verifiable?: boolean; disclosure?: string }): Trust => ({
  ...(verifiable && { verifiable }),
  ...(disclosure === 'public' && { disclosure }),
});

const pick = <T, K extends keyof T>(from: T, ...keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;

const ENTITY_OF: { readonly [K in Kind]: (shown: Shown[K]) => Entities[K] } = {
  attribute: (shown) => pick(shown, 'id', 'name', 'min', 'max', 'step'),
  classifier: (shown) => ({
    ...pick(shown, 'id', 'name'),
    classifierOptions: shown.classifierOptions.map(optionOf),
  }),
  space: (shown) => pick(shown, 'id', 'name', 'cols', 'rows'),
  item: (shown) => ({
    ...pick(shown, 'id', 'name', 'thumbnail', 'rollNumerator', 'width', 'height'),
    ...toldOf(shown),
    ...castOf(shown),
    classifierOptionIds: optionIdsOf(shown),
    itemAttributes: shown.attributes.map((own) => pick(own, 'id', 'attributeId', 'min', 'max')),
  }),
  template: (shown) => ({ ...pick(shown, 'id', 'name', 'type', 'config'), ...trustOf(shown) }),
};

export const entityOf = <K extends Kind>(kind: K, shown: Shown[K]): Entities[K] => ENTITY_OF[kind](shown);

const ITEM_DEFAULTS = { thumbnail: null, rollNumerator: 100, width: 1, height: 1, classifierOptionIds: [] };

/** What an entity may leave out, as the service fills it in. */
const COMPLETED: { readonly [K in Kind]: (entity: Entities[K]) => Entities[K] } = {
  attribute: (entity) => ({ ...entity, step: entity.step ?? null }),
  classifier: ({ classifierOptions = [], ...entity }) => ({
    ...entity,
    classifierOptions: classifierOptions.map(({ id, name, dropRateMultiplier = null, color }) =>
      optionOf({ id: id ?? name, name, dropRateMultiplier, color }),
    ),
  }),
  space: (entity) => entity,
  item: ({ itemAttributes = [], ...entity }) => ({
    ...ITEM_DEFAULTS,
    ...entity,
    itemAttributes: itemAttributes.map((own) => ({ ...own, id: own.id ?? own.attributeId })),
  }),
  template: ({ verifiable, disclosure, ...entity }) => ({ ...entity, ...trustOf({ verifiable, disclosure }) }),
};

/** An entity that another client may have written, with everything that pages rely on. */
export const completed = <K extends Kind>(kind: K, entity: Partial<Entities[K]>): Entities[K] =>
  COMPLETED[kind](entity as Entities[K]);

/** Sorts the members of objects, whose order means nothing, and leaves out what the service adds by itself. */
const inOrder = (key: string, value: unknown): unknown => {
  if (key === 'bindings') return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
};

const canonical = (entity: unknown): string => JSON.stringify(entity ?? null, inOrder);

export const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** An id for a new entity. Not `crypto.randomUUID`: browsers provide it to secure origins only. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

export type EntityKey = Pick<Schemas['WantedChange'], 'kind' | 'id'>;

export const keyOf = ({ kind, id }: EntityKey): string => `${kind} ${id}`;

/** Where the console shows an entity: its page, or the list if it has none of its own. */
export const pathOfEntity = (kind: Kind, id: string): string =>
  kind === 'item' || kind === 'template' ? pathTo(`${kind}s`, id) : `/${kind}s`;

/** The history of an entity, of a kind, or of everything. */
export const historyPath = ({ kind, id }: Partial<EntityKey>): string => {
  const query = new URLSearchParams({ ...(kind && { kind }), ...(id !== undefined && { id }) }).toString();
  return query === '' ? '/history' : `/history?${query}`;
};
