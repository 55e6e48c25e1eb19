import { textPage } from '../../database/paging.ts';
import type { CatalogOption } from '../../engine/pool/catalog.ts';
import { isoTime } from '../../shared/time.ts';
import type { KindOfEntity } from '../catalog/kinds.service.ts';
import type { Item, ItemChange, NewItem } from './items.contract.ts';
import * as store from './items.store.ts';

/** When an imported item says that it was created and changed. */
const timesOf = ({ createdAt, updatedAt }: ItemChange, isNew: boolean) => {
  const created = createdAt === undefined ? undefined : Date.parse(createdAt);
  const updated = updatedAt === undefined ? undefined : Date.parse(updatedAt);
  return { createdAt: created, updatedAt: updated ?? (isNew ? created : undefined) };
};

/** What is the same as leaving it out is left out. */
const asGiven = <T extends Pick<ItemChange, 'currency' | 'spend'>>({ currency, spend, ...given }: T) => ({
  ...given,
  currency: currency === true ? currency : undefined,
  spend: spend === 'paidFirst' ? spend : undefined,
});

export const items: KindOfEntity<'item', NewItem, ItemChange, Item, unknown, string> = {
  kind: 'item',
  create: (id, { createdAt, updatedAt, ...given }) => ({
    edit: () => ({ id, ...asGiven(given) }),
    given,
    times: timesOf({ createdAt, updatedAt }, true),
  }),
  update: (_context, _id, { createdAt, updatedAt, ...given }) => ({
    edit: (present) => asGiven({ ...present, ...given }),
    given,
    times: timesOf({ createdAt, updatedAt }, false),
    excludesGrids: given.width !== undefined || given.height !== undefined || given.currency !== undefined,
  }),
  delete: { excludesGrids: true },
  show: ({ teamId }, { entity, options, createdAt, updatedAt }) => {
    const { classifierOptionIds, itemAttributes, description = null, data = null, ...members } = entity;
    return {
      ...{ ...members, description, data, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt), teamId },
      classifiers: classifierOptionIds.map((optionId) => {
        const { id, name, dropRateMultiplier, classifierId } = options.get(optionId) as CatalogOption;
        return { classifierId, classifierOption: { id, name, dropRateMultiplier, classifierId } };
      }),
      attributes: itemAttributes.map(({ id, ...range }) => ({ id, itemId: entity.id, ...range })),
    };
  },
  find: store.selectItem,
  list: async (reader, _query, page) =>
    textPage(await store.selectItemRows(reader, page), async (rows) =>
      (await store.withDetails(reader, rows)).map((item) => JSON.stringify(item)),
    ),
};
