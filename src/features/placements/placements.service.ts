import { inChunks } from '../../database/chunks.ts';
import { mapPage, type Page, type Paged } from '../../database/paging.ts';
import { Collision, type Finder, type Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import type { Grid } from '../../engine/grid/grid.ts';
import { isoTime } from '../../shared/time.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { type Placement, toPlacement } from './inventory.service.ts';
import type { ListedItemInstanceSpace } from './placements.contract.ts';
import * as store from './placements.store.ts';

export const listItemInstanceSpaces = async (
  reader: Reader,
  userSpaceIds: readonly string[] | undefined,
  page: Page,
  { catalogs }: { catalogs: Catalogs },
): Promise<Paged<ListedItemInstanceSpace>> => {
  const [{ catalog }, found] = await Promise.all([
    catalogs.current(reader),
    store.selectPlacements(reader, userSpaceIds, page),
  ]);
  return mapPage(found, (row) => {
    const item = catalog.itemsById.get(row.item_id);
    // The catalog was read before the item was created.
    if (item === undefined) throw new Collision();
    return {
      spacePositionX: row.x,
      spacePositionY: row.y,
      rotated: row.rotated === 1,
      itemInstanceId: row.item_instance_id,
      teamUserSpaceId: row.user_space_id,
      itemInstance: {
        id: row.item_instance_id,
        itemId: row.item_id,
        teamId: reader.teamId,
        createdAt: isoTime(row.instance_created_at),
        updatedAt: isoTime(row.instance_updated_at),
        item: { name: item.name },
      },
    };
  });
};

/** Instances placed in these user spaces that reach beyond a size, ordered by user space, at most `limit`. */
export const findBeyond = async (
  finder: Finder,
  userSpaceIds: readonly string[],
  { cols, rows }: Pick<Grid, 'cols' | 'rows'>,
  limit: number,
): Promise<Placement[]> => {
  const beyond: Placement[] = [];
  await inChunks(userSpaceIds, async (some) => {
    if (beyond.length >= limit) return;
    const found = await Promise.all(
      some.map((userSpaceId) => finder.find(store.instancesBeyond, { userSpaceId, cols, rows, limit })),
    );
    for (const instances of found) {
      const ids = instances.map(({ item_instance_id }) => item_instance_id).sort(compareBytes);
      const placed = await Promise.all(ids.map((itemInstanceId) => finder.find(store.placementOf, { itemInstanceId })));
      beyond.push(...placed.flat().map(toPlacement));
      if (beyond.length >= limit) return;
    }
  });
  return beyond.slice(0, limit);
};
