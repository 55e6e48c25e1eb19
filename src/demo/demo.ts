/** The service on a temporary database with demo data, which is deleted when it stops. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { createFirstTeam } from '../features/teams/teams.service.ts';
import { addressOf } from '../serve.ts';
import { readSettings, type Settings } from '../settings.ts';
import { systemDraws } from '../shared/randomness.ts';
import { openTemporaryDatabase } from '../testing/temporary-database.ts';
import { seed } from './seed.ts';

const print = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const TEAM = { id: 'demo', secret: 'a-demo-needs-no-secret' };

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

/** Fails if nobody could listen there, without waiting for the data first. */
const tryPort = async (host: string, port: number): Promise<void> => {
  const probe = createServer();
  await once(probe.listen(port, host), 'listening');
  probe.close();
  await once(probe, 'close');
};

/** The same settings, with any free port instead of the usual one if that is taken. A port that was asked for is kept. */
const withFreePort = async (settings: Settings, isPortGiven: boolean): Promise<Settings> => {
  const { host, port } = settings;
  try {
    await tryPort(host, port);
    return settings;
  } catch (error) {
    if (isPortGiven || !isTaken(error)) throw error;
    print(`Port ${port} is in use, so the demo takes another one.`);
    return { ...settings, port: 0 };
  }
};

/** Starts the demo, which runs until it is stopped. */
export const demonstrate = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const settingsFor = (databaseUrl: string) => readSettings({ ...environment, DATABASE_URL: databaseUrl });
  // Wrong settings are reported before there is anything to remove.
  const { host, port } = await withFreePort(settingsFor('sqlite:demo.db'), Boolean(environment.PORT));
  const { database, url, drop } = await openTemporaryDatabase();
  const settings = { ...settingsFor(url), host, port };
  let app: Awaited<ReturnType<typeof buildApp>> | undefined;
  let clockMs: number | undefined;
  let isStopping = false;
  const cleanUp = async (): Promise<void> => {
    await app?.close();
    await drop();
  };
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await cleanUp();
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  print('Preparing the demo, which takes about half a minute …');
  const startedAt = performance.now();
  try {
    await database.migrate();
    await database.transaction('', (tx) => createFirstTeam(tx, Date.now(), TEAM));
    app = await buildApp({
      settings,
      database,
      logger: pino({ level: 'warn' }),
      clock: () => clockMs ?? Date.now(),
      draws: systemDraws(),
    });
    await seed({
      app,
      pathPrefix: settings.pathPrefix,
      authorization: `Basic ${Buffer.from(`${TEAM.id}:${TEAM.secret}`).toString('base64')}`,
      setClock: (nowMs) => {
        clockMs = nowMs;
      },
      report: print,
    });
    clockMs = undefined;
    await app.listen({ host, port });
  } catch (error) {
    // Whoever stops it in the meantime interrupts its requests.
    if (isStopping) return;
    await cleanUp();
    throw error;
  }
  const address = addressOf(settings, (app.server.address() as { port: number }).port);
  print(`… done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.

The demo is ready: ${address}/console

  team id  ${TEAM.id}
  secret   ${TEAM.secret}

For the commands for catalogs, and for examples in the guides:

  export ITEMWRIGHT_URL=${address}
  export ITEMWRIGHT_CREDENTIALS="${TEAM.id}:${TEAM.secret}"

It lives in a temporary folder and is gone when you stop it with Ctrl-C.`);
};
