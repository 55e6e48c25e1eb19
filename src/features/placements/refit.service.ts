import { inChunks } from '../../database/chunks.ts';
import { Collision, type Transaction } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import {
  cellsOf,
  type Footprint,
  footprintOf,
  type Grid,
  type GridArea,
  isFree,
  isInside,
  overlap,
  rowsWith,
  rowsWithout,
} from '../../engine/grid/grid.ts';
import { once } from '../../engine/once.ts';
import { each, type Steps, sorted } from '../../engine/steps.ts';
import { type Issue, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import { readSpaces } from '../compiled-catalog/catalog-loader.service.ts';
import { findSpacesOf } from '../user-spaces/user-spaces.service.ts';
import { changedRows, takenOf } from './inventory.service.ts';
import * as store from './placements.store.ts';

/** A footprint change of an item. */
export interface Refit {
  readonly itemId: string;
  readonly before: Footprint;
  readonly after: Footprint;
  /** The member of the body to report. */
  readonly path: string;
}

type Placed = Awaited<ReturnType<typeof store.selectPlacedOfItem>>[number];

/** A grid in which instances of the item are placed. */
interface Refitted extends Grid {
  readonly userSpaceId: string;
  readonly before: ReadonlyMap<number, bigint>;
  readonly taken: Map<number, bigint>;
  readonly placed: readonly Placed[];
  /** These instances, and those that start in each row. */
  readonly index: () => { readonly same: ReadonlySet<string>; readonly byRow: ReadonlyMap<number, readonly Placed[]> };
}

const indexOf = (placed: readonly Placed[]) => ({
  same: new Set(placed.map(({ item_instance_id }) => item_instance_id)),
  byRow: Map.groupBy(placed, ({ y }) => y),
});

const areaOf = ({ x, y, rotated }: Placed, item: Footprint): GridArea => ({
  ...footprintOf(item, rotated === 1),
  x,
  y,
});

/** Applies the new footprint to the instances in one grid as far as possible; returns those that do not fit. */
function* refitGrid(grid: Refitted, before: Footprint, after: Footprint): Steps<Placed[]> {
  const change = (rows: ReadonlyMap<number, bigint>): void => {
    for (const [y, bits] of rows) grid.taken.set(y, bits);
  };
  yield* each(grid.placed, (placed) => {
    const area = areaOf(placed, before);
    change(rowsWithout(grid, area, area));
  });
  const misfits: Placed[] = [];
  yield* each(grid.placed, (placed) => {
    const area = areaOf(placed, after);
    if (isInside(grid, area, area) && isFree(grid, area, area)) change(rowsWith(grid, area, area));
    else misfits.push(placed);
  });
  return misfits;
}

/** Rows in which an item may start that reaches as far as one that starts in the given row. */
const rowsNear = (y: number): number[] =>
  Array.from({ length: 2 * LIMITS.itemSide - 1 }, (_, index) => y + index - LIMITS.itemSide + 1);

const whyNot = async (tx: Transaction, grid: Refitted, placed: Placed, after: Footprint): Promise<string> => {
  const area = areaOf(placed, after);
  const who = `item instance ${placed.item_instance_id} at ${placed.x}, ${placed.y} in user space ${grid.userSpaceId}`;
  if (!isInside(grid, area, area)) return `${who} would reach outside the grid of ${grid.cols} × ${grid.rows} cells`;
  const { same, byRow } = grid.index();
  const under = await tx.find(store.placedUnder, {
    userSpaceId: grid.userSpaceId,
    left: area.x,
    right: area.x + area.width - 1,
    top: area.y,
    bottom: area.y + area.height - 1,
  });
  const inTheWay = [
    ...under.filter(({ item_instance_id }) => !same.has(item_instance_id)),
    ...rowsNear(area.y).flatMap((y) =>
      (byRow.get(y) ?? []).filter((other) => other !== placed && overlap(areaOf(other, after), area)),
    ),
  ];
  const names = inTheWay.map(({ item_instance_id }) => item_instance_id).sort(compareBytes);
  return `${who} would overlap item instance ${names.join(', ')}`;
};

/** Cells that one footprint covers and the other does not, both with the same top-left cell. */
const cellsOnlyIn = (one: Footprint, other: Footprint) =>
  cellsOf(one, { x: 0, y: 0 }).filter(({ x, y }) => x >= other.width || y >= other.height);

/**
 * Gives instances the cells of their new footprint: first all leave what they no longer cover, then they take the rest.
 */
const applyNewFootprint = async (
  tx: Transaction,
  placed: readonly Placed[],
  before: Footprint,
  after: Footprint,
): Promise<void> => {
  const rotations = [0, 1].map((rotated) => {
    const [old, next] = [footprintOf(before, rotated === 1), footprintOf(after, rotated === 1)];
    const instances = placed.filter((one) => one.rotated === rotated);
    return { instances, left: cellsOnlyIn(old, next), taken: cellsOnlyIn(next, old) };
  });
  for (const { instances, left } of rotations)
    await inChunks(instances, (some) =>
      store.deleteCells(
        tx,
        some.map(({ item_instance_id }) => item_instance_id),
        left,
      ),
    );
  for (const { instances, taken } of rotations)
    for (const cell of taken)
      await inChunks(instances, (some) =>
        store.insertCells(
          tx,
          some.map(({ user_space_id, item_instance_id, x, y }) => ({
            ...{ user_space_id, item_instance_id, x: x + cell.x, y: y + cell.y },
            part: store.partOf(cell),
          })),
        ),
      );
};

/**
 * Makes every placed instance of an item cover the cells of its new footprint, from its top-left cell and keeping its
 * rotation. If one would no longer fit, the whole change is rejected and what is in the way is named. The caller must
 * exclude all others from the grids, so no user space needs to be locked.
 */
export const refit = async (tx: Transaction, { itemId, before, after, path }: Refit): Promise<void> => {
  const placed = await inTurns(
    sorted(await store.selectPlacedOfItem(tx, itemId), (a, b) => compareBytes(a.item_instance_id, b.item_instance_id)),
  );
  const placedIn = Map.groupBy(placed, ({ user_space_id }) => user_space_id);
  const spaces = await readSpaces(tx);
  const spaceOf = await findSpacesOf(tx, [...placedIn.keys()]);
  const faults: Issue[] = [];
  await inChunks([...placedIn], async (some) => {
    if (faults.length >= LIMITS.issues) return;
    const rows = await Promise.all(some.map(([userSpaceId]) => tx.find(store.gridRows, { userSpaceId })));
    for (const [index, [userSpaceId, placed]] of some.entries()) {
      const size = spaces.get(spaceOf.get(userSpaceId) ?? '');
      if (size === undefined) throw new Collision();
      const taken = takenOf(rows[index] ?? []);
      const grid: Refitted = {
        ...{ userSpaceId, cols: size.cols, rows: size.rows, before: taken, taken: new Map(taken), placed },
        index: once(() => indexOf(placed)),
      };
      for (const misfit of await inTurns(refitGrid(grid, before, after)))
        if (faults.length < LIMITS.issues) faults.push({ path, message: await whyNot(tx, grid, misfit, after) });
      tx.write(store.saveGridRow, ...changedRows(userSpaceId, grid.before, grid.taken));
    }
  });
  throwIfAny(faults, 'CONFLICT');
  await applyNewFootprint(tx, [...placedIn.values()].flat(), before, after);
};
