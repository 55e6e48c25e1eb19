import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../test/processes.ts';

export interface Server {
  readonly address: string;
  readonly checkout: string;
  readonly pid: number;
  /** Resident memory of the process and its workers, in MiB. */
  readonly memory: () => number;
  readonly stop: () => Promise<void>;
}

/** With this many cores or more, the load generator gets a quarter of them to itself. */
const CORES_TO_SPLIT = 4;

/** The cores that this process may use; empty if the kernel does not say. */
const allowedCores = (): number[] => {
  try {
    const list = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    return list.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
    });
  } catch {
    return [];
  }
};

const splitCores = (): { readonly load: string; readonly servers: string } | undefined => {
  const cores = allowedCores();
  if (cores.length < CORES_TO_SPLIT || spawnSync('taskset', ['--version']).status !== 0) return undefined;
  const forLoad = Math.floor(cores.length / 4);
  return { load: cores.slice(0, forLoad).join(','), servers: cores.slice(forLoad).join(',') };
};

const CORES = splitCores();

/** Pins this process with all its threads; child processes inherit the pinning. */
const moveTo = (cores: string): void => {
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', cores, String(process.pid)]);
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
};

/** Starts something on the cores of the servers, and moves this process, the load generator, back to its own. */
export const startApart = async <T>(start: () => Promise<T>): Promise<T> => {
  if (CORES === undefined) return start();
  moveTo(CORES.servers);
  try {
    return await start();
  } finally {
    moveTo(CORES.load);
  }
};

export const describeCores = (): string =>
  CORES === undefined
    ? `the load generator is not pinned: ${availableParallelism() < CORES_TO_SPLIT ? `fewer than ${CORES_TO_SPLIT} cores` : 'taskset is not available'}`
    : `the load generator is pinned to core ${CORES.load}, everything else to ${CORES.servers}`;

/** Resident memory of a process and its children, as reported by the kernel; zero on other systems. */
const residentMib = (pid: number): number => {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    return children.reduce((sum, child) => sum + residentMib(child), own);
  } catch {
    return Number.NaN;
  }
};

const MS_PER_TICK = 10;

/**
 * CPU time that a process, its threads and its children have used so far, those that have ended included; not a number
 * if the kernel does not say.
 */
export const cpuMs = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = fields.slice(11);
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
    // Ticks are coarse, above all for the many processes of a database. What is exact lacks threads that have ended.
    const exactMs = threads
      .map((thread) => Number.parseInt(readFileSync(`${thread}/schedstat`, 'utf8'), 10) / 1e6)
      .reduce((sum, ms) => sum + ms, 0);
    const own = Math.max(exactMs, (user + system) * MS_PER_TICK);
    const children = threads.flatMap((thread) =>
      readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    // A child that has ended meanwhile is missing once.
    return children.reduce((sum, child) => sum + (cpuMs(child) || 0), own + (reapedUser + reapedSystem) * MS_PER_TICK);
  } catch {
    return Number.NaN;
  }
};

const HERE = join(import.meta.dirname, '..');

/** The Node flags of `npm start`, so that the benchmark runs what is deployed. */
const startFlags = (checkout: string): string[] => {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
};

/** Starts a script of this or another checkout as a process, and waits until it is listening. */
export const startServer = (script: string, environment: Record<string, string>, checkout = HERE): Promise<Server> =>
  startApart(async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [...startFlags(checkout), join(checkout, script)], {
      cwd: checkout,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: String(port), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${script} of ${checkout} exited with ${code}: ${said}`)));
      child.stdout.on('data', (chunk: Buffer) => {
        if (chunk.includes('listening')) resolve();
      });
    });
    // The log is not read any more, but a full pipe would block the service.
    child.stdout.removeAllListeners('data').resume();
    return {
      address: `http://127.0.0.1:${port}`,
      checkout,
      pid: child.pid as number,
      memory: () => residentMib(child.pid as number),
      stop: () =>
        new Promise((resolve) => {
          child.removeAllListeners('exit');
          if (child.exitCode !== null || child.signalCode !== null) return resolve();
          child.once('exit', () => resolve());
          child.kill('SIGTERM');
        }),
    };
  });
