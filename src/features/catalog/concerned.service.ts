import { type Entities, entityOf, type Given, type ItemEntity, type TemplateEntity } from '../../catalog/entities.ts';
import { pityGroupOf } from '../../catalog/rules.ts';
import { type CatalogState, emptyState } from '../../catalog/state.ts';
import type { Reader } from '../../database/work.ts';
import type { EntityKind } from '../../shared/context.ts';
import { LIMITS } from '../../shared/limits.ts';
import { findItemEntities, templateEntityOf } from '../compiled-catalog/entity-rows.service.ts';
import * as store from './concerned.store.ts';

/** An entity, and when it was created. */
export interface Stored<K extends EntityKind> {
  readonly entity: Entities[K];
  readonly createdAt: number;
}

type Find<K extends EntityKind> = (reader: Reader, id: string) => Promise<Stored<K> | undefined>;

const FIND: { readonly [K in EntityKind]: Find<K> } = {
  attribute: async (reader, id) => {
    const row = await store.selectRow(reader, 'attributes', id);
    return row && { entity: entityOf('attribute', row), createdAt: row.created_at };
  },
  classifier: async (reader, id) => {
    const row = await store.selectRow(reader, 'classifiers', id);
    if (row === undefined) return undefined;
    const classifierOptions = await store.selectOptionsOf(reader, id);
    return { entity: entityOf('classifier', { ...row, classifierOptions }), createdAt: row.created_at };
  },
  space: async (reader, id) => {
    const row = await store.selectRow(reader, 'spaces', id);
    return row && { entity: entityOf('space', row), createdAt: row.created_at };
  },
  item: async (reader, id) => {
    const row = await store.selectRow(reader, 'items', id);
    const [entity] = row === undefined ? [] : await findItemEntities(reader, [id]);
    return row && entity && { entity, createdAt: row.created_at };
  },
  template: async (reader, id) => {
    const row = await store.selectRow(reader, 'templates', id);
    return row && { entity: templateEntityOf(row), createdAt: row.created_at };
  },
};

export const findEntity = <K extends EntityKind>(reader: Reader, kind: K, id: string): Promise<Stored<K> | undefined> =>
  FIND[kind](reader, id);

const addAll = <T extends { readonly id: string }>(to: Map<string, T>, entities: readonly T[]): void => {
  for (const entity of entities) if (!to.has(entity.id)) to.set(entity.id, entity);
};

/** What items refer to, without what else the classifiers of their options have. */
const addReferences = async (
  reader: Reader,
  state: CatalogState,
  items: readonly Pick<Given<'item'>, 'classifierOptionIds' | 'itemAttributes'>[],
): Promise<void> => {
  const optionIds = new Set(items.flatMap(({ classifierOptionIds = [] }) => classifierOptionIds));
  const attributeIds = new Set(
    items.flatMap(({ itemAttributes = [] }) => itemAttributes.map(({ attributeId }) => attributeId)),
  );
  if (attributeIds.size > 0)
    addAll(
      state.attribute,
      (await store.selectAttributesById(reader, [...attributeIds])).map((row) => entityOf('attribute', row)),
    );
  if (optionIds.size === 0) return;
  const options = Map.groupBy(
    await store.selectOptionsById(reader, [...optionIds]),
    ({ classifierId }) => classifierId,
  );
  for (const [id, classifierOptions] of options)
    addAll(state.classifier, [entityOf('classifier', { id, name: '', classifierOptions })]);
};

const addItems = async (reader: Reader, state: CatalogState, ids: readonly string[]): Promise<void> => {
  const items = await findItemEntities(reader, ids);
  addAll<ItemEntity>(state.item, items);
  await addReferences(reader, state, items);
};

interface Change<K extends EntityKind> {
  readonly before: Entities[K] | null;
  readonly after: Given<K> | null;
}

/** The options that a change of a classifier removes. */
const removedOptions = ({ before, after }: Change<'classifier'>): string[] => {
  const left = new Set(after?.classifierOptions.map(({ id }) => id));
  return (before?.classifierOptions ?? []).flatMap(({ id }) => (left.has(id) ? [] : id));
};

type Load<K extends EntityKind> = (reader: Reader, state: CatalogState, change: Change<K>) => Promise<boolean>;

/** What each kind of change concerns, apart from rolls. Returns false if that is too much to be looked at in passing. */
const LOAD: { readonly [K in EntityKind]?: Load<K> } = {
  attribute: async (reader, state, { before, after }) => {
    if (before === null || (after !== null && after.min <= before.min && after.max >= before.max)) return true;
    await addItems(reader, state, await store.selectCarrierIds(reader, before.id, after, LIMITS.issues));
    return true;
  },
  classifier: async (reader, state, change) => {
    const removed = removedOptions(change);
    if (removed.length === 0) return true;
    const ids = await store.selectItemIdsWith(reader, removed, LIMITS.changesPerWrite + 1);
    if (ids.length > LIMITS.changesPerWrite) return false;
    await addItems(reader, state, ids);
    return true;
  },
  item: async (reader, state, { before, after }) => {
    await addReferences(reader, state, [...(before === null ? [] : [before]), ...(after === null ? [] : [after])]);
    return true;
  },
  template: async (reader, state, { after }) => {
    const group = after === null ? undefined : pityGroupOf(after);
    if (group === undefined) return true;
    const rows = await store.selectTemplatesContaining(reader, `"pityGroup":${JSON.stringify(group)}`);
    addAll<TemplateEntity>(state.template, rows.map(templateEntityOf));
    return true;
  },
};

/** The part of a catalog that a change of one entity concerns, apart from rolls; undefined if it is large. */
export const loadConcerned = async <K extends EntityKind>(
  reader: Reader,
  kind: K,
  change: Change<K>,
): Promise<CatalogState | undefined> => {
  const state = emptyState();
  if (change.before !== null) (state[kind] as Map<string, Entities[K]>).set(change.before.id, change.before);
  const load = LOAD[kind] as Load<K> | undefined;
  return load === undefined || (await load(reader, state, change)) ? state : undefined;
};

/** How many other items are currencies. */
export const countOtherCurrencies = (reader: Reader, id: string): Promise<number> => store.countCurrencies(reader, id);

/** How many other templates are verifiable. */
export const countOtherVerifiable = (reader: Reader, id: string): Promise<number> => store.countVerifiable(reader, id);

/** Templates that may be rolled otherwise after a change of an item, unless only its weight changes, and not to 0. */
export const templatesWithItem = async (
  reader: Reader,
  before: ItemEntity | null,
  after: ItemEntity | null,
  weightMatters: boolean,
): Promise<TemplateEntity[]> => {
  const [options, earlier] = [after?.classifierOptionIds ?? [], before?.classifierOptionIds ?? []];
  const gains = options.some((id) => !earlier.includes(id));
  const loses = before !== null && (after === null || earlier.some((id) => !options.includes(id)));
  const ids = new Set<string>();
  // An item must not have the options of two tiers; and a tier must not lose what it needs.
  if (gains && options.length > 1) for (const id of await store.selectIdsNamingTwo(reader, options)) ids.add(id);
  if (loses || weightMatters)
    for (const id of await store.selectIdsRolling(reader, (after ?? before)?.id ?? '', [
      ...new Set([...options, ...earlier]),
    ]))
      ids.add(id);
  return ids.size === 0 ? [] : (await store.selectTemplates(reader, [...ids])).map(templateEntityOf);
};

/** Templates that refer to one of the options that a classifier loses. */
export const templatesWithOptions = async (reader: Reader, change: Change<'classifier'>): Promise<TemplateEntity[]> => {
  const ids = await store.selectIdsNaming(reader, removedOptions(change));
  return ids.length === 0 ? [] : (await store.selectTemplates(reader, ids)).map(templateEntityOf);
};

export const allTemplates = async (reader: Reader): Promise<TemplateEntity[]> =>
  (await store.selectTemplates(reader)).map(templateEntityOf);

/** With numerators up to 2^300, multipliers up to this together cannot make a weight extreme. */
const MODERATE_EXPONENT = 500;

/**
 * Whether all weights are far from extremes, whatever options an item has, also with some multipliers that are new: then
 * nobody needs to look at each of them.
 */
export const areWeightsModerate = async (reader: Reader, multipliers: readonly number[]): Promise<boolean> => {
  if (await store.hasFarItem(reader)) return false;
  const exponents = [...multipliers, ...(await store.selectMultipliers(reader))].filter((m) => m > 0).map(Math.log2);
  return [1, -1].every((sign) => {
    const most = exponents.map((exponent) => sign * exponent).filter((exponent) => exponent > 0);
    const largest = most.sort((a, b) => b - a).slice(0, LIMITS.optionsPerItem);
    return largest.reduce((sum, exponent) => sum + exponent, 0) < MODERATE_EXPONENT;
  });
};
