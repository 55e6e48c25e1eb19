import { inChunks } from '../../database/chunks.ts';
import type { Reader } from '../../database/work.ts';

/** The last names of items that are gone. */
export const selectLastNames = async (
  reader: Reader,
  teamId: string,
  itemIds: readonly string[],
): Promise<Map<string, string>> => {
  const names = new Map<string, string>();
  await inChunks(itemIds, async (some) => {
    const rows = await reader.queries
      .selectFrom('deleted_items')
      .select(['id', 'name'])
      .where('team_id', '=', teamId)
      .where('id', 'in', some)
      .execute();
    for (const { id, name } of rows) names.set(id, name);
  });
  return names;
};
