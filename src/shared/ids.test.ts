import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from './ids.ts';

describe('an id', () => {
  test('is a version 7 UUID that contains its creation time', () => {
    const before = Date.now();
    const id = newId();
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const moment = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    assert.ok(before <= moment && moment <= Date.now() + 1);
  });

  test('is greater than all earlier ids', () => {
    let last = '';
    for (let n = 0; n < 100_000; n += 1) {
      const id = newId();
      assert.ok(id > last);
      last = id;
    }
  });

  test('always has the same length', () => {
    for (let n = 0; n < 10_000; n += 1) assert.equal(newId().length, 36);
  });

  test('ends in different bits each time', () => {
    const ends = new Set(Array.from({ length: 10_000 }, () => newId().slice(-10)));
    assert.ok(ends.size > 9_990);
  });

  test('keeps increasing when the clock goes back', (context) => {
    const last = newId();
    context.mock.timers.enable({ apis: ['Date'], now: 1 });
    assert.ok(newId() > last);
  });
});
