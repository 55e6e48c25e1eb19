/**
 * Measures the service against Node's bare HTTP server, in turns within the same run, with responses of the same length:
 * the results are shares of what the machine could do at that moment, since it may be shared with other work.
 *
 *   --quick            few short slices and little history: shows that it works, but measures nothing
 *   --against DIR      also measures the service of another checkout, in turns with this one
 *   --only=gacha,kept  only some parts: plain, gacha, kept, list, one, hot, grant, sizes, history, workers
 *   --engine=postgres  only one database: sqlite or postgres
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/postgres.ts';
import {
  ask,
  bagId,
  COLLECTOR,
  createTeamOfHistory,
  createTeamOfItems,
  FIRST_TEAM,
  furnish,
  get,
  INSTANCES,
  ITEMS,
  instanceId,
  itemId,
  type Team,
  USERS,
  userIdOf,
} from './fixture.ts';
import { type Measured, measure, type Request } from './load.ts';
import { cpuMs, describeCores, type Server, startApart, startServer } from './processes.ts';

const PARTS = ['plain', 'gacha', 'kept', 'list', 'one', 'hot', 'grant', 'sizes', 'history', 'workers'] as const;
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
/** Slices per service, of which the median counts. */
const TURNS = QUICK ? 1 : 5;
const MANY_ITEMS = QUICK ? 5000 : 100_000;
const FEW_ITEMS = 10;
const HISTORY = QUICK ? 100_000 : 5_000_000;
const SHORT_HISTORY = 6000;
/** For this many users, check that they have exactly what the responses said. */
const WATCHED_USERS = 60;

/** With many connections, of the goal for the share. */
const GOAL_OF_MANY_CONNECTIONS = 0.9;
const GOAL_OF_MEMORY_MIB = 300;
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

interface Job {
  readonly name: string;
  readonly requests: readonly Request[];
  /** Whether each response is a roll, to be found in the statistics. */
  readonly rolls?: boolean;
}

const getting = (path: string): Request => ({ method: 'GET', path });
const posting = (path: string, body: object): Request => ({ method: 'POST', path, body: JSON.stringify(body) });
const repeat = (count: number, make: (index: number) => Request): Request[] =>
  Array.from({ length: count }, (_, index) => make(index));

const HOT_USER = 'hot-player';
const PLAIN: Job = { name: 'plain roll', requests: [{ method: 'POST', path: '/items/roll' }], rolls: true };
const GACHA: Job = {
  name: 'gacha, two pities',
  requests: repeat(USERS, (user) => posting('/templates/banner/roll', { userId: userIdOf(user) })),
  rolls: true,
};
const KEPT: Job = {
  name: 'kept and placed',
  requests: repeat(USERS, (user) => posting('/items/roll', { userId: userIdOf(user), userSpaceId: bagId(user) })),
  rolls: true,
};
const LIST: Job = {
  name: 'list of 100 instances',
  requests: [getting(`/item-instances?userId=${COLLECTOR}&limit=100`)],
};
const ONE: Job = {
  name: 'read one instance',
  requests: repeat(INSTANCES, (index) => getting(`/item-instances/${instanceId(index)}`)),
};
const HOT: Job = {
  name: 'one hot player, gacha',
  requests: [posting('/templates/banner/roll', { userId: HOT_USER })],
  rolls: true,
};
const GRANT: Job = {
  name: 'grant',
  requests: repeat(USERS, (user) =>
    posting('/item-instances', { userId: userIdOf(user), itemId: itemId(user % ITEMS) }),
  ),
};
const STATISTICS: Job = { name: 'statistics', requests: [getting('/roll-events/stats')] };
const DROP_RATES: Job = { name: 'drop rates', requests: [getting('/roll-events/drop-rates')] };

/** What is measured at each number of connections, with the goals for its share at 64. */
const JOBS: readonly (Partial<Record<Engine, number>> & { readonly part: Part; readonly job: Job })[] = [
  { part: 'plain', job: PLAIN, sqlite: 0.55, postgres: 0.5 },
  { part: 'gacha', job: GACHA, sqlite: 0.32, postgres: 0.25 },
  { part: 'kept', job: KEPT, sqlite: 0.25, postgres: 0.18 },
  { part: 'list', job: LIST, sqlite: 0.09, postgres: 0.08 },
  { part: 'one', job: ONE, sqlite: 0.45, postgres: 0.25 },
  { part: 'hot', job: HOT, sqlite: 0.15, postgres: 0.12 },
  { part: 'grant', job: GRANT },
];
const chosenJobs = JOBS.filter(({ part }) => parts.has(part));

/** What is needed to measure on a database. */
interface Site {
  readonly engine: Engine;
  readonly bare: Server;
  /** Creates an empty database and returns its URL. */
  readonly createDatabase: (name: string) => Promise<string>;
  /** If the database has processes of its own: the parent of all of them. */
  readonly databasePid?: number;
}

interface Service extends Server {
  /** Processes whose CPU time is shown apart, each with its children: the service and, on PostgreSQL, the database. */
  readonly pids: readonly number[];
}

const startService = async (
  { databasePid }: Site,
  databaseUrl: string,
  environment: Record<string, string> = {},
  checkout?: string,
): Promise<Service> => {
  const server = await startServer(
    'src/main.ts',
    { ...FIRST_TEAM, DATABASE_URL: databaseUrl, ...environment },
    checkout,
  );
  return { ...server, pids: [server.pid, ...(databasePid === undefined ? [] : [databasePid])] };
};

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

/** Responses to a job. */
interface Reported {
  readonly succeeded: number;
  /** Without a successful response; they may or may not have happened. */
  readonly failed: number;
}

/** A team of a measured service, and what that service has reported so far. */
interface Subject {
  readonly service: Service;
  readonly team: Team;
  /** Rolls before the first measurement. */
  readonly rollsBefore: number;
  readonly reported: Map<Job, Reported>;
  /** What watched users had at first, and what responses have given them since, by user. */
  readonly kept: Map<string, Kept[]>;
  /** Instances that should have been placed. */
  readonly unplaced: string[];
  readonly listeners: Map<Request, (response: string) => void>;
}

const NOTHING: Reported = { succeeded: 0, failed: 0 };

const add = (left: Reported, right: Reported): Reported => ({
  succeeded: left.succeeded + right.succeeded,
  failed: left.failed + right.failed,
});

const record = ({ reported }: Subject, job: Job, more: Reported): void => {
  reported.set(job, add(reported.get(job) ?? NOTHING, more));
};

const totalRolls = async (team: Team): Promise<number> =>
  (await get<{ totalRolls: number }>(team, '/roll-events/stats')).totalRolls;

const instancesOf = async (team: Team, userId: string): Promise<Kept[]> =>
  (
    await get<{ id: string; item: { id: string }; itemInstanceSpace: Place | null }[]>(
      team,
      `/item-instances?userId=${userId}&limit=1000`,
    )
  ).map(({ id, item, itemInstanceSpace }) => ({ id, itemId: item.id, place: itemInstanceSpace }));

interface Given {
  readonly id: string;
  readonly itemId: string;
  readonly itemInstanceSpace: Place | null;
}

/** The instance in the response to a grant or to a roll that is kept. */
const givenIn = (response: string): Kept => {
  const parsed = JSON.parse(response) as Given | { readonly itemInstance: Given };
  const { id, itemId, itemInstanceSpace } = 'itemInstance' in parsed ? parsed.itemInstance : parsed;
  return { id, itemId, place: itemInstanceSpace };
};

const subjectOf = async (service: Service, team: Team): Promise<Subject> => {
  const rollsBefore = await totalRolls(team);
  return { service, team, rollsBefore, reported: new Map(), kept: new Map(), unplaced: [], listeners: new Map() };
};

/** Collects what these requests give to a user. */
const watch = async ({ team, kept, unplaced, listeners }: Subject, userId: string, requests: readonly Request[]) => {
  const instances = await instancesOf(team, userId);
  kept.set(userId, instances);
  for (const request of requests)
    listeners.set(request, (response) => {
      const given = givenIn(response);
      instances.push(given);
      if (given.place === null && request.body?.includes('userSpaceId')) unplaced.push(given.id);
    });
};

/** The first team of a service, furnished for the jobs. */
const furnishedSubject = async (service: Service): Promise<Subject> => {
  const subject = await subjectOf(service, await furnish(service.address));
  for (let watched = 0; watched < WATCHED_USERS; watched += 1) {
    const user = Math.floor((watched * USERS) / WATCHED_USERS);
    await watch(subject, userIdOf(user), [KEPT.requests[user] as Request, GRANT.requests[user] as Request]);
  }
  return subject;
};

const assertCounted = (counted: number, { succeeded, failed }: Reported, whose: string): void =>
  assert.ok(
    counted >= succeeded && counted <= succeeded + failed,
    `${succeeded} rolls of ${whose} reported, ${counted} counted`,
  );

/**
 * Checks that every roll with a response was counted exactly once, and that users have exactly what the responses said.
 */
const check = async ({ team, rollsBefore, reported, kept, unplaced }: Subject, whose = ''): Promise<void> => {
  const rolls = [...reported].filter(([job]) => job.rolls).map(([, counts]) => counts);
  const total = rolls.reduce(add, { succeeded: rollsBefore, failed: 0 });
  const counted = await totalRolls(team);
  assertCounted(counted, total, 'everybody');
  print(`  ${whose}${total.succeeded} rolls reported, ${counted} counted`);

  const hot = reported.get(HOT);
  if (hot !== undefined) {
    const state = await get<{ rolls: number }>(team, `/users/${HOT_USER}/templates/banner`);
    assertCounted(state.rolls, hot, HOT_USER);
    print(`  ${whose}${hot.succeeded} of them by the hot player, who has ${state.rolls}`);
  }

  const hasFailures = [...reported.values()].some(({ failed }) => failed > 0);
  const byId = (left: Kept, right: Kept): number => (left.id < right.id ? -1 : 1);
  for (const [user, instances] of kept) {
    const ids = new Set(instances.map(({ id }) => id));
    assert.deepEqual(
      (await instancesOf(team, user)).filter(({ id }) => !hasFailures || ids.has(id)).sort(byId),
      instances.toSorted(byId),
      `listed and reported instances of ${user}`,
    );
  }
  assert.deepEqual(unplaced, []);
  if (kept.size > 0)
    print(`  ${whose}${[...kept.values()].flat().length} instances of ${kept.size} users match the responses`);
};

interface Slice extends Measured {
  /** CPU time per request, of each of the service's processes. */
  readonly cpuUs: readonly number[];
}

/** Measures a slice of the service. Any failed request fails the whole run. */
const slice = async (subject: Subject, job: Job, connections: number, seconds: number): Promise<Slice> => {
  const { service, team, listeners } = subject;
  const before = service.pids.map(cpuMs);
  const measured = await measure({ ...team, requests: job.requests, listeners, connections, seconds });
  const usedMs = service.pids.map((pid, index) => cpuMs(pid) - (before[index] as number));
  if (measured.failed > 0) {
    print(`  FAILED: ${job.name}, ${connections} connections, of ${service.checkout}: ${measured.failures}`);
    process.exitCode = 1;
  }
  record(subject, job, measured);
  return { ...measured, cpuUs: usedMs.map((ms) => (1000 * ms) / measured.succeeded) };
};

/** The length of a response, so that the bare server sends as much. */
const responseLength = async (subject: Subject, job: Job): Promise<number> => {
  // Not the first request if there are several: its user is watched.
  const [first, { method, path, body } = first] = job.requests as [Request, Request?];
  const response = await ask(subject.team, method, path, body);
  record(subject, job, { succeeded: 1, failed: 0 });
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
  /** The median over the slices of CPU time per request, of each of the service's processes. */
  readonly cpuUs: readonly number[];
}

/**
 * Measures slices of the services in turns, between slices of the bare server. A share is the median, over the turns,
 * of a slice's rate divided by the mean of the bare slices around it, so that a temporarily busy machine affects both.
 * Every second turn is in reverse order, so that no service always goes first.
 */
const inTurns = async (
  bare: Server,
  entries: readonly { readonly subject: Subject; readonly job: Job }[],
  connections = CONNECTIONS,
  turns = TURNS,
): Promise<Row[]> => {
  const [{ subject, job }] = entries as [(typeof entries)[number]];
  const length = await responseLength(subject, job);
  const bareSlice = async (): Promise<number> => {
    const measured = await measure({
      address: bare.address,
      requests: job.requests.map((request) => ({ ...request, path: `/${length}` })),
      connections,
      seconds: BARE_SLICE_S,
      authorization: subject.team.authorization,
    });
    assert.equal(measured.failed, 0, 'failed requests of the bare server');
    return measured.perSecond;
  };
  const slices: Slice[][] = entries.map(() => []);
  const bareRates = [await bareSlice()];
  for (let turn = 0; turn < turns; turn += 1) {
    const order = [...entries.entries()];
    if (turn % 2 === 1) order.reverse();
    for (const [index, entry] of order)
      slices[index]?.push(await slice(entry.subject, entry.job, connections, SLICE_S));
    bareRates.push(await bareSlice());
  }
  return entries.map((entry, index) => {
    const own = slices[index] as Slice[];
    const bareAround = (turn: number): number => ((bareRates[turn] as number) + (bareRates[turn + 1] as number)) / 2;
    return {
      ...entry,
      connections,
      share: median(own.map(({ perSecond }, turn) => perSecond / bareAround(turn))),
      bare: median(bareRates),
      p50: median(own.map(({ p50 }) => p50)),
      p99: median(own.map(({ p99 }) => p99)),
      rates: own.map(({ perSecond }) => perSecond),
      cpuUs: entry.subject.service.pids.map((_, process) => median(own.map(({ cpuUs }) => cpuUs[process] as number))),
    };
  });
};

/** How many times as fast one was as the other: the median over the turns, in each of which both were measured. */
const ratioOf = (one: Row, other: Row): number =>
  median(one.rates.map((rate, turn) => rate / (other.rates[turn] as number)));

/** CPU time per request of all processes together, relative to another row. */
const cpuRatioOf = (one: Row, other: Row): number => {
  const total = ({ cpuUs }: Row): number => cpuUs.reduce((sum, value) => sum + value, 0);
  return total(one) / total(other);
};

const COLUMNS: readonly (readonly [name: string, width: number])[] = [
  ['engine', -8],
  ['job', -24],
  ['conn', 4],
  ['share', 6],
  ['/s', 6],
  ['bare/s', 6],
  ['p50', 5],
  ['p99', 5],
  ['CPU', 10],
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
    row.cpuUs.some(Number.isNaN) ? '' : row.cpuUs.map(Math.round).join(' + '),
    Math.round(row.subject.service.memory()),
    goal,
  ]);

/** The goal for a share, and whether it is met. A single connection has none. */
const verdictOn = ({ share, connections }: Row, goalAt64: number | undefined): string => {
  if (goalAt64 === undefined || connections === 1) return '';
  const goal = connections === MANY_CONNECTIONS ? GOAL_OF_MANY_CONNECTIONS * goalAt64 : goalAt64;
  return `goal ${goal.toFixed(3)} ${share >= goal ? 'met' : 'missed'}`;
};

/** Where the kernel does not say how much something takes, that is not a number. */
const verdictOnMost = (value: number, goal: number | undefined): string =>
  goal === undefined || Number.isNaN(value) ? '' : `, goal ${goal} ${value <= goal ? 'met' : 'missed'}`;

const printTimes = (what: string, times: number, goal?: number): void =>
  print(`  ${what}: ${times.toFixed(2)} times as long${verdictOnMost(times, goal)}`);

const printMemory = (when: string, { memory }: Server): void => {
  const mib = Math.round(memory());
  print(`  memory ${when}: ${mib} MiB${verdictOnMost(mib, GOAL_OF_MEMORY_MIB)}`);
};

const measureJobs = async ({ engine, bare }: Site, ours: Subject, theirs: Subject | undefined): Promise<void> => {
  const subjects = theirs === undefined ? [ours] : [ours, theirs];
  // A server that has just started is still being optimized; measure one that is warm.
  for (const subject of subjects) {
    for (const { job } of chosenJobs) await slice(subject, job, CONNECTIONS, WARM_UP_S);
  }
  for (const { job, [engine]: goal } of chosenJobs) {
    for (const connections of QUICK ? [CONNECTIONS, MANY_CONNECTIONS] : [1, CONNECTIONS, MANY_CONNECTIONS]) {
      const entries = subjects.map((subject) => ({ subject, job }));
      const turns = connections === 1 ? 1 : TURNS;
      const [our, their] = (await inTurns(bare, entries, connections, turns)) as [Row, Row?];
      showRow(engine, our, { goal: verdictOn(our, goal) });
      if (their !== undefined) {
        const [times, cpu] = [ratioOf(our, their).toFixed(2), cpuRatioOf(our, their).toFixed(2)];
        showRow(engine, their, {
          name: '  theirs',
          goal: `ours is ${times} times as fast, with ${cpu} of the CPU time`,
        });
      }
    }
  }
  printMemory('after these jobs', ours.service);
  await check(ours);
  if (theirs !== undefined) await check(theirs, 'theirs: ');
};

const measureSizes = async ({ engine, bare }: Site, databaseUrl: string, service: Service): Promise<void> => {
  const entries = [];
  for (const items of [FEW_ITEMS, MANY_ITEMS]) {
    const subject = await subjectOf(service, await createTeamOfItems(databaseUrl, service.address, items));
    entries.push({ subject, job: { ...PLAIN, name: `plain roll, ${items} items` } });
  }
  for (const { subject, job } of entries) await slice(subject, job, CONNECTIONS, WARM_UP_S);
  const rows = await inTurns(bare, entries);
  for (const row of rows) showRow(engine, row);
  const [few, many] = rows as [Row, Row];
  printTimes(`${MANY_ITEMS} items against ${FEW_ITEMS}`, ratioOf(few, many), GOAL_OF_SIZES);
  for (const { subject, job } of entries) await check(subject, `${job.name}: `);
};

const measureHistory = async ({ engine, bare }: Site, databaseUrl: string, service: Service): Promise<void> => {
  // The short history contains every item too, so that both responses have the same rows.
  const subjects: Subject[] = [];
  for (const rolls of [SHORT_HISTORY, HISTORY])
    subjects.push(await subjectOf(service, await createTeamOfHistory(databaseUrl, service.address, rolls)));
  for (const job of [STATISTICS, DROP_RATES, PLAIN]) {
    const entries = subjects.map((subject) => ({ subject, job }));
    for (const { subject } of entries) await slice(subject, job, CONNECTIONS, SLICE_S);
    const [short, long] = (await inTurns(bare, entries)) as [Row, Row];
    showRow(engine, long, { name: `${job.name}, ${HISTORY / 1e6}M rolls` });
    printTimes(
      `${HISTORY} rolls against ${SHORT_HISTORY}`,
      ratioOf(short, long),
      job === PLAIN ? undefined : GOAL_OF_HISTORY,
    );
  }
  for (const subject of subjects) await check(subject, 'with the prior history: ');
};

const measureWorkers = async (site: Site): Promise<void> => {
  const services: Service[] = [];
  try {
    const subjects: Subject[] = [];
    for (const workers of ['1', '2']) {
      const service = await startService(site, await site.createDatabase(`workers_${workers}`), { WORKERS: workers });
      services.push(service);
      subjects.push(await furnishedSubject(service));
    }
    for (const job of [PLAIN, GACHA]) {
      for (const subject of subjects) await slice(subject, job, CONNECTIONS, WARM_UP_S);
      const entries = subjects.map((subject, index) => ({
        subject,
        job: { ...job, name: `${job.name.split(',')[0]}, WORKERS=${index + 1}` },
      }));
      const rows = await inTurns(site.bare, entries);
      for (const row of rows) showRow(site.engine, row);
      const [one, two] = rows as [Row, Row];
      print(`  two workers are ${ratioOf(two, one).toFixed(2)} times as fast as one`);
    }
    for (const [index, subject] of subjects.entries()) await check(subject, `WORKERS=${index + 1}: `);
  } finally {
    for (const service of services) await service.stop();
  }
};

const measureEngine = async (site: Site): Promise<void> => {
  const databaseUrl = await site.createDatabase('ours');
  const service = await startService(site, databaseUrl);
  try {
    if (chosenJobs.length > 0) {
      const other =
        against === undefined ? undefined : await startService(site, await site.createDatabase('theirs'), {}, against);
      try {
        await measureJobs(site, await furnishedSubject(service), other && (await furnishedSubject(other)));
      } finally {
        await other?.stop();
      }
    }
    if (parts.has('sizes')) await measureSizes(site, databaseUrl, service);
    if (parts.has('history')) await measureHistory(site, databaseUrl, service);
  } finally {
    await service.stop();
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
      print('CPU: time per request in µs, of the service + of the database if it is a separate process');
      showHead();
      if (engines.has('sqlite')) {
        const createDatabase = async (name: string) => `sqlite:${join(folder, `${name}.db`)}`;
        await measureEngine({ engine: 'sqlite', bare, createDatabase });
      }
      if (postgres !== undefined) {
        const site = {
          engine: 'postgres',
          bare,
          createDatabase: postgres.create,
          databasePid: await postgres.pid(),
        } as const;
        await measureEngine(site);
        if (parts.has('workers')) await measureWorkers(site);
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
