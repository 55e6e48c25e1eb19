import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairShare } from './fair-share.ts';

const takeAll = (share: ReturnType<typeof createFairShare>, teamId: string, amount = 1): number => {
  let count = 0;
  while (share.take(teamId, amount)) count += 1;
  return count;
};

test('a single team gets half', () => {
  const share = createFairShare(100);
  assert.equal(takeAll(share, 'a'), 50);
  share.give('a');
  assert.equal(takeAll(share, 'a'), 1);
});

test('something is always left for one more team', () => {
  const share = createFairShare(1024);
  for (let team = 0; team < 10; team += 1) assert.ok(takeAll(share, `greedy-${team}`) > 0);
  assert.ok(share.take('modest'));
});

test('several teams that take in turns get equal shares', () => {
  const share = createFairShare(100);
  const teams = ['a', 'b', 'c'];
  const taken = { a: 0, b: 0, c: 0 } as Record<string, number>;
  for (let turn = 0; turn < 100; turn += 1)
    for (const team of teams) if (share.take(team)) taken[team] = (taken[team] as number) + 1;
  assert.deepEqual(taken, { a: 25, b: 25, c: 25 });
});

test('amounts count, and returned amounts can be taken by others', () => {
  const share = createFairShare(100);
  assert.equal(share.take('a', 51), false);
  assert.equal(takeAll(share, 'a', 20), 2);
  assert.equal(share.take('b', 31), false, 'a fair share is no more than what is left then');
  share.give('a', 20);
  assert.ok(share.take('b', 40));
  share.give('a', 20);
  share.give('b', 40);
  assert.equal(takeAll(share, 'c'), 50, 'nothing was lost');
});
