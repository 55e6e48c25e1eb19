/**
 * A user space of 200 × 200 cells with 100, 10,000 and 40,000 items of one cell: the cost of creating one more item, of
 * finding the first free position, of moving an item, and of swapping two. Each cost is shown relative to the one with
 * 100 items, and on PostgreSQL with the number of rows that the whole operation read.
 *
 *   node bench/grid.ts
 */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { holdAll, type Transaction, type Work } from '../src/database/work.ts';
import { createCatalogs } from '../src/features/compiled-catalog/compiled-catalog.service.ts';
import { holdReceiver } from '../src/features/item-instances/giving.service.ts';
import {
  createItemInstance,
  type InstanceDeps,
  moveItemInstance,
} from '../src/features/item-instances/item-instances.service.ts';
import type { Context } from '../src/shared/context.ts';
import { systemDraws } from '../src/shared/randomness.ts';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../test/harness.ts';
import { startPostgres } from '../test/postgres.ts';

const SIDE = 200;
/** One cell is always left for the next item: the 40,000th fills the grid. */
const PLACED = [100, 10_000, SIDE * SIDE - 1];
const TIMES = 120;
const WARM_UP = 15;
const GIFTS_AT_ONCE = 5_000;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const contextOf = ({ teamId }: Service): Context => ({
  teamId,
  role: 'write',
  author: { secretId: null, name: 'test' },
  source: 'api',
  nowMs: Date.now(),
  requestId: 'bench',
  reason: null,
});

const depsByTeam = new Map<string, InstanceDeps>();

/** What it takes to make instances in a service, beside the service itself. */
const depsOf = ({ teamId, database }: Service): InstanceDeps => {
  const deps = depsByTeam.get(teamId) ?? { catalogs: createCatalogs(database.read), draws: systemDraws() };
  depsByTeam.set(teamId, deps);
  return deps;
};

/** Creates items of one cell in a new user space, using the code that a roll uses. */
const fill = async (service: Service, userId: string, count: number): Promise<string> => {
  const { body } = await service.post(`/users/${userId}/spaces`, { spaceId: 'vault' });
  for (let given = 0; given < count; given += GIFTS_AT_ONCE) {
    const gifts = Array.from({ length: Math.min(GIFTS_AT_ONCE, count - given) }, () => ({
      itemId: 'coin',
      values: [],
    }));
    const receiver = { userId, userSpaceId: body.id, cause: 'roll' } as const;
    await service.database.write(service.teamId, async (work) => {
      const team = await depsOf(service).catalogs.currentForPlacing(work);
      const [opened] = await holdAll(work, holdReceiver(work, contextOf(service), receiver, team));
      opened.requireRoom(0, { largest: { width: 1, height: 1 }, currencyIds: [] }).give(gifts);
    });
  }
  return body.id;
};

interface Bag {
  readonly userId: string;
  readonly userSpaceId: string;
  /** The first free cell, and an item in the very first cell. */
  readonly free: { readonly spacePositionX: number; readonly spacePositionY: number };
  readonly first: string;
}

interface Measured {
  readonly ms: number;
  readonly rowsRead?: number;
}

/** An operation, and its untimed undo. */
interface Case {
  readonly name: string;
  readonly send: (service: Service, bag: Bag) => Promise<{ status: number; undo: () => Promise<unknown> }>;
  readonly run: (work: Work, context: Context, bag: Bag, deps: InstanceDeps) => Promise<unknown>;
}

const create = (name: string, place: (bag: Bag) => object): Case => ({
  name,
  send: async (service, bag) => {
    const { userId, userSpaceId } = bag;
    const { status, body } = await service.post('/item-instances', {
      itemId: 'coin',
      userId,
      userSpaceId,
      ...place(bag),
    });
    return { status, undo: () => service.delete(`/item-instances/${body.id}`) };
  },
  run: (work, context, bag, deps) => {
    const { userId, userSpaceId } = bag;
    return createItemInstance(work, context, { itemId: 'coin', userId, userSpaceId, ...place(bag) }, deps);
  },
});

const move = (
  name: string,
  place: (bag: Bag) => { spacePositionX: number; spacePositionY: number; swap?: boolean },
): Case => ({
  name,
  send: async (service, bag) => {
    const to = (where: object) => service.post(`/item-instances/${bag.first}/move`, { userId: bag.userId, ...where });
    const { status } = await to(place(bag));
    return { status, undo: () => to({ spacePositionX: 0, spacePositionY: 0, swap: true }) };
  },
  run: (work, context, bag, deps) =>
    moveItemInstance(work, context, bag.first, { userId: bag.userId, ...place(bag) }, deps),
});

const CASES: readonly Case[] = [
  create('create at a position', ({ free }) => free),
  create('create at the first free position', () => ({})),
  move('move to a free cell', ({ free }) => free),
  move('swap with a neighbour', () => ({ spacePositionX: 1, spacePositionY: 0, swap: true })),
];

class Undone extends Error {}

/** The number of rows that an operation reads, with index scans as in a group. */
const countRows = async (service: Service, { run }: Case, bag: Bag): Promise<number> => {
  let rowsRead = 0;
  const counted = async ({ queries }: Transaction): Promise<number> => {
    const { rows } = await sql<{
      read: number;
    }>`select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0) as read
      from pg_stat_xact_user_tables`.execute(queries);
    return Number(rows[0]?.read);
  };
  const undone = service.database.transaction(service.teamId, async (tx) => {
    await sql.raw('set local enable_seqscan = off').execute(tx.queries);
    const before = await counted(tx);
    await run(tx, contextOf(service), bag, depsOf(service));
    rowsRead = (await counted(tx)) - before;
    throw new Undone();
  });
  await assert.rejects(undone, Undone);
  return rowsRead;
};

/** Sizes are measured in turns, so that other load on the machine affects all of them alike. */
const measure = async (service: Service, one: Case, bags: readonly Bag[]): Promise<Measured[]> => {
  const times = bags.map((): number[] => []);
  for (let n = 0; n < WARM_UP + TIMES; n += 1) {
    for (const [index, bag] of bags.entries()) {
      const start = performance.now();
      const { status, undo } = await one.send(service, bag);
      const ms = performance.now() - start;
      assert.equal(status, 200);
      if (n >= WARM_UP) times[index]?.push(ms);
      await undo();
    }
  }
  const measured: Measured[] = [];
  for (const [index, bag] of bags.entries()) {
    const ms = median(times[index] ?? []);
    const rowsRead = service.database.engine === 'postgres' ? await countRows(service, one, bag) : undefined;
    measured.push({ ms, rowsRead });
  }
  return measured;
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const report = async (service: Service): Promise<void> => {
  await service.post('/items', { id: 'coin', name: 'Coin' });
  await service.post('/spaces', { id: 'vault', name: 'Vault', cols: SIDE, rows: SIDE });
  const bags: Bag[] = [];
  const filled: string[] = [];
  for (const count of PLACED) {
    const userId = `player-${count}`;
    const start = performance.now();
    const userSpaceId = await fill(service, userId, count);
    filled.push(`${count} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    const free = { spacePositionX: count % SIDE, spacePositionY: Math.floor(count / SIDE) };
    const { body } = await service.get(`/item-instance-spaces?teamUserSpaceId=${userSpaceId}&limit=1000`);
    const first = body.find(
      (placed: { spacePositionX: number; spacePositionY: number }) =>
        placed.spacePositionX === 0 && placed.spacePositionY === 0,
    );
    bags.push({ userId, userSpaceId, free, first: first.itemInstanceId });
  }
  // What the server does by itself after many inserts, only sooner.
  await service.database.transaction('', ({ queries: tx }) => sql.raw('analyze').execute(tx));

  print(`\n${service.database.engine} (filled ${filled.join(', ')})\n`);
  const titles = PLACED.map((count) => `${(count === SIDE * SIDE - 1 ? count + 1 : count).toLocaleString('en')} items`);
  print(row(['operation', ...titles, ...(service.database.engine === 'postgres' ? ['rows read'] : [])]));
  print(row(Array(service.database.engine === 'postgres' ? 5 : 4).fill('---')));
  for (const one of CASES) {
    const measured = await measure(service, one, bags);
    const base = measured[0]?.ms ?? 1;
    const cells = measured.map(
      ({ ms }, index) => `${ms.toFixed(2)} ms${index === 0 ? '' : ` (× ${(ms / base).toFixed(2)})`}`,
    );
    const rowsRead = measured.map((each) => each.rowsRead ?? 0).join(' / ');
    print(row([one.name, ...cells, ...(service.database.engine === 'postgres' ? [rowsRead] : [])]));
  }

  const { userId, userSpaceId } = bags.at(-1) as Bag;
  const timed = async (call: () => Promise<{ status: number }>): Promise<string> => {
    const start = performance.now();
    assert.equal((await call()).status, 200);
    return `${((performance.now() - start) / 1000).toFixed(2)} s`;
  };
  const path = `/users/${userId}/spaces/${userSpaceId}`;
  // With the first cell free, everything else moves up by one.
  await service.delete(`/item-instances/${bags.at(-1)?.first}`);
  print(`\nsorting 39,998 items, all of which move: ${await timed(() => service.post(`${path}/sort`))}`);
  print(`reading the whole grid: ${await timed(() => service.get(path))}`);
};

const withService = async ({ url, drop }: EmptyDatabase): Promise<void> => {
  const service = await startService(url);
  try {
    await report(service);
  } finally {
    await service.stop();
    await drop();
  }
};

const begin = performance.now();
await withService(await createEmptyDatabase('sqlite'));
const postgres = await startPostgres({ durable: true });
try {
  await withService({ url: postgres.url('postgres'), drop: async () => {} });
} finally {
  await postgres.stop();
}
print(`\n${((performance.now() - begin) / 1000).toFixed(0)} s in total`);
