/**
 * Measures the whole service against Node's bare HTTP server, both in the same run, in turns, with answers of the same
 * length: the figures are shares of what the machine could do at that moment, since these machines are shared.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '../test/postgres.ts';
import { furnish, get, PLAYERS, type Team, writeHistory } from './fixture.ts';
import { type Load, type Measured, measure } from './load.ts';
import { type Server, startServer } from './processes.ts';

const QUICK = process.argv.includes('--quick');
/** What has a goal is measured longer than what is only shown. */
const SLICE_S = QUICK ? 1 : 2;
const SHORT_SLICE_S = 1;
const WARM_UP_S = 2;
const CONNECTIONS = QUICK ? [64] : [1, 64, 256];
const HISTORY = QUICK ? 100_000 : 5_000_000;
const SIZES = QUICK ? [10, 1000] : [10, 1000, 100_000];

const say = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

const bodies = (make: (player: number) => object): string[] =>
  Array.from({ length: PLAYERS }, (_, player) => JSON.stringify(make(player)));

interface Job {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly bodies?: readonly string[];
  readonly goal: { readonly sqlite?: number; readonly postgres?: number };
}

const JOBS: readonly Job[] = [
  { name: 'plain roll', method: 'POST', path: '/items/roll', goal: { sqlite: 0.55, postgres: 0.5 } },
  {
    name: 'gacha roll with pity',
    method: 'POST',
    path: '/templates/banner/roll',
    bodies: bodies((player) => ({ userId: `player-${player}` })),
    goal: { sqlite: 0.35 },
  },
  {
    name: 'roll kept and placed',
    method: 'POST',
    path: '/items/roll',
    bodies: bodies((player) => ({ userId: `player-${player}`, userSpaceId: `bag-${player}` })),
    goal: { sqlite: 0.25 },
  },
  { name: 'list of 100 instances', method: 'GET', path: '/item-instances?userId=collector&limit=100', goal: {} },
];

/** How long the answer of a job is, so that the bare server answers as much. */
const answerLength = async (
  address: string,
  team: Team,
  { method, path, bodies: [body] = [] }: Job,
): Promise<number> => {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      authorization: team.authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
  });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.text()).length;
};

interface Compared extends Measured {
  readonly share: number;
  readonly bare: number;
}

/** The service between two slices of the bare server, so that a machine that gets busier meanwhile harms both. */
const compare = async (
  bare: Server,
  service: Server,
  team: Team,
  job: Job,
  connections: number,
  seconds = SLICE_S,
): Promise<Compared> => {
  const length = await answerLength(service.address, team, job);
  const load = { method: job.method, bodies: job.bodies, connections };
  const bareLoad: Load = { ...load, url: `${bare.address}/${length}`, seconds: seconds / 2 };
  const ourLoad: Load = {
    ...load,
    url: `${service.address}${job.path}`,
    seconds,
    authorization: team.authorization,
  };
  await measure({ ...ourLoad, seconds: 0.5 });
  const before = await measure(bareLoad);
  const ours = await measure(ourLoad);
  const after = await measure(bareLoad);
  if (ours.refused > 0) throw new Error(`${job.name}: ${ours.refused} requests were refused`);
  const bareRate = (before.perSecond + after.perSecond) / 2;
  return { ...ours, bare: bareRate, share: ours.perSecond / bareRate };
};

const warmUp = async (service: Server, team: Team, { method, path, bodies: given }: Job): Promise<void> => {
  const url = `${service.address}${path}`;
  await measure({ url, method, bodies: given, connections: 64, seconds: WARM_UP_S, authorization: team.authorization });
};

const cell = (value: string | number, width: number): string => String(value).padStart(width);

const showRow = (
  engine: string,
  name: string,
  connections: number,
  result: Compared,
  memory: number,
  goal?: number,
): void => {
  const verdict = goal === undefined ? '' : result.share >= goal ? `≥ ${goal} met` : `goal ${goal} missed`;
  say(
    `| ${engine.padEnd(8)} | ${name.padEnd(22)} | ${cell(connections, 4)} | ${cell(result.share.toFixed(2), 5)} | ${cell(Math.round(result.perSecond), 7)} | ${cell(Math.round(result.bare), 7)} | ${cell(result.p50, 4)} | ${cell(result.p99, 4)} | ${cell(Math.round(memory), 5)} | ${verdict}`,
  );
};

const HEAD = [
  '| engine   | job                    | conn | share |     /s |  bare/s |  p50 |  p99 |   MiB | goal at 64',
  '|----------|------------------------|-----:|------:|-------:|--------:|-----:|-----:|------:|-----------',
];

const totalRolls = async (service: Server, team: Team): Promise<number> =>
  (await get<{ totalRolls: number }>(service.address, team, '/roll-events/stats')).totalRolls;

/** Plain rolls must be counted, each once: those that were answered, and at most one more for each connection cut off. */
const checkCounted = async (service: Server, team: Team): Promise<void> => {
  const before = await totalRolls(service, team);
  const { answered } = await measure({
    url: `${service.address}/items/roll`,
    method: 'POST',
    connections: 64,
    seconds: 1,
    authorization: team.authorization,
  });
  const counted = (await totalRolls(service, team)) - before;
  if (counted < answered || counted > answered + 64)
    throw new Error(`${answered} rolls were answered and ${counted} counted`);
  say(`  answered ${answered}, counted ${counted} (at most 64 more were under way when the measurement ended)`);
};

const plainRoll = JOBS[0] as Job;

const measureEngine = async (engine: 'sqlite' | 'postgres', databaseUrl: string, bare: Server): Promise<void> => {
  const service = await startServer('src/main.ts', { DATABASE_URL: databaseUrl });
  try {
    const team = await furnish(databaseUrl, service.address, 200);
    // A server that has just started is still being compiled; what is measured is one that runs.
    for (const job of JOBS.slice(0, 3)) await warmUp(service, team, job);
    for (const job of JOBS) {
      for (const connections of CONNECTIONS) {
        const seconds = connections === 64 && job.goal[engine] !== undefined ? SLICE_S : SHORT_SLICE_S;
        const result = await compare(bare, service, team, job, connections, seconds);
        showRow(
          engine,
          job.name,
          connections,
          result,
          service.memory(),
          connections === 64 ? job.goal[engine] : undefined,
        );
      }
    }
    await checkCounted(service, team);

    const sizes: Compared[] = [];
    for (const size of SIZES) {
      const sized = await furnish(databaseUrl, service.address, size);
      const result = await compare(bare, service, sized, plainRoll, 64, size === 1000 ? SHORT_SLICE_S : SLICE_S);
      sizes.push(result);
      showRow(engine, `plain roll, ${size} items`, 64, result, service.memory());
    }
    const slowdown = (sizes[0] as Compared).share / (sizes.at(-1) as Compared).share;
    say(`  ${SIZES.at(-1)} items against ${SIZES[0]}: ${slowdown.toFixed(2)} times the time (goal 1.3)`);

    const jobs: Job[] = [
      { name: 'statistics', method: 'GET', path: '/roll-events/stats', goal: {} },
      { name: 'drop rates', method: 'GET', path: '/roll-events/drop-rates', goal: {} },
    ];
    const fresh = await furnish(databaseUrl, service.address, 200);
    // A first roll of every item, so that both answers have the same rows.
    await writeHistory(databaseUrl, fresh, 200, 30 * 200);
    const without: Compared[] = [];
    for (const job of jobs) without.push(await compare(bare, service, fresh, job, 64));
    const veteran = await furnish(databaseUrl, service.address, 200);
    await writeHistory(databaseUrl, veteran, 200, HISTORY);
    for (const [index, job] of jobs.entries()) {
      const result = await compare(bare, service, veteran, job, 64);
      showRow(engine, `${job.name}, ${HISTORY / 1e6}M rolls`, 64, result, service.memory());
      say(
        `  against 6,000 rolls: ${((without[index] as Compared).share / result.share).toFixed(2)} times the time (goal 1.5)`,
      );
    }
    showRow(
      engine,
      `plain roll, ${HISTORY / 1e6}M rolls`,
      64,
      await compare(bare, service, veteran, plainRoll, 64, SHORT_SLICE_S),
      service.memory(),
    );
  } finally {
    await service.stop();
  }
};

const measureWorkers = async (postgres: Postgres, bare: Server): Promise<void> => {
  for (const workers of ['1', '2']) {
    const databaseUrl = await postgres.create(`workers_${workers}`);
    const service = await startServer('src/main.ts', { DATABASE_URL: databaseUrl, WORKERS: workers });
    try {
      const team = await furnish(databaseUrl, service.address, 200);
      for (const job of JOBS.slice(0, 2)) {
        const result = await compare(bare, service, team, job, 64, SHORT_SLICE_S);
        showRow(
          'postgres',
          `${job.name.replace(' with pity', '')}, ${workers} worker${workers === '1' ? '' : 's'}`,
          64,
          result,
          service.memory(),
        );
      }
    } finally {
      await service.stop();
    }
  }
};

const run = async (): Promise<void> => {
  const startedMs = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-bench-'));
  const postgres = await startPostgres({ durable: true });
  const bare = await startServer('bench/bare-server.ts', {});
  try {
    say(
      `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, ${process.platform} ${process.arch}`,
    );
    say('share: requests a second as a part of those of bare node:http in the same minute; p50 and p99 in ms');
    for (const line of HEAD) say(line);
    await measureEngine('sqlite', `sqlite:${join(folder, 'bench.db')}`, bare);
    await measureEngine('postgres', await postgres.create('bench'), bare);
    await measureWorkers(postgres, bare);
    say(`took ${Math.round((performance.now() - startedMs) / 1000)} s`);
  } finally {
    await bare.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

await run();
