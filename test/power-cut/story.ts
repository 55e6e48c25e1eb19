import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Running, run } from '../processes.ts';
import { cheapDraws } from '../statistics.ts';
import { createDisk, type Disk } from './disk.ts';
import { type Acknowledged, createLoad, nowNs, TEAM } from './load.ts';
import { type Did, readTrace } from './trace.ts';

/** Everything that happened to a disk, over several lives of a service, and all responses. */
export interface Story {
  readonly root: string;
  readonly lives: readonly (readonly Did[])[];
  /** In chronological order. */
  readonly acknowledged: readonly Acknowledged[];
}

/** The path of the database under the root of the disk: in folders that the service has to create. */
export const DATABASE = 'data/games/itemwright.db';

/** Replays a story, and stops after each operation. */
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
 * The records must explain every byte on disk: otherwise a write that the recorder missed would go unnoticed. A killed
 * service may have recorded, as its last record, a change that it did not make.
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

/** One service starts on an empty disk and is told to stop; one is killed; one recovers and is told to stop. */
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
  /** The compiled recorder. */
  readonly library: string;
  readonly folder: string;
  readonly seed: number;
  /** The minimum number of responses of each life. */
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
      // Without calls to the C library nothing would be recorded.
      UV_USE_IO_URING: '0',
    },
    { ownGroup: true },
  );

/** Runs a service for each of the lives in turn, on one disk, and records what happens to it. */
export const recordStory = async (lives: readonly Life[], recording: Recording): Promise<Story> => {
  const root = join(recording.folder, `disk with ${recording.syncs} syncs`);
  await mkdir(root);
  const load = createLoad(cheapDraws(recording.seed));
  const traces: Did[][] = [];
  const acknowledged: Acknowledged[] = [];
  for (const live of lives) {
    const trace = `${root}, life ${traces.length}`;
    const running = start(recording, root, trace);
    try {
      if (traces.length === 0) {
        // The secret is shown only this once, so the team must survive from now on.
        await running.said('created its first team');
        acknowledged.push({ mark: `team ${TEAM.id}`, timeNs: nowNs() });
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
  acknowledged.push(...load.acknowledged);
  return { root, lives: traces, acknowledged: acknowledged.sort((a, b) => a.timeNs - b.timeNs) };
};
