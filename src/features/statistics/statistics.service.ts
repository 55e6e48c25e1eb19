import type { Context } from '../../context.ts';
import type { Reader } from '../../database/database.ts';
import { invalid } from '../../errors.ts';
import type { DropRate, RollStatistics, StatisticsFilter } from './statistics.contract.ts';
import * as store from './statistics.store.ts';

const checkFilter = ({ from, to }: StatisticsFilter): void => {
  if (from !== undefined && to !== undefined && from > to)
    throw invalid({ path: '/query/from', message: `must not be after to (${to})` });
};

export const getStatistics = async (
  reader: Reader,
  { teamId }: Context,
  filter: StatisticsFilter,
): Promise<RollStatistics> => {
  checkFilter(filter);
  const days = await store.selectDayCounts(reader, teamId, filter);
  const templates = await store.selectTemplateCounts(reader, teamId, filter);
  const items = await store.selectItemCounts(reader, teamId, filter);
  return {
    totalRolls: days.reduce((sum, { count }) => sum + count, 0),
    uniqueItems: items.length,
    rollsByTemplate: Object.fromEntries(
      templates.filter(({ template_id }) => template_id !== '').map(({ template_id, count }) => [template_id, count]),
    ),
    rollsByDay: days.map(({ day, count }) => ({ date: day, count })),
  };
};

export const listDropRates = async (
  reader: Reader,
  { teamId }: Context,
  filter: StatisticsFilter,
): Promise<DropRate[]> => {
  checkFilter(filter);
  const rows = await store.selectDropCounts(reader, teamId, filter);
  const total = rows.reduce((sum, { dropCount }) => sum + dropCount, 0);
  return rows.map(({ itemId, itemName, dropCount }) => ({
    itemId,
    itemName: itemName ?? itemId,
    dropCount,
    dropRate: dropCount / total,
  }));
};
