import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { type Issue, invalid, notFound, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { findAttributes, rangeFaults } from '../attributes/attributes.service.ts';
import { changeItemCount } from '../catalog/catalog.service.ts';
import { hasFiniteWeights } from '../catalog/catalog-weights.service.ts';
import { itemEntity, requireMatch } from '../catalog/entities.service.ts';
import { changeCatalog } from '../catalog/versions.service.ts';
import { findOptions, setItemOptions } from '../classifiers/classifiers.service.ts';
import { findInstanceOf } from '../item-instances/item-instances.service.ts';
import { refit } from '../placements/refit.service.ts';
import type { TemplateGuard } from '../templates/template-guard.service.ts';
import { templatesNamingItem } from '../templates/templates.service.ts';
import type { Item, ItemChange, NewItem } from './items.contract.ts';
import * as store from './items.store.ts';

type AttributeInput = NonNullable<NewItem['itemAttributes']>[number];

/** An issue for each repeated value. */
const repeats = (values: readonly string[], path: (index: number) => string): Issue[] =>
  values.flatMap((value, index) => {
    const first = values.indexOf(value);
    return first < index ? [{ path: path(index), message: `duplicates the entry at ${first}` }] : [];
  });

/** Issues that the request has by itself: repeated values and inverted ranges. */
const shapeFaults = ({ classifierOptionIds = [], itemAttributes = [] }: ItemChange): Issue[] => [
  ...repeats(classifierOptionIds, (index) => `/body/classifierOptionIds/${index}`),
  ...repeats(
    itemAttributes.map(({ attributeId }) => attributeId),
    (index) => `/body/itemAttributes/${index}/attributeId`,
  ),
  ...itemAttributes.flatMap(({ min, max }, index) => rangeFaults(min, max, `/body/itemAttributes/${index}`)),
];

const attributeFaults = async (
  reader: Reader,
  context: Context,
  given: readonly AttributeInput[],
): Promise<Issue[]> => {
  const ids = given.map(({ attributeId }) => attributeId);
  const found = ids.length === 0 ? [] : await findAttributes(reader, context, ids);
  const byId = new Map(found.map((attribute) => [attribute.id, attribute]));
  return given.flatMap(({ attributeId, min, max }, index): Issue[] => {
    const path = `/body/itemAttributes/${index}`;
    const attribute = byId.get(attributeId);
    if (attribute === undefined) return [{ path: `${path}/attributeId`, message: 'is not an attribute of this team' }];
    const outside: Issue[] = [];
    if (min < attribute.min)
      outside.push({ path: `${path}/min`, message: `must not be below the attribute's own (${attribute.min})` });
    if (max > attribute.max)
      outside.push({ path: `${path}/max`, message: `must not be above the attribute's own (${attribute.max})` });
    return outside;
  });
};

/** Issues of what an item refers to, and of its resulting weight. */
const checkReferences = async (
  tx: Transaction,
  context: Context,
  item: { rollNumerator: number; optionIds: readonly string[]; attributes: readonly AttributeInput[] },
): Promise<{ faults: Issue[]; weight: number }> => {
  const options = item.optionIds.length === 0 ? [] : await findOptions(tx, context, item.optionIds);
  const byId = new Map(options.map((option) => [option.id, option]));
  const faults = [
    ...item.optionIds.flatMap((id, index) =>
      byId.has(id)
        ? []
        : [{ path: `/body/classifierOptionIds/${index}`, message: 'is not a classifier option of this team' }],
    ),
    ...(await attributeFaults(tx, context, item.attributes)),
  ];
  const weight = options
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .reduce((product, option) => product * (option.dropRateMultiplier ?? 1), item.rollNumerator);
  if (!Number.isFinite(weight))
    faults.push({ path: '/body/rollNumerator', message: 'gives a weight that is not finite' });
  return { faults, weight };
};

const checkTotal = async (tx: Transaction, weight: number): Promise<void> => {
  if (!(await hasFiniteWeights(tx, weight)))
    throw invalid({ path: '/body/rollNumerator', message: 'makes the sum of all weights infinite' });
};

/** What of an item decides whether templates can be rolled. */
const changedItem = ({ id, rollNumerator, classifiers }: Item) => ({
  id,
  rollNumerator,
  optionIds: classifiers.map(({ classifierOption }) => classifierOption.id),
});

export const createItem = async (
  tx: Transaction,
  context: Context,
  input: NewItem,
  guard: TemplateGuard,
): Promise<Item> => {
  const { teamId, nowMs } = context;
  const { id = newId(), name, thumbnail = null, rollNumerator = 100, width = 1, height = 1 } = input;
  const { classifierOptionIds: optionIds = [], itemAttributes: attributes = [] } = input;
  throwIfAny(shapeFaults(input));
  return changeCatalog(tx, context, async (record) => {
    const isTaken = (await store.selectItem(tx, teamId, id)) !== undefined;
    const { faults, weight } = await checkReferences(tx, context, { rollNumerator, optionIds, attributes });
    throwIfAny([...(isTaken ? [{ path: '/body/id', message: 'is already in use' }] : []), ...faults]);
    await guard.itemChanges(tx, { before: null, after: { id, rollNumerator, optionIds }, weight }, '/body');
    if ((await changeItemCount(tx, 1)) > LIMITS.itemsPerTeam)
      throw invalid({ path: '/body', message: `a team can have at most ${LIMITS.itemsPerTeam} items` });

    const createdAt = input.createdAt === undefined ? nowMs : Date.parse(input.createdAt);
    const updatedAt = input.updatedAt === undefined ? createdAt : Date.parse(input.updatedAt);
    await store.insertItem(tx, {
      team_id: teamId,
      id,
      name,
      thumbnail,
      roll_numerator: rollNumerator + 0,
      width,
      height,
      created_at: createdAt,
      updated_at: updatedAt,
    });
    await setItemOptions(tx, id, optionIds);
    await store.saveAttributes(
      tx,
      teamId,
      id,
      attributes.map((attribute) => withId(attribute, newId())),
    );
    await checkTotal(tx, weight);
    const created = await getItem(tx, context, id);
    record('item', null, itemEntity(created));
    return created;
  });
};

const withId = ({ attributeId, min, max }: AttributeInput, id: string) => ({
  id,
  attributeId,
  min: min + 0,
  max: max + 0,
});

/** A page of items, each as JSON. */
export const listItems = async (reader: Reader, { teamId }: Context, page: Page): Promise<Paged<string>> =>
  textPage(await store.selectItemRows(reader, teamId, page), async (rows) =>
    (await store.withDetails(reader, teamId, rows)).map((item) => JSON.stringify(item)),
  );

export const getItem = async (reader: Reader, { teamId }: Pick<Context, 'teamId'>, id: string): Promise<Item> => {
  const item = await store.selectItem(reader, teamId, id);
  if (item === undefined) throw notFound();
  return item;
};

export const updateItem = async (
  tx: Transaction,
  context: Context,
  id: string,
  change: ItemChange,
  guard: TemplateGuard,
  ifMatch?: string,
): Promise<Item> => {
  const { teamId, nowMs } = context;
  throwIfAny(shapeFaults(change));
  if (change.width !== undefined || change.height !== undefined) await tx.exclude('grids');
  return changeCatalog(tx, context, async (record) => {
    const present = await getItem(tx, context, id);
    requireMatch(ifMatch, 'item', present);
    const {
      name = present.name,
      thumbnail = present.thumbnail,
      rollNumerator = present.rollNumerator,
      width = present.width,
      height = present.height,
      classifierOptionIds: optionIds = present.classifiers.map(({ classifierOption }) => classifierOption.id),
      itemAttributes: attributes = present.attributes,
    } = change;
    const { faults, weight } = await checkReferences(tx, context, { rollNumerator, optionIds, attributes });
    throwIfAny(faults);
    await guard.itemChanges(
      tx,
      { before: changedItem(present), after: { id, rollNumerator, optionIds }, weight },
      '/body',
    );
    await store.updateItem(tx, {
      team_id: teamId,
      id,
      name,
      thumbnail,
      roll_numerator: rollNumerator + 0,
      width,
      height,
      created_at: Date.parse(change.createdAt ?? present.createdAt),
      updated_at: change.updatedAt === undefined ? nowMs : Date.parse(change.updatedAt),
    });
    if (width !== present.width || height !== present.height)
      await refit(tx, {
        itemId: id,
        before: present,
        after: { width, height },
        path: width !== present.width ? '/body/width' : '/body/height',
      });
    if (change.classifierOptionIds !== undefined) await setItemOptions(tx, id, optionIds);
    if (change.itemAttributes !== undefined) {
      const ids = new Map(present.attributes.map((attribute) => [attribute.attributeId, attribute.id]));
      await store.saveAttributes(
        tx,
        teamId,
        id,
        attributes.map((attribute) => withId(attribute, ids.get(attribute.attributeId) ?? newId())),
      );
    }
    await checkTotal(tx, weight);
    const changed = await getItem(tx, context, id);
    record('item', itemEntity(present), itemEntity(changed));
    return changed;
  });
};

export const deleteItem = async (
  tx: Transaction,
  context: Context,
  id: string,
  guard: TemplateGuard,
  ifMatch?: string,
): Promise<void> => {
  const { teamId } = context;
  // Nobody creates or places instances in the meantime, so no instance of the item can appear.
  await tx.exclude('grids');
  await changeCatalog(tx, context, async (record) => {
    const present = await getItem(tx, context, id);
    requireMatch(ifMatch, 'item', present);
    const instance = await findInstanceOf(tx, id);
    const templates = await templatesNamingItem(tx, id);
    throwIfAny([
      ...(instance === undefined ? [] : [{ path: '/path/id', message: `has instances, such as ${instance}` }]),
      ...templates.map((template) => ({
        path: '/path/id',
        message: `is used by template ${template.name} (${template.id})`,
      })),
    ]);
    await guard.itemChanges(tx, { before: changedItem(present), after: null, weight: 0 }, '/path/id');
    record('item', itemEntity(present), null);
    await store.deleteItem(tx, teamId, id, present.name);
    await changeItemCount(tx, -1);
  });
};
