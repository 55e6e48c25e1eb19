import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { CallError, readConnection } from './connection.ts';
import { openService } from './service.ts';

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
  const service = () =>
    openService(readConnection({ ITEMWRIGHT_URL: `${url}/`, ITEMWRIGHT_CREDENTIALS: 'team:se:cret ü' }));
  const plan = () => service().plan({ rollbackTo: 1 });
  const publish = () => service().publish({ rollbackTo: 1 }, 3, undefined);

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
    answers = [json(200, { formatVersion: 1 }, { etag: '"7"' })];
    assert.deepEqual(await service().catalog(), { document: { formatVersion: 1 }, version: 7 });
    assert.equal(received[0]?.authorization, `Basic ${Buffer.from('team:se:cret ü').toString('base64')}`);
    assert.equal(received[0]?.['x-itemwright-source'], 'cli');
  });

  test('is repeated while there is no response or the service is busy, with the same key', async () => {
    answers = [hangUp, json(429, { code: 'TOO_MANY_REQUESTS' }, { 'retry-after': '0' }), json(200, { version: 4 })];
    assert.deepEqual(await publish(), { version: 4 });
    const keys = received.map((headers) => headers['idempotency-key']);
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.notEqual(keys[0], undefined);
  });

  test('is given up after three attempts', async () => {
    answers = [unavailable, unavailable, unavailable, json(200, {})];
    await assert.rejects(plan(), (error) => error instanceof CallError && error.status === 503);
    assert.equal(received.length, 3);
  });

  test('says so if something may have been published', async () => {
    const known = /^no response from http\S+ \(ITEMWRIGHT_URL\): [^;]+$/;
    const unknown = /; it is not known whether this was published: see itemwright catalog versions$/;
    await assert.rejects(plan(), { message: known });
    await assert.rejects(publish(), { message: unknown });
    answers = [hangUp, unavailable, unavailable];
    await assert.rejects(publish(), { message: unknown });
    answers = [hangUp, json(409, { code: 'CONFLICT', issues: [{ path: '/body/baseVersion', message: 'is 3' }] })];
    await assert.rejects(publish(), { message: 'nothing was published: is 3; plan again' });
    answers = [json(403, { code: 'FORBIDDEN', issues: [] })];
    await assert.rejects(publish(), { message: /must be design, write or admin$/ });
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
      /^http\S+ redirects: set ITEMWRIGHT_URL to the address that it redirects to$/,
    ],
    [
      'another server',
      json(404, { error: 'no' }),
      /^http\S+ returned 404, but not from Itemwright: check ITEMWRIGHT_URL$/,
    ],
    [
      'a page',
      (_: unknown, response: ServerResponse) => response.end('<html>'),
      /returned 200, but not from Itemwright/,
    ],
    [
      'a path that is not there',
      json(404, { code: 'NOT_FOUND', issues: [] }),
      /does not have this operation: is ITEMWRIGHT_URL right/,
    ],
  ] as const)
    test(`reports ${what}`, async () => {
      answers = [answer as Answer];
      await assert.rejects(service().catalog(), { message });
      assert.equal(received.length, 1);
    });

  test('reports a service of another kind', async () => {
    const calls = [
      () => service().catalog(),
      plan,
      publish,
      () => service().versions(1),
      () => service().version(1),
      () => service().classifiers(),
    ];
    for (const call of calls) {
      answers = [json(200, { items: 'none' })];
      await assert.rejects(call(), { message: /returned 200, but not from Itemwright: check ITEMWRIGHT_URL$/ });
    }
  });

  test('reports a version that does not exist', async () => {
    const missing = json(404, { code: 'NOT_FOUND', issues: [{ path: '/params/version', message: 'does not exist' }] });
    answers = [missing, missing];
    await assert.rejects(service().version(9), { message: 'there is no version 9' });
    await assert.rejects(plan(), { message: 'there is no version 1' });
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
