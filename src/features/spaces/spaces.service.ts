import type { SpaceEntity } from '../../catalog/entities.ts';
import { inChunks } from '../../database/chunks.ts';
import { type Page, type Paged, type Position, paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import type { Context } from '../../shared/context.ts';
import { notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { ChangedEntity, ChangeEntity } from '../catalog/change.service.ts';
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
export const listSpaces = async (
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

export const listUserSpaces = async (reader: Reader, id: string, page: Page): Promise<Paged<UserSpace>> => {
  await getSpace(reader, id);
  return listUserSpacesOfSpace(reader, id, page);
};

/** The space, or undefined if the team has none with that id. */
export const findSpace = async (finder: Finder, id: string): Promise<Space | undefined> => {
  const [row] = await finder.find(store.spaceById, { id });
  return row && toSpace(row);
};

export const getSpace = async (finder: Finder, id: string): Promise<Space> => {
  const space = await findSpace(finder, id);
  if (space === undefined) throw notFound();
  return space;
};

const changedSpace = ({ teamId }: Context, { entity, createdAt, updatedAt }: ChangedEntity<'space'>): Space =>
  toSpace({ ...entity, team_id: teamId, created_at: createdAt, updated_at: updatedAt });

/** Spaces are part of the compiled catalog, which provides their sizes for placing. */
export const createSpace = async (
  tx: Transaction,
  context: Context,
  { id = newId(), ...given }: NewSpace,
  changeEntity: ChangeEntity,
): Promise<Space> =>
  changedSpace(
    context,
    await changeEntity(tx, context, { kind: 'space', id, isNew: true, edit: () => ({ id, ...given }) }),
  );

export const updateSpace = async (
  tx: Transaction,
  context: Context,
  id: string,
  change: SpaceChange,
  changeEntity: ChangeEntity,
  ifMatch?: string,
): Promise<Space> => {
  const edit = (present: SpaceEntity) => ({ ...present, ...change });
  // Waits for placements in progress; later ones see the new size.
  return changedSpace(
    context,
    await changeEntity(tx, context, { kind: 'space', id, edit, ifMatch, excludesGrids: true }),
  );
};
