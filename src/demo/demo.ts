/** The service on a temporary database with demo data, which is deleted when it stops. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../app.ts';
import { openDatabase } from '../database/open.ts';
import { createFirstTeam } from '../features/teams/teams.service.ts';
import { systemDraws } from '../randomness.ts';
import { readSettings } from '../settings.ts';
import { seed } from './seed.ts';

const print = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const TEAM = { id: 'demo', secret: 'a-demo-needs-no-secret' };

/** Starts the demo, which runs until it is stopped. */
export const demonstrate = async (environment: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-demo-'));
  const databaseUrl = `sqlite:${join(folder, 'demo.db')}`;
  const settings = readSettings({ PORT: '8080', ...environment, DATABASE_URL: databaseUrl });
  const database = openDatabase(databaseUrl);
  let clockMs: number | undefined;
  let isStopping = false;
  const cleanUp = async (): Promise<void> => {
    await app.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await cleanUp();
    process.exit(0);
  };

  await database.migrate();
  await database.transaction('', (tx) => createFirstTeam(tx, Date.now(), TEAM));
  const app = await buildApp({
    settings,
    database,
    logger: pino({ level: 'warn' }),
    clock: () => clockMs ?? Date.now(),
    draws: systemDraws(),
  });
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  print('Simulating thirty days of a small game …');
  const startedAt = performance.now();
  try {
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
