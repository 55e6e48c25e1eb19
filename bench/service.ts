/**
 * Measures the service against Node's bare HTTP server, in turns within the same run, with responses of the same length:
 * the results are shares of what the machine could do at that moment, since it may be shared with other work.
 *
 *   --quick            few short slices and little history: shows that it works, but measures nothing
 *   --against DIR      also measures the service of another checkout, in turns with this one
 *   --only=gacha,kept  only some parts: plain, gacha, kept, list, sizes, history, workers
 *   --engine=postgres  only one database: sqlite or postgres
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Postgres, startPostgres } from '../test/postgres.ts';
import {
  ask,
  bagId,
  COLLECTOR,
  createTeamOfHistory,
  createTeamOfItems,
  FIRST_TEAM,
  furnish,
  get,
  type Team,
  USERS,
  userIdOf,
} from './fixture.ts';
import { type Measured, measure } from './load.ts';
import { describeCores, type Server, startApart, startServer } from './processes.ts';

const PARTS = ['plain', 'gacha', 'kept', 'list', 'sizes', 'history', 'workers'] as const;
type Part = (typeof PARTS)[number];
const ENGINES = ['sqlite', 'postgres'] as const;
type Engine = (typeof ENGINES)[number];

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    only: { type: 'string' },
    engine: { type: 'string' },
  },
});

/** The values of a comma-separated flag; all without the flag. */
const selected = <T extends string>(known: readonly T[], given: string | undefined): ReadonlySet<T> => {
  const names = given?.split(',') ?? known;
  const unknown = names.filter((name) => !known.includes(name as T));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: must be among ${known.join(', ')}`);
  return new Set(names as readonly T[]);
};

const parts = selected(PARTS, flags.only);
const engines = selected(ENGINES, flags.engine);
// npm changes to the project folder, but a relative path is meant from where it was typed.
const against = flags.against === undefined ? undefined : resolve(process.env.INIT_CWD ?? '.', flags.against);
if (against !== undefined && !existsSync(join(against, 'src/main.ts')))
  throw new Error(`${against} has no src/main.ts`);

const QUICK = flags.quick;
const SLICE_S = QUICK ? 0.4 : 0.8;
const BARE_SLICE_S = QUICK ? 0.3 : 0.5;
const WARM_UP_S = QUICK ? 0.5 : 2;
const CONNECTIONS = 64;
const MANY_CONNECTIONS = 256;
/**
 * Slices per service and number of connections; an even number, so that each of two services goes first equally often.
 * A single connection is shown, but has no goal.
 */
const TURNS: ReadonlyMap<number, number> = new Map(
  QUICK
    ? [
        [CONNECTIONS, 2],
        [MANY_CONNECTIONS, 2],
      ]
    : [
        [1, 1],
        [CONNECTIONS, 6],
        [MANY_CONNECTIONS, 4],
      ],
);
const SIZE_TURNS = QUICK ? 2 : 4;
/** For measurements without a goal for the share. */
const OTHER_TURNS = 2;
const MANY_ITEMS = QUICK ? 5000 : 100_000;
const FEW_ITEMS = 10;
const HISTORY = QUICK ? 100_000 : 5_000_000;
const SHORT_HISTORY = 6000;
/** For this many users, check that they have exactly what the responses said. */
const WATCHED_USERS = 60;

const GOAL_OF_MANY_CONNECTIONS = 0.9;
const GOAL_OF_SIZES = 1.3;
const GOAL_OF_HISTORY = 1.5;

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

const forEachUser = (make: (user: number) => object): string[] =>
  Array.from({ length: USERS }, (_, user) => JSON.stringify(make(user)));

interface Goal {
  readonly goal: number;
  readonly stretch: number;
}

interface Job {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly bodies?: readonly string[];
  /** Whether each response is a roll, to be found in the statistics. */
  readonly rolls: boolean;
}

const PLAIN: Job = { name: 'plain roll', method: 'POST', path: '/items/roll', rolls: true };
const GACHA: Job = {
  name: 'gacha, two pities',
  method: 'POST',
  path: '/templates/banner/roll',
  bodies: forEachUser((user) => ({ userId: userIdOf(user) })),
  rolls: true,
};
const KEPT: Job = {
  name: 'kept and placed',
  method: 'POST',
  path: '/items/roll',
  bodies: forEachUser((user) => ({ userId: userIdOf(user), userSpaceId: bagId(user) })),
  rolls: true,
};
const LIST: Job = {
  name: 'list of 100 instances',
  method: 'GET',
  path: `/item-instances?userId=${COLLECTOR}&limit=100`,
  rolls: false,
};
const STATISTICS: Job = { name: 'statistics', method: 'GET', path: '/roll-events/stats', rolls: false };
const DROP_RATES: Job = { name: 'drop rates', method: 'GET', path: '/roll-events/drop-rates', rolls: false };

/** What is measured at each number of connections, with the goals for its share at 64. */
const JOBS: readonly (Record<Engine, Goal> & { readonly part: Part; readonly job: Job })[] = [
  { part: 'plain', job: PLAIN, sqlite: { goal: 0.55, stretch: 0.7 }, postgres: { goal: 0.55, stretch: 0.7 } },
  { part: 'gacha', job: GACHA, sqlite: { goal: 0.25, stretch: 0.45 }, postgres: { goal: 0.18, stretch: 0.3 } },
  { part: 'kept', job: KEPT, sqlite: { goal: 0.13, stretch: 0.3 }, postgres: { goal: 0.11, stretch: 0.2 } },
  { part: 'list', job: LIST, sqlite: { goal: 0.06, stretch: 0.2 }, postgres: { goal: 0.06, stretch: 0.2 } },
];
const chosenJobs = JOBS.filter(({ part }) => parts.has(part));

/** The part of an instance that both a response and the user's list of instances contain. */
interface Place {
  readonly id: string;
  readonly spacePositionX: number;
  readonly spacePositionY: number;
}

interface Kept {
  readonly id: string;
  readonly itemId: string;
  readonly place: Place | null;
}

/** A team of a measured service, and what that service has reported so far. */
interface Subject {
  readonly server: Server;
  readonly team: Team;
  /** Rolls with a successful response. */
  rolls: number;
  /** Rolls without a successful response; they may or may not have happened. */
  failedRolls: number;
  /** What the responses for the watched users contained, by user. */
  readonly kept: Map<string, Kept[]>;
  /** By request body: the callback for the response. */
  readonly listeners: Map<string, (response: string) => void>;
}

const totalRolls = async (team: Team): Promise<number> =>
  (await get<{ totalRolls: number }>(team, STATISTICS.path)).totalRolls;

const subjectOf = async (server: Server, team: Team): Promise<Subject> => {
  const kept = new Map<string, Kept[]>();
  const listeners = new Map<string, (response: string) => void>();
  for (let watched = 0; watched < WATCHED_USERS; watched += 1) {
    const user = Math.floor((watched * USERS) / WATCHED_USERS);
    const instances: Kept[] = [];
    kept.set(userIdOf(user), instances);
    listeners.set(KEPT.bodies?.[user] ?? '', (response) => {
      const { itemInstance } = JSON.parse(response) as {
        itemInstance: { id: string; itemId: string; itemInstanceSpace: Place | null };
      };
      instances.push({ id: itemInstance.id, itemId: itemInstance.itemId, place: itemInstance.itemInstanceSpace });
    });
  }
  return { server, team, rolls: await totalRolls(team), failedRolls: 0, kept, listeners };
};

/**
 * Checks that every roll with a response was counted exactly once, and that users have exactly what the responses said.
 */
const check = async ({ team, rolls, failedRolls, kept }: Subject, whose = ''): Promise<void> => {
  const counted = await totalRolls(team);
  assert.ok(counted >= rolls && counted <= rolls + failedRolls, `${rolls} rolls reported, ${counted} counted`);
  let instances = 0;
  for (const [user, reported] of kept) {
    if (reported.length === 0) continue;
    const path = `/item-instances?userId=${user}&limit=1000`;
    const listed = await get<{ id: string; item: { id: string }; itemInstanceSpace: Place | null }[]>(team, path);
    const byId = (left: Kept, right: Kept): number => (left.id < right.id ? -1 : 1);
    const ids = new Set(reported.map(({ id }) => id));
    assert.deepEqual(
      listed
        .filter(({ id }) => failedRolls === 0 || ids.has(id))
        .map(({ id, item, itemInstanceSpace }) => ({ id, itemId: item.id, place: itemInstanceSpace }))
        .sort(byId),
      reported.toSorted(byId),
      `listed and reported instances of ${user}`,
    );
    assert.ok(reported.every(({ place }) => place !== null));
    instances += reported.length;
  }
  const ofUsers = instances === 0 ? '' : `; ${instances} instances of ${kept.size} users match the responses`;
  print(`  ${whose}${rolls} rolls reported, ${counted} counted${ofUsers}`);
};

/** Measures a slice of the service. Any failed request fails the whole run. */
const slice = async (subject: Subject, job: Job, connections: number, seconds: number): Promise<Measured> => {
  const { address, authorization } = subject.team;
  const measured = await measure({
    url: `${address}${job.path}`,
    method: job.method,
    bodies: job.bodies,
    listeners: subject.listeners,
    connections,
    seconds,
    authorization,
  });
  if (measured.failed > 0) {
    print(`  FAILED: ${job.name}, ${connections} connections, of ${subject.server.checkout}: ${measured.failures}`);
    process.exitCode = 1;
  }
  if (job.rolls) {
    subject.rolls += measured.succeeded;
    subject.failedRolls += measured.failed;
  }
  return measured;
};

/** The length of a response, so that the bare server sends as much. */
const responseLength = async (subject: Subject, { method, path, bodies, rolls }: Job): Promise<number> => {
  // Not the body of the first user, who is watched.
  const response = await ask(subject.team, method, path, bodies?.[1]);
  if (rolls) subject.rolls += 1;
  return Buffer.byteLength(response);
};

interface Row {
  readonly subject: Subject;
  readonly job: Job;
  readonly connections: number;
  readonly share: number;
  readonly bare: number;
  readonly p50: number;
  readonly p99: number;
  /** Requests per second of each slice. */
  readonly rates: readonly number[];
}

/**
 * Measures slices of the services in turns, between slices of the bare server. A share is the median, over the turns,
 * of a slice's rate divided by the mean of the bare slices around it, so that a temporarily busy machine affects both.
 * Every second turn is in reverse order, so that no service always goes first.
 */
const inTurns = async (
  bare: Server,
  entries: readonly { readonly subject: Subject; readonly job: Job }[],
  connections: number,
  turns: number,
): Promise<Row[]> => {
  const [{ subject, job }] = entries as [(typeof entries)[number]];
  const length = await responseLength(subject, job);
  const bareSlice = async (): Promise<number> => {
    const { method, bodies } = job;
    const measured = await measure({
      url: `${bare.address}/${length}`,
      method,
      bodies,
      connections,
      seconds: BARE_SLICE_S,
      authorization: subject.team.authorization,
    });
    assert.equal(measured.failed, 0, 'failed requests of the bare server');
    return measured.perSecond;
  };
  const slices: Measured[][] = entries.map(() => []);
  const bareRates = [await bareSlice()];
  for (let turn = 0; turn < turns; turn += 1) {
    const order = [...entries.entries()];
    if (turn % 2 === 1) order.reverse();
    for (const [index, entry] of order)
      slices[index]?.push(await slice(entry.subject, entry.job, connections, SLICE_S));
    bareRates.push(await bareSlice());
  }
  return entries.map((entry, index) => {
    const own = slices[index] as Measured[];
    const bareAround = (turn: number): number => ((bareRates[turn] as number) + (bareRates[turn + 1] as number)) / 2;
    return {
      ...entry,
      connections,
      share: median(own.map(({ perSecond }, turn) => perSecond / bareAround(turn))),
      bare: median(bareRates),
      p50: median(own.map(({ p50 }) => p50)),
      p99: median(own.map(({ p99 }) => p99)),
      rates: own.map(({ perSecond }) => perSecond),
    };
  });
};

/** How many times as fast one was as the other: the median over the turns, in each of which both were measured. */
const ratioOf = (one: Row, other: Row): number =>
  median(one.rates.map((rate, turn) => rate / (other.rates[turn] as number)));

const COLUMNS: readonly (readonly [name: string, width: number])[] = [
  ['engine', -8],
  ['job', -24],
  ['conn', 4],
  ['share', 6],
  ['/s', 6],
  ['bare/s', 6],
  ['p50', 5],
  ['p99', 5],
  ['MiB', 5],
  ['goal', 0],
];

const showCells = (cells: readonly (string | number)[]): void => {
  const padded = COLUMNS.map(([, width], index) => {
    const text = String(cells[index] ?? '');
    return width < 0 ? text.padEnd(-width) : text.padStart(width);
  });
  print(`| ${padded.join(' | ')}`);
};

const showHead = (): void => {
  showCells(COLUMNS.map(([name]) => name));
  print(`|${COLUMNS.map(([, width]) => (width > 0 ? `${'-'.repeat(width + 1)}:` : '-'.repeat(2 - width))).join('|')}`);
};

const showRow = (engine: Engine, row: Row, { name = row.job.name, goal = '' } = {}): void =>
  showCells([
    engine,
    name,
    row.connections,
    row.share.toFixed(3),
    Math.round(median(row.rates)),
    Math.round(row.bare),
    Math.round(row.p50),
    Math.round(row.p99),
    Math.round(row.subject.server.memory()),
    goal,
  ]);

const verdictAt64 = (share: number, { goal, stretch }: Goal): string => {
  if (share >= stretch) return `stretch ${stretch.toFixed(2)} met`;
  return `goal ${goal.toFixed(2)} ${share >= goal ? 'met' : 'missed'}`;
};

const verdictAt256 = (share: number, shareAt64: number): string => {
  const ratio = share / shareAt64;
  const verdict = ratio >= GOAL_OF_MANY_CONNECTIONS ? 'met' : 'missed';
  return `${ratio.toFixed(2)} of the share at ${CONNECTIONS}, goal ${GOAL_OF_MANY_CONNECTIONS.toFixed(2)} ${verdict}`;
};

const printTimes = (what: string, times: number, goal?: number): void => {
  const verdict = goal === undefined ? '' : `, goal ${goal} ${times <= goal ? 'met' : 'missed'}`;
  print(`  ${what}: ${times.toFixed(2)} times as long${verdict}`);
};

const measureJobs = async (engine: Engine, bare: Server, ours: Subject, theirs: Subject | undefined): Promise<void> => {
  const subjects = theirs === undefined ? [ours] : [ours, theirs];
  // A server that has just started is still being optimized; measure one that is warm.
  for (const subject of subjects) {
    for (const { job } of chosenJobs) await slice(subject, job, CONNECTIONS, WARM_UP_S);
  }
  for (const goals of chosenJobs) {
    const { job } = goals;
    let shareAt64 = Number.NaN;
    for (const [connections, turns] of TURNS) {
      const entries = subjects.map((subject) => ({ subject, job }));
      const [our, their] = (await inTurns(bare, entries, connections, turns)) as [Row, Row?];
      let goal = '';
      if (connections === CONNECTIONS) {
        shareAt64 = our.share;
        goal = verdictAt64(our.share, goals[engine]);
      } else if (connections === MANY_CONNECTIONS) goal = verdictAt256(our.share, shareAt64);
      showRow(engine, our, { goal });
      if (their !== undefined)
        showRow(engine, their, { name: '  theirs', goal: `ours is ${ratioOf(our, their).toFixed(2)} times as fast` });
    }
  }
  await check(ours);
  if (theirs !== undefined) await check(theirs, 'theirs: ');
};

const measureSizes = async (engine: Engine, databaseUrl: string, bare: Server, server: Server): Promise<void> => {
  const entries = [];
  for (const items of [FEW_ITEMS, MANY_ITEMS]) {
    const subject = await subjectOf(server, await createTeamOfItems(databaseUrl, server.address, items));
    entries.push({ subject, job: { ...PLAIN, name: `plain roll, ${items} items` } });
  }
  for (const { subject, job } of entries) await slice(subject, job, CONNECTIONS, WARM_UP_S);
  const rows = await inTurns(bare, entries, CONNECTIONS, SIZE_TURNS);
  for (const row of rows) showRow(engine, row);
  const [few, many] = rows as [Row, Row];
  printTimes(`${MANY_ITEMS} items against ${FEW_ITEMS}`, ratioOf(few, many), GOAL_OF_SIZES);
  for (const { subject, job } of entries) await check(subject, `${job.name}: `);
};

const measureHistory = async (engine: Engine, databaseUrl: string, bare: Server, server: Server): Promise<void> => {
  // The short history contains every item too, so that both responses have the same rows.
  const subjects: Subject[] = [];
  for (const rolls of [SHORT_HISTORY, HISTORY])
    subjects.push(await subjectOf(server, await createTeamOfHistory(databaseUrl, server.address, rolls)));
  for (const job of [STATISTICS, DROP_RATES, PLAIN]) {
    const entries = subjects.map((subject) => ({ subject, job }));
    for (const { subject } of entries) await slice(subject, job, CONNECTIONS, SLICE_S);
    const [short, long] = (await inTurns(bare, entries, CONNECTIONS, OTHER_TURNS)) as [Row, Row];
    showRow(engine, long, { name: `${job.name}, ${HISTORY / 1e6}M rolls` });
    printTimes(
      `${HISTORY} rolls against ${SHORT_HISTORY}`,
      ratioOf(short, long),
      job === PLAIN ? undefined : GOAL_OF_HISTORY,
    );
  }
  for (const subject of subjects) await check(subject, 'with the prior history: ');
};

const startService = (databaseUrl: string, environment: Record<string, string> = {}, checkout?: string) =>
  startServer('src/main.ts', { ...FIRST_TEAM, DATABASE_URL: databaseUrl, ...environment }, checkout);

const measureWorkers = async (postgres: Postgres, bare: Server): Promise<void> => {
  const servers: Server[] = [];
  try {
    const subjects: Subject[] = [];
    for (const workers of ['1', '2']) {
      const server = await startService(await postgres.create(`workers_${workers}`), { WORKERS: workers });
      servers.push(server);
      subjects.push(await subjectOf(server, await furnish(server.address)));
    }
    for (const job of [PLAIN, GACHA]) {
      for (const subject of subjects) await slice(subject, job, CONNECTIONS, WARM_UP_S);
      const entries = subjects.map((subject, index) => ({
        subject,
        job: { ...job, name: `${job.name.split(',')[0]}, WORKERS=${index + 1}` },
      }));
      const rows = await inTurns(bare, entries, CONNECTIONS, OTHER_TURNS);
      for (const row of rows) showRow('postgres', row);
      const [one, two] = rows as [Row, Row];
      print(`  two workers are ${ratioOf(two, one).toFixed(2)} times as fast as one`);
    }
    for (const [index, subject] of subjects.entries()) await check(subject, `WORKERS=${index + 1}: `);
  } finally {
    for (const server of servers) await server.stop();
  }
};

/** Creates an empty database and returns its URL. */
type MakeDatabase = (name: string) => Promise<string>;

const measureEngine = async (engine: Engine, makeDatabase: MakeDatabase, bare: Server): Promise<void> => {
  const databaseUrl = await makeDatabase('ours');
  const server = await startService(databaseUrl);
  try {
    if (chosenJobs.length > 0) {
      const other = against === undefined ? undefined : await startService(await makeDatabase('theirs'), {}, against);
      try {
        const ours = await subjectOf(server, await furnish(server.address));
        const theirs = other && (await subjectOf(other, await furnish(other.address)));
        await measureJobs(engine, bare, ours, theirs);
      } finally {
        await other?.stop();
      }
    }
    if (parts.has('sizes')) await measureSizes(engine, databaseUrl, bare, server);
    if (parts.has('history')) await measureHistory(engine, databaseUrl, bare, server);
  } finally {
    await server.stop();
  }
};

const run = async (): Promise<void> => {
  const startedMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-bench-'));
  const postgres = engines.has('postgres') ? await startApart(() => startPostgres({ durable: true })) : undefined;
  try {
    const bare = await startServer('bench/bare-server.ts', {});
    try {
      print(
        `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, ${process.platform} ${process.arch}; ${describeCores()}`,
      );
      if (against !== undefined) print(`theirs: ${against}`);
      print('share: requests per second relative to bare node:http around it; p50 and p99 in ms');
      showHead();
      if (engines.has('sqlite'))
        await measureEngine('sqlite', async (name) => `sqlite:${join(folder, `${name}.db`)}`, bare);
      if (postgres !== undefined) {
        await measureEngine('postgres', postgres.create, bare);
        if (parts.has('workers')) await measureWorkers(postgres, bare);
      }
      print(`took ${Math.round((performance.now() - startedMs) / 1000)} s`);
    } finally {
      await bare.stop();
    }
  } finally {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

await run();
