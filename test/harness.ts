import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { type AppParts, buildApp } from '../src/app.ts';
import { openDatabase } from '../src/database/open.ts';
import type { Database } from '../src/database/work.ts';
import type { Draws } from '../src/engine/random.ts';
import { createSecret, createTeam } from '../src/features/teams/teams.service.ts';
import type { App } from '../src/http/server.ts';
import { readSettings } from '../src/settings.ts';
import type { Role } from '../src/shared/context.ts';
import { systemDraws } from '../src/shared/randomness.ts';
import { assertKeepsContract } from './contract.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

export interface ApiResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects is what it asserts; a type would only repeat it.
  readonly body: any;
  readonly headers: Headers;
}

interface RequestOptions {
  readonly headers?: Record<string, string>;
  /** Sent as is, instead of a JSON body. */
  readonly raw?: string;
}

type Send = (path: string, body?: unknown, options?: RequestOptions) => Promise<ApiResponse>;

/** A caller of the service: a team and a secret. */
export interface Client {
  readonly teamId: string;
  readonly secret: string;
  readonly get: (path: string, options?: RequestOptions) => Promise<ApiResponse>;
  readonly delete: (path: string, options?: RequestOptions) => Promise<ApiResponse>;
  readonly post: Send;
  readonly put: Send;
  readonly patch: Send;
  readonly request: (method: string, path: string, body?: unknown, options?: RequestOptions) => Promise<ApiResponse>;
}

/** A running service with one team, called by that team's admin. */
export interface Service extends Client {
  readonly app: App;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly address: string;
  /** Another team, which cannot see the first. */
  readonly anotherTeam: () => Promise<Client>;
  /** The same team with a secret of another role. */
  readonly as: (role: Role) => Promise<Client>;
  /** A caller with this authorization header, or none. */
  readonly anyone: (authorization?: string) => Client;
  /** Sets the service's clock, which then stands still. */
  readonly setClock: (nowMs: number) => void;
  /** Makes the service roll with these draws, or again with those it was started with. */
  readonly setDraws: (draws?: Draws) => void;
  readonly stop: () => Promise<void>;
}

/** An empty database of one engine. */
export interface EmptyDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** The server of the whole run, which `npm test` starts. */
const postgresUrl = (): string => {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined) throw new Error('there is no PostgreSQL server; run a test file by `npm test -- FILE`');
  return url;
};

const administer = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

/** A copy of a database of the server. */
const createOnServer = async (template: string): Promise<EmptyDatabase> => {
  const server = postgresUrl();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `drop database ${name} with (force)`) };
};

export const createEmptyDatabase = async (engine: Engine): Promise<EmptyDatabase> => {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'itemwright-sqlite-'));
    return { url: `sqlite:${join(folder, 'test.db')}`, drop: () => rm(folder, { recursive: true, force: true }) };
  }
  return createOnServer('template1');
};

const migrated = new Map<Engine, Promise<EmptyDatabase>>();
// All test files of a process share them.
process.once('beforeExit', async () => {
  for (const made of migrated.values()) await (await made).drop();
});

/** A database with the current schema, made once per engine to be copied: migrating takes longer than most tests. */
const migratedOnce = (engine: Engine): Promise<EmptyDatabase> => {
  const make = async (): Promise<EmptyDatabase> => {
    const empty = await createEmptyDatabase(engine);
    const database = openDatabase(empty.url);
    await database.migrate();
    await database.close();
    return empty;
  };
  const found = migrated.get(engine) ?? make();
  migrated.set(engine, found);
  return found;
};

/** A database with the current schema, and nothing in it. */
export const createMigratedDatabase = async (engine: Engine): Promise<EmptyDatabase> => {
  const { url } = await migratedOnce(engine);
  if (engine === 'postgres') return createOnServer(new URL(url).pathname.slice(1));
  const copy = await createEmptyDatabase('sqlite');
  await copyFile(url.slice('sqlite:'.length), copy.url.slice('sqlite:'.length));
  return copy;
};

/** Where a service is, and the path prefix that it has there. */
interface Location {
  readonly address: string;
  readonly prefix: string;
}

const createClient = (
  { address, prefix }: Location,
  teamId: string,
  secret: string,
  authorization: string | undefined,
): Client => {
  const request: Client['request'] = async (method, path, body, { headers = {}, raw } = {}) => {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${address}${path}`, {
      method,
      body: text,
      redirect: 'manual',
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const received = await response.text();
    const pathname = path.split('?', 1)[0] as string;
    const parsed = assertKeepsContract({
      method,
      path: pathname.startsWith(prefix) ? pathname.slice(prefix.length) : pathname,
      status: response.status,
      headers: response.headers,
      text: received,
    });
    return { status: response.status, body: parsed, headers: response.headers };
  };
  return {
    teamId,
    secret,
    request,
    get: (path, options) => request('GET', path, undefined, options),
    delete: (path, options) => request('DELETE', path, undefined, options),
    post: (path, body, options) => request('POST', path, body, options),
    put: (path, body, options) => request('PUT', path, body, options),
    patch: (path, body, options) => request('PATCH', path, body, options),
  };
};

export const basic = (teamId: string, secret: string): string =>
  `Basic ${Buffer.from(`${teamId}:${secret}`).toString('base64')}`;

interface Conditions {
  /** Replaces the database of the service. */
  readonly disguise?: (database: Database) => Database;
  /** The time, unless it is set. */
  readonly clock?: () => number;
  readonly requestTimeoutMs?: number;
  readonly databaseOptions?: Parameters<typeof openDatabase>[1];
  readonly computeOptions?: AppParts['computeOptions'];
  /** False if nothing may change that a test does not change. */
  readonly doesChores?: boolean;
  /** Whether the start migrates the database. */
  readonly migrates?: boolean;
}

/** Starts the service in this process on a database, which it migrates; the clock can be set. */
export const startService = async (
  databaseUrl: string,
  environment: Record<string, string> = {},
  draws = systemDraws(),
  {
    disguise = (database) => database,
    clock = Date.now,
    requestTimeoutMs,
    databaseOptions = {},
    computeOptions,
    doesChores,
    migrates = true,
  }: Conditions = {},
): Promise<Service> => {
  const database = openDatabase(databaseUrl, databaseOptions);
  if (migrates) await database.migrate();
  let nowMs: number | undefined;
  let drawsNow = draws;
  const app = await buildApp({
    // All callers of a test have the same address.
    settings: readSettings({ DATABASE_URL: databaseUrl, RATE_LIMIT_PUBLIC: 'off', ...environment }),
    database: disguise(database),
    logger: pino({ level: 'silent' }),
    clock: () => nowMs ?? clock(),
    draws: () => drawsNow(),
    requestTimeoutMs,
    computeOptions,
    doesChores,
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const location = { address, prefix: environment.PATH_PREFIX ?? '' };
  const client = (teamId: string, secret: string) => createClient(location, teamId, secret, basic(teamId, secret));
  const newTeam = async () => {
    const { teamId, secret } = await database.transaction('', (tx) => createTeam(tx, Date.now(), { name: 'Team' }));
    return client(teamId, secret);
  };
  const first = await newTeam();
  return {
    ...first,
    app,
    database,
    databaseUrl,
    address,
    anotherTeam: newTeam,
    as: async (role) => {
      const made = await database.transaction('', (tx) =>
        createSecret(tx, { teamId: first.teamId, nowMs: Date.now() }, { name: role, role }),
      );
      return client(first.teamId, made.secret);
    },
    anyone: (authorization) => createClient(location, '', '', authorization),
    setClock: (moment) => {
      nowMs = moment;
    },
    setDraws: (given = draws) => {
      drawsNow = given;
    },
    stop: async () => {
      await app.close();
      await database.close();
    },
  };
};

type Tests = (service: () => Service, engine: Engine) => void;

const onEach = (name: string, conditions: Conditions, tests: Tests): void => {
  for (const engine of ENGINES) {
    describe(`${name} on ${engine}`, () => {
      let empty: EmptyDatabase;
      let running: Service;
      before(async () => {
        empty = await createMigratedDatabase(engine);
        running = await startService(empty.url, {}, undefined, conditions);
      });
      after(async () => {
        await running?.stop();
        await empty?.drop();
      });
      tests(() => running, engine);
    });
  }
};

/** Runs the same tests on each engine, each with a service on an empty database. */
export const onEveryDatabase = (name: string, tests: Tests): void => onEach(name, {}, tests);

/** The same, where nothing changes but what the tests change. */
export const onEveryQuietDatabase = (name: string, tests: Tests): void => onEach(name, { doesChores: false }, tests);

/** Starts a service that does no background work. */
export const startQuietService = (databaseUrl: string): Promise<Service> =>
  startService(databaseUrl, {}, undefined, { doesChores: false });

/** The paths of an error's issues, in order. */
export const issuePaths = (response: ApiResponse): string[] =>
  response.body.issues.map((issue: { path: string }) => issue.path);
