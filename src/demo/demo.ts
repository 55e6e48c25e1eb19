/** The service on a temporary database with demo data, which is deleted when it stops. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { openDatabase } from '../database/open.ts';
import { createFirstTeam } from '../features/teams/teams.service.ts';
import { readSettings } from '../settings.ts';
import { systemDraws } from '../shared/randomness.ts';
import { seed } from './seed.ts';

const print = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const TEAM = { id: 'demo', secret: 'a-demo-needs-no-secret' };

/** Starts the demo, which runs until it is stopped. */
export const demonstrate = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const settingsFor = (path: string) => readSettings({ PORT: '8080', ...environment, DATABASE_URL: `sqlite:${path}` });
  // Wrong settings are reported before there is anything to remove.
  settingsFor('demo.db');
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-demo-'));
  const settings = settingsFor(join(folder, 'demo.db'));
  const database = openDatabase(settings.databaseUrl);
  let app: Awaited<ReturnType<typeof buildApp>> | undefined;
  let clockMs: number | undefined;
  let isStopping = false;
  const cleanUp = async (): Promise<void> => {
    await app?.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await cleanUp();
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  print('Simulating thirty days of a small game …');
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
      authorization: `Basic ${Buffer.from(`${TEAM.id}:${TEAM.secret}`).toString('base64')}`,
      setClock: (nowMs) => {
        clockMs = nowMs;
      },
    });
    clockMs = undefined;
    await app.listen({ host: settings.host, port: settings.port });
  } catch (error) {
    // Whoever stops it in the meantime interrupts its requests.
    if (isStopping) return;
    await cleanUp();
    throw error;
  }
  const { port } = app.server.address() as { port: number };
  print(`… done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.

The demo is ready: http://${settings.host}:${port}/console

  team id  ${TEAM.id}
  secret   ${TEAM.secret}

It lives in a temporary folder and is gone when you stop it with Ctrl-C.`);
};
