import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRecentlyUsed } from './recently-used.ts';

const counted = (limit: number) => {
  const made: number[] = [];
  const values = createRecentlyUsed(limit, (key: number) => {
    made.push(key);
    return `value ${key}`;
  });
  return { made, values };
};

describe('a cache of recently used values', () => {
  test('creates a value once while there is room', () => {
    const { made, values } = counted(10);
    for (const key of [1, 2, 3, 1, 2, 3]) assert.equal(values.get(key), `value ${key}`);
    assert.deepEqual(made, [1, 2, 3]);
  });

  test('never exceeds the limit', () => {
    const { values } = counted(10);
    for (let key = 0; key < 1000; key += 1) {
      values.get(key);
      values.get(Math.floor(key / 2));
      assert.ok(values.size <= 10);
    }
  });

  test('keeps a used value longer than unused ones', () => {
    const { made, values } = counted(10);
    for (let key = 1; key < 100; key += 1) {
      values.get(0);
      values.get(key);
    }
    assert.equal(made.filter((key) => key === 0).length, 1);
    values.get(1);
    assert.equal(made.filter((key) => key === 1).length, 2);
  });
});
