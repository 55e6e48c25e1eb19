/** Errors, retries, time limits and cancellation, as the TypeScript client has them. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { json, type Respond, type Server, startServer } from '../../client/test/server.ts';
import { noMono, useProgram } from './program.ts';

const failure = (code: string, issues: unknown[] = []) => ({ code, message: 'A message', issues });
const busy = (headers: Record<string, string> = {}): Respond =>
  json(503, failure('SERVICE_UNAVAILABLE'), { 'x-should-retry': 'true', ...headers });
/** Reads the request, and never responds. */
const silent: Respond = () => {};
const cut: Respond = (response) => void response.socket?.resetAndDestroy();
const closed: Respond = (response) => void response.socket?.end();
/** Sends a part of a body. */
const cutBody: Respond = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', () => response.socket?.end());
};
const cutError: Respond = (response) => {
  response.writeHead(409, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"code":', () => response.socket?.end());
};
const lines =
  (...parts: string[]): Respond =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const part of parts) {
      response.write(part);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    response.end();
  };

describe('calls in C#', { skip: noMono }, () => {
  const program = useProgram();
  let server: Server;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  const call = (operation: string, more: { client?: object; [name: string]: unknown } = {}) => ({
    do: 'call',
    operation,
    ...more,
    client: { url: server.url, ...more.client },
  });
  const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);

  describe('errors', () => {
    for (const [status, type] of [
      [400, 'ValidationException'],
      [401, 'UnauthorizedException'],
      [403, 'ForbiddenException'],
      [404, 'NotFoundException'],
      [409, 'ConflictException'],
      [412, 'PreconditionFailedException'],
      [413, 'PayloadTooLargeException'],
      [415, 'ItemwrightException'],
      [429, 'TooManyRequestsException'],
      [500, 'ServerException'],
      [502, 'UnavailableException'],
      [503, 'UnavailableException'],
      [504, 'UnavailableException'],
    ] as const)
      test(`of status ${status} are ${type}s with what the service said`, async () => {
        const issues = [{ path: '/body/min', message: 'must be less' }];
        server.answers.push(json(status, failure('SOME_CODE', issues), { 'x-request-id': 'r1' }));
        const options = { retries: 0, idempotencyKey: 'k' };
        const error = await program.fail(call('items.create', { body: { name: 'Sword' }, options }));
        assert.deepEqual([error.type, error.status, error.code], [type, status, 'SOME_CODE']);
        assert.deepEqual([error.operation, error.method, error.path], ['items.create', 'POST', '/items']);
        assert.deepEqual([error.issues, error.idempotencyKey, error.attempts], [issues, 'k', 1]);
        assert.deepEqual([error.requestId, error.maybeDone], ['r1', status >= 500]);
        const message = `items.create (POST /items): ${status} SOME_CODE: A message: /body/min must be less`;
        assert.equal(error.message, message);
      });

    test('that are not from the service say so', async () => {
      const html: Respond = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      const page: Respond = (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<html>');
      const redirect: Respond = (response) => response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end();
      server.answers.push(html, page, redirect, json(200, []), json(200, { id: 5 }));
      const get = call('team.get');
      assert.match((await program.fail(get)).message, /not from Itemwright/);
      const { type, code, issues, requestId } = await program.fail(get);
      assert.deepEqual([type, code, issues, requestId], ['NotFoundException', null, [], null]);
      assert.match((await program.fail(get)).message, /redirects/);
      assert.match((await program.fail(get)).message, /not from Itemwright/);
      assert.match((await program.fail(get)).message, /not from Itemwright/);
      assert.equal(server.received.length, 5);
    });

    test('are what becomes of any other response, too', async () => {
      server.answers.push(
        json(400, failure('BAD_REQUEST', [null, 'no', { path: '/body', message: 'no' }])),
        json(200, {}),
        json(200, [], { link: '<http://[>; rel="next"' }),
        lines('null\n{"error":null}\n5\n'),
      );
      assert.deepEqual((await program.fail(call('team.get'))).issues, [{ path: '/body', message: 'no' }]);
      assert.match((await program.fail(call('items.list'))).message, /not from Itemwright/);
      assert.match((await program.fail(call('items.list'))).message, /not from Itemwright/);
      const simulate = call('templates.simulate', { body: { players: 1 }, watch: '', options: { retries: 0 } });
      assert.equal((await program.fail(simulate)).type, 'ConnectionException');
    });

    test('end a list whose pages lead to themselves', async () => {
      const link = { link: '</items?cursor=a>; rel="next"' };
      server.answers.push(json(200, [], link), json(200, [], link), json(200, [], link));
      assert.match((await program.fail({ ...call(''), do: 'all' })).message, /not from Itemwright/);
      assert.equal(server.received.length, 2);
    });

    test('are reported as they are if a client cannot be created or a call cannot be sent', async () => {
      const types = ['ArgumentException', 'ArgumentException', 'ArgumentException', 'ArgumentNullException'];
      assert.deepEqual(await program.get({ do: 'invalid' }), [...types, 'ArgumentException']);
      const wrong = call('team.get', { options: { headers: { 'x-a': 'b\nc' } } });
      assert.equal((await program.fail(wrong)).type, 'ArgumentException');
      assert.equal(server.received.length, 0);
    });

    test('without a response are ConnectionExceptions with their cause', async () => {
      const { url } = server;
      await server.close();
      const create = { body: { name: 'A' }, options: { retries: 1 }, client: { url } };
      const error = await program.fail(call('items.create', create));
      assert.deepEqual([error.type, error.status, error.attempts], ['ConnectionException', 0, 2]);
      assert.deepEqual([error.maybeDone, error.isTemporary], [true, true]);
      assert.notEqual(error.cause, null);
      assert.match(error.message, /^items\.create \(POST \/items\): The connection failed/);
      server = await startServer();
    });
  });

  describe('retries', () => {
    test('send the same request with the same key until there is a response', async () => {
      server.answers.push(busy(), cut, cutBody, cutError, json(200, { id: 'sword' }));
      const { data, status } = await program.get(call('items.create', { body: { name: 'Sword' } }));
      assert.deepEqual([data.id, status], ['sword', 200]);
      assert.equal(server.received.length, 5);
      assert.match(keys()[0] as string, /^[\da-f]{32}$/);
      assert.equal(new Set(keys()).size, 1);
      assert.equal(new Set(server.received.map(({ body }) => body)).size, 1);
    });

    test('have a key of their own for each call, or the one that is given', async () => {
      const roll = call('items.roll');
      server.answers.push(json(200, {}), json(200, {}), cut, json(200, {}), json(200, {}), json(200, {}));
      await program.get(roll);
      await program.get(roll);
      await program.get({ ...roll, options: { idempotencyKey: 'purchase-1' } });
      assert.equal(new Set(keys()).size, 3);
      assert.deepEqual(keys().slice(2), ['purchase-1', 'purchase-1']);
      await program.get({ ...roll, options: { headers: { 'Idempotency-Key': 'mine' } } });
      await program.get({ ...roll, options: { headers: { 'Idempotency-Key': 'mine' }, idempotencyKey: 'other' } });
      assert.deepEqual(keys().slice(4), ['mine', 'other']);
    });

    test('are not made without a key', async () => {
      for (const answer of [cut, closed, busy()]) {
        server.answers.push(answer);
        const error = await program.fail(call('items.roll', { options: { withoutIdempotencyKey: true } }));
        assert.deepEqual([error.attempts, error.idempotencyKey], [1, null]);
      }
      assert.deepEqual(keys(), [undefined, undefined, undefined]);
    });

    test('are not made of a new secret, not even on a connection that was used before', async () => {
      for (const answer of [cut, closed, busy()]) {
        server.answers.push(json(200, []), answer);
        const create = call('secrets.create', { body: { name: 'a', role: 'read' }, warm: true });
        assert.equal((await program.fail(create)).attempts, 1);
      }
      const created = server.received.filter(({ method }) => method === 'POST');
      assert.deepEqual(
        created.map(({ headers }) => headers['idempotency-key']),
        [undefined, undefined, undefined],
      );
    });

    test('of reads, changes, deletions and computations need no key', async () => {
      for (const one of [
        call('items.get', { ids: ['a'] }),
        call('items.update', { ids: ['a'], body: {} }),
        call('items.delete', { ids: ['a'] }),
        call('catalog.plan', { body: { undo: 1 } }),
      ]) {
        server.answers.push(cut, json(200, {}));
        await program.get(one);
      }
      assert.equal(server.received.length, 8);
      assert.ok(keys().every((key) => key === undefined));
    });

    test('are not made if the service says that they are of no use, whatever the status', async () => {
      server.answers.push(json(500, failure('INTERNAL_SERVER_ERROR'), { 'x-should-retry': 'false' }));
      assert.equal((await program.fail(call('items.roll'))).attempts, 1);
      server.answers.push(json(409, failure('CONFLICT')));
      assert.equal((await program.fail(call('items.roll'))).attempts, 1);
      server.answers.push(json(409, failure('CONFLICT'), { 'x-should-retry': 'true' }), json(200, {}));
      await program.get(call('items.roll'));
      assert.equal(server.received.length, 4);
    });

    test('end after as many as were allowed', async () => {
      server.answers.push(...Array.from({ length: 10 }, () => busy()));
      const error = await program.fail(call('items.roll', { options: { retries: 2 } }));
      assert.deepEqual([error.type, error.attempts], ['UnavailableException', 3]);
      assert.equal(server.received.length, 3);
      assert.equal((await program.fail(call('items.roll', { client: { retries: 0 } }))).attempts, 1);
    });

    test('wait as long as the service asks, in seconds or until a date', async () => {
      const inThree = new Date(Date.now() + 3000).toUTCString();
      for (const [value, leastMs] of [
        ['1', 1000],
        [inThree, 900],
        ['soon', 0],
      ] as const) {
        server.answers.push(busy({ 'retry-after': value }), json(200, {}));
        const startedAt = performance.now();
        await program.get(call('team.get'));
        assert.ok(performance.now() - startedAt >= leastMs, value);
      }
    });

    test('do not begin if the time would run out', async () => {
      server.answers.push(busy({ 'retry-after': '20' }));
      const error = await program.fail(call('team.get', { options: { totalTimeoutMs: 5000 } }));
      assert.deepEqual([error.type, error.retryAfterMs, error.attempts], ['UnavailableException', 20_000, 1]);
    });

    test('that find a thing deleted or changed tell that it may have been their own call', async () => {
      server.answers.push(cut, json(404, failure('NOT_FOUND'), { 'x-should-retry': 'false' }));
      const error = await program.fail(call('items.delete', { ids: ['a'] }));
      assert.deepEqual([error.type, error.attempts, error.maybeDone], ['NotFoundException', 2, true]);
      server.answers.push(json(404, failure('NOT_FOUND')));
      assert.equal((await program.fail(call('items.delete', { ids: ['a'] }))).maybeDone, false);
    });
  });

  describe('time limits', () => {
    test('end an attempt, and the next one is made', async () => {
      server.answers.push(silent, json(200, { id: 'a' }));
      const { data } = await program.get(call('items.get', { ids: ['a'], options: { timeoutMs: 100 } }));
      assert.equal(data.id, 'a');
      assert.equal(server.received.length, 2);
    });

    test('end attempts whose body does not arrive', async () => {
      const half: Respond = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{');
      };
      server.answers.push(half);
      const error = await program.fail(call('items.get', { ids: ['a'], options: { timeoutMs: 100, retries: 0 } }));
      assert.deepEqual([error.type, error.isConnectionException], ['ConnectionTimeoutException', true]);
    });

    test('end the whole call', async () => {
      server.answers.push(...Array.from({ length: 20 }, () => silent));
      const options = { timeoutMs: 200, totalTimeoutMs: 500, retries: 20 };
      const error = await program.fail(call('items.get', { ids: ['a'], options }));
      assert.equal(error.type, 'ConnectionTimeoutException');
      assert.ok(server.received.length <= 3, `${server.received.length} attempts`);
    });

    test('can be as long as one likes', async () => {
      server.answers.push(json(200, { id: 'a' }));
      const options = { timeoutMs: 1e13, totalTimeoutMs: 1e13 };
      assert.equal((await program.get(call('items.get', { ids: ['a'], options }))).data.id, 'a');
    });
  });

  describe('cancellation', () => {
    test('ends a call that waits for its response', async () => {
      server.answers.push(silent);
      const error = await program.fail(call('items.get', { ids: ['a'], cancelAfterMs: 100 }));
      assert.match(error.type, /^(Task|Operation)CanceledException$/);
      assert.equal(server.received.length, 1);
    });

    test('ends a call that waits for its next attempt', async () => {
      server.answers.push(busy({ 'retry-after': '20' }));
      const startedAt = performance.now();
      const error = await program.fail(call('items.roll', { cancelAfterMs: 100 }));
      assert.match(error.type, /^(Task|Operation)CanceledException$/);
      assert.ok(performance.now() - startedAt < 15_000);
      assert.equal(server.received.length, 1);
    });

    test('and time limits end a call whose HttpClient hears of neither', async () => {
      const [timedOut, cancelled] = await program.get({ do: 'deaf' });
      assert.equal(timedOut, 'ConnectionTimeoutException');
      assert.match(cancelled, /^(Task|Operation)CanceledException$/);
    });

    test('ends a call before it is sent', async () => {
      const error = await program.fail(call('items.roll', { cancelAfterMs: 0 }));
      assert.match(error.type, /^(Task|Operation)CanceledException$/);
      assert.equal(server.received.length, 0);
    });
  });

  describe('lines of a simulation', () => {
    const simulate = (more: object = {}) => call('templates.simulate', { body: {}, options: {}, watch: '', ...more });

    test('may arrive in any parts', async () => {
      server.answers.push(lines('{"progress":0}\n{"prog', 'ress":0.5}\n', '{"result":{"some":"ä', '"}}\n'));
      const { data, progress } = await program.get(simulate());
      assert.deepEqual([data.some, progress], ['ä', [0, 0.5]]);
      assert.equal(server.received.at(-1)?.headers.accept, 'application/x-ndjson');
    });

    test('each give it more time, but not more than the whole call has', async () => {
      const parts = Array.from({ length: 8 }, (_, step) => `{"progress":${step / 8}}\n`);
      server.answers.push(lines(...parts, '{"result":{}}\n'), lines(...parts, ...parts, ...parts));
      await program.get(simulate({ options: { timeoutMs: 300 } }));
      const error = await program.fail(simulate({ options: { timeoutMs: 1000, totalTimeoutMs: 300 } }));
      assert.equal(error.type, 'ConnectionTimeoutException');
    });

    test('can end with an error, which is final', async () => {
      const error = JSON.stringify(failure('SERVICE_UNAVAILABLE'));
      server.answers.push(lines('{"progress":0}\n', `{"error":${error}}\n`));
      assert.equal((await program.fail(simulate())).type, 'UnavailableException');
      assert.equal(server.received.length, 1);
    });

    test('can be cut off, and the simulation begins again', async () => {
      server.answers.push(lines('{"progress":0}\n', '{"resu'), lines('{"progress":0}\n', '{"result":{}}\n'));
      assert.deepEqual((await program.get(simulate())).progress, [0, 0]);
    });

    test('reach a receiver whose own error is what the call ends with', async () => {
      server.answers.push(lines('{"progress":0}\n', '{"progress":1}\n', '{"result":{}}\n'));
      const error = await program.fail(simulate({ watch: 'mine' }));
      assert.deepEqual([error.type, error.message], ['NotSupportedException', 'mine']);
      assert.equal(server.received.length, 1);
    });
  });

  test('have the options of their client, unless they have their own', async () => {
    server.answers.push(json(200, {}), cut, cut, json(200, {}));
    const client = { url: `${server.url}/prefix/`, headers: { 'X-A': '1', 'x-b': '1' }, retries: 0 };
    await program.get(call('team.get', { client, options: { headers: { 'x-a': '2', 'user-agent': 'mine' } } }));
    const [first] = server.received;
    assert.equal(first?.url, '/prefix/team');
    const { authorization, 'x-a': a, 'x-b': b, 'user-agent': agent } = first?.headers ?? {};
    assert.deepEqual([authorization, a, b, agent], [undefined, '2', '1', 'mine']);
    assert.equal((await program.fail(call('team.get', { client }))).attempts, 1);
    await program.get(call('team.get', { client, options: { retries: 1 } }));
  });
});
