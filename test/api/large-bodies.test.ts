import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../src/shared/limits.ts';
import { issuePaths, onEveryDatabase } from '../harness.ts';

/** As many elements as fit into a body, or at most `most`. */
const filled = (head: string, element: string, tail: string, most = Number.POSITIVE_INFINITY): string => {
  const fitting = Math.floor((LIMITS.bodyBytes - head.length - tail.length) / (element.length + 1));
  return head + Array(Math.min(fitting, most)).fill(element).join(',') + tail;
};

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Somewhat fewer values than a body may have. */
const MANY = Math.floor(LIMITS.bodyValues / 3);

onEveryDatabase('large bodies', (service) => {
  describe('are rejected with at most a hundred issues, in a short response, within little CPU time', () => {
    for (const [name, path, raw] of [
      ['empty objects in a list', '/items', filled('{"name":"n","itemAttributes":[', '{}', ']}')],
      ['as many as are read', '/items', filled('{"name":"n","itemAttributes":[', '{}', ']}', MANY)],
      ['in an operation', '/item-instances/batch', filled('{"operations":[{"type":"move","a":[', '{}', ']}]}', MANY)],
      ['operations', '/item-instances/batch', filled('{"operations":[', '{"type":"move"}', ']}', MANY >> 1)],
      ['a hundred wrong operations', '/item-instances/batch', filled('{"operations":[', '{"type":"move"}', ']}', 100)],
      ['in a configuration', '/templates', filled('{"name":"n","config":{"featuredItemIds":[', '{}', ']}}', MANY)],
      ['strings that cannot be stored', '/items', filled('{"name":"n","itemAttributes":[', '"\\u0000"', ']}', MANY)],
      [
        'such strings under a long name',
        '/items',
        `{"${'x'.repeat(500_000)}":[${Array(1000).fill('"\\u0000"').join(',')}]}`,
      ],
      ['a long name', '/items', `{"${'x'.repeat(1_000_000)}":1}`],
      [
        'unknown members',
        '/items',
        `{"name":"n",${Array.from({ length: MANY }, (_, number) => `"k${number}":1`).join(',')}}`,
      ],
    ] as const) {
      test(name, async () => {
        const before = process.cpuUsage();
        const { status, body } = await service().post(path, undefined, { raw });
        const { user } = process.cpuUsage(before);
        assert.equal(status, 400);
        assert.ok(body.issues.length > 0 && body.issues.length <= LIMITS.issues);
        assert.ok(JSON.stringify(body).length < 200_000);
        // Takes tens of milliseconds. The caller and the service share this process.
        assert.ok(user < 1_000_000, `took ${user} µs`);
      });
    }
  });

  test('list a hundred issues and say how many more there are', async () => {
    const itemAttributes = Array.from({ length: 100 }, () => ({}));
    const { body } = await service().post('/items', { name: 'n', itemAttributes });
    assert.equal(body.issues.length, LIMITS.issues);
    assert.deepEqual(body.issues.at(-1), { path: '/body', message: 'and 201 more issues' });
    assert.ok(issuePaths({ status: 400, body, headers: new Headers() }).includes('/body/itemAttributes/0/min'));
  });

  test('may be nested up to a limit, with and without a key', async () => {
    for (const headers of [{}, { 'idempotency-key': 'deep' }] as Record<string, string>[]) {
      for (const depth of [LIMITS.bodyDepth, 5000, 500_000]) {
        const raw = `{"name":"n","config":{"a":${nested(depth)}}}`;
        const { status, body } = await service().post('/templates', undefined, { raw, headers });
        assert.equal(status, 400, `depth ${depth}`);
        assert.deepEqual(body.issues, [
          { path: '/body', message: `must not be nested more than ${LIMITS.bodyDepth} levels deep` },
        ]);
      }
      const raw = `{"name":"n","config":{"a":${nested(LIMITS.bodyDepth - 2)}}}`;
      const { status, body } = await service().post('/templates', undefined, { raw, headers });
      assert.equal(status, 400);
      assert.deepEqual(issuePaths({ status, body, headers: new Headers() }), ['/body/config/a']);
    }
  });

  test('are not mistaken for deep or large because of their strings', async () => {
    const name = '[{,"\\'.repeat(30);
    const { status, body } = await service().post('/items', { name });
    assert.deepEqual([status, body.name], [200, name]);
    const raw = `{"name":"n","thumbnail":"${'\\\\'.repeat(5)}${'[,'.repeat(500)}\\""}`;
    assert.equal((await service().post('/items', undefined, { raw })).status, 200);
    const { status: rejected } = await service().post('/items', undefined, {
      raw: `{"name":"${',['.repeat(100_000)}"}`,
    });
    assert.equal(rejected, 400);
  });
});
