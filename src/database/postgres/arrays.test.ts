import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { createEmptyDatabase, type EmptyDatabase } from '../../../test/harness.ts';
import { arrayOf } from './arrays.ts';

describe('lists of values', () => {
  let database: EmptyDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createEmptyDatabase('postgres');
    client = new pg.Client(database.url);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  for (const [name, type, values] of [
    ['quotes, backslashes and braces', 'text', ['a"b', 'a\\b', '\\"', '{a,b}', ',', '"', 'NULL', 'null']],
    ['empty texts and nothing', 'text', ['', null, 'a', null, '']],
    ['nothing but null', 'text', [null]],
    ['other alphabets', 'text', ['ä', '剣', '👑', 'e\u0301', '\u{10ffff}']],
    ['control characters', 'text', ['\u0001', '\n\r\t', '\u007f', '\u0080']],
    ['long texts', 'text', ['x'.repeat(2_000_000), '剣'.repeat(500_000)]],
    ['many texts', 'text', Array.from({ length: 10_000 }, (_, index) => `id-${index}`)],
    ['integers', 'integer', [0, -1, 2_147_483_647, null]],
    ['large integers', 'bigint', [String(2n ** 53n), String(-(2n ** 62n)), null]],
    ['fractions', 'double precision', [0.1, -1e-300, 1e300, null]],
    ['no texts', 'text', []],
    ['no numbers', 'integer', []],
  ] as const)
    test(`arrive as they are: ${name}`, async () => {
      const { rows } = await client.query({
        text: `select value from unnest($1::${type}[]) with ordinality as given(value, place) order by place`,
        values: [arrayOf(type, values)],
        rowMode: 'array',
      });
      assert.deepEqual(rows.flat(), values);
    });
});
