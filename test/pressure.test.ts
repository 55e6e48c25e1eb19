import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createPressure } from '../src/http/pressure.ts';
import { LIMITS } from '../src/limits.ts';
import { basic, createEmptyDatabase, startService } from './harness.ts';

test('takes so many requests at once and no more, and again as many when they are done', () => {
  const pressure = createPressure(Number.POSITIVE_INFINITY);
  const taken = (team: string) => {
    let count = 0;
    while (pressure.admit(team, 0) === undefined) count += 1;
    return count;
  };
  assert.equal(taken('team'), LIMITS.requestsUnderWay / 2, 'a single team has half');
  assert.equal(pressure.admit('team', 0)?.code, 'SERVICE_UNAVAILABLE');
  assert.equal(taken('other'), LIMITS.requestsUnderWay / 4, 'the next has half of the rest');
  pressure.release('team');
  assert.equal(pressure.admit('third', 0), undefined);
  pressure.release('third');
  for (let count = 0; count < 10; count += 1) pressure.release('team');
  assert.equal(pressure.admit('team', 0)?.code, 'SERVICE_UNAVAILABLE', 'it still has more than is free');
});

test('gives each team its own share of a second', () => {
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

test('answers 429 with Retry-After beyond the rate limit, in the shape of every refusal', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url, { RATE_LIMIT: '3' });
  try {
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.get('/team')));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && refused.length <= 17);
    for (const { body, headers } of refused) {
      assert.deepEqual(body, { code: 'TOO_MANY_REQUESTS', message: 'Too many requests', issues: [] });
      assert.equal(headers.get('retry-after'), '1');
    }
  } finally {
    await service.stop();
    await empty.drop();
  }
});

test('forgets requests that were broken off', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url);
  try {
    const { port } = new URL(service.address);
    const head = `POST /attributes HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(service.teamId, service.secret)}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`;
    // More than are taken at once, in handfuls, each given up in the middle of its body.
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
