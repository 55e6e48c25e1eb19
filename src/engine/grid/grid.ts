import { type Steps, sorted } from '../steps.ts';

/** A grid and its occupied cells: per row, a number whose bit x is set if column x is occupied. */
export interface Grid {
  readonly cols: number;
  readonly rows: number;
  readonly taken: ReadonlyMap<number, bigint>;
}

/** The size of something in cells; for a placed item, with its rotation applied. */
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

/** Width and height of an item as placed: exchanged if it is rotated. */
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

/** The rows after adding or removing a footprint. */
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

/** The index of the lowest set bit. */
const lowestBit = (bits: bigint): number => (bits & -bits).toString(2).length - 1;

/** The first free position in row order for one rotation, starting at row `fromRow`. */
const firstFreeForFootprint = (grid: Grid, { width, height }: Footprint, fromRow = 0): Cell | undefined => {
  if (width > grid.cols) return undefined;
  const whole = span(0, grid.cols);
  for (let y = fromRow; y + height <= grid.rows; y++) {
    let taken = 0n;
    for (let row = y; row < y + height; row++) taken |= grid.taken.get(row) ?? 0n;
    // After these shifts a bit is set where it and the width − 1 bits above it are free.
    let starts = ~taken & whole;
    for (let shift = 1; shift < width && starts !== 0n; shift++)
      starts &= ~(taken >> BigInt(shift)) & (whole >> BigInt(shift));
    if (starts !== 0n) return { x: lowestBit(starts), y };
  }
  return undefined;
};

/**
 * Per footprint as placed, the row at which the search for its first free position starts. While cells are only
 * occupied and never freed, that position cannot move up.
 */
export type Searched = Map<number, number>;

/** The first free position for one rotation; remembers how far the search got. */
const firstFreeSince = (grid: Grid, footprint: Footprint, searched: Searched): Cell | undefined => {
  const shape = footprint.width * (grid.rows + 1) + footprint.height;
  const cell = firstFreeForFootprint(grid, footprint, searched.get(shape));
  searched.set(shape, cell?.y ?? grid.rows);
  return cell;
};

/**
 * The first free position in row order: the whole grid is tried with the item upright and then, unless it is square,
 * rotated. If `rotated` is given, only that rotation is tried. Repeated searches may share `searched` as long as no
 * cell is freed in between.
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

/** Whether there is room for `count` items of one footprint, one after another. */
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

/** A footprint at a position in a grid, with its rotation applied. */
export interface GridArea extends Footprint, Cell {}

export const overlap = (one: GridArea, other: GridArea): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/**
 * Where displaced items go together: the corner of their bounding box goes to the given cell, and their arrangement is
 * kept.
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

/** Number of searches between two steps; each may have to scan a whole grid. */
const SEARCHES_PER_STEP = 64;

/**
 * The orders in which a repacking is tried, and which rotation of each item is tried first. The first that fits
 * everything wins.
 */
const ATTEMPTS: readonly { readonly order: Order; readonly ways: readonly boolean[] }[] = [
  { order: LARGEST_FIRST, ways: [false, true] },
  { order: LARGEST_FIRST, ways: [true, false] },
  { order: HIGHEST_FIRST, ways: [false, true] },
  { order: HIGHEST_FIRST, ways: [true, false] },
  { order: WIDEST_FIRST, ways: [false, true] },
  { order: WIDEST_FIRST, ways: [true, false] },
];

function* packOnce(
  { cols, rows, taken: takenBefore }: Grid,
  items: readonly Footprint[],
  { order, ways }: (typeof ATTEMPTS)[number],
): Steps<Place[] | undefined> {
  const taken = new Map(takenBefore);
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
    if (number % SEARCHES_PER_STEP === SEARCHES_PER_STEP - 1) yield;
  }
  return places;
}

/**
 * Positions for all items in the free cells of a grid, largest first, each at its first free position; equal sizes in the given
 * order. Undefined if no order that is tried fits all of them.
 */
export function* pack(grid: Grid, items: readonly Footprint[]): Steps<readonly Place[] | undefined> {
  for (const attempt of ATTEMPTS) {
    const places = yield* packOnce(grid, items, attempt);
    if (places !== undefined) return places;
  }
  return undefined;
}

/** The one of two footprints that is harder to place: by area, then by longer side; the first if they are equal. */
export const largerOf = (one: Footprint, other: Footprint): Footprint =>
  (area(other) - area(one) || longerSide(other) - longerSide(one)) > 0 ? other : one;

/** The footprint that is hardest to place. */
export const largestFootprint = (items: Iterable<Footprint>): Footprint => {
  let largest: Footprint = { width: 1, height: 1 };
  for (const { width, height } of items)
    if (width !== largest.width || height !== largest.height) largest = largerOf(largest, { width, height });
  return largest;
};
