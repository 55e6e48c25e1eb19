import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Running, run } from '../processes.ts';
import { cheapDraws } from '../statistics.ts';
import { createDisk, type Disk } from './disk.ts';
import { type Answered, createLoad, nowNs, TEAM } from './load.ts';
import { type Did, readTrace } from './trace.ts';

/** All that happened to a disk, over several lives of a service, and all that was answered meanwhile. */
export interface Story {
  readonly root: string;
  readonly lives: readonly (readonly Did[])[];
  /** In the order of time. */
  readonly answered: readonly Answered[];
}

/** Where the database is under the root of the disk: in folders that the service has to make. */
export const DATABASE = 'data/games/itemwright.db';

/** Goes through a story, and stops after each thing that was done. */
export function* walk(
  { root, lives }: Pick<Story, 'root' | 'lives'>,
  isSeen: (did: Did) => boolean = () => true,
): Generator<{ readonly disk: Disk; readonly did: Did; readonly index: number }> {
  const disk = createDisk(root);
  let index = 0;
  for (const life of lives) {
    disk.nextProcess();
    for (const did of life) {
      if (isSeen(did)) disk.apply(did);
      yield { disk, did, index };
      index += 1;
    }
  }
}

const filesUnder = async (root: string): Promise<Map<string, Buffer>> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
};

/** The files as everyone sees them while the power is on. */
const filesAfter = (story: Pick<Story, 'root' | 'lives'>): Map<string, Buffer> => {
  let last: Disk | undefined;
  for (const { disk } of walk(story)) last = disk;
  const files = new Map<string, Buffer>();
  for (const [path, bytes] of last?.cut('everything', Math.random) ?? [])
    if (bytes !== undefined) files.set(path, bytes);
  return files;
};

/**
 * The records must explain every byte that is there: a write that the recorder did not see would go unnoticed otherwise.
 * A service that was killed may have recorded, last of all, a change that it did not come to make.
 */
const assertExplained = async (root: string, lives: readonly Did[][], wasKilled: boolean): Promise<void> => {
  const found = await filesUnder(root);
  const isExplained = (): boolean => {
    const files = filesAfter({ root, lives });
    return files.size === found.size && [...found].every(([path, bytes]) => files.get(path)?.equals(bytes));
  };
  if (isExplained()) return;
  if (wasKilled) lives.at(-1)?.pop();
  assert.ok(wasKilled && isExplained(), `the records do not explain ${[...found.keys()].join(', ')}`);
};

type Life = (load: ReturnType<typeof createLoad>, running: Running, requests: number) => Promise<void>;

const stop = ({ child }: Running): void => void child.kill('SIGTERM');
const kill = ({ child }: Running): void => {
  if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
};

/** A service is started where nothing is, and told to stop; one is killed; one finds what was left, and is told to stop. */
export const LIVES = {
  first: async (load, running, requests) => {
    await load.prepare();
    await load.call(requests);
    stop(running);
  },
  killed: (load, running, requests) => load.call(requests, () => kill(running)),
  last: async (load, running, requests) => {
    await load.repeat();
    await load.call(requests);
    stop(running);
  },
} satisfies Record<string, Life>;

interface Recording {
  /** The recorder, compiled. */
  readonly library: string;
  readonly folder: string;
  readonly seed: number;
  /** How many requests each life answers, at least. */
  readonly requests: number;
  readonly syncs: 'all' | 'none';
}

const start = ({ library, syncs }: Recording, root: string, trace: string): Running =>
  run(
    'test/power-cut/service.ts',
    [],
    {
      ...{ PORT: '0', DATABASE_URL: `sqlite:${join(root, DATABASE)}` },
      ...{ ITEMWRIGHT_TEAM_ID: TEAM.id, ITEMWRIGHT_SECRET: TEAM.secret },
      ...{ LD_PRELOAD: library, POWER_CUT_ROOT: root, POWER_CUT_TRACE: trace, POWER_CUT_SYNCS: syncs },
      // Without calls to the C library nothing would be seen.
      UV_USE_IO_URING: '0',
    },
    { ownGroup: true },
  );

/** Runs a service for each of the lives in turn, on one disk, and records what becomes of it. */
export const recordStory = async (lives: readonly Life[], recording: Recording): Promise<Story> => {
  const root = join(recording.folder, `disk with ${recording.syncs} syncs`);
  await mkdir(root);
  const load = createLoad(cheapDraws(recording.seed));
  const traces: Did[][] = [];
  const answered: Answered[] = [];
  for (const live of lives) {
    const trace = `${root}, life ${traces.length}`;
    const running = start(recording, root, trace);
    try {
      if (traces.length === 0) {
        // Its secret is shown this once, so it must be there from now on.
        await running.said('created its first team');
        answered.push({ mark: `team ${TEAM.id}`, timeNs: nowNs() });
      }
      await running.said('"msg":"listening"');
      load.serviceAt(/"address":"([^"]+)"/.exec(running.stdout())?.[1] as string);
      await live(load, running, recording.requests);
      const { code, stderr } = await running.ended;
      const wasKilled = running.child.signalCode === 'SIGKILL';
      assert.ok(wasKilled || code === 0, stderr);
      traces.push(await readTrace(trace));
      await assertExplained(root, traces, wasKilled);
    } finally {
      kill(running);
    }
  }
  answered.push(...load.answered);
  return { root, lives: traces, answered: answered.sort((a, b) => a.timeNs - b.timeNs) };
};
