import type { Context } from '../../context.ts';
import type { Transaction } from '../../database/database.ts';
import { inPassing } from '../../database/passing.ts';
import {
  type Cell,
  type Footprint,
  firstFree,
  footprintOf,
  type Grid,
  isFree,
  isInside,
  type Lying,
  type Place,
  rowsWith,
  rowsWithout,
} from '../../engine/grid/grid.ts';
import { conflict } from '../../errors.ts';
import type { HeldUserSpace } from '../spaces/spaces.service.ts';
import * as store from './placements.store.ts';

/** A place that a caller asks for; without a position, the first free one. */
export interface WantedPlace {
  readonly x?: number;
  readonly y?: number;
  readonly rotated?: boolean;
}

/** The grid of a user space that the caller holds, so that nobody else takes a place in it meanwhile. */
export interface OpenGrid extends Grid {
  readonly userSpaceId: string;
  /** What is taken in the rows that are known, changed as places are taken and left, and written back at the end. */
  readonly taken: Map<number, bigint>;
  readonly known: Set<number>;
  /** Once all rows are known, those that are not in `taken` are free. */
  isKnown: boolean;
  readonly changed: Set<number>;
}

/** A grid of which nothing is known yet, or all. */
export const openGrid = ({ id, cols, rows }: HeldUserSpace, all?: Map<number, bigint>): OpenGrid => ({
  userSpaceId: id,
  cols,
  rows,
  taken: all ?? new Map(),
  known: new Set(),
  isKnown: all !== undefined,
  changed: new Set(),
});

/** Reads all rows of a grid that are not known yet. */
const learnAll = async (tx: Transaction, { teamId }: Context, grid: OpenGrid): Promise<void> => {
  if (grid.isKnown) return;
  const found = await store.selectTakenRows(tx, { teamId, userSpaceId: grid.userSpaceId, from: 0, to: grid.rows - 1 });
  for (const [row, bits] of found) if (!grid.known.has(row)) grid.taken.set(row, bits);
  grid.isKnown = true;
};

/** Reads the rows from `y` on that are not known yet. Nothing else of a grid is ever read to find or take a place. */
export const learn = async (
  tx: Transaction,
  { teamId }: Context,
  grid: OpenGrid,
  { y, height }: Pick<Lying, 'y' | 'height'>,
): Promise<void> => {
  if (grid.isKnown) return;
  const missing: number[] = [];
  for (let row = y; row < y + height; row++) if (!grid.known.has(row)) missing.push(row);
  const [from, to] = [missing[0], missing.at(-1)];
  if (from === undefined || to === undefined) return;
  const found = await store.selectTakenRows(tx, { teamId, userSpaceId: grid.userSpaceId, from, to });
  for (const row of missing) {
    grid.known.add(row);
    grid.taken.set(row, found.get(row) ?? 0n);
  }
};

export const change = ({ taken, changed }: OpenGrid, rows: ReadonlyMap<number, bigint>): void => {
  for (const [y, bits] of rows) {
    taken.set(y, bits);
    changed.add(y);
  }
};

export const take = (grid: OpenGrid, lying: Lying): void => change(grid, rowsWith(grid, lying, lying));
export const leave = (grid: OpenGrid, lying: Lying): void => change(grid, rowsWithout(grid, lying, lying));

export const saveGrids = (tx: Transaction, { teamId }: Context, grids: Iterable<OpenGrid>): void => {
  const rows = [...new Set(grids)].flatMap(({ userSpaceId, taken, changed }) =>
    [...changed].map((y) => ({ userSpaceId, y, taken: taken.get(y) ?? 0n })),
  );
  inPassing(tx, store.saveTakenRows(tx, teamId, rows));
};

export const lyingAt = (item: Footprint, { x, y, rotated }: Place): Lying => ({ ...footprintOf(item, rotated), x, y });

export const lyingOf = (placed: store.Placed): Lying => lyingAt(placed, { ...placed, rotated: placed.rotated === 1 });

export const refuseOutside = (grid: OpenGrid, lying: Lying): void => {
  if (isInside(grid, lying, lying)) return;
  const member = lying.x < 0 || lying.x + lying.width > grid.cols ? 'spacePositionX' : 'spacePositionY';
  throw conflict({
    path: `/body/${member}`,
    message: `lies outside the grid of ${grid.cols} × ${grid.rows} cells`,
  });
};

const takenCell = ({ x, y }: Cell) =>
  conflict({ path: '/body/spacePositionX', message: `a cell at ${x}, ${y} is taken` });

/** The place itself, where it may be taken; else a refusal that says why not, or null where only room is missing. */
export const findPlace = async (
  tx: Transaction,
  context: Context,
  grid: OpenGrid,
  item: Footprint,
  { x, y, rotated }: WantedPlace,
): Promise<Place | null> => {
  if (x === undefined || y === undefined) {
    await learnAll(tx, context, grid);
    return firstFree(grid, item, rotated) ?? null;
  }
  const place = { x, y, rotated: rotated ?? false };
  const lying = lyingAt(item, place);
  refuseOutside(grid, lying);
  await learn(tx, context, grid, lying);
  if (!isFree(grid, lying, lying)) throw takenCell(place);
  return place;
};
