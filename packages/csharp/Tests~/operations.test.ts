/** Every operation, with the examples of the API's description as bodies and responses. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { type Document, type Operation, pathOf } from '../../../tools/api-types.ts';
import { generateCsharp } from '../../../tools/csharp/generate.ts';
import { OPERATIONS } from '../../client/src/operations.ts';
import { json, type Received, type Server, startServer } from '../../client/test/server.ts';
import { noMono, useProgram } from './program.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), 'utf8');
const document: Document = JSON.parse(await read('openapi.json'));
const { version } = JSON.parse(await read('package.json'));

const entries = Object.entries(OPERATIONS).flatMap(([noun, operations]) =>
  Object.entries(operations).map(([name, entry]: [string, string]) => ({ operation: `${noun}.${name}`, entry })),
);

interface Example {
  readonly content?: Record<
    string,
    { readonly example?: unknown; readonly examples?: Record<string, { value: unknown }> }
  >;
}

const exampleIn = (media: Example | undefined): unknown => {
  const { example, examples = {} } = media?.content?.['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
};

/** A value for each parameter of a query. */
const queryOf = ({ parameters = [] }: Operation): Record<string, unknown> =>
  Object.fromEntries(
    parameters
      .filter((one) => one.in === 'query' && one.name !== 'cursor')
      .map(({ name, schema: { type } }) => [
        name,
        type === 'integer' ? 7 : type === 'boolean' ? true : type === 'array' ? ['a&b', 'ä='] : 'c d+e',
      ]),
  );

describe('the C# client', () => {
  test('is generated from openapi.json as it is: `npm run csharp` writes it', async () => {
    for (const [path, text] of Object.entries(generateCsharp(document, version)))
      assert.ok((await read(`packages/csharp/${path}`)) === text, `${path} is out of date`);
  });

  test('has the version of the service', async () => {
    assert.equal(JSON.parse(await read('packages/csharp/package.json')).version, version);
    assert.match(await read('packages/csharp/Itemwright.Client.csproj'), new RegExp(`<Version>${version}</Version>`));
  });
});

describe('every method of the C# client', { skip: noMono }, () => {
  const program = useProgram();
  let server: Server;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const call = (operation: string, more: object = {}) => ({
    do: 'call',
    client: { url: server.url, teamId: 'team', secret: 'sécret' },
    operation,
    ...more,
  });

  test('sends its method, path, body and query, and understands the response', async () => {
    let examples = 0;
    for (const { operation, entry } of entries) {
      const { method, path } = pathOf(entry);
      const documented = document.paths[path]?.[method] as Operation;
      const ids = [...path.matchAll(/{(\w+)}/g)].map(([, parameter]) => `${parameter} ä/1.`);
      const body = exampleIn(documented.requestBody as Example);
      const response = exampleIn(documented.responses[200] as Example);
      const query = queryOf(documented);
      assert.ok(
        response !== undefined && (body !== undefined || !entry.includes('{body}')),
        `${operation} has examples`,
      );
      server.answers.push(json(200, response, { etag: '"7"', 'x-request-id': 'two' }));
      const options = { headers: { 'x-request-id': 'one' } };
      const answered = await program.get(call(operation, { ids, body, query, options }));
      const received = server.received.at(-1) as Received;
      const [pathname = '', sentQuery = ''] = (received.url ?? '').split('?');
      const filled = ids.reduce((text, id) => text.replace(/{\w+}/, encodeURIComponent(id)), path);
      assert.deepEqual([received.method, pathname], [method.toUpperCase(), filled], operation);
      assert.deepEqual(received.body === '' ? undefined : JSON.parse(received.body), body, operation);
      const expected = Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, String(one)]),
      );
      assert.deepEqual([...new URLSearchParams(sentQuery)], expected, operation);
      const { headers } = received;
      assert.equal(headers['idempotency-key'] !== undefined, /^(POST|PATCH) /.test(entry), operation);
      assert.equal(headers['content-type'], body === undefined ? undefined : 'application/json', operation);
      assert.equal(headers.authorization, `Basic ${Buffer.from('team:sécret').toString('base64')}`);
      assert.deepEqual([headers['x-request-id'], headers['user-agent']], ['one', `itemwright-csharp/${version}`]);
      assert.deepEqual([headers.accept, headers.expect], ['application/json', undefined]);
      assert.deepEqual(answered.data, response, operation);
      assert.deepEqual(answered.unknown, [], operation);
      if (!entry.startsWith('LIST ')) assert.deepEqual([answered.etag, answered.requestId], ['"7"', 'two'], operation);
      examples += 1;
    }
    assert.ok(examples > 80);
  });

  test('keeps what a newer service says, and sends it back', async () => {
    const template = { id: 'a', name: 'A', type: 'future', config: { shiny: [1e21, 0.1] }, bindings: {}, glow: null };
    const catalog = { formatVersion: 2, attributes: [], classifiers: [], spaces: [], items: [], templates: [template] };
    server.answers.push(json(200, catalog));
    const { data, unknown } = await program.get(call('catalog.get'));
    assert.deepEqual(data, catalog);
    assert.deepEqual(unknown, ['TemplateEntity.config', 'TemplateEntity.glow']);
  });

  test('refuses ids that would reach another path', async () => {
    const before = server.received.length;
    for (const id of ['', '.', '..', null, '\ud800']) {
      const { type } = await program.fail(call('userSpaces.delete', { ids: ['ann', id] }));
      assert.ok(['ArgumentException', 'EncoderFallbackException'].includes(type), type);
    }
    assert.equal(server.received.length, before);
  });
});
