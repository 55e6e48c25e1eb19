import { inChunks } from '../../database/chunks.ts';
import { rowsOf } from '../../database/declarations.ts';
import type { Reader } from '../../database/work.ts';
import { takeTurns } from '../../shared/turns.ts';

/** The names of items, and the last names of deleted ones. */
export const selectNames = async (reader: Reader, itemIds: readonly string[]): Promise<Map<string, string>> => {
  const names = new Map<string, string>();
  await inChunks(itemIds, async (some) => {
    const present = await rowsOf('items', reader).select(['id', 'name']).where('id', 'in', some).execute();
    for (const { id, name } of present) names.set(id, name);
    await takeTurns();
  });
  await inChunks(
    itemIds.filter((id) => !names.has(id)),
    async (some) => {
      const gone = await rowsOf('deleted_items', reader).select(['id', 'name']).where('id', 'in', some).execute();
      for (const { id, name } of gone) names.set(id, name);
      await takeTurns();
    },
  );
  return names;
};
