import type { Context } from '../../context.ts';
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
  hasRoomFor,
  isFree,
  isInside,
  type Lying,
  overlap,
  type Place,
  pack,
  rowsWith,
  rowsWithout,
  type Searched,
} from '../../engine/grid/grid.ts';
import { allAtOnce, each, type Steps } from '../../engine/steps.ts';
import { conflict, type Issue, throwIfAny } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { isoTime } from '../../time.ts';
import type { ItemInstanceSpace } from './placements.contract.ts';
import * as store from './placements.store.ts';

/** Where an instance lies; width and height are those of its cells, already turned. */
export interface Placement extends Lying {
  readonly id: string;
  readonly itemInstanceId: string;
  readonly userSpaceId: string;
  readonly rotated: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A place that a caller asks for; without a position, the first free one. */
export interface WantedPlace {
  readonly x?: number;
  readonly y?: number;
  readonly rotated?: boolean;
}

/** To be held together with the user space, whose lock protects them: what is taken in its grid. */
export const askGridRows = (userSpaceId: string): Ask<store.GridRow> => ask(store.gridRows, { userSpaceId });

/** To be held together with the user space: the cells that are taken in it. */
export const askCells = (userSpaceId: string): Ask<Cell> => ask(store.cellsIn, { userSpaceId });

/** Leaves cells of a user space that is about to go. */
export const leaveCells = (work: Work, userSpaceId: string, cells: readonly Cell[]): void => {
  for (const { x, y } of cells) work.write(store.deleteCell, { user_space_id: userSpaceId, y, x });
};

/** Where an instance lies. It stays so only where its user space is held. */
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

/** The rows of a grid that are not as they were. */
export const changedRows = (userSpaceId: string, before: Grid['taken'], taken: Grid['taken']) => {
  const rows = [];
  for (const [y, bits] of taken)
    if (bits !== (before.get(y) ?? 0n)) rows.push({ user_space_id: userSpaceId, y, taken: bits.toString(16) });
  return rows;
};

/** The grid of a user space that the command holds, so that nobody else takes a place in it meanwhile. */
interface OpenGrid extends Grid {
  readonly before: ReadonlyMap<number, bigint>;
  /** As the command leaves it. */
  readonly taken: Map<number, bigint>;
  /** Forgotten whenever a cell is left. */
  readonly searched: Searched;
}

const take = (grid: OpenGrid, lying: Lying): void => {
  for (const [y, bits] of rowsWith(grid, lying, lying)) grid.taken.set(y, bits);
};

const leave = (grid: OpenGrid, lying: Lying): void => {
  for (const [y, bits] of rowsWithout(grid, lying, lying)) grid.taken.set(y, bits);
  grid.searched.clear();
};

const lyingAt = (item: Footprint, { x, y, rotated }: Place): Lying => ({ ...footprintOf(item, rotated), x, y });

const refuseOutside = (grid: Grid, lying: Lying): void => {
  if (isInside(grid, lying, lying)) return;
  const member = lying.x < 0 || lying.x + lying.width > grid.cols ? 'spacePositionX' : 'spacePositionY';
  throw conflict({
    path: `/body/${member}`,
    message: `is outside the grid of ${grid.cols} × ${grid.rows} cells`,
  });
};

/** The place that is asked for, or the first free one; null where only room is missing. */
const findPlace = (grid: OpenGrid, item: Footprint, { x, y, rotated }: WantedPlace): Place | null => {
  if (x === undefined || y === undefined) return firstFree(grid, item, rotated, grid.searched) ?? null;
  const place = { x, y, rotated: rotated ?? false };
  const lying = lyingAt(item, place);
  refuseOutside(grid, lying);
  if (!isFree(grid, lying, lying))
    throw conflict({ path: '/body/spacePositionX', message: `a cell at ${x}, ${y} is taken` });
  return place;
};

export const noRoom = ({ width, height }: Footprint, path: string) =>
  conflict({ path, message: `has no free space of ${width} × ${height} cells` });

/** The cells of a placement, the first of which tells the rest of it. */
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

/** What is moved, into which user space and to which place there. */
interface Swap {
  readonly itemInstanceId: string;
  readonly item: Footprint;
  readonly userSpaceId: string;
  readonly place: Place;
}

/**
 * The user spaces that one command holds and what it does in them. Nothing is written before the end, so it remembers
 * for each instance that the command has to do with where it lies by the database and where it lies now; what comes
 * later in the command sees what came before.
 */
export class Inventory {
  readonly #context: Context;
  readonly #grids = new Map<string, OpenGrid>();
  readonly #before = new Map<string, Placement>();
  /** Null where an instance lies nowhere, and absent where nothing was asked about it yet. */
  readonly #now = new Map<string, Placement | null>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Adds a user space that is held, with the rows of its grid as they were read under the lock. */
  open(userSpaceId: string, { cols, rows }: Pick<Grid, 'cols' | 'rows'>, gridRows: readonly store.GridRow[]): void {
    const before = takenOf(gridRows);
    this.#grids.set(userSpaceId, { cols, rows, before, taken: new Map(before), searched: new Map() });
  }

  /**
   * Adds where an instance lies, as it was read under the locks. One that lies in a user space which is not held was
   * carried there by another command meanwhile, and all begins anew.
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

  /** Where an instance lies at this point of the command. */
  placementOf(itemInstanceId: string): Placement | null {
    return this.#now.get(itemInstanceId) ?? null;
  }

  /** Whether a user space takes so many of one footprint, one after another. */
  hasRoomFor(userSpaceId: string, item: Footprint, count: number): boolean {
    return hasRoomFor(this.#gridOf(userSpaceId), item, count);
  }

  /** Puts an instance into a user space, from wherever it lies. Null, and nothing done, where there is no room. */
  put(itemInstanceId: string, item: Footprint, userSpaceId: string, wanted: WantedPlace): Placement | null {
    const present = this.placementOf(itemInstanceId);
    if (present !== null) leave(this.#gridOf(present.userSpaceId), present);
    const place = findPlace(this.#gridOf(userSpaceId), item, wanted);
    if (place !== null) return this.#lay(itemInstanceId, item, userSpaceId, place);
    if (present !== null) take(this.#gridOf(present.userSpaceId), present);
    return null;
  }

  /** Takes an instance out of its user space, if it lies in one. */
  takeAway(itemInstanceId: string): void {
    const present = this.placementOf(itemInstanceId);
    if (present === null) return;
    leave(this.#gridOf(present.userSpaceId), present);
    this.#now.set(itemInstanceId, null);
  }

  /**
   * Moves an instance that lies somewhere; what lies in its way goes to where it came from, as it is arranged: the corner
   * of the box around it comes to lie on the top-left cell that was left.
   */
  async swap(work: Work, { itemInstanceId, item, userSpaceId, place }: Swap): Promise<Placement> {
    const present = this.placementOf(itemInstanceId);
    if (present === null) throw new Error(`item instance ${itemInstanceId} lies nowhere`);
    const [source, target] = [this.#gridOf(present.userSpaceId), this.#gridOf(userSpaceId)];
    const wanted = lyingAt(item, place);
    refuseOutside(target, wanted);
    const displaced = (await this.#under(work, userSpaceId, wanted)).filter(({ id }) => id !== present.id);
    leave(source, present);
    for (const placement of displaced) leave(target, placement);
    const moved = this.#lay(itemInstanceId, item, userSpaceId, place);
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
   * Repacks a user space of which everything that lies there was learnt: largest first, those of one size in the given
   * order. What stays where it is keeps its time of change. False, and nothing done, where no order takes everything.
   */
  *repack(
    userSpaceId: string,
    things: readonly { readonly itemInstanceId: string; readonly item: Footprint }[],
  ): Steps<boolean> {
    const grid = this.#gridOf(userSpaceId);
    const places = yield* pack(
      grid,
      things.map(({ item }) => item),
    );
    if (places === undefined) return false;
    for (const y of grid.taken.keys()) grid.taken.set(y, 0n);
    grid.searched.clear();
    yield* each(things, ({ itemInstanceId, item }, index) => {
      const place = places[index] as Place;
      const present = this.placementOf(itemInstanceId);
      if (present?.x === place.x && present.y === place.y && present.rotated === place.rotated) take(grid, present);
      else this.#lay(itemInstanceId, item, userSpaceId, place);
    });
    return true;
  }

  /** Writes what has changed, once: the key over the cells refuses whatever would lie on another. */
  save(work: Work): void {
    allAtOnce(this.saveInSteps(work));
  }

  /** The same for a command that has to do with very many. */
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
    if (grid === undefined) throw new Error(`user space ${userSpaceId} is not held`);
    return grid;
  }

  /** Lays an instance down on free cells; a placement that was there before goes on under its id. */
  #lay(itemInstanceId: string, item: Footprint, userSpaceId: string, place: Place): Placement {
    const { nowMs } = this.#context;
    const present = this.placementOf(itemInstanceId);
    const placement: Placement = {
      id: present?.id ?? newId(),
      itemInstanceId,
      userSpaceId,
      rotated: place.rotated,
      ...lyingAt(item, place),
      createdAtMs: present?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    take(this.#gridOf(userSpaceId), placement);
    this.#now.set(itemInstanceId, placement);
    return placement;
  }

  /** Lays down what made room. */
  #settle(placement: Placement, userSpaceId: string, { x, y }: Cell): void {
    const settled = { ...placement, userSpaceId, x, y, updatedAtMs: this.#context.nowMs };
    take(this.#gridOf(userSpaceId), settled);
    this.#now.set(placement.itemInstanceId, settled);
  }

  /** What lies on any cell of a rectangle at this point of the command, in the order of instances. */
  async #under(work: Work, userSpaceId: string, lying: Lying): Promise<Placement[]> {
    const found = await work.find(store.placedUnder, {
      userSpaceId,
      left: lying.x,
      right: lying.x + lying.width - 1,
      top: lying.y,
      bottom: lying.y + lying.height - 1,
    });
    for (const row of found) this.learn(row.item_instance_id, [row]);
    return [...this.#now.values()]
      .filter((placement) => placement !== null)
      .filter((placement) => placement.userSpaceId === userSpaceId && overlap(placement, lying))
      .sort((a, b) => compareBytes(a.itemInstanceId, b.itemInstanceId));
  }
}
