/** `npm run example`: an Itemwright service with the catalog of the game, the page, and the game server. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { createGame } from './server/game.ts';
import { createClient } from './server/itemwright.ts';
import { Ledger } from './server/ledger.ts';
import { buildPage, readPage } from './server/page.ts';
import { createGameSecret, seedCatalog } from './server/seed.ts';
import { createGameServer } from './server/server.ts';
import { freePort, startService } from './server/service.ts';

const TEAM_ID = 'loot-game';

const print = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const { LOOT_GAME_DATA, LOOT_GAME_PORT, LOOT_GAME_SERVICE_PORT } = process.env;
const data = LOOT_GAME_DATA || join(import.meta.dirname, 'data');
await mkdir(data, { recursive: true });

/** The secret of the administrator, made on the first start. */
const adminSecret = async (): Promise<string> => {
  const path = join(data, 'admin-secret');
  const fresh = randomBytes(32).toString('base64url');
  await writeFile(path, fresh, { flag: 'wx', mode: 0o600 }).catch(() => {});
  return readFile(path, 'utf8');
};

print('Starting Itemwright and building the page …');
const secret = await adminSecret();
const building = buildPage(join(data, 'page'));
const service = await startService({
  databasePath: join(data, 'itemwright.db'),
  port: await freePort(Number(LOOT_GAME_SERVICE_PORT || 8080)),
  teamId: TEAM_ID,
  adminSecret: secret,
  print,
});
const admin = createClient({ url: service.url, teamId: TEAM_ID, secret });
await seedCatalog(admin);
// The game server gets a secret that can do no more than it needs.
const client = createClient({
  url: service.url,
  teamId: TEAM_ID,
  secret: await createGameSecret(admin),
  // Players do not wait longer than this; what is unfinished then is finished when they come back.
  totalTimeoutMs: 8_000,
});

const ledger = new Ledger(join(data, 'game.db'));
const game = createGame({ client, ledger, teamId: TEAM_ID, serviceUrl: service.url });
await building;
const page = await readPage(join(data, 'page'));
const server = createGameServer({ game, ledger, page, report: (error) => print(String(error)) });
server.listen(await freePort(Number(LOOT_GAME_PORT || 3000)), '127.0.0.1');
await once(server, 'listening');

let isStopping = false;
const stop = async (code: number): Promise<void> => {
  if (isStopping) return;
  isStopping = true;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // Requests under way get their response, but nobody waits for them for ever.
  setTimeout(() => server.closeAllConnections(), 3_000).unref();
  await closed;
  await service.stop();
  ledger.close();
  process.exit(code);
};
// Ctrl-C reaches the service, too, which then stops by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0));
service.child.on('exit', () => {
  if (!isStopping) print('Itemwright has stopped, so the game stops, too.');
  stop(1);
});

print(`
The loot game is ready: http://127.0.0.1:${(server.address() as AddressInfo).port}

The console of its service: ${service.url}/console
  team id  ${TEAM_ID}
  secret   ${secret}

Everything is kept in ${relative(process.cwd(), data) || '.'}; delete it to start over. Ctrl-C stops the game.`);
