import type { ItemEntity } from '../../catalog/entities.ts';
import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { CatalogOption } from '../../engine/pool/catalog.ts';
import type { Context } from '../../shared/context.ts';
import { notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import type { ChangedEntity, ChangeEntity } from '../catalog/change.service.ts';
import type { Item, ItemChange, NewItem } from './items.contract.ts';
import * as store from './items.store.ts';

/** The item as the API returns it. */
const changedItem = ({ teamId }: Context, { entity, options, createdAt, updatedAt }: ChangedEntity<'item'>): Item => {
  const { classifierOptionIds, itemAttributes, description = null, data = null, ...members } = entity;
  return {
    ...{ ...members, description, data, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt), teamId },
    classifiers: classifierOptionIds.map((optionId) => {
      const { id, name, dropRateMultiplier, classifierId } = options.get(optionId) as CatalogOption;
      return { classifierId, classifierOption: { id, name, dropRateMultiplier, classifierId } };
    }),
    attributes: itemAttributes.map(({ id, ...range }) => ({ id, itemId: entity.id, ...range })),
  };
};

/** When an imported item says that it was created and changed. */
const timesOf = ({ createdAt, updatedAt }: ItemChange, isNew: boolean) => {
  const created = createdAt === undefined ? undefined : Date.parse(createdAt);
  const updated = updatedAt === undefined ? undefined : Date.parse(updatedAt);
  return { createdAt: created, updatedAt: updated ?? (isNew ? created : undefined) };
};

export const createItem = async (
  tx: Transaction,
  context: Context,
  { id = newId(), ...input }: NewItem,
  changeEntity: ChangeEntity,
): Promise<Item> => {
  const { createdAt, updatedAt, ...given } = input;
  const edit = () => ({ id, ...given });
  const request = { kind: 'item', id, isNew: true, edit, given, times: timesOf(input, true) } as const;
  return changedItem(context, await changeEntity(tx, context, request));
};

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
  changeEntity: ChangeEntity,
  ifMatch?: string,
): Promise<Item> => {
  const { createdAt, updatedAt, ...given } = change;
  const edit = (present: ItemEntity) => ({ ...present, ...given });
  const excludesGrids = given.width !== undefined || given.height !== undefined;
  const times = timesOf(change, false);
  return changedItem(
    context,
    await changeEntity(tx, context, { kind: 'item', id, edit, given, times, ifMatch, excludesGrids }),
  );
};
