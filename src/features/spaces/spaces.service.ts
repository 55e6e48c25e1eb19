import { inChunks } from '../../database/chunks.ts';
import { type Page, type Paged, type Position, paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import type { Context } from '../../shared/context.ts';
import { type Issue, invalid, notFound, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import { requireMatch, spaceEntity } from '../catalog/entities.service.ts';
import { changeCatalog } from '../catalog/versions.service.ts';
import { findBeyond } from '../placements/placements.service.ts';
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

/** Spaces are part of the compiled catalog, which provides their sizes for placing. */
export const createSpace = (
  tx: Transaction,
  context: Context,
  { id = newId(), name, cols, rows }: NewSpace,
): Promise<Space> =>
  changeCatalog(tx, context, async (record) => {
    const [taken] = await tx.find(store.spaceById, { id });
    if (taken !== undefined) throw invalid({ path: '/body/id', message: 'is already in use' });
    const { nowMs } = context;
    const row = { team_id: tx.teamId, id, name, cols, rows, created_at: nowMs, updated_at: nowMs };
    tx.write(store.insertSpace, row);
    record('space', null, spaceEntity(row));
    return toSpace(row);
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

/** An issue for each placed item instance that a size would cut off. */
export const cutOffIssues = async (
  reader: Reader,
  id: string,
  size: Pick<Space, 'cols' | 'rows'>,
  root: string,
): Promise<Issue[]> => {
  const beyond: Awaited<ReturnType<typeof findBeyond>> = [];
  let page: Page | undefined = { limit: LIMITS.pageRows };
  // There may be as many user spaces as users, so they are read in pages.
  while (page !== undefined && beyond.length < LIMITS.issues) {
    const { rows, next }: Paged<UserSpace> = await listUserSpacesOfSpace(reader, id, page);
    const ids = rows.map((userSpace) => userSpace.id).sort(compareBytes);
    beyond.push(...(await findBeyond(reader, ids, size, LIMITS.issues - beyond.length)));
    page = next && { limit: LIMITS.pageRows, after: next };
  }
  return beyond.flatMap(({ itemInstanceId, userSpaceId, x, y, width, height }) => {
    const message = `would cut off item instance ${itemInstanceId} at ${x}, ${y} in user space ${userSpaceId}`;
    const paths = [
      ...(x + width > size.cols ? [`${root}/cols`] : []),
      ...(y + height > size.rows ? [`${root}/rows`] : []),
    ];
    return paths.map((path) => ({ path, message }));
  });
};

/** An issue for each user space that keeps a space from being deleted. */
export const userSpaceIssues = async (reader: Reader, id: string, path: string): Promise<Issue[]> => {
  const { rows } = await listUserSpacesOfSpace(reader, id, { limit: LIMITS.issues });
  return rows.map((userSpace) => ({
    path,
    message: `is used by user space ${userSpace.id} of user ${userSpace.userId}`,
  }));
};

export const updateSpace = async (
  tx: Transaction,
  context: Context,
  id: string,
  change: SpaceChange,
  ifMatch?: string,
): Promise<Space> => {
  // Waits for placements in progress; later ones see the new size.
  await tx.exclude('grids');
  return changeCatalog(tx, context, async (record) => {
    const { nowMs } = context;
    const present = await getSpace(tx, id);
    requireMatch(ifMatch, 'space', present);
    const changed = { ...present, ...change, updatedAt: isoTime(nowMs) };
    if (changed.cols < present.cols || changed.rows < present.rows)
      throwIfAny(await cutOffIssues(tx, id, changed, '/body'), 'CONFLICT');
    await store.updateSpace(tx, id, change, nowMs);
    record('space', spaceEntity(present), spaceEntity(changed));
    return changed;
  });
};

export const deleteSpace = (tx: Transaction, context: Context, id: string, ifMatch?: string): Promise<void> =>
  changeCatalog(tx, context, async (record) => {
    const present = await getSpace(tx, id);
    requireMatch(ifMatch, 'space', present);
    throwIfAny(await userSpaceIssues(tx, id, '/path/id'), 'CONFLICT');
    record('space', spaceEntity(present), null);
    await store.deleteSpace(tx, id);
  });
