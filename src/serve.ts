import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import { fitOf } from './database/migrate.ts';
import { openDatabase } from './database/open.ts';
import { type Database, type Migrations, NO_TEAM } from './database/work.ts';
import { createFirstTeam } from './features/teams/teams.service.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';
import { LIMITS } from './shared/limits.ts';
import { createLogger } from './shared/log.ts';
import { systemDraws } from './shared/randomness.ts';
import { waitUpTo } from './shared/time.ts';
import { superviseWorkers } from './workers.ts';

const print = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const settingsOrExit = (): Settings => {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const line of error.lines) print(`itemwright: ${line}`);
    process.exit(1);
  }
};

export interface ServeOptions {
  /** Other migrations than those of this version. */
  readonly migrations?: Migrations;
}

type FirstTeam = { teamId: string; secret: string };

/**
 * Shown on the very first start. It goes to standard error, so that standard output holds only logs, and is printed at
 * once, since it cannot be shown again if the rest of the start fails.
 */
const printTeam = ({ teamId, secret }: FirstTeam, given: Settings['firstTeam']): void => {
  const isGiven = given.secret !== undefined;
  print(`
Itemwright created its first team.

  team id  ${teamId}
  secret   ${isGiven ? 'as given in ITEMWRIGHT_SECRET' : secret}
${isGiven ? '' : '\nThe secret is shown only this once; keep it safe.\n'}`);
};

const printExample = (address: string, { teamId, secret }: FirstTeam, given: Settings['firstTeam']): void => {
  const password = given.secret === undefined ? secret : '$ITEMWRIGHT_SECRET';
  print(`Itemwright is ready at ${address}.

  console        ${address}/console
  API reference  ${address}/docs
  guides         ${address}/guides

The examples in the README and the guides, and the commands for catalogs, need these two lines once:

  export ITEMWRIGHT_URL=${address}
  export ITEMWRIGHT_CREDENTIALS="${teamId}:${password}"

Try it:

  curl -u "$ITEMWRIGHT_CREDENTIALS" "$ITEMWRIGHT_URL/team"
`);
};

/** Migrates the database as far as the settings allow; fails if that is not far enough. */
const migrate = async (database: Database, settings: Settings, migrations: Migrations | undefined): Promise<void> => {
  if (settings.migrate === 'auto') await database.migrate();
  if (settings.migrate === 'expand') await database.expand();
  const schema = await database.snapshot((snapshot) => snapshot.schema());
  const fit = schema === undefined ? 'older' : fitOf(schema, migrations);
  if (fit !== 'served')
    throw new Error(
      `the schema of the database is ${fit} than this version needs (${schema?.contracted ?? 'it is empty'}), and MIGRATE=${settings.migrate} leaves it as it is`,
    );
};

/** Opens the database, migrates it, and creates a team on the very first start. */
const prepare = async (
  settings: Settings,
  { migrations }: ServeOptions,
): Promise<{ database: Database; firstTeam: FirstTeam | undefined }> => {
  const options = { connections: settings.databaseConnections, isOwner: true, migrations };
  const database = openDatabase(settings.databaseUrl, options);
  await database.checkConnections(settings.workers);
  await migrate(database, settings, migrations);
  const firstTeam = await database.transaction(NO_TEAM, (tx) => createFirstTeam(tx, Date.now(), settings.firstTeam));
  if (firstTeam !== undefined) printTeam(firstTeam, settings.firstTeam);
  return { database, firstTeam };
};

/** Ctrl-C reaches both npm and the service, so a second signal is not impatience: the stop in progress continues. */
const onStopSignal = (stop: (signal: string) => void): void => {
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (!isStopping) stop(signal);
      isStopping = true;
    });
  }
};

const exit = (logger: Logger, code: number): void => logger.flush(() => process.exit(code));

/** Do not wait forever for requests that never finish. */
const exitAfter = (ms: number, logger: Logger): void => {
  setTimeout(() => {
    logger.error('requests did not finish in time');
    exit(logger, 1);
  }, ms).unref();
};

/** Where a browser on this machine finds the service. */
export const addressOf = ({ host, pathPrefix }: Settings, port: number): string => {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name === '0.0.0.0' || name === '[::]' ? 'localhost' : name}:${port}${pathPrefix}`;
};

/** Serves from this process. */
const serveAlone = async (settings: Settings, logger: Logger, options: ServeOptions): Promise<void> => {
  const { database, firstTeam } = await prepare(settings, options);
  const app = await buildApp({ settings, database, logger, clock: Date.now, draws: systemDraws() });
  onStopSignal(async (reason) => {
    logger.info({ reason }, 'stopping');
    app.prepareToStop();
    exitAfter(settings.stopDelayMs + LIMITS.stopTimeoutMs, logger);
    await delay(settings.stopDelayMs);
    await app.close();
    // Every request has its response. Background work that takes longer is rolled back.
    await waitUpTo(LIMITS.stopDatabaseMs, database.close());
    logger.info('stopped');
    exit(logger, 0);
  });
  await app.listen({ host: settings.host, port: settings.port, backlog: LIMITS.waitingConnections });
  const address = addressOf(settings, (app.server.address() as { port: number }).port);
  logger.info({ address, engine: database.engine }, 'listening');
  if (firstTeam !== undefined) printExample(address, firstTeam, settings.firstTeam);
};

/** Serves from several processes behind one port. */
const serveByWorkers = async (settings: Settings, logger: Logger, options: ServeOptions): Promise<void> => {
  const { database, firstTeam } = await prepare(settings, options);
  await database.close();
  const workers = superviseWorkers({
    count: settings.workers,
    logger,
    listening: (port) => {
      const address = addressOf(settings, port);
      logger.info({ address, workers: settings.workers }, 'listening');
      if (firstTeam !== undefined) printExample(address, firstTeam, settings.firstTeam);
    },
    ended: (code) => exit(logger, code),
  });
  onStopSignal((reason) => {
    logger.info({ reason }, 'stopping');
    // Workers have their own timeout; wait a little longer than that.
    exitAfter(settings.stopDelayMs + LIMITS.stopTimeoutMs + LIMITS.stopDatabaseMs, logger);
    workers.stop();
  });
};

/**
 * Requests in progress survive collections of the young generation. When V8 sees that, it creates such objects as old
 * ones, and from then on whatever a request refers to is kept until the next full collection, long after its response.
 */
const createObjectsYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring');

const start = (options: ServeOptions): Promise<void> => {
  createObjectsYoung();
  const settings = settingsOrExit();
  const logger = createLogger(settings.logLevel);
  const serveBy = cluster.isPrimary && settings.workers > 1 ? serveByWorkers : serveAlone;
  return serveBy(settings, logger, options);
};

/** Starts the service with settings from the environment. It exits with code 1 if that fails. */
export const serve = (options: ServeOptions = {}): Promise<void> =>
  start(options).catch((error: unknown) => {
    const { message = String(error), code } = error as Partial<Error> & { code?: string };
    print(`itemwright: cannot start: ${message || code}`);
    process.exit(1);
  });
