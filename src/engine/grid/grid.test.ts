import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { allAtOnce } from '../steps.ts';
import {
  carriedTo,
  cellsOf,
  type Footprint,
  firstFree,
  footprintOf,
  type Grid,
  type GridArea,
  isFree,
  isInside,
  overlap,
  type Place,
  pack,
  rowsWith,
  rowsWithout,
} from './grid.ts';

const packAll = (size: Pick<Grid, 'cols' | 'rows'>, items: readonly Footprint[]) =>
  allAtOnce(pack({ ...size, taken: new Map() }, items));

/** The simplest possible grid: a set of occupied cells. */
interface NaiveGrid {
  readonly cols: number;
  readonly rows: number;
  readonly taken: ReadonlySet<string>;
}

const nameOf = (x: number, y: number): string => `${x},${y}`;

const toGrid = ({ cols, rows, taken }: NaiveGrid): Grid => {
  const bits = new Map<number, bigint>();
  for (const name of taken) {
    const [x, y] = name.split(',').map(Number) as [number, number];
    bits.set(y, (bits.get(y) ?? 0n) | (1n << BigInt(x)));
  }
  return { cols, rows, taken: bits };
};

const naiveCells = ({ x, y, width, height }: GridArea): string[] => {
  const cells: string[] = [];
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) cells.push(nameOf(x + column, y + row));
  return cells;
};

const naiveFits = ({ cols, rows, taken }: NaiveGrid, area: GridArea): boolean =>
  naiveCells(area).every((name) => {
    const [x, y] = name.split(',').map(Number) as [number, number];
    return x >= 0 && y >= 0 && x < cols && y < rows && !taken.has(name);
  });

const naiveFirstFree = (grid: NaiveGrid, item: Footprint, rotated?: boolean): Place | undefined => {
  const ways = rotated === undefined ? [false, true] : [rotated];
  for (const way of ways) {
    const { width, height } = way ? { width: item.height, height: item.width } : item;
    for (let y = 0; y < grid.rows; y++)
      for (let x = 0; x < grid.cols; x++) if (naiveFits(grid, { x, y, width, height })) return { x, y, rotated: way };
  }
  return undefined;
};

const side = fc.integer({ min: 1, max: 9 });
const footprint = fc.record({ width: fc.integer({ min: 1, max: 4 }), height: fc.integer({ min: 1, max: 4 }) });
const cell = fc.record({ x: fc.integer({ min: -2, max: 10 }), y: fc.integer({ min: -2, max: 10 }) });
const naiveGrid = fc
  .tuple(
    side,
    side,
    fc.constantFrom(0, 0.2, 0.5, 0.9, 1),
    fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  )
  .map(([cols, rows, density, draws]): NaiveGrid => {
    const taken = new Set<string>();
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < cols; x++) if ((draws.next().value as number) < density) taken.add(nameOf(x, y));
    return { cols, rows, taken };
  });

const RUNS = { seed: 4, numRuns: 600 };

describe('a grid, compared with a set of cells,', () => {
  test('knows what is inside and what is free', () => {
    fc.assert(
      fc.property(naiveGrid, footprint, cell, (naive, item, at) => {
        const grid = toGrid(naive);
        const fits = isInside(grid, item, at) && isFree(grid, item, at);
        assert.equal(fits, naiveFits(naive, { ...item, ...at }));
      }),
      RUNS,
    );
  });

  test('finds the same first free position, in any or a given rotation', () => {
    fc.assert(
      fc.property(naiveGrid, footprint, fc.constantFrom(undefined, false, true), (naive, item, rotated) => {
        assert.deepEqual(firstFree(toGrid(naive), item, rotated), naiveFirstFree(naive, item, rotated));
      }),
      RUNS,
    );
  });

  test('covers, occupies and frees the same cells', () => {
    fc.assert(
      fc.property(naiveGrid, footprint, (naive, item) => {
        const place = naiveFirstFree(naive, item);
        fc.pre(place !== undefined);
        const grid = toGrid(naive);
        const area = footprintOf(item, place.rotated);
        const cells = naiveCells({ ...area, ...place });
        assert.deepEqual(
          cellsOf(area, place).map(({ x, y }) => nameOf(x, y)),
          cells,
        );
        const changed = rowsWith(grid, area, place);
        assert.deepEqual(
          [...changed.keys()],
          Array.from({ length: area.height }, (_, row) => place.y + row),
        );
        const after = new Map([...grid.taken, ...changed]);
        const expected = toGrid({ ...naive, taken: new Set([...naive.taken, ...cells]) }).taken;
        for (let y = 0; y < naive.rows; y++) assert.equal(after.get(y) ?? 0n, expected.get(y) ?? 0n);
        const back = new Map([...after, ...rowsWithout({ taken: after }, area, place)]);
        for (let y = 0; y < naive.rows; y++) assert.equal(back.get(y) ?? 0n, grid.taken.get(y) ?? 0n);
      }),
      RUNS,
    );
  });

  test('detects overlaps', () => {
    fc.assert(
      fc.property(footprint, cell, footprint, cell, (one, at, other, there) => {
        const [a, b] = [
          { ...one, ...at },
          { ...other, ...there },
        ];
        const cells = new Set(naiveCells(a));
        const shared = naiveCells(b).some((name) => cells.has(name));
        assert.equal(overlap(a, b), shared);
        assert.equal(overlap(b, a), shared);
      }),
      RUNS,
    );
  });

  test('works up to the last cell of the largest grid', () => {
    const taken = new Set<string>();
    for (let y = 0; y < 200; y++) for (let x = 0; x < 200; x++) taken.add(nameOf(x, y));
    for (const name of ['199,199', '198,199', '199,198', '198,198']) taken.delete(name);
    const grid = toGrid({ cols: 200, rows: 200, taken });
    assert.deepEqual(firstFree(grid, { width: 1, height: 1 }), { x: 198, y: 198, rotated: false });
    assert.deepEqual(firstFree(grid, { width: 2, height: 2 }), { x: 198, y: 198, rotated: false });
    assert.equal(firstFree(grid, { width: 3, height: 1 }), undefined);
  });
});

describe('displaced items', () => {
  test('keep their arrangement, with the corner of their bounding box on the given cell', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), cell, (things, to) => {
        const carried = carriedTo(things, to);
        assert.equal(Math.min(...carried.map(({ x }) => x)), to.x);
        assert.equal(Math.min(...carried.map(({ y }) => y)), to.y);
        const [first, firstCarried] = [things[0], carried[0]] as const;
        assert.ok(first && firstCarried);
        for (const [index, { x, y }] of carried.entries()) {
          const before = things[index];
          assert.ok(before);
          assert.deepEqual([x - firstCarried.x, y - firstCarried.y], [before.x - first.x, before.y - first.y]);
        }
      }),
      RUNS,
    );
  });
});

describe('packing', () => {
  /** The definition of the first packing attempt: largest first, each at the first free position. */
  const naivePack = (size: { cols: number; rows: number }, items: readonly Footprint[]): Place[] | undefined => {
    const taken = new Set<string>();
    const places: Place[] = [];
    const order = items
      .map((item, index) => ({ ...item, index }))
      .sort(
        (a, b) => b.width * b.height - a.width * a.height || Math.max(b.width, b.height) - Math.max(a.width, a.height),
      );
    for (const item of order) {
      const place = naiveFirstFree({ ...size, taken }, item);
      if (place === undefined) return undefined;
      for (const name of naiveCells({ ...footprintOf(item, place.rotated), ...place })) taken.add(name);
      places[item.index] = place;
    }
    return places;
  };

  const items = fc.array(footprint, { maxLength: 20 });

  test('gives each item its own position inside the grid', () => {
    let packed = 0;
    fc.assert(
      fc.property(side, side, items, (cols, rows, things) => {
        const places = packAll({ cols, rows }, things);
        if (places === undefined) return;
        packed += things.length > 2 ? 1 : 0;
        const taken = new Set<string>();
        for (const [index, place] of places.entries()) {
          const area = { ...footprintOf(things[index] as Footprint, place.rotated), ...place };
          assert.ok(naiveFits({ cols, rows, taken }, area));
          for (const name of naiveCells(area)) taken.add(name);
        }
      }),
      RUNS,
    );
    assert.ok(packed > 50, `only ${packed} runs packed more than two things`);
  });

  test('places the largest first, each at the first free position, if that fits everything', () => {
    fc.assert(
      fc.property(side, side, items, (cols, rows, things) => {
        const expected = naivePack({ cols, rows }, things);
        fc.pre(expected !== undefined);
        assert.deepEqual(packAll({ cols, rows }, things), expected);
      }),
      RUNS,
    );
  });

  test('tries other orders if that one does not fit everything', () => {
    let rescued = 0;
    fc.assert(
      fc.property(side, side, items, (cols, rows, things) => {
        if (naivePack({ cols, rows }, things) === undefined && packAll({ cols, rows }, things) !== undefined)
          rescued += 1;
      }),
      { seed: 4, numRuns: 3000 },
    );
    assert.ok(rescued > 0);
  });

  test('rejects what cannot fit', () => {
    assert.equal(packAll({ cols: 2, rows: 2 }, Array(5).fill({ width: 1, height: 1 })), undefined);
    assert.equal(packAll({ cols: 2, rows: 2 }, [{ width: 1, height: 3 }]), undefined);
    assert.deepEqual(packAll({ cols: 2, rows: 2 }, []), []);
  });

  test('packs forty thousand items of one cell, row by row', () => {
    const places = packAll({ cols: 200, rows: 200 }, Array(40_000).fill({ width: 1, height: 1 }));
    assert.equal(places?.length, 40_000);
    for (const [index, { x, y }] of places.entries()) {
      if (x !== index % 200 || y !== Math.floor(index / 200)) assert.fail(`${index} is at ${x}, ${y}`);
    }
  });
});
