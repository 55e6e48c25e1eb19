import { type Ask, ask } from '../../database/declarations.ts';
import { Collision, type Work } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import {
  type Cell,
  carriedTo,
  cellsOf,
  type Footprint,
  firstFree,
  footprintOf,
  type Grid,
  type GridArea,
  hasRoomFor,
  isFree,
  isInside,
  overlap,
  type Place,
  pack,
  rowsWith,
  rowsWithout,
  type Searched,
} from '../../engine/grid/grid.ts';
import { allAtOnce, each, type Steps } from '../../engine/steps.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, type Issue, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import type { ItemInstanceSpace } from './placements.contract.ts';
import * as store from './placements.store.ts';

/** Where an instance is placed; width and height are those of its cells, rotation applied. */
export interface Placement extends GridArea {
  readonly id: string;
  readonly itemInstanceId: string;
  readonly userSpaceId: string;
  readonly rotated: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A requested position; without coordinates, the first free one. */
export interface RequestedPlace {
  readonly x?: number;
  readonly y?: number;
  readonly rotated?: boolean;
}

/** The occupied cells per row of a grid. To be read together with the lock on the user space, which protects them. */
export const askGridRows = (userSpaceId: string): Ask<store.GridRow> => ask(store.gridRows, { userSpaceId });

/** The occupied cells of a user space. To be read together with the lock on it. */
export const askCells = (userSpaceId: string): Ask<Cell> => ask(store.cellsIn, { userSpaceId });

/** Removes the cells of a user space that is being deleted. */
export const freeCells = (work: Work, userSpaceId: string, cells: readonly Cell[]): void => {
  for (const { x, y } of cells) work.write(store.deleteCell, { user_space_id: userSpaceId, y, x });
};

/** Where an instance is placed. Only stable while its user space is locked. */
export const askPlacement = (itemInstanceId: string): Ask<store.PlacedRow> =>
  ask(store.placementOf, { itemInstanceId });

export const toPlacement = (row: store.PlacedRow): Placement => ({
  id: row.id,
  itemInstanceId: row.item_instance_id,
  userSpaceId: row.user_space_id,
  x: row.x,
  y: row.y,
  width: row.width,
  height: row.height,
  rotated: row.rotated === 1,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
});

export const toItemInstanceSpace = (teamId: string, placement: Placement): ItemInstanceSpace => ({
  id: placement.id,
  itemInstanceId: placement.itemInstanceId,
  teamUserSpaceId: placement.userSpaceId,
  spacePositionX: placement.x,
  spacePositionY: placement.y,
  rotated: placement.rotated,
  teamId,
  createdAt: isoTime(placement.createdAtMs),
  updatedAt: isoTime(placement.updatedAtMs),
});

export const takenOf = (rows: readonly store.GridRow[]): Map<number, bigint> =>
  new Map(rows.map(({ y, taken }) => [y, store.bitsOf(taken)]));

/** The rows of a grid that changed. */
export const changedRows = (userSpaceId: string, before: Grid['taken'], taken: Grid['taken']) => {
  const rows = [];
  for (const [y, bits] of taken)
    if (bits !== (before.get(y) ?? 0n)) rows.push({ user_space_id: userSpaceId, y, taken: bits.toString(16) });
  return rows;
};

/** The grid of a user space that the command has locked, so that nobody else places anything in it. */
interface OpenGrid extends Grid {
  readonly before: ReadonlyMap<number, bigint>;
  /** As the command leaves it. */
  readonly taken: Map<number, bigint>;
  /** Cleared whenever a cell is freed. */
  readonly searched: Searched;
}

const take = (grid: OpenGrid, area: GridArea): void => {
  for (const [y, bits] of rowsWith(grid, area, area)) grid.taken.set(y, bits);
};

const leave = (grid: OpenGrid, area: GridArea): void => {
  for (const [y, bits] of rowsWithout(grid, area, area)) grid.taken.set(y, bits);
  grid.searched.clear();
};

const areaOf = (item: Footprint, { x, y, rotated }: Place): GridArea => ({ ...footprintOf(item, rotated), x, y });

const rejectOutside = (grid: Grid, area: GridArea): void => {
  if (isInside(grid, area, area)) return;
  const member = area.x < 0 || area.x + area.width > grid.cols ? 'spacePositionX' : 'spacePositionY';
  throw conflict({
    path: `/body/${member}`,
    message: `is outside the grid of ${grid.cols} × ${grid.rows} cells`,
  });
};

/** The requested position, or the first free one; null if there is no room. */
const findPlace = (grid: OpenGrid, item: Footprint, { x, y, rotated }: RequestedPlace): Place | null => {
  if (x === undefined || y === undefined) return firstFree(grid, item, rotated, grid.searched) ?? null;
  const place = { x, y, rotated: rotated ?? false };
  const area = areaOf(item, place);
  rejectOutside(grid, area);
  if (!isFree(grid, area, area))
    throw conflict({ path: '/body/spacePositionX', message: `a cell at ${x}, ${y} is taken` });
  return place;
};

export const noRoom = ({ width, height }: Footprint, path: string) =>
  conflict({ path, message: `has no free space of ${width} × ${height} cells` });

/** The cells of a placement; the first one carries its other columns. */
const cellRows = (placement: Placement): store.CellRow[] =>
  cellsOf(placement, placement).map(({ x, y }) => {
    const part = store.partOf({ x: x - placement.x, y: y - placement.y });
    const isFirst = part === 0;
    return {
      user_space_id: placement.userSpaceId,
      y,
      x,
      item_instance_id: placement.itemInstanceId,
      part,
      id: isFirst ? placement.id : null,
      rotated: isFirst ? Number(placement.rotated) : null,
      created_at: isFirst ? placement.createdAtMs : null,
      updated_at: isFirst ? placement.updatedAtMs : null,
    };
  });

/** Where an instance was and is placed; null if it is in no user space. */
export interface Moved {
  readonly itemInstanceId: string;
  readonly before: Placement | null;
  readonly now: Placement | null;
}

/** What is moved, into which user space and to which position. */
interface Swap {
  readonly itemInstanceId: string;
  readonly item: Footprint;
  readonly userSpaceId: string;
  readonly place: Place;
  /** Whether an instance is locked at this point of the command; undefined if the command did not read it. */
  readonly isLocked: (itemInstanceId: string) => boolean | undefined;
}

/**
 * The user spaces that one command has locked, and its changes in them. Nothing is written before the end: for each
 * instance the inventory remembers its placement in the database and its current one, so that later operations of the
 * command see the changes of earlier ones.
 */
export class Inventory {
  readonly #context: Context;
  readonly #grids = new Map<string, OpenGrid>();
  readonly #before = new Map<string, Placement>();
  /** Null if an instance is not placed; missing if its placement was not read. */
  readonly #now = new Map<string, Placement | null>();
  /** Of the instances that were found in the way. */
  readonly #locked = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Adds a locked user space, with its grid rows as read under the lock. */
  open(userSpaceId: string, { cols, rows }: Pick<Grid, 'cols' | 'rows'>, gridRows: readonly store.GridRow[]): void {
    const before = takenOf(gridRows);
    this.#grids.set(userSpaceId, { cols, rows, before, taken: new Map(before), searched: new Map() });
  }

  /**
   * Adds the placement of an instance, as read under the locks. If it is in a user space that is not locked, another
   * command moved it there in the meantime, and the command is retried.
   */
  learn(itemInstanceId: string, [row]: readonly store.PlacedRow[]): void {
    if (this.#now.has(itemInstanceId)) return;
    if (row === undefined) {
      this.#now.set(itemInstanceId, null);
      return;
    }
    if (!this.#grids.has(row.user_space_id)) throw new Collision();
    const placement = toPlacement(row);
    this.#before.set(itemInstanceId, placement);
    this.#now.set(itemInstanceId, placement);
  }

  /** The placement of an instance at this point of the command. */
  placementOf(itemInstanceId: string): Placement | null {
    return this.#now.get(itemInstanceId) ?? null;
  }

  /** Where it is in the database. */
  storedPlacementOf(itemInstanceId: string): Placement | null {
    return this.#before.get(itemInstanceId) ?? null;
  }

  /** Whether a user space has room for `count` items of one footprint, one after another. */
  hasRoomFor(userSpaceId: string, item: Footprint, count: number): boolean {
    return hasRoomFor(this.#gridOf(userSpaceId), item, count);
  }

  /**
   * Places an instance in a user space, whether or not it was placed before. Returns null, and changes nothing, if
   * there is no room.
   */
  put(itemInstanceId: string, item: Footprint, userSpaceId: string, wanted: RequestedPlace): Placement | null {
    const present = this.placementOf(itemInstanceId);
    if (present !== null) leave(this.#gridOf(present.userSpaceId), present);
    const place = findPlace(this.#gridOf(userSpaceId), item, wanted);
    if (place !== null) return this.#place(itemInstanceId, item, userSpaceId, place);
    if (present !== null) take(this.#gridOf(present.userSpaceId), present);
    return null;
  }

  /** Takes an instance out of its user space, if it is placed. */
  takeAway(itemInstanceId: string): void {
    const present = this.placementOf(itemInstanceId);
    if (present === null) return;
    leave(this.#gridOf(present.userSpaceId), present);
    this.#now.set(itemInstanceId, null);
  }

  /**
   * Moves a placed instance. Whatever is in its way moves to where it came from, keeping its arrangement: the top-left
   * corner of its bounding box goes to the top-left cell that was left.
   */
  async swap(work: Work, { itemInstanceId, item, userSpaceId, place, isLocked }: Swap): Promise<Placement> {
    const present = this.placementOf(itemInstanceId);
    if (present === null) throw new Error(`item instance ${itemInstanceId} is not placed`);
    const [source, target] = [this.#gridOf(present.userSpaceId), this.#gridOf(userSpaceId)];
    const wanted = areaOf(item, place);
    rejectOutside(target, wanted);
    const displaced = (await this.#under(work, userSpaceId, wanted)).filter(({ id }) => id !== present.id);
    throwIfAny(
      displaced
        .map(({ itemInstanceId: id }) => id)
        .filter((id) => isLocked(id) ?? this.#locked.has(id))
        .map((id) => ({ path: '/body/swap', message: `item instance ${id} is locked` })),
      'CONFLICT',
    );
    leave(source, present);
    for (const placement of displaced) leave(target, placement);
    const moved = this.#place(itemInstanceId, item, userSpaceId, place);
    const corners = displaced.length === 0 ? [] : carriedTo(displaced, present);
    const faults: Issue[] = [];
    for (const [index, placement] of displaced.entries()) {
      const to = { ...placement, ...(corners[index] as Cell) };
      if (isInside(source, to, to) && isFree(source, to, to)) this.#settle(placement, present.userSpaceId, to);
      else
        faults.push({
          path: '/body/swap',
          message: `item instance ${placement.itemInstanceId} would not fit at ${to.x}, ${to.y}`,
        });
    }
    throwIfAny(faults, 'CONFLICT');
    return moved;
  }

  /**
   * Repacks a user space whose contents have all been added: largest first, equal sizes in the given order, around those
   * that must stay where they are. Instances that stay in place keep their `updatedAt`. Returns false, and changes
   * nothing, if no order fits everything.
   */
  *repack(
    userSpaceId: string,
    things: readonly { readonly itemInstanceId: string; readonly item: Footprint }[],
    stayingIds: readonly string[],
  ): Steps<boolean> {
    const grid = this.#gridOf(userSpaceId);
    const taken = new Map<number, bigint>();
    for (const id of stayingIds) {
      const area = this.placementOf(id);
      if (area !== null) for (const [y, bits] of rowsWith({ ...grid, taken }, area, area)) taken.set(y, bits);
    }
    const places = yield* pack(
      { ...grid, taken },
      things.map(({ item }) => item),
    );
    if (places === undefined) return false;
    for (const y of grid.taken.keys()) grid.taken.set(y, taken.get(y) ?? 0n);
    grid.searched.clear();
    yield* each(things, ({ itemInstanceId, item }, index) => {
      const place = places[index] as Place;
      const present = this.placementOf(itemInstanceId);
      if (present?.x === place.x && present.y === place.y && present.rotated === place.rotated) take(grid, present);
      else this.#place(itemInstanceId, item, userSpaceId, place);
    });
    return true;
  }

  /** What was placed elsewhere, or taken out. */
  *moves(): Generator<Moved> {
    for (const [itemInstanceId, now] of this.#now) {
      const before = this.#before.get(itemInstanceId) ?? null;
      if (now !== before) yield { itemInstanceId, before, now };
    }
  }

  /** Writes the changes, once. The key over the cells rejects overlaps. */
  save(work: Work): void {
    allAtOnce(this.saveInSteps(work));
  }

  /** The same for a command with very many changes. */
  *saveInSteps(work: Work): Steps<void> {
    yield* each([...this.#now], ([itemInstanceId, now]) => {
      const before = this.#before.get(itemInstanceId);
      if (now === (before ?? null)) return;
      if (before !== undefined)
        for (const { x, y } of cellsOf(before, before))
          work.write(store.deleteCell, { user_space_id: before.userSpaceId, y, x });
      if (now !== null) work.write(store.insertCell, ...cellRows(now));
    });
    for (const [userSpaceId, { before, taken }] of this.#grids)
      work.write(store.saveGridRow, ...changedRows(userSpaceId, before, taken));
  }

  #gridOf(userSpaceId: string): OpenGrid {
    const grid = this.#grids.get(userSpaceId);
    if (grid === undefined) throw new Error(`User space ${userSpaceId} is not locked.`);
    return grid;
  }

  /** Puts an instance on free cells; an existing placement keeps its id. */
  #place(itemInstanceId: string, item: Footprint, userSpaceId: string, place: Place): Placement {
    const { nowMs } = this.#context;
    const present = this.placementOf(itemInstanceId);
    const placement: Placement = {
      id: present?.id ?? newId(),
      itemInstanceId,
      userSpaceId,
      rotated: place.rotated,
      ...areaOf(item, place),
      createdAtMs: present?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    take(this.#gridOf(userSpaceId), placement);
    this.#now.set(itemInstanceId, placement);
    return placement;
  }

  /** Puts a displaced instance into its new position. */
  #settle(placement: Placement, userSpaceId: string, { x, y }: Cell): void {
    const settled = { ...placement, userSpaceId, x, y, updatedAtMs: this.#context.nowMs };
    take(this.#gridOf(userSpaceId), settled);
    this.#now.set(placement.itemInstanceId, settled);
  }

  /** The instances on any cell of a rectangle at this point of the command, ordered by instance. */
  async #under(work: Work, userSpaceId: string, area: GridArea): Promise<Placement[]> {
    const found = await work.find(store.placedUnder, {
      userSpaceId,
      left: area.x,
      right: area.x + area.width - 1,
      top: area.y,
      bottom: area.y + area.height - 1,
    });
    for (const row of found) {
      this.learn(row.item_instance_id, [row]);
      if (row.locked === 1) this.#locked.add(row.item_instance_id);
    }
    return [...this.#now.values()]
      .filter((placement) => placement !== null)
      .filter((placement) => placement.userSpaceId === userSpaceId && overlap(placement, area))
      .sort((a, b) => compareBytes(a.itemInstanceId, b.itemInstanceId));
  }
}
