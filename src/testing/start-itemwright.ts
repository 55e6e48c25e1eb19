/** What other projects import as `itemwright/testing`: a service for their own tests. */
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { buildApp } from '../app.ts';
import { NO_TEAM } from '../database/work.ts';
import { createFirstTeam } from '../features/teams/teams.service.ts';
import type { App } from '../http/server.ts';
import { readSettings } from '../settings.ts';
import { createLogger } from '../shared/log.ts';
import { systemDraws } from '../shared/randomness.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from './temporary-database.ts';
import type { StartItemwright } from './types.ts';

const TEAM = { id: 'test', secret: 'only-for-tests-of-a-game' };

const logger = createLogger('error');

const serveFrom = async ({ database, url }: TemporaryDatabase, clock: () => number): Promise<App> => {
  const settings = readSettings({ PORT: '0', DATABASE_URL: url, RATE_LIMIT_PUBLIC: 'off' });
  await database.migrate();
  await database.transaction(NO_TEAM, (tx) => createFirstTeam(tx, clock(), TEAM));
  const app = await buildApp({ settings, database, logger, clock, draws: systemDraws() });
  await app.listen({ host: settings.host, port: settings.port });
  return app;
};

export const startItemwright: StartItemwright = async ({ clock = Date.now } = {}) => {
  const temporary = await openTemporaryDatabase();
  const app = await serveFrom(temporary, clock).catch(async (error: unknown) => {
    await temporary.drop();
    throw error;
  });
  // For tests that end without stopping it.
  const deleteFolder = () => rmSync(temporary.folder, { recursive: true, force: true });
  process.once('exit', deleteFolder);
  const close = async (): Promise<void> => {
    await app.close();
    await temporary.drop();
    process.off('exit', deleteFolder);
  };
  let closed: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    closed ??= close();
    return closed;
  };
  const { port } = app.server.address() as AddressInfo;
  const { id: teamId, secret } = TEAM;
  return { url: `http://127.0.0.1:${port}`, teamId, secret, credentials: `${teamId}:${secret}`, stop };
};
