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

/** What a person sees after the very first start. It goes to standard error, so that standard output holds only logs. */
const greet = (address: string, teamId: string, secret: string | undefined): void => {
  const password = secret ?? '$ITEMWRIGHT_SECRET';
  const keep = secret === undefined ? '' : 'The secret is shown this once; keep it. ';
  say(`
Itemwright is ready at ${address}

  team id  ${teamId}
  secret   ${secret ?? 'as given in ITEMWRIGHT_SECRET'}

${keep}Paste this into another terminal to try it:

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
  // A secret that was given is known to whoever gave it, and need not stand on a screen.
  if (firstTeam !== undefined)
    greet(address, firstTeam.teamId, settings.firstTeam.secret === undefined ? firstTeam.secret : undefined);
};

start().catch((error: unknown) => {
  const { message = String(error), code } = error as Partial<Error> & { code?: string };
  say(`itemwright: cannot start: ${message || code}`);
  process.exit(1);
});
