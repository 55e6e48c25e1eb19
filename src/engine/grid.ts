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

/** The first place in row order, with the item lying one way. */
const firstFreeLying = (grid: Grid, { width, height }: Footprint): Cell | undefined => {
  if (width > grid.cols) return undefined;
  const whole = span(0, grid.cols);
  for (let y = 0; y + height <= grid.rows; y++) {
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
 * The first free place in row order: the whole grid is tried with the item as it is, then, where it is not square, the
 * whole grid with it rotated. Where `rotated` is given, only that way.
 */
export const firstFree = (grid: Grid, item: Footprint, rotated?: boolean): Place | undefined => {
  const ways = rotated === undefined ? (item.width === item.height ? [false] : [false, true]) : [rotated];
  for (const way of ways) {
    const cell = firstFreeLying(grid, footprintOf(item, way));
    if (cell !== undefined) return { ...cell, rotated: way };
  }
  return undefined;
};
