/** The game server, in front of a real service; what breaks is the network between them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../../../test/harness.ts';
import type { Me, Rolled, World } from '../server/api.ts';
import { SPACE_ID } from '../server/catalog.ts';
import { createGame } from '../server/game.ts';
import { createClient } from '../server/itemwright.ts';
import { ALLOWANCE, Ledger } from '../server/ledger.ts';
import { createGameSecret, seedCatalog } from '../server/seed.ts';
import { createGameServer } from '../server/server.ts';
import { freePort } from '../server/service.ts';

const DAY_MS = 24 * 3_600_000;
const newKey = (): string => randomUUID();

interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

interface Options {
  readonly cookie?: string;
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}

/** How requests from the game server to the service fare. */
type Network = 'sound' | 'down' | 'losing responses';

test('takes another port if the usual one is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  assert.equal(await freePort(port), 0);
  other.close();
  await once(other, 'close');
  assert.equal(await freePort(port), port);
});

describe('the server of the loot game', () => {
  let empty: EmptyDatabase;
  let service: Service;
  let server: Server;
  let ledger: Ledger;
  let address: string;
  let secret: string;
  let network: Network;
  let laterMs: number;
  const reported: unknown[] = [];

  const breakable: typeof fetch = async (input, init) => {
    if (network === 'down') throw new TypeError('fetch failed');
    const response = await fetch(input, init);
    if (network === 'losing responses' && init?.method === 'POST') {
      await response.text();
      throw new TypeError('terminated');
    }
    return response;
  };

  const call = async <T = { message: string }>(
    method: string,
    path: string,
    body?: unknown,
    { cookie, raw, headers = {} }: Options = {},
  ): Promise<Answer<T>> => {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${address}${path}`, {
      method,
      body: text ?? null,
      headers: {
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(cookie !== undefined && { cookie }),
        ...headers,
      },
    });
    const answered = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    const data = isJson ? JSON.parse(answered) : undefined;
    return { status: response.status, headers: response.headers, text: answered, body: data };
  };

  const signIn = async (name = 'Ann'): Promise<string> => {
    const { status, headers } = await call('POST', '/api/session', { name });
    assert.equal(status, 200);
    return headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  const meOf = async (cookie: string): Promise<Me> => {
    const { status, body, text } = await call<Me>('GET', '/api/me', undefined, { cookie });
    assert.equal(status, 200, text);
    return body;
  };
  /** A player who has chosen a seed. */
  const enter = async (name?: string): Promise<string> => {
    const cookie = await signIn(name);
    const { nextCommitment: commitment, nextManifest: manifest } = (await meOf(cookie)).fairness;
    const { status } = await call('POST', '/api/seed', { clientSeed: 'clover', commitment, manifest }, { cookie });
    assert.equal(status, 200);
    return cookie;
  };
  const roll = (cookie: string, key: string, count = 10): Promise<Answer<Rolled & { message: string }>> =>
    call('POST', '/api/rolls', { key, what: 'banner', count }, { cookie });

  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
    const { teamId, address: url } = service;
    const admin = createClient({ url, teamId, secret: service.secret });
    assert.ok((await seedCatalog(admin)) > 20);
    assert.equal(await seedCatalog(admin), 0, 'a second time there is nothing to do');
    const { name: designed } = await admin.spaces.update(SPACE_ID, { name: 'Knapsack' });
    assert.equal(await seedCatalog(admin), 0, 'what designers change stays');
    assert.equal((await admin.spaces.get(SPACE_ID)).name, designed);
    const first = await createGameSecret(admin);
    secret = await createGameSecret(admin);
    await assert.rejects(async () => createClient({ url, teamId, secret: first, retries: 0 }).team.get());
    ledger = new Ledger(':memory:', () => Date.now() + laterMs);
    const client = createClient({ url, teamId, secret, retries: 1, fetch: breakable });
    const game = createGame({ client, ledger, teamId, serviceUrl: url });
    const page = new Map([['/index.html', { type: 'text/html', body: Buffer.from('<p>The page</p>') }]]);
    server = createGameServer({ game, ledger, page, report: (error) => reported.push(error) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    network = 'sound';
    laterMs = 0;
    reported.length = 0;
  });
  after(async () => {
    server?.close();
    server?.closeAllConnections();
    ledger?.close();
    await service?.stop();
    await empty?.drop();
  });

  test('asks for a session wherever something belongs to a player', async () => {
    const { body } = await call('GET', '/api/me');
    assert.equal(body, null);
    for (const [method, path] of [
      ['POST', '/api/rolls'],
      ['POST', '/api/items/x/move'],
      ['DELETE', '/api/items/x'],
      ['DELETE', '/api/pile'],
      ['POST', '/api/bag/sort'],
      ['POST', '/api/seed'],
      ['GET', '/api/proofs/0'],
    ] as const)
      for (const cookie of [undefined, 'loot-session=made-up', 'loot-session=', 'other=1'])
        assert.equal((await call(method, path, undefined, cookie === undefined ? {} : { cookie })).status, 401, path);
  });

  test('makes a player for each session, whom no name leads back to', async () => {
    const { headers } = await call('POST', '/api/session', { name: '  Ann ' });
    assert.match(
      headers.get('set-cookie') ?? '',
      /^loot-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    const cookie = await enter();
    await roll(cookie, newKey());
    assert.equal((await meOf(cookie)).belongings.length, 10);
    assert.deepEqual((await meOf(await signIn())).belongings, [], 'another Ann');
    for (const name of [undefined, '', '   ', 7, 'x'.repeat(25), 'a\nb'])
      assert.equal((await call('POST', '/api/session', { name })).status, 400, String(name));
    await call('DELETE', '/api/session', undefined, { cookie });
    assert.equal((await call('GET', '/api/me', undefined, { cookie })).body, null);
    const expired = await signIn();
    laterMs = 31 * DAY_MS;
    assert.equal((await call('GET', '/api/me', undefined, { cookie: expired })).body, null);
  });

  test('never sends the secret to the browser', async () => {
    const cookie = await enter();
    const world = await call<World>('GET', '/api/world');
    const all = [world, await call('GET', '/api/me', undefined, { cookie }), await roll(cookie, newKey())];
    for (const { text } of all) assert.ok(!text.includes(secret) && !text.includes(service.secret));
    assert.equal(world.body.items.length, 23);
    assert.equal(world.body.banner.pity[0]?.threshold, 50);
    assert.match(world.body.banner.oddsUrl, /\/public\/.+\/templates\/dawn-banner$/);
    assert.equal((await fetch(world.body.banner.oddsUrl)).status, 200);
  });

  test('rejects what is not a request of the page', async () => {
    const cookie = await enter();
    const bad = async (status: number, options: Options & { body?: unknown }, path = '/api/rolls') =>
      assert.equal((await call('POST', path, options.body, { cookie, ...options })).status, status, options.raw);
    await bad(400, { raw: '{"key":' });
    await bad(400, { raw: '[]' });
    await bad(400, { raw: 'null' });
    await bad(400, {});
    await bad(413, { raw: JSON.stringify({ key: 'x'.repeat(5000) }) });
    await bad(415, { raw: '{}', headers: { 'content-type': 'text/plain' } });
    await bad(403, { body: {}, headers: { 'sec-fetch-site': 'cross-site' } });
    await bad(404, { body: {} }, '/api/nothing');
    await bad(404, { body: {} }, '/api/items/%ZZ/move/more');
    const key = newKey();
    for (const body of [
      { what: 'banner', count: 1 },
      { key: 'short', what: 'banner', count: 1 },
      { key: `${key} ?`, what: 'banner', count: 1 },
      { key: 'x'.repeat(65), what: 'banner', count: 1 },
      { key, what: 'items', count: 1 },
      { key, what: 'banner', count: 100 },
      { key, what: 'banner', count: '1' },
      { key, what: 'chest', count: 10 },
    ])
      await bad(400, { body });
    assert.equal((await meOf(cookie)).embers, ALLOWANCE);
    assert.deepEqual(reported, []);
  });

  test('stops reading a body that never ends', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    const cookie = await signIn();
    socket.write(`POST /api/rolls HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nContent-Length: 900000000\r\n\r\n`);
    socket.write('x'.repeat(10_000));
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
    if (!socket.closed) await once(socket, 'close');
  });

  test('serves the page and nothing else of the disk', async () => {
    const page = await call('GET', '/');
    assert.equal(page.text, '<p>The page</p>');
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
    for (const path of ['/..%2fstart.ts', '/server/game.ts', '/%2e%2e/%2e%2e/package.json', '/index.html/'])
      assert.equal((await call('GET', path)).status, 404, path);
  });

  test('rolls once for the same key, however often and at once it comes', async () => {
    const cookie = await enter();
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 6 }, () => roll(cookie, key)));
    answers.push(await roll(cookie, key));
    for (const { status, text } of answers) {
      assert.equal(status, 200);
      assert.equal(text, answers[0]?.text);
    }
    const { embers, banner, belongings } = await meOf(cookie);
    assert.deepEqual([embers, banner.rolls, belongings.length], [ALLOWANCE - 10, 10, 10]);
    assert.equal((await roll(cookie, key, 1)).status, 409, 'the key belongs to another roll');
    // The same key of another player is another key.
    const other = await enter('Bob');
    assert.notEqual((await roll(other, key)).text, answers[0]?.text);
  });

  test('keeps the allowance, also when all of it is spent at once', async () => {
    const cookie = await enter();
    const answers = await Promise.all(Array.from({ length: 15 }, () => roll(cookie, newKey())));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(10).fill(200), ...Array(5).fill(409)]);
    const { embers, banner } = await meOf(cookie);
    assert.deepEqual([embers, banner.rolls], [0, 100]);
    assert.match((await roll(cookie, newKey())).body.message, /not have enough embers/);
    laterMs = DAY_MS;
    assert.equal((await meOf(cookie)).embers, ALLOWANCE);
  });

  test('gives the embers back if the service refuses the roll', async () => {
    const cookie = await signIn();
    const key = newKey();
    const { status, body } = await roll(cookie, key);
    assert.equal(status, 409);
    assert.match(body.message, /seed/);
    const { embers, banner, fairness } = await meOf(cookie);
    assert.deepEqual([embers, banner.rolls], [ALLOWANCE, 0]);
    const seed = { clientSeed: 'clover', commitment: fairness.nextCommitment, manifest: fairness.nextManifest };
    await call('POST', '/api/seed', seed, { cookie });
    assert.equal((await roll(cookie, key)).status, 200, 'the key was not used up');
  });

  test('says so if the service is down, and finishes the roll when it is back', async () => {
    const cookie = await enter();
    const key = newKey();
    network = 'down';
    const { status, body } = await roll(cookie, key);
    assert.deepEqual(
      [status, body.message],
      [503, 'The item service is not responding. Nothing is lost: try again soon.'],
    );
    for (const path of ['/api/me', '/api/world'])
      assert.ok([200, 503].includes((await call('GET', path, undefined, { cookie })).status));
    assert.equal((await call('POST', '/api/session', { name: 'Ann' })).status, 503);
    network = 'sound';
    // It is paid for, so it is made as soon as the player comes back, whether or not the page asks again.
    const { embers, banner } = await meOf(cookie);
    assert.deepEqual([embers, banner.rolls], [ALLOWANCE - 10, 10]);
    assert.equal((await roll(cookie, key)).status, 200);
    assert.equal((await meOf(cookie)).banner.rolls, 10);
  });

  test('finds what was rolled while responses were lost, and rolls nothing twice', async () => {
    const cookie = await enter();
    const key = newKey();
    network = 'losing responses';
    assert.equal((await roll(cookie, key)).status, 503);
    network = 'sound';
    // The page was closed, so nobody asks again but the game server itself.
    const { embers, banner, belongings } = await meOf(cookie);
    assert.deepEqual([embers, banner.rolls, belongings.length], [ALLOWANCE - 10, 10, 10]);
    const { body } = await roll(cookie, key);
    assert.deepEqual(
      body.items.map(({ instanceId }) => instanceId).toSorted(),
      belongings.map(({ id }) => id).toSorted(),
    );
    network = 'down';
    assert.deepEqual((await roll(cookie, key)).body, body, 'the ledger knows the result without the service');
  });

  test('lets nobody touch what belongs to another player', async () => {
    const [ann, bob] = [await enter('Ann'), await enter('Bob')];
    await roll(ann, newKey());
    const { belongings } = await meOf(ann);
    const id = belongings[0]?.id ?? '';
    const place = { x: 6, y: 6, rotated: false };
    for (const foreign of [id, 'unknown', '..%2f..%2fteam', '%00', 'x'.repeat(300)]) {
      const moved = await call('POST', `/api/items/${foreign}/move`, place, { cookie: bob });
      const discarded = await call('DELETE', `/api/items/${foreign}`, undefined, { cookie: bob });
      for (const { status, body } of [moved, discarded])
        assert.deepEqual([status, body.message], [404, 'You do not have this item.'], foreign);
    }
    // As no browser would send it.
    const [response] = await once(
      request(`${address}/`, { method: 'DELETE', path: '/api/items/..', headers: { cookie: bob } }).end(),
      'response',
    );
    assert.equal(response.resume().statusCode, 404);
    await call('DELETE', '/api/pile', undefined, { cookie: bob });
    assert.deepEqual((await meOf(ann)).belongings, belongings);
    assert.deepEqual(reported, []);
  });

  test('moves what fits, and leaves everything as it is otherwise', async () => {
    const cookie = await enter();
    await roll(cookie, newKey());
    const { belongings } = await meOf(cookie);
    const id = belongings[0]?.id ?? '';
    const move = (x: unknown, y: unknown, rotated: unknown = false) =>
      call('POST', `/api/items/${id}/move`, { x, y, rotated }, { cookie });
    for (const [x, y, rotated] of [
      [-1, 0],
      [0.5, 0],
      ['0', 0],
      [0, 1e9],
      [0, 0, 1],
      [null, null],
    ])
      assert.equal((await move(x, y, rotated)).status, 400);
    const outside = await move(40, 40);
    assert.deepEqual([outside.status, outside.body.message], [409, 'It does not fit there.']);
    assert.deepEqual((await meOf(cookie)).belongings, belongings);

    assert.equal((await call('POST', '/api/bag/sort', {}, { cookie })).status, 200);
    for (const { id: one } of belongings.slice(1)) await call('DELETE', `/api/items/${one}`, undefined, { cookie });
    assert.equal((await move(4, 4)).status, 200);
    const [left, ...others] = (await meOf(cookie)).belongings;
    assert.deepEqual([left?.id, left?.place, others], [id, { x: 4, y: 4, rotated: false }, []]);
  });

  test('clears the ground once, however often and at once that is asked for', async () => {
    const cookie = await enter();
    for (let time = 0; time < 10; time += 1) await roll(cookie, newKey());
    const placed = (await meOf(cookie)).belongings.filter(({ place }) => place !== null);
    assert.ok(placed.length < 100);
    const clear = () => call('DELETE', '/api/pile', undefined, { cookie });
    const answers = await Promise.all([clear(), clear(), clear()]);
    assert.ok(answers.some(({ status }) => status === 200));
    for (const { status, text } of answers) assert.ok([200, 409].includes(status), text);
    assert.deepEqual(reported, []);
    assert.deepEqual((await meOf(cookie)).belongings, placed);
    assert.equal((await clear()).status, 200);
  });

  test('hands out proofs only of the player, and only of epochs that there are', async () => {
    const cookie = await enter();
    await roll(cookie, newKey());
    const proof = await call<{ receipts: { userId: string }[] }>('GET', '/api/proofs/0', undefined, { cookie });
    assert.equal(proof.headers.get('content-disposition'), 'attachment; filename="proof-0.json"');
    assert.equal(new Set(proof.body.receipts.map(({ userId }) => userId)).size, 1);
    assert.equal((await call('GET', '/api/proofs/7', undefined, { cookie })).status, 404);
    for (const epoch of ['-1', 'x', '1e99', '0.5'])
      assert.equal((await call('GET', `/api/proofs/${epoch}`, undefined, { cookie })).status, 400, epoch);
    for (const body of [{ clientSeed: '', commitment: 'a'.repeat(64) }, { clientSeed: 'x', commitment: 'b' }, {}])
      assert.equal((await call('POST', '/api/seed', body, { cookie })).status, 400);
    const stale = { clientSeed: 'x', commitment: 'a'.repeat(64), manifest: 'a'.repeat(64) };
    assert.equal((await call('POST', '/api/seed', stale, { cookie })).status, 409);
  });
});
