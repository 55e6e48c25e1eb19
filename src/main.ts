import { pino } from 'pino';
import { buildApp } from './app.ts';
import { openDatabase } from './database/database.ts';
import { createFirstTeam } from './features/teams/teams.service.ts';
import { systemDraws } from './randomness.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/** Requests under way get this long to finish once the service was told to stop. */
const STOP_TIMEOUT_MS = 20_000;

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const settingsOrExit = (): Settings => {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const line of error.lines) say(`itemwright: ${line}`);
    process.exit(1);
  }
};

type FirstTeam = { teamId: string; secret: string };

/**
 * What a person sees on the very first start. It goes to standard error, so that standard output holds only logs, and
 * at once, since it cannot be shown again should the start fail further on.
 */
const showTeam = ({ teamId, secret }: FirstTeam, given: Settings['firstTeam']): void => {
  const isGiven = given.secret !== undefined;
  say(`
Itemwright made its first team.

  team id  ${teamId}
  secret   ${isGiven ? 'as given in ITEMWRIGHT_SECRET' : secret}
${isGiven ? '' : '\nThe secret is shown this once; keep it.\n'}`);
};

const greet = (address: string, { teamId, secret }: FirstTeam, given: Settings['firstTeam']): void => {
  const password = given.secret === undefined ? secret : '$ITEMWRIGHT_SECRET';
  say(`Itemwright is ready at ${address}. Try it:

  curl -u "${teamId}:${password}" ${address}/team

The examples of the README want these two lines once:

  export ITEMWRIGHT=${address}
  export CREDENTIALS="${teamId}:${password}"
`);
};

const start = async (): Promise<void> => {
  const settings = settingsOrExit();
  const logger = pino(
    { level: settings.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ sync: false, minLength: 4096, periodicFlush: 100 }),
  );
  const database = openDatabase(settings.databaseUrl);
  await database.migrate();
  const firstTeam = await database.write((tx) => createFirstTeam(tx, Date.now(), settings.firstTeam));
  if (firstTeam !== undefined) showTeam(firstTeam, settings.firstTeam);
  const app = await buildApp({ settings, database, logger, clock: Date.now, draws: systemDraws() });

  let stopping = false;
  const stop = async (reason: string): Promise<void> => {
    // Ctrl-C reaches both npm and the service, so a second signal is no impatience: the stop under way goes on.
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    setTimeout(() => {
      logger.error('requests did not finish in time');
      logger.flush(() => process.exit(1));
    }, STOP_TIMEOUT_MS).unref();
    await app.close();
    await database.close();
    logger.info('stopped');
    logger.flush(() => process.exit(0));
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));

  await app.listen({ host: settings.host, port: settings.port });
  const { port } = app.server.address() as { port: number };
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const address = `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${port}`;
  logger.info({ address, engine: database.engine }, 'listening');
  if (firstTeam !== undefined) greet(address, firstTeam, settings.firstTeam);
};

start().catch((error: unknown) => {
  const { message = String(error), code } = error as Partial<Error> & { code?: string };
  say(`itemwright: cannot start: ${message || code}`);
  process.exit(1);
});
