import { inChunks } from '../../database/chunks.ts';
import { type Page, type Paged, type Position, paged } from '../../database/paging.ts';
import type { Finder, Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { KindOfEntity } from '../catalog/kinds.service.ts';
import type { UserSpace } from '../user-spaces/user-spaces.contract.ts';
import { findFirstOfSpace, findSpaceIds, listUserSpacesOfSpace } from '../user-spaces/user-spaces.service.ts';
import type { NewSpace, Space, SpaceChange, SpaceWithUserSpaces } from './spaces.contract.ts';
import * as store from './spaces.store.ts';

const toSpace = (row: store.SpaceRow): Space => ({
  id: row.id,
  name: row.name,
  teamId: row.team_id,
  cols: row.cols,
  rows: row.rows,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

/** The spaces of which a user has user spaces. There are few of them, so they are sorted here. */
const selectSpacesOf = async (reader: Reader, userId: string, page: Page): Promise<Paged<store.SpaceRow>> => {
  const found: store.SpaceRow[] = [];
  await inChunks(await findSpaceIds(reader, userId), async (ids) => {
    const rows = await Promise.all(ids.map((id) => reader.find(store.spaceById, { id })));
    found.push(...rows.flat());
  });
  const { after } = page;
  const following = found
    .sort((a, b) => a.created_at - b.created_at || compareBytes(a.id, b.id))
    .filter((row) => after === undefined || (row.created_at - after.createdAtMs || compareBytes(row.id, after.id)) > 0);
  return paged(following, page);
};

const positionOf = (row: store.SpaceRow | undefined): Position | undefined =>
  row && { createdAtMs: row.created_at, id: row.id };

/**
 * Each space comes with its first user spaces, of which there may be as many as users. A page ends early rather than
 * contain too many of them in total.
 */
const listSpaces = async (
  reader: Reader,
  { userId }: { userId?: string },
  page: Page,
): Promise<Paged<SpaceWithUserSpaces>> => {
  const { rows, next } =
    userId === undefined ? await store.selectSpaces(reader, page) : await selectSpacesOf(reader, userId, page);
  const listed: SpaceWithUserSpaces[] = [];
  let shown = 0;
  for (let start = 0; start < rows.length; start += LIMITS.listedSpacesRead) {
    const some = rows.slice(start, start + LIMITS.listedSpacesRead);
    const userSpaces = await Promise.all(some.map(({ id }) => findFirstOfSpace(reader, id, userId)));
    for (const [index, row] of some.entries()) {
      const own = userSpaces[index] ?? [];
      shown += own.length;
      if (shown > LIMITS.listedUserSpaces) return { rows: listed, next: positionOf(rows[listed.length - 1]) };
      listed.push({ ...toSpace(row), userSpaces: own });
    }
  }
  return { rows: listed, next };
};

/** The space, or undefined if the team has none with that id. */
export const findSpace = async (finder: Finder, id: string): Promise<Space | undefined> => {
  const [row] = await finder.find(store.spaceById, { id });
  return row && toSpace(row);
};

export const listUserSpaces = async (reader: Reader, id: string, page: Page): Promise<Paged<UserSpace>> => {
  if ((await findSpace(reader, id)) === undefined) throw notFound();
  return listUserSpacesOfSpace(reader, id, page);
};

/** Spaces are part of the compiled catalog, which provides their sizes for placing. */
export const spaces: KindOfEntity<'space', NewSpace, SpaceChange, Space, { userId?: string }, SpaceWithUserSpaces> = {
  kind: 'space',
  create: (id, given) => ({ edit: () => ({ id, ...given }) }),
  // Waits for placements in progress; later ones see the new size.
  update: (_context, _id, change) => ({ edit: (present) => ({ ...present, ...change }), excludesGrids: true }),
  show: ({ teamId }, { entity, createdAt, updatedAt }) =>
    toSpace({ ...entity, team_id: teamId, created_at: createdAt, updated_at: updatedAt }),
  find: findSpace,
  list: listSpaces,
};
