import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isUp } from './postgres.ts';
import { freePort } from './processes.ts';

interface Found {
  /** The folder with the programs of the server. */
  readonly programs?: string;
  /** Why there is none that can be started. */
  readonly missing?: string;
}

/** The server refuses to run as root; packages create a user for it. */
const userOf = (name: string): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, name], { stdio: 'pipe' })));
  return { uid: uid as number, gid: gid as number };
};

const canFindUser = (): boolean => {
  try {
    userOf('postgres');
    return true;
  } catch {
    return false;
  }
};

/** Finds the PostgreSQL server of a version where Debian and Red Hat install it, or in the folder of a variable. */
export const findInstalledPostgres = (version: number): Found => {
  const variable = `POSTGRES_${version}`;
  const folders = [process.env[variable], `/usr/lib/postgresql/${version}/bin`, `/usr/pgsql-${version}/bin`];
  const programs = folders.find((folder) => folder !== undefined && existsSync(join(folder, 'initdb')));
  if (programs === undefined)
    return { missing: `PostgreSQL ${version} is not installed; ${variable} may name the folder of its programs` };
  return canFindUser() ? { programs } : { missing: 'root cannot start PostgreSQL, and there is no user postgres' };
};

const waitUntilUp = async (server: ChildProcess, url: string): Promise<void> => {
  while (!(await isUp(url))) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with exit code ${server.exitCode}`);
    await pause(20);
  }
};

/** Starts a server with an empty database on a free port. */
export const startInstalledPostgres = async (programs: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-postgres-'));
  await chmod(folder, 0o777);
  const password = join(folder, 'password');
  await writeFile(password, 'postgres');
  const data = join(folder, 'data');
  const user = userOf('postgres');
  execFileSync(
    join(programs, 'initdb'),
    [
      ...['--pgdata', data, '--username=postgres', `--pwfile=${password}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    ],
    { ...user, cwd: folder, stdio: 'pipe' },
  );
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off'];
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, cwd: folder, stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const stop = async (): Promise<void> => {
    // A fast shutdown, which does not wait for clients.
    server.kill('SIGINT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilUp(server, url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
};
