/** Databases as releases left them, in `test/fixtures/releases`, one folder per release. */
import { readdirSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { LATEST } from '../../src/database/migrate.ts';
import { TABLES } from '../../src/database/tables.ts';
import {
  createEmptyDatabase,
  type EmptyDatabase,
  ENGINES,
  type Engine,
  type Service,
  startQuietService,
  startService,
} from '../harness.ts';
import { type Memory, playLate, playRelease, type RecordedTeam } from './play.ts';
import { dumpPostgres, postgresSchema } from './postgres-dump.ts';

export const FOLDER = join(import.meta.dirname, '../fixtures/releases');

const FILES = { sqlite: 'sqlite.db.gz', postgres: 'postgres.sql.gz' } as const;

/** What a release answered, and what it knew, for one database. */
export interface Recording {
  /** When the release was last used. */
  readonly takenAt: string;
  /** The last migration of the release. */
  readonly schema: string;
  readonly teams: readonly RecordedTeam[];
  readonly memory: Memory;
}

const recordingFile = (release: string, engine: Engine): string => join(FOLDER, release, `${engine}.json.gz`);

/** Oldest first. 0.0.1 is none, but what the service was at its tenth migration, so that there are migrations to run. */
export const RELEASES: readonly string[] = readdirSync(FOLDER).sort((a, b) =>
  a.localeCompare(b, 'en', { numeric: true }),
);

export const readRecording = async (release: string, engine: Engine): Promise<Recording> =>
  JSON.parse(gunzipSync(await readFile(recordingFile(release, engine))).toString());

const pathOf = (url: string): string => url.slice('sqlite:'.length);

const withClient = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

/** A database exactly as the release left it. */
export const openRelease = async (release: string, engine: Engine): Promise<EmptyDatabase> => {
  const empty = await createEmptyDatabase(engine);
  const content = gunzipSync(await readFile(join(FOLDER, release, FILES[engine])));
  if (engine === 'sqlite') await writeFile(pathOf(empty.url), content);
  else await withClient(empty.url, (client) => client.query(content.toString()));
  return empty;
};

/** The schema of a database as lines to compare. */
export const schemaOf = async (url: string): Promise<string[]> => {
  if (!url.startsWith('sqlite:')) return withClient(url, postgresSchema);
  const file = new DatabaseSync(pathOf(url), { readOnly: true });
  try {
    const rows = file.prepare("select sql from sqlite_master where sql is not null and name not like 'sqlite_%'").all();
    return rows.map(({ sql }) => String(sql)).sort();
  } finally {
    file.close();
  }
};

const emptyTables = async (url: string): Promise<string[]> => {
  const select = (name: string): string => `select 1 from ${name} limit 1`;
  if (!url.startsWith('sqlite:'))
    return withClient(url, async (client) => {
      const empty: string[] = [];
      for (const name of TABLES) if ((await client.query(select(name))).rows.length === 0) empty.push(name);
      return empty;
    });
  const file = new DatabaseSync(pathOf(url), { readOnly: true });
  try {
    return TABLES.filter((name) => file.prepare(select(name)).get() === undefined);
  } finally {
    file.close();
  }
};

const MOST_BYTES = 300_000;

const using = async <T>(service: Service, use: (service: Service) => Promise<T>): Promise<T> => {
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
};

/** Uses a new database as players and designers would. Afterwards no table is empty. */
const play = async (url: string): Promise<Recording> => {
  const { teams, memory } = await using(await startService(url), playRelease);
  const late = await using(await startQuietService(url), playLate);
  const empty = await emptyTables(url);
  if (empty.length > 0) throw new Error(`the database ${url} has no rows in ${empty.join(', ')}`);
  return { takenAt: new Date().toISOString(), schema: LATEST, teams: [...teams, late], memory };
};

/** Keeps a database with what the service responded. */
const writeDatabase = async (release: string, engine: Engine): Promise<number> => {
  const { url, drop } = await createEmptyDatabase(engine);
  try {
    const recording = await play(url);
    const content = engine === 'sqlite' ? await readFile(pathOf(url)) : await withClient(url, dumpPostgres);
    const database = gzipSync(content, { level: 9 });
    const responses = gzipSync(JSON.stringify(recording), { level: 9 });
    await writeFile(join(FOLDER, release, FILES[engine]), database);
    await writeFile(recordingFile(release, engine), responses);
    return database.length + responses.length;
  } finally {
    await drop();
  }
};

/** Writes the folder of a release, and returns its size in bytes. */
export const writeRelease = async (release: string): Promise<number> => {
  await rm(join(FOLDER, release), { recursive: true, force: true });
  await mkdir(join(FOLDER, release), { recursive: true });
  let bytes = 0;
  for (const engine of ENGINES) bytes += await writeDatabase(release, engine);
  if (bytes > MOST_BYTES) throw new Error(`the databases of ${release} have ${bytes} bytes, more than ${MOST_BYTES}`);
  return bytes;
};
