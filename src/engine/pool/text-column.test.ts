import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildTextColumn } from './text-column.ts';

const columnOf = (texts: readonly string[]) => {
  const column = buildTextColumn();
  for (const text of texts) column.add(text);
  return column.finish();
};

describe('a column of texts', () => {
  test('returns every string, across block boundaries', () => {
    for (const count of [0, 1, 255, 256, 257, 512, 1000]) {
      const texts = Array.from({ length: count }, (_, place) => (place % 7 === 0 ? '' : `text ${place}`));
      const column = columnOf(texts);
      assert.equal(column.length, count);
      assert.deepEqual(
        texts.map((_, place) => column.at(place)),
        texts,
      );
    }
  });

  test('stores strings of any script', () => {
    const texts = ['é', '剣', '🗡️', '\ud800', '"', '\n', ''];
    const column = columnOf(texts);
    assert.deepEqual(
      texts.map((_, place) => column.at(place)),
      texts,
    );
  });

  test('returns undefined beyond its end', () => {
    assert.throws(() => columnOf(['a']).at(1), RangeError);
    assert.throws(() => columnOf([]).at(0), RangeError);
    assert.throws(() => columnOf(['a']).at(-1), RangeError);
  });
});
