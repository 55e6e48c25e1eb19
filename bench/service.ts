/**
 * Measures the service against Node's bare HTTP server, in turns within the same run, with responses of the same length:
 * the results are shares of what the machine could do at that moment, since it may be shared with other work.
 *
 *   --quick            few short slices and little history: shows that it works, but measures nothing
 *   --against DIR      also measures the service of another checkout, in turns with this one
 *   --only=gacha,kept  only some parts: plain, gacha, kept, list, one, hot, grant, sizes, large, first,
 *                     history, workers
 *   --engine=postgres  only one database: sqlite or postgres
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/postgres.ts';
import {
  ask,
  bagId,
  bagOf,
  COLLECTORS,
  collectorId,
  createTeamOfHistory,
  createTeamOfItems,
  createTeamOfPlayers,
  FIRST_TEAM,
  furnish,
  get,
  INSTANCES,
  ITEMS,
  instanceId,
  itemId,
  ownedId,
  PLACED_EVERY,
  type Players,
  playerId,
  skip,
  type Team,
  USERS,
  userIdOf,
} from './fixture.ts';
import type { Measured, Request } from './load.ts';
import { cpuMs, describeCores, type Server, startApart, startServer } from './processes.ts';
import {
  assertCounted,
  CONNECTIONS,
  check,
  cpuRatioOf,
  inTurns,
  type Job,
  median,
  print,
  QUICK,
  type Row,
  ratioOf,
  type Service,
  SLICE_S,
  type Subject,
  showHead,
  showRow,
  slice,
  subjectOf,
  TURNS,
  WARM_UP_S,
  watch,
} from './slices.ts';

const PARTS = [
  'plain',
  'gacha',
  'kept',
  'list',
  'one',
  'hot',
  'grant',
  'sizes',
  'large',
  'first',
  'history',
  'workers',
] as const;
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

const MANY_CONNECTIONS = 256;
const MANY_ITEMS = QUICK ? 5000 : 100_000;
const FEW_ITEMS = 10;
const HISTORY = QUICK ? 100_000 : 5_000_000;
const SHORT_HISTORY = 6000;
/** Enough players that no two requests for one of them meet, and that those with few instances stay that way. */
const SMALL: Players = { name: 'small', count: 640, instances: 100 };
const LARGE: Players = { name: 'large', count: CONNECTIONS, instances: QUICK ? 1000 : 10_000 };
/** For this many users, check that they have exactly what the responses said. */
const WATCHED_USERS = 60;

/** With many connections, of the goal for the share. */
const GOAL_OF_MANY_CONNECTIONS = 0.9;
const GOAL_OF_MEMORY_MIB = 300;
/** A large catalog against a small one, and a player with many instances against one with few. */
const GOAL_OF_SIZES = 1.3;
const GOAL_OF_FIRST_ROLL_S = 3;
const GOAL_OF_HISTORY = 1.5;

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
  requests: repeat(COLLECTORS, (collector) => getting(`/item-instances?userId=${collectorId(collector)}&limit=100`)),
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

/** The first team of a service, furnished for the jobs. */
const furnishedSubject = async (service: Service): Promise<Subject> => {
  const subject = await subjectOf(service, await furnish(service.address));
  for (let watched = 0; watched < WATCHED_USERS; watched += 1) {
    const user = Math.floor((watched * USERS) / WATCHED_USERS);
    await watch(subject, userIdOf(user), [KEPT.requests[user] as Request, GRANT.requests[user] as Request]);
  }
  return subject;
};

/** Checks a team of the jobs, and that the rolls of the hot player were counted exactly. */
const checkJobs = async (subject: Subject, whose?: string): Promise<void> => {
  await check(subject, whose);
  const hot = subject.reported.get(HOT);
  if (hot === undefined) return;
  const { rolls } = await get<{ rolls: number }>(subject.team, `/users/${HOT_USER}/templates/banner`);
  assertCounted(rolls, hot, HOT_USER);
  print(`  ${whose ?? ''}${hot.succeeded} rolls of the hot player reported, ${rolls} counted`);
};

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
      const [our, their] = (await inTurns(bare, entries, connections)) as [Row, Row?];
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
  if (parts.has('hot')) await measureNeighbours(engine, ours);
  await checkJobs(ours);
  if (theirs !== undefined) await checkJobs(theirs, 'theirs: ');
};

const HALF = CONNECTIONS / 2;

/** Rolls for spread players on half of the connections, beside rolls for others or for one hot player on the rest. */
const measureNeighbours = async (engine: Engine, subject: Subject): Promise<void> => {
  const neighbours = [GACHA, HOT];
  const slices = neighbours.map((): (readonly [Measured, Measured])[] => []);
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [index, job] of neighbours.entries())
      slices[index]?.push(
        await Promise.all([slice(subject, GACHA, HALF, SLICE_S), slice(subject, job, HALF, SLICE_S)]),
      );
  const describe = (all: readonly Measured[]): string => {
    const of = (name: 'perSecond' | 'p50' | 'p99'): number => Math.round(median(all.map((one) => one[name])));
    return `${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms`;
  };
  for (const [index, all] of slices.entries()) {
    const [spread, beside] = [0, 1].map((side) => describe(all.map((both) => both[side] as Measured)));
    print(`  ${engine}, spread players on ${HALF} connections: ${spread}`);
    print(`    beside ${neighbours[index] === HOT ? 'one hot player' : 'other spread players'} on ${HALF}: ${beside}`);
  }
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

/** Positions that an instance is moved among, in a row of the bag that nothing else reaches. */
const MOVES = 8;
const MOVED = 4;
const FIRST_ROW_OF_MOVES = 100;

/** The same operations for each kind of players. Lists and single instances are read of the first player. */
const jobsOf = async (team: Team, players: Players): Promise<Job[]> => {
  const { count, instances } = players;
  const first = playerId(players, 0);
  const list = `/item-instances?userId=${first}`;
  const perPlayer = (make: (userId: string, player: number) => Request): Request[] =>
    repeat(count, (player) => make(playerId(players, player), player));
  return [
    { name: 'first page of 100', requests: [getting(`${list}&limit=100`)] },
    { name: 'middle page of 50', requests: [getting(`${await skip(team, list, instances / 4)}&limit=50`)] },
    {
      name: 'read one',
      // From the first to the last, as many of them placed for each kind.
      requests: repeat(100, (index) =>
        getting(`/item-instances/${ownedId(first, index * Math.floor((instances - 1) / 99))}`),
      ),
    },
    {
      name: 'grant',
      requests: perPlayer((userId, player) => posting('/item-instances', { userId, itemId: itemId(player % ITEMS) })),
    },
    {
      name: 'gacha, kept',
      requests: perPlayer((userId) => posting('/templates/banner/roll', { userId, grant: true })),
      rolls: true,
    },
    {
      name: 'kept and placed',
      requests: perPlayer((userId) => posting('/items/roll', { userId, userSpaceId: bagOf(userId) })),
      rolls: true,
    },
    {
      name: 'move',
      requests: repeat(CONNECTIONS * MOVED * MOVES, (index) => {
        const userId = playerId(players, index % CONNECTIONS);
        const moved = Math.floor(index / CONNECTIONS) % MOVED;
        return posting(`/item-instances/${ownedId(userId, moved * PLACED_EVERY)}/move`, {
          userId,
          spacePositionX: Math.floor(index / CONNECTIONS / MOVED),
          spacePositionY: FIRST_ROW_OF_MOVES + moved,
        });
      }),
    },
  ];
};

const measureLarge = async ({ engine, bare }: Site, databaseUrl: string, service: Service): Promise<void> => {
  const team = await createTeamOfPlayers(databaseUrl, service.address, [SMALL, LARGE]);
  const subject = await subjectOf(service, team);
  const jobs = { small: await jobsOf(team, SMALL), large: await jobsOf(team, LARGE) };
  // Nothing of the last player is moved.
  const last = SMALL.count - 1;
  await watch(
    subject,
    playerId(SMALL, last),
    jobs.small.flatMap(({ requests }) => (requests.length === SMALL.count ? (requests[last] as Request) : [])),
  );
  for (const [index, large] of jobs.large.entries()) {
    const entries = [jobs.small[index] as Job, large].map((job) => ({ subject, job }));
    for (const { job } of entries) await slice(subject, job, CONNECTIONS, WARM_UP_S);
    const [few, many] = (await inTurns(bare, entries)) as [Row, Row];
    showRow(engine, few, { name: `${few.job.name}, ${SMALL.instances}` });
    showRow(engine, many, { name: `${many.job.name}, ${LARGE.instances}` });
    const cpu = cpuRatioOf(many, few);
    print(
      `  ${LARGE.instances} instances against ${SMALL.instances}: ${cpu.toFixed(2)} times the CPU time${verdictOnMost(cpu, GOAL_OF_SIZES)}; ${ratioOf(few, many).toFixed(2)} times as long`,
    );
  }
  await check(subject, `players with ${SMALL.instances} and ${LARGE.instances} instances: `);
};

/** The first rolls of a service that has just started, which load and compile the catalog. */
const measureFirst = async (site: Site): Promise<void> => {
  const databaseUrl = await site.createDatabase('first');
  const before = await startService(site, databaseUrl);
  const made = await createTeamOfItems(databaseUrl, before.address, MANY_ITEMS, { withBanner: true });
  await before.stop();
  const service = await startService(site, databaseUrl);
  try {
    // What it does after its start is not part of the first roll.
    await pause(1000);
    const team = { ...made, address: service.address };
    for (const { name, requests } of [PLAIN, GACHA]) {
      const { method, path, body } = requests[0] as Request;
      const beforeMs = service.pids.map(cpuMs);
      await ask(team, method, path, body);
      const [ownS = 0, ...databaseS] = service.pids.map(
        (pid, index) => (cpuMs(pid) - (beforeMs[index] as number)) / 1000,
      );
      const shown = [ownS, ...databaseS].map((seconds) => seconds.toFixed(2)).join(' + ');
      print(
        `  ${site.engine}, first ${name} among ${MANY_ITEMS} items: ${shown} s of CPU time${verdictOnMost(ownS, GOAL_OF_FIRST_ROLL_S)}`,
      );
    }
    printMemory('after these rolls', service);
  } finally {
    await service.stop();
  }
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
    if (parts.has('large')) await measureLarge(site, databaseUrl, service);
    if (parts.has('history')) await measureHistory(site, databaseUrl, service);
  } finally {
    await service.stop();
  }
  if (parts.has('first')) await measureFirst(site);
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
