import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { openDatabase } from '../../src/database/open.ts';
import { readSettings } from '../../src/settings.ts';
import { systemDraws } from '../../src/shared/randomness.ts';
import { basic, createEmptyDatabase, type EmptyDatabase, startService } from '../harness.ts';
import { freePort, type Running, run, runToEnd } from '../processes.ts';

const TEAM = { ITEMWRIGHT_TEAM_ID: 'my-team', ITEMWRIGHT_SECRET: 'a-secret-of-my-own' };
const AUTHORIZATION = basic(TEAM.ITEMWRIGHT_TEAM_ID, TEAM.ITEMWRIGHT_SECRET);

const empties: EmptyDatabase[] = [];
const started: Running[] = [];
after(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  for (const empty of empties) await empty.drop();
});

const newDatabase = async (): Promise<string> => {
  const empty = await createEmptyDatabase('sqlite');
  empties.push(empty);
  return empty.url;
};

/** The service as a separate process, listening. */
const start = async (environment: Record<string, string> = {}) => {
  const port = await freePort();
  const DATABASE_URL = environment.DATABASE_URL ?? (await newDatabase());
  const running = run('src/main.ts', [], { PORT: String(port), ...environment, DATABASE_URL });
  started.push(running);
  await running.said('"msg":"listening"');
  return { ...running, port, address: `http://127.0.0.1:${port}`, databaseUrl: DATABASE_URL };
};

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** A request whose body is held back: what was sent of it so far has reached the service. */
const begin = async (port: number, body: string): Promise<{ socket: Socket; response: () => string }> => {
  const socket = connect(port, '127.0.0.1');
  let response = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    response += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST /users HTTP/1.1\r\nhost: x\r\nauthorization: ${AUTHORIZATION}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  // A response on another connection shows that the service is awake and has read the headers of this one by now.
  for (let n = 0; n < 3; n += 1) await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } });
  return { socket, response: () => response };
};

describe('the service as a process', () => {
  test('shows team, secret and a curl line on the first start, and never again', async () => {
    const first = await start();
    await first.said('curl');
    const [, teamId, secret] = /team id {2}(\S+)\n {2}secret {3}(\S+)\n/.exec(first.stderr()) ?? [];
    assert.ok(teamId && secret);
    for (const line of [`ITEMWRIGHT_URL=${first.address}`, `ITEMWRIGHT_CREDENTIALS="${teamId}:${secret}"`])
      assert.ok(first.stderr().includes(`  export ${line}\n`), line);
    const response = await fetch(`${first.address}/team`, { headers: { authorization: basic(teamId, secret) } });
    assert.equal(response.status, 200);
    assert.ok(!first.stdout().includes(secret), 'no secret in the log');
    first.child.kill('SIGTERM');
    assert.equal((await first.ended).code, 0);

    const second = await start({ DATABASE_URL: first.databaseUrl });
    const again = await fetch(`${second.address}/team`, { headers: { authorization: basic(teamId, secret) } });
    assert.equal(again.status, 200);
    second.child.kill('SIGTERM');
    const { code, stderr } = await second.ended;
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('creates the first team with the given id and secret, and does not show the secret', async () => {
    const service = await start(TEAM);
    await service.said('curl');
    assert.match(service.stderr(), /team id {2}my-team\n/);
    assert.ok(service.stderr().includes('  export ITEMWRIGHT_CREDENTIALS="my-team:$ITEMWRIGHT_SECRET"\n'));
    const response = await fetch(`${service.address}/team`, { headers: { authorization: AUTHORIZATION } });
    const body = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([body.id, body.role], ['my-team', 'admin']);
    service.child.kill('SIGINT');
    const { code, stdout, stderr } = await service.ended;
    assert.equal(code, 0);
    assert.ok(!(stdout + stderr).includes(TEAM.ITEMWRIGHT_SECRET));
  });

  test('finishes open requests when told to stop, accepts no more, and exits with 0', async () => {
    const service = await start(TEAM);
    const body = '{"id":"late"}';
    const { socket, response } = await begin(service.port, body);
    service.child.kill('SIGTERM');
    await service.said('"msg":"stopping"');
    service.child.kill('SIGINT');
    service.child.kill('SIGTERM');
    await assert.rejects(fetch(`${service.address}/healthz`), 'no new connection is taken');
    // The next request on the same connection is too late.
    socket.write(`${body}GET /users HTTP/1.1\r\nhost: x\r\nauthorization: ${AUTHORIZATION}\r\n\r\n`);
    await once(socket, 'close');
    const { code, stdout } = await service.ended;
    assert.equal(code, 0);
    assert.match(response(), /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(response(), /"id":"late"/);
    const [, second] = response().split('HTTP/1.1 503');
    if (second !== undefined)
      assert.ok(second.endsWith('{"code":"SERVICE_UNAVAILABLE","message":"Service unavailable","issues":[]}'), second);
    assert.equal(linesOf(stdout).at(-1).msg, 'stopped');

    const database = openDatabase(service.databaseUrl);
    const kept = await database.read('', ({ queries: reader }) => reader.selectFrom('users').select('id').execute());
    await database.close();
    assert.deepEqual(
      kept.map(({ id }) => id),
      ['late'],
    );
  });

  test('logs one line of JSON per request, without secrets or bodies', async () => {
    const service = await start(TEAM);
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${service.address}${path}`, {
        ...init,
        headers: { authorization: AUTHORIZATION, 'content-type': 'application/json', ...init.headers },
      });
    const made = await call('/secrets', { method: 'POST', body: '{"name":"hush-name","role":"read"}' });
    const { secret } = (await made.json()) as { secret: string };
    await call('/users/some-player?hush=query', { headers: { 'x-request-id': 'my-own-id' } });
    await call('/nowhere/hush', { method: 'POST', body: '{"hush":"hush-body"}' });
    await call('/users', { method: 'POST', body: '{"hush-body' });
    await call('/team', { headers: { authorization: basic('my-team', 'hush-wrong-secret') } });
    await call('/users', { headers: { 'x-request-id': 'with a space' } });
    await call('/console/assets/hush.js');
    service.child.kill('SIGTERM');
    const { stdout, stderr } = await service.ended;
    const lines = linesOf(stdout);
    for (const line of lines) assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const requests = lines.filter(({ msg }) => msg === 'request');
    assert.deepEqual(
      requests.map(({ method, route, status, teamId }) => [method, route, status, teamId]),
      [
        ['POST', '/secrets', 200, 'my-team'],
        ['GET', '/users/:userId', 400, 'my-team'],
        ['POST', null, 404, undefined],
        ['POST', '/users', 400, 'my-team'],
        ['GET', '/team', 401, undefined],
        ['GET', '/users', 200, 'my-team'],
        ['GET', '/console/assets/*', 404, undefined],
      ],
    );
    assert.deepEqual(Object.keys(requests[0]).sort(), [
      'level',
      'method',
      'ms',
      'msg',
      'requestId',
      'route',
      'status',
      'teamId',
      'time',
    ]);
    assert.equal(requests[0].level, 30);
    assert.equal(requests[1].requestId, 'my-own-id');
    assert.equal(new Set(requests.map(({ requestId }) => requestId)).size, 7);
    for (const { ms } of requests) assert.equal(typeof ms, 'number');
    for (const hidden of [secret, TEAM.ITEMWRIGHT_SECRET, AUTHORIZATION.slice(6), 'hush', 'with a space'])
      assert.ok(!(stdout + stderr).includes(hidden), hidden);
  });

  test('exits with one clear line per invalid setting', async () => {
    const { code, stdout, stderr } = await runToEnd('src/main.ts', [], { PORT: 'http', METRICS: 'yes' });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.deepEqual(stderr.split('\n'), [
      'itemwright: PORT must be a whole number from 0 to 65535',
      'itemwright: METRICS must be on or off',
      '',
    ]);
  });

  test('reports in one clear line that its port is in use, and still shows the first team', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const databaseUrl = await newDatabase();
    const environment = { PORT: String(port), DATABASE_URL: databaseUrl };
    const first = await runToEnd('src/main.ts', [], environment);
    const second = await runToEnd('src/main.ts', [], environment);
    other.close();
    assert.equal(first.code, 1);
    assert.match(first.stderr, /secret {3}\S{43}\n/, 'a secret that exists was shown');
    assert.ok(!first.stderr.includes('is ready'));
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`^itemwright: cannot start: .*address already in use.*${port}\n$`));
  });

  test('reports in one clear line that the database is down', async () => {
    const { code, stderr } = await runToEnd('src/main.ts', [], {
      PORT: String(await freePort()),
      DATABASE_URL: `postgres://postgres:hush@127.0.0.1:${await freePort()}/x`,
    });
    assert.equal(code, 1);
    assert.match(stderr, /^itemwright: cannot start: .*ECONNREFUSED.*\n$/);
    assert.ok(!stderr.includes('hush'));
  });
});

describe('the service with settings', () => {
  const withService = async (
    environment: Record<string, string>,
    use: (service: Awaited<ReturnType<typeof startService>>) => Promise<void>,
  ) => {
    const service = await startService(await newDatabase(), environment);
    try {
      await use(service);
    } finally {
      await service.stop();
    }
  };

  const preflight = (service: { address: string }, origin: string) =>
    fetch(`${service.address}/items/roll`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key,x-stainless-lang',
      },
    });

  test('allows no cross-origin requests by default', async () => {
    await withService({}, async (service) => {
      const denied = await preflight(service, 'https://game.example');
      assert.equal(denied.status, 404);
      const response = await service.get('/team', { headers: { origin: 'https://game.example' } });
      for (const { headers } of [denied, response]) assert.equal(headers.get('access-control-allow-origin'), null);
    });
  });

  test('allows requests from the listed origins, including those that fail', async () => {
    await withService({ CORS_ORIGINS: 'https://game.example,https://other.example' }, async (service) => {
      const asked = await preflight(service, 'https://game.example');
      assert.equal(asked.status, 204);
      assert.equal(asked.headers.get('access-control-allow-origin'), 'https://game.example');
      assert.match(asked.headers.get('access-control-allow-methods') ?? '', /POST/);
      // Any headers that the browser asks for: clients add headers of their own.
      assert.equal(
        asked.headers.get('access-control-allow-headers'),
        'authorization,content-type,idempotency-key,x-stainless-lang',
      );
      const headers = { origin: 'https://game.example' };
      for (const [response, status] of [
        [await service.get('/team', { headers }), 200],
        [await service.anyone().get('/team', { headers }), 401],
        [await service.post('/users', { colour: 'red' }, { headers }), 400],
        [await service.get('/users/nobody', { headers }), 404],
      ] as const) {
        assert.equal(response.status, status);
        assert.equal(response.headers.get('access-control-allow-origin'), 'https://game.example');
        assert.match(response.headers.get('vary') ?? '', /origin/i);
        const exposed = response.headers.get('access-control-expose-headers')?.split(', ');
        for (const name of ['link', 'x-should-retry', 'retry-after']) assert.ok(exposed?.includes(name), name);
        assert.equal(response.headers.get('x-should-retry'), status === 200 ? null : 'false');
      }
      const foreign = await service.get('/team', { headers: { origin: 'https://evil.example' } });
      assert.equal(foreign.headers.get('access-control-allow-origin'), null);
      assert.equal((await preflight(service, 'https://evil.example')).headers.get('access-control-allow-origin'), null);
      const bare = await fetch(`${service.address}/team`, { method: 'OPTIONS' });
      assert.equal(bare.status, 204);
    });
  });

  test('allows requests from every origin with *', async () => {
    await withService({ CORS_ORIGINS: '*' }, async (service) => {
      const response = await service.anyone().get('/team', { headers: { origin: 'https://any.example' } });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
    });
  });

  test('responds with 429 and Retry-After to too many wrong secrets from one address, and still accepts right ones', async () => {
    await withService({}, async (service) => {
      const other = await service.anotherTeam();
      assert.equal((await service.get('/team')).status, 200);
      const guess = (number: number) => service.anyone(basic(service.teamId, `a wrong secret ${number}`)).get('/team');
      let number = 0;
      let response = await guess(number);
      for (; response.status === 401; number += 1) response = await guess(number);
      assert.equal(response.status, 429);
      assert.equal(response.headers.get('retry-after'), '1');
      assert.deepEqual(response.body, { code: 'TOO_MANY_REQUESTS', message: 'Too many requests', issues: [] });
      assert.ok(number < 1000);
      assert.equal((await service.get('/team')).status, 200);
      assert.equal((await other.get('/team')).status, 200);
    });
  });

  test('trusts the client address of trusted proxies only', async () => {
    const guesses = async (service: Awaited<ReturnType<typeof startService>>, address: (number: number) => string) => {
      await service.get('/team');
      const statuses = new Set<number>();
      for (let number = 0; number < 200 && !statuses.has(429); number += 1) {
        const headers = { 'x-forwarded-for': address(number) };
        const { status } = await service.anyone(basic(service.teamId, `wrong ${number}`)).get('/team', { headers });
        statuses.add(status);
      }
      return [...statuses].sort();
    };
    const another = (number: number) => `198.51.100.1, 192.0.2.${number}`;
    await withService({ TRUST_PROXY: 'loopback' }, async (service) => {
      assert.deepEqual(await guesses(service, another), [401]);
      assert.deepEqual(await guesses(service, () => '203.0.113.1'), [401, 429]);
    });
    await withService({}, async (service) => {
      assert.deepEqual(await guesses(service, another), [401, 429]);
    });
  });

  test('sends headers that keep its responses from being used as pages', async () => {
    await withService({}, async (service) => {
      for (const response of [
        await service.get('/team'),
        await service.anyone().get('/team'),
        await service.get('/no'),
      ]) {
        assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
        assert.equal(response.headers.get('cache-control'), 'no-store');
      }
    });
  });

  test('aborts a request whose body never ends', async () => {
    const databaseUrl = await newDatabase();
    const database = openDatabase(databaseUrl);
    await database.migrate();
    const app = await buildApp({
      settings: readSettings({ DATABASE_URL: databaseUrl, ...TEAM }),
      database,
      logger: pino({ level: 'silent' }),
      clock: Date.now,
      draws: systemDraws(),
      requestTimeoutMs: 300,
    });
    const { createFirstTeam } = await import('../../src/features/teams/teams.service.ts');
    await database.transaction('', (tx) =>
      createFirstTeam(tx, Date.now(), { id: 'my-team', secret: TEAM.ITEMWRIGHT_SECRET }),
    );
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    try {
      const { socket, response } = await begin(port, `{"id":"${'x'.repeat(100)}"}`);
      socket.write('{"id":"x');
      await once(socket, 'close');
      assert.match(response(), /^HTTP\/1\.1 (400|503) /);
      assert.match(response(), /"code":"(BAD_REQUEST|SERVICE_UNAVAILABLE)"/);
      assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    } finally {
      await app.close();
      await database.close();
    }
  });
});
