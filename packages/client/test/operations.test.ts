import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { type Document, pathOf } from '../../../tools/api-types.ts';
import { createClient, List } from '../src/index.ts';
import { OPERATIONS } from '../src/operations.ts';
import { type Received, startServer } from './server.ts';

const document: Document = JSON.parse(await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8'));

const entries = Object.entries(OPERATIONS).flatMap(([noun, operations]) =>
  Object.entries(operations).map(([name, entry]: [string, string]) => ({ noun, name, entry })),
);

const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
);

const callOf = (entry: string): string => {
  const { method, path } = pathOf(entry);
  return `${method.toUpperCase()} ${path}`;
};

describe('the table of operations', () => {
  test('has every operation of the API, each once', () => {
    assert.ok(entries.length > 80);
    assert.deepEqual(entries.map(({ entry }) => callOf(entry)).sort(), documented.map(({ call }) => call).sort());
  });

  test('says of each operation what it takes, and whether it is a list', () => {
    for (const { noun, name, entry } of entries) {
      const operation = documented.find(({ call }) => call === callOf(entry))?.operation;
      assert.ok(operation !== undefined);
      const { parameters = [], requestBody, responses } = operation;
      const isPaged = parameters.some((parameter) => parameter.name === 'cursor');
      const hasQuery = parameters.some((parameter) => parameter.in === 'query');
      assert.equal(entry.startsWith('LIST '), isPaged, `${noun}.${name}`);
      const input = requestBody !== undefined ? '{body}' : hasQuery && !isPaged ? '{query}' : undefined;
      assert.equal(entry.split(' ')[2], input, `${noun}.${name}`);
      const takesKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
      assert.equal(/^(POST|PATCH|ASK) /.test(entry), takesKey, `${noun}.${name}`);
      assert.ok(responses[200]?.content?.['application/json'] !== undefined);
    }
  });
});

describe('every method', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  test('sends its method, path, body and query', async () => {
    const { client } = server;
    for (const { noun, name, entry } of entries) {
      const { method, path } = pathOf(entry);
      const ids = [...path.matchAll(/{(\w+)}/g)].map(([, parameter]) => `${parameter} ä/1`);
      const input = entry.includes('{body}') ? [{ some: 'body' }] : /^LIST|{query}$/.test(entry) ? [{ q: [1, 2] }] : [];
      const options = { headers: { 'x-request-id': 'one' } };
      // biome-ignore lint/suspicious/noExplicitAny: all methods at once.
      const called = (client as any)[noun][name](...ids, ...input, options);
      await (called instanceof List ? called.page() : called);
      const received = server.received.at(-1) as Received;
      const [pathname, query] = (received.url ?? '').split('?');
      const filled = ids.reduce((text, id) => text.replace(/{\w+}/, encodeURIComponent(id)), path);
      assert.deepEqual([received.method, pathname], [method.toUpperCase(), filled], `${noun}.${name}`);
      assert.equal(received.body, entry.includes('{body}') ? '{"some":"body"}' : '');
      assert.equal(query, input.length > 0 && !entry.includes('{body}') ? 'q=1&q=2' : undefined);
      assert.equal(received.headers['x-request-id'], 'one');
      assert.equal(received.headers['idempotency-key'] !== undefined, /^(POST|PATCH) /.test(entry), `${noun}.${name}`);
      assert.equal(received.headers.authorization, `Basic ${Buffer.from('team:sécret').toString('base64')}`);
    }
  });

  test('refuses ids that would reach another path', async () => {
    const before = server.received.length;
    for (const id of ['', '.', '..', undefined as never])
      await assert.rejects(async () => server.client.userSpaces.delete('ann', id), TypeError);
    assert.equal(server.received.length, before);
  });
});

onEveryDatabase('the client', (service) => {
  test('carries a first roll and what follows', async () => {
    const { address: url, teamId, secret } = service();
    const client = createClient({ url: `${url}/`, teamId, secret });
    await client.items.create({ id: 'sword', name: 'Sword' });
    await client.templates.create({ id: 'banner', name: 'Banner', config: { pool: { itemIds: ['sword'] } } });
    const { item, itemInstance } = await client.items.roll({ userId: 'ann' });
    assert.deepEqual([item.id, itemInstance?.userId], ['sword', 'ann']);
    const { rolls } = await client.templates.roll('banner', { userId: 'ann', count: 3, grant: true });
    assert.equal(rolls.length, 3);
    assert.equal((await client.users.templateState('ann', 'banner')).rolls, 3);
    const instances = client.itemInstances.list({ userId: 'ann', limit: 3 });
    assert.equal((await instances.all()).length, 4);
    assert.equal((await client.templates.odds('banner')).items[0]?.itemId, 'sword');
  });
});
