import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { digestOf } from '../shared/digest.ts';
import { ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { createAuthorizer } from './authorization.ts';
import { addressOf } from './failed-attempts.ts';

type FindSecrets = Parameters<typeof createAuthorizer>[0];

const SECRET = { id: 'secret-1', name: 'game server', role: 'write', digest: digestOf('open sesame') } as const;
const HEADER = `Basic ${Buffer.from('team-1:open sesame').toString('base64')}`;
const HERE = { ip: '192.0.2.1' };
const CALLER = { teamId: 'team-1', role: 'write' };

/** A store of secrets whose lookups resolve when the test says so. */
const slowSecrets = () => {
  let secrets: Awaited<ReturnType<FindSecrets>> = [SECRET];
  const waiting: (() => void)[] = [];
  let asked = 0;
  return {
    find: ((_teamId) => {
      asked += 1;
      const seen = secrets;
      return new Promise((resolve) => waiting.push(() => resolve(seen)));
    }) satisfies FindSecrets as FindSecrets,
    revoke: () => {
      secrets = [];
    },
    resolve: () => waiting.shift()?.(),
    asked: () => asked,
  };
};

const known = async (caller: unknown) => {
  const found = (await caller) as typeof CALLER | undefined;
  return found && { teamId: found.teamId, role: found.role };
};

test('caches a verified header and looks it up again after half a second', async () => {
  const store = slowSecrets();
  let nowMs = 0;
  const authorizer = createAuthorizer(store.find, () => nowMs);
  const first = authorizer.identify(HEADER, HERE);
  store.resolve();
  assert.deepEqual(await known(first), CALLER);
  nowMs = 499;
  assert.deepEqual(await known(authorizer.identify(HEADER, HERE)), CALLER);
  assert.equal(store.asked(), 1);
  store.revoke();
  nowMs = 500;
  const again = authorizer.identify(HEADER, HERE);
  store.resolve();
  assert.equal(await again, undefined);
  assert.equal(store.asked(), 2);
});

test('rejects a forgotten secret at once', async () => {
  const store = slowSecrets();
  const authorizer = createAuthorizer(store.find, () => 0);
  const first = authorizer.identify(HEADER, HERE);
  store.resolve();
  await first;
  store.revoke();
  authorizer.forget('team-1', 'secret-1');
  const second = authorizer.identify(HEADER, HERE);
  store.resolve();
  assert.equal(await second, undefined);
});

test('does not cache a secret that was revoked during its lookup', async () => {
  const store = slowSecrets();
  const authorizer = createAuthorizer(store.find, () => 0);
  const underWay = authorizer.identify(HEADER, HERE);
  store.revoke();
  authorizer.forget('team-1', 'secret-1');
  store.resolve();
  await new Promise(setImmediate);
  store.resolve();
  assert.equal(await underWay, undefined);
  const next = authorizer.identify(HEADER, HERE);
  store.resolve();
  assert.equal(await next, undefined);
});

test('still accepts a caller whose lookup runs while another secret is forgotten', async () => {
  const store = slowSecrets();
  let nowMs = 0;
  const authorizer = createAuthorizer(store.find, () => nowMs);
  const first = authorizer.identify(HEADER, HERE);
  store.resolve();
  await first;
  nowMs = 1000;
  const again = authorizer.identify(HEADER, HERE);
  authorizer.forget('team-2', 'secret-2');
  store.resolve();
  await new Promise(setImmediate);
  store.resolve();
  assert.deepEqual(await known(again), CALLER);
});

test('caches a limited number of headers, and still accepts evicted ones', async () => {
  let asked = 0;
  let nowMs = 0;
  const authorizer = createAuthorizer(
    async () => {
      asked += 1;
      return [SECRET];
    },
    () => nowMs,
  );
  const header = (n: number) => `Basic ${Buffer.from(`team-${n}:open sesame`).toString('base64')}`;
  await authorizer.identify(header(0), HERE);
  nowMs = 1000;
  const checking = authorizer.identify(header(0), HERE);
  for (let n = 1; n <= 10_000; n += 1) await authorizer.identify(header(n), HERE);
  assert.ok(await checking);
  const before = asked;
  assert.ok(await authorizer.identify(header(10_000), HERE));
  assert.equal(asked, before, 'the newest is remembered');
  assert.ok(await authorizer.identify(header(0), HERE));
  assert.equal(asked, before + 1, 'the oldest was let go');
});

describe('attempts with wrong secrets', () => {
  const basicOf = (teamId: string, secret: string) => `Basic ${Buffer.from(`${teamId}:${secret}`).toString('base64')}`;
  const { burst, perSecond } = LIMITS.failedAttemptsOnTeam;

  /** An authorizer for any team, all with the same secret, and a clock that stands still. */
  const setUp = () => {
    const counts = { asked: 0 };
    const clock = { nowMs: 0 };
    const authorizer = createAuthorizer(
      async (teamId) => {
        counts.asked += 1;
        return teamId.startsWith('no-') ? [] : [SECRET];
      },
      () => clock.nowMs,
    );
    const attempt = async (teamId: string, secret: string, from = HERE): Promise<string> => {
      try {
        return (await authorizer.identify(basicOf(teamId, secret), from)) === undefined ? 'wrong' : 'right';
      } catch (error) {
        assert.ok(error instanceof ServiceError);
        return error.code;
      }
    };
    const guess = async (teamId: string, count: number, from = HERE): Promise<Record<string, number>> => {
      const results: Record<string, number> = {};
      for (let number = 0; number < count; number += 1) {
        const result = await attempt(teamId, `guess ${number}`, from);
        results[result] = (results[result] ?? 0) + 1;
      }
      return results;
    };
    return { attempt, guess, clock, counts };
  };

  test('on a team are rate-limited without a lookup, and allowed again later', async () => {
    const { attempt, guess, clock, counts } = setUp();
    assert.equal(await attempt('team-1', 'open sesame'), 'right');
    assert.deepEqual(await guess('team-1', burst + 100), { wrong: burst, TOO_MANY_REQUESTS: 100 });
    assert.equal(counts.asked, 1 + burst);
    clock.nowMs = 2000;
    assert.deepEqual(await guess('team-1', 100), { wrong: 2 * perSecond, TOO_MANY_REQUESTS: 100 - 2 * perSecond });
  });

  test('affect neither a cached secret nor other teams or addresses', async () => {
    const { attempt, guess } = setUp();
    for (const team of ['team-1', 'team-2']) assert.equal(await attempt(team, 'open sesame'), 'right');
    await guess('team-1', burst + 1);
    assert.equal(await attempt('team-1', 'open sesame'), 'right');
    assert.equal(await attempt('team-2', 'another guess'), 'wrong');
    assert.equal(await attempt('team-3', 'open sesame'), 'right');
    assert.equal(await attempt('team-1', 'another guess', { ip: '192.0.2.2' }), 'wrong');
  });

  test('on unknown teams count per address, and do not affect known teams', async () => {
    const { attempt, guess } = setUp();
    assert.equal(await attempt('team-1', 'open sesame'), 'right');
    const most = LIMITS.failedAttemptsFromAddress.burst;
    for (let number = 0; number < most; number += 1) assert.equal(await attempt(`no-${number}`, 'x'), 'wrong');
    assert.equal(await attempt('no-more', 'x'), 'TOO_MANY_REQUESTS');
    assert.deepEqual(await guess('team-1', burst), { wrong: burst });
    assert.equal(await attempt('no-more', 'x', { ip: '192.0.2.2' }), 'wrong');
  });

  test('count per network for IPv6 addresses', () => {
    assert.equal(addressOf('2001:db8:1:2:3:4:5:6'), addressOf('2001:db8:1:2::1'));
    assert.notEqual(addressOf('2001:db8:1:2::1'), addressOf('2001:db8:1:3::1'));
    assert.equal(addressOf('::ffff:192.0.2.1'), addressOf('192.0.2.1'));
    assert.equal(addressOf('::1'), '0:0:0:0');
    assert.equal(addressOf('2001:db8::'), '2001:db8:0:0');
  });

  test('do not include successful ones, however many come at once', async () => {
    const { attempt, counts } = setUp();
    const results = await Promise.all(Array.from({ length: 1000 }, () => attempt('team-1', 'open sesame')));
    assert.ok(results.every((result) => result === 'right'));
    assert.equal(counts.asked, 1, 'requests with the same header share a lookup');
    for (let number = 0; number < 1000; number += 1)
      assert.equal(await attempt(`team-${number}`, 'open sesame'), 'right');
  });

  test('do not include those whose lookup failed', async () => {
    const authorizer = createAuthorizer(
      async () => {
        throw new ServiceError('SERVICE_UNAVAILABLE');
      },
      () => 0,
    );
    for (let number = 0; number < 1000; number += 1)
      await assert.rejects(authorizer.identify(basicOf('team-1', `${number}`), HERE) as Promise<unknown>, {
        code: 'SERVICE_UNAVAILABLE',
      });
  });
});

test('caches a header once, however it is encoded, and none that is too long', async () => {
  let asked = 0;
  const authorizer = createAuthorizer(
    async () => {
      asked += 1;
      return [SECRET];
    },
    () => 0,
  );
  const encoded = HEADER.slice('Basic '.length);
  for (let spaces = 1; spaces < 100; spaces += 1)
    for (const scheme of ['Basic', 'basic', 'bAsIc'])
      assert.ok(await authorizer.identify(`${scheme}${' '.repeat(spaces)}${encoded}`, HERE));
  assert.equal(asked, 1);
  assert.equal(await authorizer.identify(`Basic${' '.repeat(3000)}${encoded}`, HERE), undefined);
  const long = Buffer.from(`${'x'.repeat(2000)}:open sesame`).toString('base64');
  assert.equal(await authorizer.identify(`Basic ${long}`, HERE), undefined);
  assert.equal(asked, 1, 'what is too long to be right is not looked up');
});

test('uses an old result for at most a second while a new lookup is pending', async () => {
  const store = slowSecrets();
  let nowMs = 0;
  const authorizer = createAuthorizer(store.find, () => nowMs);
  const first = authorizer.identify(HEADER, HERE);
  store.resolve();
  await first;
  nowMs = 600;
  const checking = authorizer.identify(HEADER, HERE);
  assert.deepEqual(await known(authorizer.identify(HEADER, HERE)), CALLER, 'which still holds');
  nowMs = 1000;
  const waiting = authorizer.identify(HEADER, HERE);
  assert.ok(waiting instanceof Promise);
  store.resolve();
  assert.deepEqual(await known(waiting), CALLER);
  assert.deepEqual(await known(checking), CALLER);
  assert.equal(store.asked(), 2);
});
