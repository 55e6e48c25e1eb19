/**
 * What events cost: rolls of a team that keeps the usual events against those of one that keeps none, in many short turns
 * on the same service; how fast a feed is read while it is written; and what idle streams cost.
 *
 *   --against DIR      also rolls on the service of another checkout
 *   --engine=postgres  only one database: sqlite or postgres
 *   --turns=40         turns of each kind of roll
 *   --only=rolls       only some parts: rolls, feed, streams
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/postgres.ts';
import { createTeamOfItems, FIRST_TEAM, get, ITEMS, put, type Team, userIdOf } from './fixture.ts';
import { measure, type Request } from './load.ts';
import { cpuMs, type Server, startServer } from './processes.ts';
import { median, print } from './slices.ts';

const { values: options } = parseArgs({
  options: {
    against: { type: 'string' },
    engine: { type: 'string' },
    turns: { type: 'string', default: '40' },
    only: { type: 'string', default: 'rolls,feed,streams' },
  },
});
const PARTS = new Set(options.only.split(','));
const TURNS = Number(options.turns);
const CONNECTIONS = 32;
const SLICE_S = 0.4;
const STREAMS = 1000;
const IDLE_S = 30;

const rolls = (body: (userId: string) => object, path: string): Request[] =>
  Array.from({ length: 500 }, (_, user) => ({
    method: 'POST',
    path,
    body: JSON.stringify(body(userIdOf(user))),
  }));

const KINDS: Readonly<Record<string, readonly Request[]>> = {
  'plain roll': rolls(() => ({}), '/items/roll'),
  'gacha roll': rolls((userId) => ({ userId }), '/templates/banner/roll'),
  'gacha roll, kept': rolls((userId) => ({ userId, grant: true }), '/templates/banner/roll'),
};

/** A team that rolls, with the processes that work for it. */
interface Subject {
  readonly name: string;
  readonly team: Team;
  readonly pids: readonly number[];
}

/** CPU time per roll in µs, of each process. */
const rollsOf = async ({ team, pids }: Subject, requests: readonly Request[], seconds = SLICE_S) => {
  const before = pids.map(cpuMs);
  const { succeeded, failures } = await measure({ ...team, requests, connections: CONNECTIONS, seconds, atLeast: 200 });
  if (failures !== '') throw new Error(failures);
  return pids.map((pid, index) => (1000 * (cpuMs(pid) - (before[index] as number))) / succeeded);
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** What happens between two turns, such as the writing of pages, goes to either of them: so there are many. */
const compareRolls = async (engine: string, subjects: readonly Subject[]): Promise<void> => {
  for (const [kind, requests] of Object.entries(KINDS)) {
    const turns: number[][][] = subjects.map(() => []);
    for (const subject of subjects) await rollsOf(subject, requests, 2);
    for (let turn = 0; turn < TURNS; turn += 1) {
      const order = [...subjects.keys()];
      if (turn % 2 === 1) order.reverse();
      for (const index of order) turns[index]?.push(await rollsOf(subjects[index] as Subject, requests));
    }
    const base = turns[0] as number[][];
    for (const [index, { name }] of subjects.entries()) {
      const own = turns[index] as number[][];
      const each = own[0]?.map((_, process) => median(own.map((cpu) => cpu[process] as number))) ?? [];
      const ratio = median(own.map((cpu, turn) => sum(base[turn] as number[]) / sum(cpu)));
      const mean = sum(base.map(sum)) / sum(own.map(sum));
      print(
        `| ${engine} | ${kind} | ${name} | ${each.map(Math.round).join(' + ')} | ${ratio.toFixed(3)} | ${mean.toFixed(3)} |`,
      );
    }
  }
};

interface Page {
  readonly data: readonly unknown[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

/** Events per second that are written, and how many a reader gets meanwhile who begins with the oldest again and again. */
const compareReading = async (engine: string, { team, pids }: Subject): Promise<void> => {
  const requests = KINDS['gacha roll, kept'] as readonly Request[];
  const before = await get<Page>(team, '/events?after=now');
  const startMs = performance.now();
  const cpuBefore = sum(pids.map(cpuMs));
  await rollsOf({ name: '', team, pids }, requests, 5);
  const writingMs = performance.now() - startMs;
  const writingCpu = sum(pids.map(cpuMs)) - cpuBefore;
  let written = 0;
  const readStartMs = performance.now();
  const readCpuBefore = sum(pids.map(cpuMs));
  for (let cursor = before.cursor, hasMore = true; hasMore; ) {
    const page = await get<Page>(team, `/events?after=${cursor}&limit=1000`);
    written += page.data.length;
    ({ cursor, hasMore } = page);
  }
  const readMs = performance.now() - readStartMs;
  const readCpu = sum(pids.map(cpuMs)) - readCpuBefore;
  print(
    `| ${engine} | ${written} | ${Math.round((1000 * written) / writingMs)} | ${Math.round((1000 * written) / readMs)} | ` +
      `${(writingMs / readMs).toFixed(1)} | ${((1000 * writingCpu) / written).toFixed(0)} | ${((1000 * readCpu) / written).toFixed(0)} |`,
  );
};

/** Memory and CPU time of streams on which nothing happens but comments that keep them open. */
const idle = async (engine: string, server: Server, { team, pids }: Subject): Promise<void> => {
  const agent = new Agent({ keepAlive: false });
  const cpuOf = async (): Promise<number> => {
    const before = sum(pids.map(cpuMs));
    await pause(IDLE_S * 1000);
    return (sum(pids.map(cpuMs)) - before) / (IDLE_S * 10);
  };
  await pause(5000);
  const without = await cpuOf();
  const memoryBefore = server.memory();
  const open = await Promise.all(
    Array.from(
      { length: STREAMS },
      () =>
        new Promise<{ destroy: () => void }>((done, fail) => {
          const { hostname, port } = new URL(team.address);
          const headers = { authorization: team.authorization, accept: 'text/event-stream' };
          const sent = request({ hostname, port, path: '/events?after=now', headers, agent }, (response) => {
            if (response.statusCode !== 200) fail(new Error(String(response.statusCode)));
            response.resume();
            response.once('data', () => done(sent));
          });
          sent.on('error', () => {}).end();
        }),
    ),
  );
  await pause(5000);
  const withStreams = await cpuOf();
  const memory = server.memory() - memoryBefore;
  print(`| ${engine} | ${open.length} | ${memory.toFixed(0)} | ${without.toFixed(2)} | ${withStreams.toFixed(2)} |`);
  for (const one of open) one.destroy();
};

const checkouts = [undefined, ...(options.against === undefined ? [] : [resolve(options.against)])];
const ROWS: Record<string, string> = {
  rolls: '| engine | roll | team | CPU, µs | ratio, median of turns | ratio of means |\n|---|---|---|---:|---:|---:|',
  feed: '| engine | events | written/s | read/s | times | CPU written, µs | CPU read, µs |\n|---|---:|---:|---:|---:|---:|---:|',
  streams: '| engine | streams | MiB | CPU without, % | CPU with, % |\n|---|---:|---:|---:|---:|',
};

for (const engine of ['sqlite', 'postgres']) {
  if (options.engine !== undefined && options.engine !== engine) continue;
  const directory = await mkdtemp(join(tmpdir(), 'bench-events-'));
  const postgres = engine === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  const servers: Server[] = [];
  try {
    const subjects: Subject[] = [];
    for (const [index, checkout] of checkouts.entries()) {
      const url =
        postgres === undefined ? `sqlite:${join(directory, `${index}.db`)}` : await postgres.create(`events_${index}`);
      const server = await startServer('src/main.ts', { DATABASE_URL: url, ...FIRST_TEAM }, checkout);
      servers.push(server);
      const pids = [server.pid, ...(postgres === undefined ? [] : [await postgres.pid()])];
      const team = () => createTeamOfItems(url, server.address, ITEMS, { withBanner: true });
      if (checkout === undefined) {
        const quiet = await team();
        await put(quiet, '/team/events', { types: [] });
        subjects.push({ name: 'none', team: quiet, pids }, { name: 'usual events', team: await team(), pids });
      } else subjects.push({ name: checkout, team: await team(), pids });
    }
    for (const [part, work] of Object.entries({
      rolls: () => compareRolls(engine, subjects),
      feed: () => compareReading(engine, subjects[1] as Subject),
      streams: () => idle(engine, servers[0] as Server, subjects[1] as Subject),
    })) {
      if (!PARTS.has(part)) continue;
      print(ROWS[part]);
      await work();
    }
  } finally {
    for (const server of servers) await server.stop();
    await postgres?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
