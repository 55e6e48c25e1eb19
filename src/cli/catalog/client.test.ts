import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ApiError, connect, NoResponse, readConnection } from './client.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const hangUp: Answer = (request) => {
  request.socket.destroy();
};
const unavailable = json(503, { code: 'SERVICE_UNAVAILABLE', message: '', issues: [] }, { 'retry-after': '0' });

describe('a call of the service', () => {
  /** Answers to the next requests, and the headers of those that came. */
  let answers: Answer[] = [];
  let received: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    request.resume().on('end', () => (answers.shift() ?? hangUp)(request, response));
  });
  let url: string;
  const call = (idempotencyKey?: string) => {
    const environment = { ITEMWRIGHT_URL: `${url}/`, ITEMWRIGHT_CREDENTIALS: 'team:se:cret ü' };
    return connect(readConnection(environment))({ method: 'POST', path: '/x', body: { a: 1 }, idempotencyKey });
  };

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());
  beforeEach(() => {
    answers = [];
    received = [];
  });

  test('says who it is', async () => {
    answers = [json(200, { b: 2 }, { etag: '"7"' })];
    const { body, headers } = await call('key');
    assert.deepEqual(body, { b: 2 });
    assert.equal(headers.get('etag'), '"7"');
    assert.equal(received[0]?.authorization, `Basic ${Buffer.from('team:se:cret ü').toString('base64')}`);
    assert.equal(received[0]?.['x-itemwright-source'], 'cli');
    assert.equal(received[0]?.['idempotency-key'], 'key');
  });

  test('is repeated while the service is busy, with the same key', async () => {
    answers = [unavailable, json(429, { code: 'TOO_MANY_REQUESTS' }, { 'retry-after': '0' }), json(200, {})];
    await call('key');
    assert.deepEqual(
      received.map((headers) => headers['idempotency-key']),
      ['key', 'key', 'key'],
    );
  });

  test('is given up after three attempts', async () => {
    answers = [unavailable, unavailable, unavailable, json(200, {})];
    await assert.rejects(call(), (error) => error instanceof ApiError && error.status === 503);
    assert.equal(received.length, 3);
  });

  test('is repeated without a response only if it has a key', async () => {
    answers = [hangUp, json(200, {})];
    await assert.rejects(call(), NoResponse);
    assert.equal(received.length, 1);
    answers = [hangUp, json(200, {})];
    await call('key');
    assert.equal(received.length, 3);
  });

  for (const [what, answer, message] of [
    [
      'every issue',
      json(400, {
        code: 'BAD_REQUEST',
        issues: [
          { path: '/body', message: 'is bad' },
          { path: '', message: 'too' },
        ],
      }),
      /^Invalid input data: \/body is bad\n {2}too$/,
    ],
    ['a wrong secret', json(401, { code: 'UNAUTHORIZED', issues: [] }), /does not accept ITEMWRIGHT_CREDENTIALS$/],
    ['a role that is too low', json(403, { code: 'FORBIDDEN', issues: [] }), /must be design, write or admin$/],
    [
      'a redirect',
      json(308, {}, { location: 'https://b.example/' }),
      /redirects to https:\/\/b\.example\/: set ITEMWRIGHT_URL/,
    ],
    ['another server', json(502, { error: 'no' }), /\/x returned 502, but not from Itemwright: check ITEMWRIGHT_URL$/],
    [
      'a page',
      (_: unknown, response: ServerResponse) => response.end('<html>'),
      /returned 200, but not from Itemwright/,
    ],
    ['a path that is not there', json(404, { code: 'NOT_FOUND', issues: [] }), /\/x was not found/],
  ] as const)
    test(`reports ${what}`, async () => {
      answers = [answer as Answer];
      await assert.rejects(call(), { message });
    });
});

describe('the connection', () => {
  const read = (ITEMWRIGHT_URL: string, ITEMWRIGHT_CREDENTIALS = 'a:b') =>
    readConnection({ ITEMWRIGHT_URL, ITEMWRIGHT_CREDENTIALS });

  test('has an address without a slash at the end, or that of a first start', () => {
    assert.equal(read('https://a.example/api/').url, 'https://a.example/api');
    assert.equal(read('').url, 'http://127.0.0.1:8080');
  });

  test('is refused if something is missing or misplaced', () => {
    for (const url of ['a.example', 'ftp://a.example', 'http://a.example/?b=c', 'http://a.example/#b'])
      assert.throws(() => read(url), /ITEMWRIGHT_URL must be/, url);
    assert.throws(() => read('http://team:secret@a.example'), /must not contain a secret/);
    assert.throws(() => read('http://a.example', ''), /ITEMWRIGHT_CREDENTIALS is missing/);
    for (const credentials of ['a', 'a:', ':b'])
      assert.throws(() => read('http://a.example', credentials), /must be TEAM_ID:SECRET/, credentials);
  });
});
