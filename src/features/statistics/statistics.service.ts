import type { Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { invalid } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { takeTurns } from '../../turns.ts';
import { readItemCounts, readRollCounts } from './roll-counts.service.ts';
import type { DropRate, RollStatistics, StatisticsFilter } from './statistics.contract.ts';
import * as store from './statistics.store.ts';

const checkFilter = ({ from, to }: StatisticsFilter): void => {
  if (from !== undefined && to !== undefined && from > to)
    throw invalid({ path: '/query/from', message: `must not be after to (${to})` });
};

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
 * The answer as a text, made in turns, since there may be as many rows as a catalog has items. Only what was rolled is
 * named, which may be little of a large catalog.
 */
export const listDropRates = async (reader: Reader, filter: StatisticsFilter): Promise<string> => {
  checkFilter(filter);
  const counts = await readItemCounts(reader, filter);
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  const names = await store.selectNames(reader, [...counts.keys()]);
  const mostFirst = [...counts].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || compareBytes(a, b));
  const texts: string[] = [];
  for (const [itemId, dropCount] of mostFirst) {
    const itemName = names.get(itemId) ?? itemId;
    texts.push(JSON.stringify({ itemId, itemName, dropCount, dropRate: dropCount / total } satisfies DropRate));
    if (texts.length % LIMITS.countedItemsPerTurn === 0) await takeTurns();
  }
  return `[${texts.join()}]`;
};
