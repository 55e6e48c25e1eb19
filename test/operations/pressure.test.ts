import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { createPressure } from '../../src/http/pressure.ts';
import { LIMITS } from '../../src/shared/limits.ts';
import { basic, type Client, createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';

test('accepts a limited number of concurrent requests, and as many again when they are done', () => {
  const pressure = createPressure(Number.POSITIVE_INFINITY);
  const taken = (team: string) => {
    let count = 0;
    while (pressure.admit(team, 0) === undefined) count += 1;
    return count;
  };
  assert.equal(taken('team'), LIMITS.concurrentRequests / 2, 'a single team has half');
  assert.equal(pressure.admit('team', 0)?.code, 'SERVICE_UNAVAILABLE');
  assert.equal(taken('other'), LIMITS.concurrentRequests / 4, 'the next has half of the rest');
  pressure.release('team');
  assert.equal(pressure.admit('third', 0), undefined);
  pressure.release('third');
  for (let count = 0; count < 10; count += 1) pressure.release('team');
  assert.equal(pressure.admit('team', 0)?.code, 'SERVICE_UNAVAILABLE', 'it still has more than is free');
});

test('gives each team its own rate limit', () => {
  const pressure = createPressure(10);
  const taken = (team: string, nowMs: number) => {
    let count = 0;
    while (pressure.admit(team, nowMs) === undefined) {
      pressure.release(team);
      count += 1;
    }
    return count;
  };
  assert.equal(taken('a', 0), 10);
  assert.equal(taken('b', 0), 10);
  assert.equal(taken('a', 500), 5);
  assert.equal(taken('a', 500), 0);
  assert.equal(taken('a', 60_000), 10);
});

test('responds with 429 and Retry-After beyond the rate limit, in the usual error format', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url, { RATE_LIMIT: '3' });
  try {
    const responses = await Promise.all(Array.from({ length: 20 }, () => service.get('/team')));
    const rejected = responses.filter(({ status }) => status === 429);
    assert.ok(rejected.length > 0 && rejected.length <= 17);
    for (const { body, headers } of rejected) {
      assert.deepEqual(body, { code: 'TOO_MANY_REQUESTS', message: 'Too many requests', issues: [] });
      assert.equal(headers.get('retry-after'), '1');
    }
  } finally {
    await service.stop();
    await empty.drop();
  }
});

/** A connection on which something was sent, and the response so far. */
const send = async (address: string, text: string): Promise<{ socket: Socket; response: () => string }> => {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  let response = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    response += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return { socket, response: () => response };
};

const head = ({ teamId, secret }: Client, line: string, more = '') =>
  `${line} HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(teamId, secret)}\r\n${more}\r\n`;
const halfSent = (client: Client, bytes: number) =>
  `${head(client, 'POST /users', `content-type: application/json\r\ncontent-length: ${bytes}\r\n`)}{`;

/** Waits until a condition holds; the time limit of the test applies. */
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
};

const isRejected = ({ response }: { response: () => string }): boolean =>
  response().startsWith('HTTP/1.1 503') && /\r\nretry-after: 1\r\n/.test(response());

/** The most concurrent requests of a single team. */
const SHARE = LIMITS.concurrentRequests / 2;

describe('concurrent requests', { timeout: 120_000 }, () => {
  let empty: EmptyDatabase;
  let service: Service;
  let other: Client;
  const open: Socket[] = [];
  /** What the database delays: authorization, or reads and writes of the first team. */
  let gates: { authorization?: Promise<void>; team?: Promise<void> } = {};
  const isFirst = (teamId: string) => teamId === service?.teamId;
  /** An invalid request is rejected once it is admitted, without anything that is delayed. */
  const isAdmitted = async () => (await service.post('/attributes', {})).status === 400;

  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url, {}, undefined, {
      disguise: (database) => ({
        ...database,
        readUrgent: async (teamId, query) => {
          await gates.authorization;
          return database.readUrgent(teamId, query);
        },
        read: async (teamId, query) => {
          if (isFirst(teamId)) await gates.team;
          return database.read(teamId, query);
        },
        write: async (teamId, command) => {
          if (isFirst(teamId)) await gates.team;
          return database.write(teamId, command);
        },
      }),
      requestTimeoutMs: 60_000,
    });
    other = await service.anotherTeam();
  });
  afterEach(async () => {
    gates = {};
    for (const socket of open.splice(0)) socket.destroy();
    await until(isAdmitted);
  });
  after(async () => {
    await service?.stop();
    await empty?.drop();
  });

  const sendMany = async (count: number, text: string) => {
    const sent = await Promise.all(Array.from({ length: count }, () => send(service.address, text)));
    open.push(...sent.map(({ socket }) => socket));
    return sent;
  };

  test('do not include those whose bodies have not arrived', async () => {
    const sent = await sendMany(SHARE + 50, halfSent(service, 100));
    assert.equal((await service.post('/users', {})).status, 200, 'nor for the team itself');
    assert.equal((await other.post('/users', {})).status, 200);
    assert.ok(sent.every(({ response }) => response() === ''));
  });

  test('leave room for bodies to arrive, which no single team can use up', async () => {
    const most = LIMITS.arrivingBytes / 2 / LIMITS.bodyBytes;
    await sendMany(most, halfSent(service, LIMITS.bodyBytes));
    await until(async () => (await service.post('/users', {})).status === 503);
    assert.equal((await service.get('/users')).status, 200, 'requests without a body need no room');
    assert.equal((await other.post('/users', {})).status, 200);
    for (const socket of open.splice(0)) socket.destroy();
    await until(async () => (await service.post('/users', {})).status === 200);
  });

  test('do not include those whose callers left during authorization', async () => {
    const gate = Promise.withResolvers<void>();
    const fresh = await service.as('write');
    gates.authorization = gate.promise;
    for (const { socket } of await sendMany(SHARE + 50, head(fresh, 'GET /users'))) {
      await until(() => socket.bytesWritten > 0);
      socket.destroy();
    }
    await until(async () => (await connectionsOf(service)) < SHARE);
    gate.resolve();
    gates = {};
    assert.equal((await fresh.get('/users')).status, 200);
  });

  test('are rejected for a team that has as many as are free, but not for others', async () => {
    const gate = Promise.withResolvers<void>();
    gates.team = gate.promise;
    const sent = await sendMany(SHARE + 10, head(service, 'GET /users'));
    await until(() => sent.filter(isRejected).length >= 10);
    assert.equal((await other.get('/users')).status, 200);
    assert.equal((await service.post('/users', {})).status, 503);
    gate.resolve();
    await until(() => sent.every(({ response }) => response() !== ''));
    assert.ok(sent.every((one) => isRejected(one) || one.response().startsWith('HTTP/1.1 200')));
  });

  test('include those still being processed after their callers left', async () => {
    const gate = Promise.withResolvers<void>();
    gates.team = gate.promise;
    const sent = await sendMany(SHARE + 1, head(service, 'GET /users'));
    await until(() => sent.some(isRejected));
    for (const socket of open.splice(0)) socket.destroy();
    await until(async () => (await connectionsOf(service)) < SHARE / 2);
    assert.equal(await isAdmitted(), false);
    gate.resolve();
    await until(isAdmitted);
  });
});

const connectionsOf = ({ app }: Service): Promise<number> =>
  new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );

test('forgets aborted requests', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url);
  try {
    const { port } = new URL(service.address);
    const head = `POST /attributes HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(service.teamId, service.secret)}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`;
    // More than are accepted at once, in batches, each aborted in the middle of its body.
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(
        Array.from(
          { length: 100 },
          () =>
            new Promise<void>((resolve, reject) => {
              const socket = connect(Number(port), '127.0.0.1', () =>
                socket.write(head, () => setTimeout(() => socket.destroy(), 20)),
              );
              socket.on('error', reject);
              socket.on('close', () => resolve());
            }),
        ),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await service.get('/team')).status, 200);
  } finally {
    await service.stop();
    await empty.drop();
  }
});
