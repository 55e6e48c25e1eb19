import type { Context } from '../../context.ts';
import type { Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { invalid } from '../../errors.ts';
import type { Catalogs } from '../catalog/catalog.service.ts';
import { readItemCounts, readRollCounts } from './roll-counts.service.ts';
import type { DropRate, RollStatistics, StatisticsFilter } from './statistics.contract.ts';
import * as store from './statistics.store.ts';

const checkFilter = ({ from, to }: StatisticsFilter): void => {
  if (from !== undefined && to !== undefined && from > to)
    throw invalid({ path: '/query/from', message: `must not be after to (${to})` });
};

const inByteOrder = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a], [b]) => compareBytes(a, b));

export const getStatistics = async (
  reader: Reader,
  { teamId }: Context,
  filter: StatisticsFilter,
): Promise<RollStatistics> => {
  checkFilter(filter);
  const { byItem, byDay, byTemplate } = await readRollCounts(reader, teamId, filter);
  return {
    totalRolls: byDay.values().reduce((sum, count) => sum + count, 0),
    uniqueItems: byItem.size,
    rollsByTemplate: Object.fromEntries(inByteOrder(byTemplate)),
    rollsByDay: inByteOrder(byDay).map(([date, count]) => ({ date, count })),
  };
};

export const listDropRates = async (
  reader: Reader,
  { teamId }: Context,
  filter: StatisticsFilter,
  catalogs: Catalogs,
): Promise<DropRate[]> => {
  checkFilter(filter);
  const { catalog } = await catalogs.current(reader);
  const counts = await readItemCounts(reader, teamId, filter);
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  const gone = [...counts.keys()].filter((id) => !catalog.itemsById.has(id));
  const lastNames = await store.selectLastNames(reader, teamId, gone);
  return [...counts]
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || compareBytes(a, b))
    .map(([itemId, dropCount]) => ({
      itemId,
      itemName: catalog.itemsById.get(itemId)?.name ?? lastNames.get(itemId) ?? itemId,
      dropCount,
      dropRate: dropCount / total,
    }));
};
