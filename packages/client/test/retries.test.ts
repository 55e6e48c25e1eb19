import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ERRORS } from '../../../src/shared/errors.ts';
import {
  ConflictError,
  ConnectionError,
  createClient,
  type ErrorCode,
  ForbiddenError,
  ItemwrightError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  ServerError,
  TimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
  UnavailableError,
  ValidationError,
} from '../src/index.ts';
import { VERSION } from '../src/version.ts';
import { json, type Respond, type Server, startServer } from './server.ts';

let server: Server;
/** For each suite, since hooks outside of them would run for other files, too. */
const useServer = (): void => {
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());
};

const failure = (code: string, issues: object[] = []) => ({ code, message: 'A message', issues });
const busy = (headers: Record<string, string> = {}): Respond =>
  json(503, failure('SERVICE_UNAVAILABLE'), { 'x-should-retry': 'true', ...headers });
/** Reads the request, and never responds. */
const silent: Respond = () => {};
const cut: Respond = (response) => void response.socket?.resetAndDestroy();
/** Sends a part of a body. */
const cutBody: Respond = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('[{"id":', () => response.socket?.end());
};

const rejected = async (call: Promise<unknown>): Promise<ItemwrightError> => {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ItemwrightError, String(error));
    return error;
  }
  return assert.fail('resolved');
};

/** Lets everything happen that waits for neither time nor the network. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
};

const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);

describe('errors', () => {
  useServer();

  for (const [status, type] of [
    [400, ValidationError],
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [409, ConflictError],
    [412, PreconditionFailedError],
    [413, PayloadTooLargeError],
    [415, ItemwrightError],
    [429, TooManyRequestsError],
    [500, ServerError],
    [502, UnavailableError],
    [503, UnavailableError],
    [504, UnavailableError],
  ] as const)
    test(`of status ${status} are ${type.name}s with what the service said`, async () => {
      const issues = [{ path: '/body/min', message: 'must be less' }];
      server.answers.push(json(status, failure('SOME_CODE', issues), { 'x-request-id': 'r1' }));
      const error = await rejected(server.client.items.create({ name: 'Sword' }, { retries: 0, idempotencyKey: 'k' }));
      assert.equal(error.constructor, type);
      assert.equal(error.name, type.name);
      const { code, requestId, idempotencyKey, attempts } = error;
      assert.deepEqual([error.status, code, requestId], [status, 'SOME_CODE', 'r1']);
      assert.deepEqual([error.issues, idempotencyKey, attempts], [issues, 'k', 1]);
      assert.equal(error.message, 'A message: /body/min must be less');
      assert.equal(error.maybeDone, status >= 500);
    });

  test('name what was called, and begin their stack where it was', async () => {
    const gone = json(404, failure('NOT_FOUND'));
    server.answers.push(gone, gone);
    const callsItself = (): Promise<unknown> => server.client.items.get('a/b');
    const error = await rejected(callsItself());
    assert.deepEqual([error.operation, error.method, error.path], ['items.get', 'GET', '/items/a%2Fb']);
    const [first, second] = error.stack?.split('\n') ?? [];
    assert.equal(first, 'NotFoundError: items.get (GET /items/a%2Fb): A message');
    assert.match(second as string, /callsItself/);
    const listsItself = (): Promise<unknown> => server.client.items.list({ q: 'x' } as object).all();
    const ofList = await rejected(listsItself());
    assert.deepEqual([ofList.operation, ofList.path], ['items.list', '/items']);
    assert.match(ofList.stack ?? '', /^NotFoundError: items.list \(GET \/items\): A message\n.*listsItself/);
  });

  test('have the codes of the service', () => {
    // Checked by the compiler: each of the two has every code of the other.
    const ours: Record<ErrorCode, unknown> = ERRORS;
    const theirs: Record<keyof typeof ERRORS, unknown> = ours;
    assert.equal(theirs, ERRORS);
  });

  test('that are not from the service say so', async () => {
    const html: Respond = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    const page: Respond = (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>');
    const redirect: Respond = (response) => response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end();
    server.answers.push(html, page, redirect);
    assert.match((await rejected(server.client.team.get())).message, /not from Itemwright/);
    const error = await rejected(server.client.team.get());
    assert.ok(error instanceof NotFoundError);
    assert.deepEqual([error.code, error.issues, error.requestId], [undefined, [], undefined]);
    assert.match((await rejected(server.client.team.get())).message, /redirects/);
    assert.equal(server.received.length, 3);
  });

  test('are what becomes of any other response, too', async () => {
    const lines: Respond = (response) =>
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('null\n{"error":null}\n5\n');
    server.answers.push(
      json(400, failure('BAD_REQUEST', [null, 'no', { path: '/body', message: 'no' }] as object[])),
      json(200, {}),
      json(200, [], { link: '<http://[>; rel="next"' }),
      lines,
    );
    const { message, issues } = await rejected(server.client.team.get());
    assert.deepEqual([message, issues], ['A message: /body no', [{ path: '/body', message: 'no' }]]);
    assert.match((await rejected(server.client.items.list().all())).message, /not from Itemwright/);
    assert.match((await rejected(server.client.items.list().all())).message, /not from Itemwright/);
    const watch = { onProgress: () => assert.fail(), retries: 0 };
    await rejected(server.client.templates.simulate({ players: 1, rolls: 1, seed: 'a' }, watch));
  });

  test('end a list whose pages lead to themselves', async () => {
    const link = { link: '</items?cursor=a>; rel="next"' };
    server.answers.push(json(200, [], link), json(200, [], link), json(200, [], link));
    assert.match((await rejected(server.client.items.list().all())).message, /not from Itemwright/);
    assert.equal(server.received.length, 2);
  });

  test('are reported as they are if a client cannot be created or a call cannot be sent', async () => {
    assert.throws(() => createClient({ url: 'nonsense' }), TypeError);
    assert.throws(() => createClient({ url: 'ftp://example.com' }), TypeError);
    await assert.rejects(server.client.team.get({ headers: { 'x-a': 'b\nc' } }), TypeError);
    assert.equal(server.received.length, 0);
  });

  test('without a response are ConnectionErrors with their cause', async () => {
    const { url } = server;
    await server.close();
    const error = await rejected(createClient({ url }).items.create({ name: 'A' }, { retries: 1 }));
    assert.ok(error instanceof ConnectionError && error.cause instanceof Error);
    const { status, attempts, maybeDone, isTemporary } = error;
    assert.deepEqual([status, attempts, maybeDone, isTemporary], [0, 2, true, true]);
    server = await startServer();
  });

  test('that nobody waits for are unhandled, and only those', async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.prependListener('unhandledRejection', listen);
    const others = process.listeners('unhandledRejection').filter((one) => one !== listen);
    for (const one of others) process.removeListener('unhandledRejection', one as never);
    try {
      server.answers.push(json(404, failure('NOT_FOUND')), json(404, failure('NOT_FOUND')));
      await assert.rejects(server.client.items.get('a').withResponse(), NotFoundError);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(unhandled.length, 0);
      void server.client.items.get('b');
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(unhandled.length, 1);
    } finally {
      process.removeListener('unhandledRejection', listen);
      for (const one of others) process.on('unhandledRejection', one as never);
    }
  });
});

describe('retries', () => {
  useServer();

  test('send the same request with the same key until there is a response', async () => {
    server.answers.push(busy(), cut, cutBody, json(200, { id: 'sword' }));
    const { data, response } = await server.client.items.create({ name: 'Sword' }).withResponse();
    assert.deepEqual([data, response.status], [{ id: 'sword' }, 200]);
    assert.equal(server.received.length, 4);
    assert.match(keys()[0] as string, /^[\da-f]{32}$/);
    assert.equal(new Set(keys()).size, 1);
    assert.equal(new Set(server.received.map(({ body }) => body)).size, 1);
  });

  test('have a key of their own for each call, or the one that is given', async () => {
    await server.client.items.roll();
    await server.client.items.roll();
    server.answers.push(cut);
    await server.client.items.roll({}, { idempotencyKey: 'purchase-1' });
    assert.equal(new Set(keys()).size, 3);
    assert.deepEqual(keys().slice(2), ['purchase-1', 'purchase-1']);
  });

  test('are not made without a key', async () => {
    server.answers.push(cut);
    const error = await rejected(server.client.items.roll({}, { idempotencyKey: false }));
    assert.deepEqual([error.attempts, error.idempotencyKey], [1, undefined]);
    assert.deepEqual(keys(), [undefined]);
  });

  test('are not made of a new secret', async () => {
    for (const answer of [cut, busy()]) {
      server.answers.push(answer);
      assert.equal((await rejected(server.client.secrets.create({ name: 'a', role: 'read' }))).attempts, 1);
    }
    assert.deepEqual(keys(), [undefined, undefined]);
  });

  test('of reads, changes, deletions and computations need no key', async () => {
    const { items, catalog } = server.client;
    for (const call of [
      () => items.get('a'),
      () => items.update('a', {}),
      () => items.delete('a'),
      () => catalog.plan({ undo: 1 }),
    ]) {
      server.answers.push(cut);
      await call();
    }
    assert.equal(server.received.length, 8);
    assert.ok(keys().every((key) => key === undefined));
  });

  test('are not made if the service says that they are of no use, whatever the status', async () => {
    server.answers.push(json(500, failure('INTERNAL_SERVER_ERROR'), { 'x-should-retry': 'false' }));
    assert.equal((await rejected(server.client.items.roll())).attempts, 1);
    server.answers.push(json(409, failure('CONFLICT')));
    assert.equal((await rejected(server.client.items.roll())).attempts, 1);
  });

  test('end after as many as were allowed', async () => {
    server.answers.push(...Array.from({ length: 10 }, () => busy()));
    const error = await rejected(server.client.items.roll({}, { retries: 2 }));
    assert.ok(error instanceof UnavailableError);
    assert.deepEqual([error.attempts, server.received.length], [3, 3]);
    assert.equal((await rejected(createClient({ url: server.url, retries: 0 }).items.roll())).attempts, 1);
  });

  test('wait as long as the service asks, in seconds or until a date', async (t) => {
    // Pauses are as short as they may be, and end only when the clock of the test is moved.
    t.mock.method(Math, 'random', () => 0);
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-11-14T09:30:00.000Z') });
    for (const [value, waitMs] of [
      ['1', 1000],
      ['Sat, 14 Nov 2026 09:30:03 GMT', 2000],
      ['soon', 0],
    ] as const) {
      let attempts = 0;
      const fetch: typeof globalThis.fetch = async () => {
        attempts += 1;
        return attempts === 1
          ? Response.json(failure('SERVICE_UNAVAILABLE'), { status: 503, headers: { 'retry-after': value } })
          : Response.json({ id: 'team' });
      };
      const call = createClient({ url: server.url, fetch }).team.get();
      await turns();
      if (waitMs > 0) {
        t.mock.timers.tick(waitMs - 1);
        await turns();
        assert.equal(attempts, 1, value);
        t.mock.timers.tick(1);
      }
      // A timer of 0 ms takes one.
      else t.mock.timers.tick(1);
      await call;
      assert.equal(attempts, 2, value);
    }
  });

  test('do not begin if the time would run out', async (t) => {
    const fetch = async () =>
      Response.json(failure('SERVICE_UNAVAILABLE'), { status: 503, headers: { 'retry-after': '20' } });
    // Nothing moves this clock, so the call would wait forever if it waited at all.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const error = await rejected(createClient({ url: server.url, fetch }).team.get({ totalTimeoutMs: 5000 }));
    assert.ok(error instanceof UnavailableError);
    assert.equal(error.retryAfterMs, 20_000);
  });

  test('that find a thing deleted or changed tell that it may have been their own call', async () => {
    server.answers.push(cut, json(404, failure('NOT_FOUND'), { 'x-should-retry': 'false' }));
    const error = await rejected(server.client.items.delete('a'));
    assert.ok(error instanceof NotFoundError);
    assert.deepEqual([error.attempts, error.maybeDone], [2, true]);
    server.answers.push(json(404, failure('NOT_FOUND')));
    assert.equal((await rejected(server.client.items.delete('a'))).maybeDone, false);
    server.answers.push(cut, json(412, failure('PRECONDITION_FAILED')));
    assert.equal((await rejected(server.client.items.update('a', {}, { ifMatch: '"1"' }))).maybeDone, true);
  });
});

describe('time limits', () => {
  useServer();

  test('end an attempt, and the next one is made', async () => {
    server.answers.push(silent, json(200, { id: 'a' }));
    assert.deepEqual(await server.client.items.get('a', { timeoutMs: 100 }), { id: 'a' });
    assert.equal(server.received.length, 2);
  });

  test('end attempts whose body does not arrive', async () => {
    const half: Respond = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    };
    server.answers.push(half);
    const error = await rejected(server.client.items.get('a', { timeoutMs: 100, retries: 0 }));
    assert.ok(error instanceof TimeoutError && error instanceof ConnectionError);
  });

  test('end the whole call', async () => {
    server.answers.push(...Array.from({ length: 20 }, () => silent));
    const error = await rejected(server.client.items.get('a', { timeoutMs: 200, totalTimeoutMs: 500, retries: 20 }));
    assert.ok(error instanceof TimeoutError);
    // Two whole attempts and a short one fit.
    assert.ok(server.received.length <= 3, `${server.received.length} attempts`);
  });

  test('leave publications and computations as long as the service does', async (t) => {
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', reject));
    const client = createClient({ url: server.url, retries: 0, fetch });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    for (const [call, seconds] of [
      [() => client.items.roll({}), 35],
      [() => client.catalog.publish({ baseVersion: 1, rollbackTo: 0 }), 150],
      [() => client.catalogDrafts.publish('draft', {}), 150],
      [() => client.catalog.plan({ rollbackTo: 0 }), 150],
    ] as const) {
      let hasEnded = false;
      const ended = rejected(call()).finally(() => {
        hasEnded = true;
      });
      t.mock.timers.tick(1000 * seconds - 1);
      await new Promise(setImmediate);
      assert.equal(hasEnded, false);
      t.mock.timers.tick(1);
      assert.ok((await ended) instanceof TimeoutError);
    }
  });

  test('can be as long as one likes', async () => {
    assert.deepEqual(await server.client.items.odds({ timeoutMs: Number.POSITIVE_INFINITY }), []);
  });
});

describe('aborting a signal', () => {
  useServer();

  test('rejects with its reason at once, whatever the call is doing', async () => {
    for (const answer of [silent, busy({ 'retry-after': '20' }), cutBody]) {
      server.answers.push(answer, silent);
      const controller = new AbortController();
      const reason = new Error('enough');
      let rejectedWith: unknown;
      server.client.items.get('a', { signal: controller.signal }).catch((error: unknown) => {
        rejectedWith = error;
      });
      await new Promise((resolve) => setTimeout(resolve, 150));
      assert.equal(rejectedWith, undefined);
      controller.abort(reason);
      await turns();
      assert.equal(rejectedWith, reason);
      server.answers.length = 0;
    }
  });

  test('beforehand sends nothing', async () => {
    await assert.rejects(server.client.items.get('a', { signal: AbortSignal.abort() }), { name: 'AbortError' });
    assert.equal(server.received.length, 0);
  });

  test('ends the connection', async () => {
    const sockets: Socket[] = [];
    const listening = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as { port: number };
    const controller = new AbortController();
    const call = createClient({ url: `http://127.0.0.1:${port}` }).items.odds({ signal: controller.signal });
    const [socket] = (await once(listening, 'connection')) as [Socket];
    const closed = once(socket.resume(), 'close');
    controller.abort();
    await assert.rejects(call);
    await closed;
    listening.close();
  });

  test('works with a fetch that ignores signals', async () => {
    const client = createClient({ url: server.url, fetch: () => new Promise(() => {}) });
    await assert.rejects(client.team.get({ signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
    await assert.rejects(client.team.get({ timeoutMs: 50, retries: 0 }), TimeoutError);
  });
});

describe('what a client is given', () => {
  useServer();

  test('applies to all calls, and each call can override it', async () => {
    const client = createClient({
      url: `${server.url}/prefix/`,
      headers: { 'x-itemwright-source': 'console', 'x-a': '1' },
      retries: 0,
    });
    await client.team.get({ headers: { 'x-a': '2' }, retries: undefined });
    const { url, headers } = server.received[0] as (typeof server.received)[0];
    assert.deepEqual([url, headers['x-itemwright-source'], headers['x-a']], ['/prefix/team', 'console', '2']);
    assert.equal(headers.authorization, undefined);
    server.answers.push(cut);
    assert.equal((await rejected(client.team.get({ retries: undefined }))).attempts, 1);
    server.answers.push(cut);
    await client.team.get({ retries: 1 });
  });

  test('is one header however its name is spelt', async () => {
    const { url } = server;
    const client = createClient({ url, teamId: 'team', secret: 'other', headers: { 'X-A': '1' } });
    await client.items.roll({}, { headers: { 'x-a': '2', Authorization: 'Basic Zm9v', 'Idempotency-Key': 'mine' } });
    await client.items.roll({}, { headers: { 'Idempotency-Key': 'mine' }, idempotencyKey: 'other' });
    const { headers } = server.received[0] as (typeof server.received)[0];
    assert.deepEqual([headers['x-a'], headers.authorization], ['2', 'Basic Zm9v']);
    assert.deepEqual(keys(), ['mine', 'other']);
  });
});

describe('hooks', () => {
  useServer();

  test('are told about every request, response and retry, and can add headers', async () => {
    const told: unknown[] = [];
    const client = createClient({
      url: server.url,
      onRequest: ({ operation, method, url, attempt, headers }) => {
        headers.set('traceparent', `trace-${attempt}`);
        told.push([operation, method, url.slice(server.url.length), attempt]);
      },
      onResponse: ({ status, ms, attempt }) => {
        assert.ok(ms >= 0);
        told.push([status, attempt]);
      },
      onRetry: ({ error, pauseMs, attempt }) => {
        assert.ok(pauseMs >= 0);
        told.push([error.code ?? error.name, attempt]);
      },
    });
    server.answers.push(busy(), cut, json(200, { id: 'sword' }));
    await client.items.create({ name: 'Sword' });
    const request = (attempt: number): unknown => ['items.create', 'POST', '/items', attempt];
    assert.deepEqual(told, [
      request(1),
      [503, 1],
      ['SERVICE_UNAVAILABLE', 1],
      request(2),
      ['ConnectionError', 2],
      request(3),
      [200, 3],
    ]);
    assert.deepEqual(
      server.received.map(({ headers }) => headers.traceparent),
      ['trace-1', 'trace-2', 'trace-3'],
    );
  });

  test('cannot make a call fail', async () => {
    const fail = (): never => {
      throw new Error('a hook failed');
    };
    const client = createClient({ url: server.url, onRequest: fail, onResponse: fail, onRetry: fail });
    server.answers.push(busy(), json(200, { id: 'sword' }));
    assert.deepEqual(await client.items.create({ name: 'Sword' }), { id: 'sword' });
  });

  test('are not needed to tell the client from others', async () => {
    await server.client.items.list().all();
    await createClient({ url: server.url, headers: { 'user-agent': 'my-game/1' } })
      .items.list()
      .all();
    const agents = server.received.map(({ headers }) => headers['user-agent']);
    assert.deepEqual(agents, [`itemwright-client/${VERSION}`, 'my-game/1']);
  });
});
