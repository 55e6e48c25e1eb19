import { type Steps, sorted } from '../steps.ts';

/** A grid and what is taken in it: for each row a number whose bit x is set where column x is taken. */
export interface Grid {
  readonly cols: number;
  readonly rows: number;
  readonly taken: ReadonlyMap<number, bigint>;
}

/** The cells that something covers as it lies: already turned, if it is rotated. */
export interface Footprint {
  readonly width: number;
  readonly height: number;
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly rotated: boolean;
}

export interface Cell {
  readonly x: number;
  readonly y: number;
}

/** Width and height as an item lies: exchanged when it is rotated. */
export const footprintOf = ({ width, height }: Footprint, rotated: boolean): Footprint =>
  rotated ? { width: height, height: width } : { width, height };

export const isInside = (
  { cols, rows }: Pick<Grid, 'cols' | 'rows'>,
  { width, height }: Footprint,
  { x, y }: Cell,
): boolean => x >= 0 && y >= 0 && x + width <= cols && y + height <= rows;

/** Bits x to x + width − 1. */
const span = (x: number, width: number): bigint => ((1n << BigInt(width)) - 1n) << BigInt(x);

export const isFree = ({ taken }: Pick<Grid, 'taken'>, { width, height }: Footprint, { x, y }: Cell): boolean => {
  const bits = span(x, width);
  for (let row = y; row < y + height; row++) {
    if (((taken.get(row) ?? 0n) & bits) !== 0n) return false;
  }
  return true;
};

/** The rows as they are once a footprint is put there, or taken away. */
export const rowsWith = (
  { taken }: Pick<Grid, 'taken'>,
  { width, height }: Footprint,
  { x, y }: Cell,
): Map<number, bigint> => changedRows(taken, height, y, (bits) => bits | span(x, width));

export const rowsWithout = (
  { taken }: Pick<Grid, 'taken'>,
  { width, height }: Footprint,
  { x, y }: Cell,
): Map<number, bigint> => changedRows(taken, height, y, (bits) => bits & ~span(x, width));

const changedRows = (
  taken: Grid['taken'],
  height: number,
  y: number,
  change: (bits: bigint) => bigint,
): Map<number, bigint> => {
  const rows = new Map<number, bigint>();
  for (let row = y; row < y + height; row++) rows.set(row, change(taken.get(row) ?? 0n));
  return rows;
};

export const cellsOf = ({ width, height }: Footprint, { x, y }: Cell): Cell[] => {
  const cells: Cell[] = [];
  for (let row = y; row < y + height; row++) {
    for (let column = x; column < x + width; column++) cells.push({ x: column, y: row });
  }
  return cells;
};

/** The number of the lowest bit that is set. */
const lowestBit = (bits: bigint): number => (bits & -bits).toString(2).length - 1;

/** The first place in row order, with the item lying one way, no row above `fromRow` being looked at. */
const firstFreeLying = (grid: Grid, { width, height }: Footprint, fromRow = 0): Cell | undefined => {
  if (width > grid.cols) return undefined;
  const whole = span(0, grid.cols);
  for (let y = fromRow; y + height <= grid.rows; y++) {
    let taken = 0n;
    for (let row = y; row < y + height; row++) taken |= grid.taken.get(row) ?? 0n;
    // After these shifts a bit is left where it and the width − 1 bits above it are free.
    let starts = ~taken & whole;
    for (let shift = 1; shift < width && starts !== 0n; shift++)
      starts &= ~(taken >> BigInt(shift)) & (whole >> BigInt(shift));
    if (starts !== 0n) return { x: lowestBit(starts), y };
  }
  return undefined;
};

/**
 * For each way in which something may lie, the row from which its first free place is to be looked for. As long as cells
 * are only taken and none is left, that place never comes to lie higher.
 */
export type Searched = Map<number, number>;

/** The first place with the item lying one way, remembering how far the search came. */
const firstFreeSince = (grid: Grid, footprint: Footprint, searched: Searched): Cell | undefined => {
  const shape = footprint.width * (grid.rows + 1) + footprint.height;
  const cell = firstFreeLying(grid, footprint, searched.get(shape));
  searched.set(shape, cell?.y ?? grid.rows);
  return cell;
};

/**
 * The first free place in row order: the whole grid is tried with the item as it is, then, where it is not square, the
 * whole grid with it rotated. Where `rotated` is given, only that way. Whoever looks for many places in a grid of which
 * no cell is left meanwhile may pass the same `searched` each time.
 */
export const firstFree = (
  grid: Grid,
  item: Footprint,
  rotated?: boolean,
  searched: Searched = new Map(),
): Place | undefined => {
  const ways = rotated === undefined ? (item.width === item.height ? [false] : [false, true]) : [rotated];
  for (const way of ways) {
    const cell = firstFreeSince(grid, footprintOf(item, way), searched);
    if (cell !== undefined) return { ...cell, rotated: way };
  }
  return undefined;
};

/** Whether so many of one footprint find a place, one after another. */
export const hasRoomFor = ({ cols, rows, taken: before }: Grid, item: Footprint, count: number): boolean => {
  const taken = new Map(before);
  const grid = { cols, rows, taken };
  const searched: Searched = new Map();
  for (let number = 0; number < count; number += 1) {
    const place = firstFree(grid, item, undefined, searched);
    if (place === undefined) return false;
    for (const [y, bits] of rowsWith(grid, footprintOf(item, place.rotated), place)) taken.set(y, bits);
  }
  return true;
};

/** Something that lies in a grid: its footprint as it lies, already turned. */
export interface Lying extends Footprint, Cell {}

export const overlap = (one: Lying, other: Lying): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/**
 * Where things go when they make room together: the corner of the box around them comes to lie on the given cell, and
 * their arrangement stays as it is.
 */
export const carriedTo = (things: readonly Cell[], { x, y }: Cell): Cell[] => {
  const left = Math.min(...things.map((thing) => thing.x));
  const top = Math.min(...things.map((thing) => thing.y));
  return things.map((thing) => ({ x: thing.x - left + x, y: thing.y - top + y }));
};

type Order = (one: Footprint, other: Footprint) => number;

const area = ({ width, height }: Footprint): number => width * height;
const longerSide = ({ width, height }: Footprint): number => Math.max(width, height);

const LARGEST_FIRST: Order = (one, other) => area(other) - area(one) || longerSide(other) - longerSide(one);
const HIGHEST_FIRST: Order = (one, other) => other.height - one.height || LARGEST_FIRST(one, other);
const WIDEST_FIRST: Order = (one, other) => other.width - one.width || LARGEST_FIRST(one, other);

/** How many places are looked for between two steps; each may have to look through a whole grid. */
const PLACES_A_STEP = 64;

/** The orders in which a repacking is tried, and which way each thing is tried first. The first that takes all is it. */
const ATTEMPTS: readonly { readonly order: Order; readonly ways: readonly boolean[] }[] = [
  { order: LARGEST_FIRST, ways: [false, true] },
  { order: LARGEST_FIRST, ways: [true, false] },
  { order: HIGHEST_FIRST, ways: [false, true] },
  { order: HIGHEST_FIRST, ways: [true, false] },
  { order: WIDEST_FIRST, ways: [false, true] },
  { order: WIDEST_FIRST, ways: [true, false] },
];

function* packOnce(
  { cols, rows }: Pick<Grid, 'cols' | 'rows'>,
  items: readonly Footprint[],
  { order, ways }: (typeof ATTEMPTS)[number],
): Steps<Place[] | undefined> {
  const taken = new Map<number, bigint>();
  const grid = { cols, rows, taken };
  const searched: Searched = new Map();
  const places = new Array<Place>(items.length);
  const place = (item: Footprint): Place | undefined => {
    for (const rotated of item.width === item.height ? [false] : ways) {
      const footprint = footprintOf(item, rotated);
      const cell = firstFreeSince(grid, footprint, searched);
      if (cell === undefined) continue;
      for (const [y, bits] of rowsWith(grid, footprint, cell)) taken.set(y, bits);
      return { ...cell, rotated };
    }
    return undefined;
  };
  const numbered = items.map((item, index) => ({ item, index }));
  const sequence = yield* sorted(numbered, (a, b) => order(a.item, b.item));
  for (const [number, { item, index }] of sequence.entries()) {
    const found = place(item);
    if (found === undefined) return undefined;
    places[index] = found;
    if (number % PLACES_A_STEP === PLACES_A_STEP - 1) yield;
  }
  return places;
}

/**
 * Places for all of these in an empty grid, largest first, each at its first free place; those of one size in the order
 * in which they are given. Undefined where no order that is tried takes all of them.
 */
export function* pack(
  size: Pick<Grid, 'cols' | 'rows'>,
  items: readonly Footprint[],
): Steps<readonly Place[] | undefined> {
  for (const attempt of ATTEMPTS) {
    const places = yield* packOnce(size, items, attempt);
    if (places !== undefined) return places;
  }
  return undefined;
}

/** The one of two that is harder to find a place for: by area, then by its longer side; the first where they are alike. */
export const largerOf = (one: Footprint, other: Footprint): Footprint =>
  (area(other) - area(one) || longerSide(other) - longerSide(one)) > 0 ? other : one;

/** The footprint that is hardest to find a place for. */
export const largestFootprint = (items: readonly Footprint[]): Footprint => {
  const { width, height } = items.reduce(largerOf, { width: 1, height: 1 });
  return { width, height };
};
