import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../digest.ts';
import { createAuthorizer } from './authorization.ts';

type FindSecrets = Parameters<typeof createAuthorizer>[0];

const SECRET = { id: 'secret-1', role: 'write', digest: digestOf('open sesame') } as const;
const HEADER = `Basic ${Buffer.from('team-1:open sesame').toString('base64')}`;
const HERE = { ip: '192.0.2.1' };
const CALLER = { teamId: 'team-1', role: 'write' };

/** A store of secrets whose answers come when the test lets them. */
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
    answer: () => waiting.shift()?.(),
    asked: () => asked,
  };
};

const known = async (caller: unknown) => {
  const found = (await caller) as typeof CALLER | undefined;
  return found && { teamId: found.teamId, role: found.role };
};

test('remembers a verified header and asks again after half a second', async () => {
  const store = slowSecrets();
  let nowMs = 0;
  const authorizer = createAuthorizer(store.find, () => nowMs);
  const first = authorizer.identify(HEADER, HERE);
  store.answer();
  assert.deepEqual(await known(first), CALLER);
  nowMs = 499;
  assert.deepEqual(await known(authorizer.identify(HEADER, HERE)), CALLER);
  assert.equal(store.asked(), 1);
  store.revoke();
  nowMs = 500;
  const again = authorizer.identify(HEADER, HERE);
  store.answer();
  assert.equal(await again, undefined);
  assert.equal(store.asked(), 2);
});

test('refuses at once a secret that is forgotten', async () => {
  const store = slowSecrets();
  const authorizer = createAuthorizer(store.find, () => 0);
  const first = authorizer.identify(HEADER, HERE);
  store.answer();
  await first;
  store.revoke();
  authorizer.forget('team-1', 'secret-1');
  const second = authorizer.identify(HEADER, HERE);
  store.answer();
  assert.equal(await second, undefined);
});

test('does not remember a secret that was revoked while it was being looked up', async () => {
  const store = slowSecrets();
  const authorizer = createAuthorizer(store.find, () => 0);
  const underWay = authorizer.identify(HEADER, HERE);
  store.revoke();
  authorizer.forget('team-1', 'secret-1');
  store.answer();
  await new Promise(setImmediate);
  store.answer();
  assert.equal(await underWay, undefined);
  const next = authorizer.identify(HEADER, HERE);
  store.answer();
  assert.equal(await next, undefined);
});

test('still knows a caller whose check runs while another secret is forgotten', async () => {
  const store = slowSecrets();
  let nowMs = 0;
  const authorizer = createAuthorizer(store.find, () => nowMs);
  const first = authorizer.identify(HEADER, HERE);
  store.answer();
  await first;
  nowMs = 1000;
  const again = authorizer.identify(HEADER, HERE);
  authorizer.forget('team-2', 'secret-2');
  store.answer();
  await new Promise(setImmediate);
  store.answer();
  assert.deepEqual(await known(again), CALLER);
});

test('remembers no more headers than it may, and still knows those it let go', async () => {
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
