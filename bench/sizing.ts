/**
 * What data takes on disk and in memory: `node bench/sizing.ts [count] [--disk | --memory]`, by default 5,000 of each
 * kind and both measurements, on both databases. What is measured on disk is created over HTTP. The figures are what
 * the tables and their indexes have grown by, once counters have been added up and, on PostgreSQL, after a vacuum;
 * there, the write-ahead log is shown, too. Memory is the growth of the heap, after garbage collection, when the first
 * roll of a team loads its catalog.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { startService } from '../test/harness.ts';
import { startPostgres } from '../test/postgres.ts';
import {
  ask,
  bagId,
  createTeam,
  createTeamOfItems,
  FIRST_TEAM,
  firstTeamAt,
  forEach,
  ITEMS,
  itemId,
  makeBanner,
  makeItems,
  post,
  type Team,
  userIdOf,
} from './fixture.ts';
import { startServer } from './processes.ts';

const { values: only, positionals } = parseArgs({
  allowPositionals: true,
  options: { disk: { type: 'boolean' }, memory: { type: 'boolean' } },
});
const COUNT = Number(positionals[0] ?? 5000);
const USERS = 1000;
const BAG = { cols: 20, rows: 20 };
/** Catalogs whose memory is measured; the largest is the limit of a team. */
const CATALOGS = [1000, 10_000, 100_000];

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

type Sizes = ReadonlyMap<string, number>;

/** What a database can tell about its size. */
interface Gauge {
  /** Bytes of each table, with its indexes. */
  readonly sizes: () => Promise<Sizes>;
  readonly pending: () => Promise<number>;
  /** Bytes of write-ahead log written so far, where the database tells. */
  readonly logged: () => Promise<number | undefined>;
  readonly close: () => Promise<void>;
}

const gaugeOfSqlite = (file: string): Gauge => {
  const database = new DatabaseSync(file, { readOnly: true });
  const sizes = database.prepare(`select tbl_name as name, sum(pgsize) as bytes
    from dbstat join sqlite_schema using (name) group by tbl_name`);
  const pending = database.prepare('select count(*) as count from roll_pending');
  return {
    sizes: async () => new Map(sizes.all().map(({ name, bytes }) => [String(name), Number(bytes)])),
    pending: async () => Number(pending.get()?.count),
    logged: async () => undefined,
    close: async () => database.close(),
  };
};

const gaugeOfPostgres = async (url: string): Promise<Gauge> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const number = async (expression: string): Promise<number> =>
    Number((await client.query(`select ${expression} as value`)).rows[0].value);
  return {
    sizes: async () => {
      await client.query('vacuum');
      // Partitions count as the table that they belong to.
      const { rows } = await client.query(`select coalesce(parent.relname, own.relname) as name,
          sum(pg_total_relation_size(own.oid)) as bytes
        from pg_class own left join pg_inherits on inhrelid = own.oid left join pg_class parent on parent.oid = inhparent
        where own.relkind = 'r' and own.relnamespace = 'public'::regnamespace group by 1`);
      return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
    },
    pending: () => number('(select count(*) from roll_pending)'),
    logged: () => number("pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"),
    close: () => client.end(),
  };
};

/** Waits while counters are added up, which happens once per second; a few rows may stay pending. */
const settle = async ({ pending }: Gauge): Promise<void> => {
  for (let before = -1, now = await pending(); now !== before; now = await pending()) {
    before = now;
    await delay(2500);
  }
};

const shown = (bytes: number): string => `${bytes.toFixed(0)} B`;

/** Runs a step, and prints what each of its requests has added. */
const weigh = async (gauge: Gauge, name: string, count: number, step: () => Promise<unknown>): Promise<void> => {
  const [before, loggedBefore] = [await gauge.sizes(), await gauge.logged()];
  await step();
  const logged = await gauge.logged();
  await settle(gauge);
  const grown = [...(await gauge.sizes())]
    .map(([table, bytes]) => ({ table, each: (bytes - (before.get(table) ?? 0)) / count }))
    .filter(({ each }) => Math.abs(each) >= 1)
    .sort((left, right) => right.each - left.each);
  const sum = grown.reduce((total, { each }) => total + each, 0);
  const log = logged === undefined || loggedBefore === undefined ? '' : shown((logged - loggedBefore) / count);
  const parts = grown.map(({ table, each }) => `${table} ${each.toFixed(0)}`).join(', ');
  print(`${name.padEnd(44)}${shown(sum).padStart(8)}${log.padStart(9)}  ${parts}`);
};

const weighAll = async (team: Team, databaseUrl: string, gauge: Gauge): Promise<void> => {
  const roll = (path: string, body?: object, key?: string): Promise<string> =>
    ask(
      team,
      'POST',
      path,
      body === undefined ? undefined : JSON.stringify(body),
      key === undefined ? {} : { 'idempotency-key': key },
    );
  const userOf = (index: number): string => userIdOf(index % USERS);
  const placeOf = (index: number) => ({ userId: userOf(index), userSpaceId: bagId(index % USERS) });
  const many = (name: string, work: (index: number) => Promise<unknown>) =>
    weigh(gauge, name, COUNT, () => forEach(COUNT, work));

  const large = await createTeam(databaseUrl, team.address);
  await weigh(gauge, 'item with 3 attributes and a tier', COUNT, () => makeItems(large, COUNT));
  await makeItems(team);
  await makeBanner(team);
  await post(team, '/spaces', { id: 'bag', name: 'Bag', ...BAG });
  await weigh(gauge, 'user with a user space', USERS, () =>
    forEach(USERS, (user) => post(team, `/users/${userIdOf(user)}/spaces`, { id: bagId(user), spaceId: 'bag' })),
  );
  const newInstance = (index: number, place: object) =>
    post(team, '/item-instances', { itemId: itemId(index % ITEMS), ...place });
  await many('item instance, not placed', (index) => newInstance(index, { userId: userOf(index) }));
  await many('item instance, placed', (index) => newInstance(index, placeOf(index)));
  await many('plain roll', () => roll('/items/roll'));
  const alone = Math.ceil(COUNT / 5);
  await weigh(gauge, 'plain roll, one at a time', alone, () => forEach(alone, () => roll('/items/roll'), 1));
  await many('plain roll with a key', (index) => roll('/items/roll', undefined, `plain-${index}`));
  await many('plain roll, granted', (index) => roll('/items/roll', { userId: userOf(index) }));
  await many('plain roll, granted and placed, with a key', (index) =>
    roll('/items/roll', placeOf(index), `placed-${index}`),
  );
  const gacha = (index: number, key?: string) => roll('/templates/banner/roll', { userId: userOf(index) }, key);
  await weigh(gauge, 'first gacha roll of a user', USERS, () => forEach(USERS, (user) => gacha(user)));
  await many('gacha roll', (index) => gacha(index));
  await many('gacha roll with a key', (index) => gacha(index, `gacha-${index}`));
};

const weighEngine = async (name: string, databaseUrl: string, openGauge: () => Gauge | Promise<Gauge>) => {
  print(`${name.padEnd(44)}${'disk'.padStart(8)}${'log'.padStart(9)}  tables and indexes`);
  const server = await startServer('src/main.ts', { DATABASE_URL: databaseUrl, ...FIRST_TEAM });
  try {
    const gauge = await openGauge();
    await weighAll(firstTeamAt(server.address), databaseUrl, gauge);
    await gauge.close();
  } finally {
    await server.stop();
  }
  print();
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after a collection, inside and outside of the heap. */
const bytesInUse = async (): Promise<number> => {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await delay(100);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Measures in this process, with a service that has already served another team. */
const weighCatalogs = async (name: string, databaseUrl: string): Promise<void> => {
  const service = await startService(databaseUrl);
  try {
    const warm = await createTeamOfItems(databaseUrl, service.address, 10);
    await forEach(100, () => ask(warm, 'POST', '/items/roll'));
    for (const items of CATALOGS) {
      const team = await createTeamOfItems(databaseUrl, service.address, items);
      const before = await bytesInUse();
      await ask(team, 'POST', '/items/roll');
      const bytes = (await bytesInUse()) - before;
      print(`${name}: a catalog of ${items} items takes ${shown(bytes / items)} of memory per item`);
    }
  } finally {
    await service.stop();
  }
};

const folder = await mkdtemp(join(tmpdir(), 'itemwright-sizing-'));
const postgres = await startPostgres({ durable: true });
try {
  if (!only.memory) {
    const file = join(folder, 'sizing.db');
    await weighEngine('SQLite', `sqlite:${file}`, () => gaugeOfSqlite(file));
    const url = await postgres.create('sizing');
    await weighEngine('PostgreSQL', url, () => gaugeOfPostgres(url));
  }
  if (!only.disk) {
    await weighCatalogs('SQLite', `sqlite:${join(folder, 'memory.db')}`);
    await weighCatalogs('PostgreSQL', await postgres.create('memory'));
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
