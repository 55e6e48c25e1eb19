import type { Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { sorted } from '../../engine/steps.ts';
import { invalid } from '../../shared/errors.ts';
import { jsonList } from '../../shared/json-list.ts';
import { inTurns, takeTurns } from '../../shared/turns.ts';
import { readItemCounts, readRollCounts } from './roll-counts.service.ts';
import type { DropRate, RollStatistics, StatisticsFilter } from './statistics.contract.ts';
import * as store from './statistics.store.ts';

const checkFilter = ({ from, to }: StatisticsFilter): void => {
  if (from !== undefined && to !== undefined && from > to)
    throw invalid({ path: '/query/from', message: `must not be after to (${to})` });
};

/** The names of items, and the last names of deleted ones. */
export const findItemNames: (reader: Reader, itemIds: readonly string[]) => Promise<ReadonlyMap<string, string>> =
  store.selectNames;

const inByteOrder = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].sort(([a], [b]) => compareBytes(a, b));

export const getStatistics = async (reader: Reader, filter: StatisticsFilter): Promise<RollStatistics> => {
  checkFilter(filter);
  const { byItem, byDay, byTemplate } = await readRollCounts(reader, filter);
  return {
    totalRolls: byDay.values().reduce((sum, count) => sum + count, 0),
    uniqueItems: byItem.size,
    rollsByTemplate: Object.fromEntries(inByteOrder(byTemplate)),
    rollsByDay: inByteOrder(byDay).map(([date, count]) => ({ date, count })),
  };
};

/**
 * Chunks of JSON, since there may be as many rows as items in a catalog. Names are read only for rolled items, which
 * may be few of a large catalog.
 */
export const listDropRates = async (reader: Reader, filter: StatisticsFilter): Promise<AsyncGenerator<string>> => {
  checkFilter(filter);
  const counts = await readItemCounts(reader, filter);
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  await takeTurns();
  const names = await store.selectNames(reader, [...counts.keys()]);
  await takeTurns();
  const mostFirst = await inTurns(
    sorted([...counts], ([a, countOfA], [b, countOfB]) => countOfB - countOfA || compareBytes(a, b)),
  );
  const rates = mostFirst.values().map(
    ([itemId, dropCount]): DropRate => ({
      itemId,
      itemName: names.get(itemId) ?? itemId,
      dropCount,
      dropRate: dropCount / total,
    }),
  );
  return jsonList(rates);
};
