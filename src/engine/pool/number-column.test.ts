import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildNumberColumn } from './number-column.ts';

describe('a column of numbers', () => {
  test('has every number in its place, across block boundaries', () => {
    for (const count of [0, 1, 4095, 4096, 4097, 10_000]) {
      const column = buildNumberColumn(Float64Array);
      for (let place = 0; place < count; place += 1) column.add(place / 8);
      assert.equal(column.length, count);
      assert.deepEqual(
        column.finish(),
        Float64Array.from({ length: count }, (_, place) => place / 8),
      );
    }
  });
});
