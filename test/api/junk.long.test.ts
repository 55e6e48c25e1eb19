import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openApiDocument } from '../../src/http/openapi.ts';
import { ERRORS } from '../../src/shared/errors.ts';
import {
  type ApiResponse,
  createEmptyDatabase,
  type EmptyDatabase,
  ENGINES,
  type Service,
  startService,
} from '../harness.ts';

/** Requests per operation: a few in the suite, `JUNK_RUNS=10000` by hand. */
const RUNS = Number(process.env.JUNK_RUNS ?? 12);
const BY_HAND = process.env.JUNK_RUNS !== undefined;

type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
};

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body?: Schema;
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: { name: string; in: string }[];
        requestBody?: { content: { 'application/json': { schema: Schema } } };
      }
    >
  >;
  components: { schemas: Record<string, Schema> };
}

/** Existing ids, to be mixed with unknown ones. */
const KNOWN = ['junk-item', 'junk-user', 'junk-space', 'junk-user-space', 'junk-instance', 'junk-attribute'];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KNOWN) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 250 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '\0', '\ud800', '__proto__', 'constructor', '../..', '%00', "';--", '🐉'),
  },
  { weight: 1, arbitrary: fc.integer({ min: 188, max: 194 }).map((length) => 'x'.repeat(length)) },
);
const number = fc.oneof(fc.integer({ min: -3, max: 25 }), fc.double(), fc.constantFrom(0, -0, 1e308, 5e-324, 2 ** 53));
const anything = fc.jsonValue({ maxDepth: 3 });

/** A value that mostly fits a schema, but each of whose parts may be anything instead. */
const fitting = (schema: Schema, schemas: Record<string, Schema>, depth = 0): fc.Arbitrary<unknown> => {
  if (schema.$ref !== undefined)
    return fitting(schemas[schema.$ref.split('/').at(-1) as string] as Schema, schemas, depth);
  const good = (): fc.Arbitrary<unknown> => {
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((option) => fitting(option, schemas, depth)));
    switch ([schema.type].flat()[0]) {
      case 'object': {
        const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [
          name,
          fitting(member, schemas, depth + 1),
        ]);
        if (members.length > 0) return fc.record(Object.fromEntries(members), { requiredKeys: [] });
        return typeof schema.additionalProperties === 'object'
          ? fc.dictionary(text, fitting(schema.additionalProperties, schemas, depth + 1), { maxKeys: 3 })
          : anything;
      }
      case 'array':
        return fc.array(fitting(schema.items ?? {}, schemas, depth + 1), { maxLength: 3 });
      case 'integer':
        return fc.integer({ min: -2, max: 25 });
      case 'number':
        return number;
      case 'boolean':
        return fc.boolean();
      case 'string':
        return text;
      default:
        return anything;
    }
  };
  return fc.oneof({ weight: depth === 0 ? 30 : 12, arbitrary: good() }, { weight: 1, arbitrary: anything });
};

const escaped = text.map((value) => encodeURIComponent(value.toWellFormed()));

const requestOf = ({ method, path, query, body }: Operation, schemas: Record<string, Schema>) =>
  fc.record({
    method: fc.constant(method),
    path: fc
      .array(
        fc.oneof({ weight: 9, arbitrary: escaped }, { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%ff') }),
        {
          minLength: 3,
          maxLength: 3,
        },
      )
      .map((parts) => {
        let next = 0;
        return path.replaceAll(/\{\w+\}/g, () => parts[next++] || 'x');
      }),
    query: fc.oneof(
      { weight: 5, arbitrary: fc.constant('') },
      {
        weight: 3,
        arbitrary: fc
          .array(fc.tuple(query.length === 0 ? escaped : fc.oneof(fc.constantFrom(...query), escaped), escaped), {
            maxLength: 4,
          })
          .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`),
      },
      { weight: 1, arbitrary: fc.webQueryParameters().map((parameters) => `?${parameters}`) },
    ),
    raw:
      method === 'GET'
        ? fc.constant(undefined)
        : fc.oneof(
            { weight: 10, arbitrary: fitting(body ?? {}, schemas).map((value) => JSON.stringify(value)) },
            { weight: 1, arbitrary: fc.json() },
            { weight: 1, arbitrary: fc.string() },
            { weight: 1, arbitrary: fc.constant(undefined) },
          ),
    headers: fc.oneof(
      { weight: 8, arbitrary: fc.constant({} as Record<string, string>) },
      {
        weight: 1,
        arbitrary: fc.dictionary(
          fc.constantFrom(
            'content-type',
            'x-request-id',
            'accept',
            'idempotency-key',
            'origin',
            'x-odd',
            'authorization',
          ),
          fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
          { maxKeys: 3 },
        ),
      },
    ),
  });

const CODES = new Map<number, string[]>();
for (const [code, { status, message }] of Object.entries(ERRORS)) CODES.set(status, [code, message]);

/** No 500, unless nothing can be rolled, and every error in the usual shape. */
const assertSane = ({ method, path }: { method: string; path: string }, { status, body }: ApiResponse): void => {
  const what = `${method} ${path}: ${status} ${JSON.stringify(body)}`;
  if (status === 200) return;
  assert.ok(status !== 503, what);
  assert.deepEqual([body.code, body.message], CODES.get(status), what);
  assert.deepEqual(Object.keys(body).sort(), ['code', 'issues', 'message'], what);
  for (const issue of body.issues) {
    assert.deepEqual(Object.keys(issue).sort(), ['message', 'path'], what);
    assert.ok(typeof issue.path === 'string' && typeof issue.message === 'string', what);
  }
  if (status !== 500) return;
  assert.ok(
    method === 'POST' && path === '/items/roll' && body.issues[0].message.startsWith('nothing can be rolled'),
    what,
  );
};

const stock = async (service: Service): Promise<void> => {
  await service.post('/attributes', { id: 'junk-attribute', name: 'A' });
  await service.post('/items', { id: 'junk-item', name: 'I' });
  await service.post('/spaces', { id: 'junk-space', name: 'S', cols: 5, rows: 5 });
  await service.post('/users/junk-user/spaces', { id: 'junk-user-space', spaceId: 'junk-space' });
  await service.post('/item-instances', { id: 'junk-instance', itemId: 'junk-item', userId: 'junk-user' });
};

const heapMb = (): number => {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1024 / 1024);
};

for (const engine of ENGINES) {
  test(`random requests to every operation on ${engine} get a sane response`, async (context) => {
    const { paths, components } = openApiDocument(service(engine).app) as unknown as Document;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { parameters = [], requestBody }]): Operation => ({
          method: method.toUpperCase(),
          path,
          query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
          body: requestBody?.content['application/json'].schema,
        }),
      ),
    );
    assert.ok(operations.length > 40);
    const before = heapMb();
    for (const operation of operations) {
      await stock(service(engine));
      await fc.assert(
        fc.asyncProperty(requestOf(operation, components.schemas), async ({ method, path, query, raw, headers }) => {
          const answer = await service(engine).request(method, `${path}${query}`, undefined, { raw, headers });
          assertSane({ method, path }, answer);
        }),
        { numRuns: RUNS, seed: 20261115 },
      );
    }
    assert.equal((await service(engine).anyone().get('/readyz')).status, 200);
    if (BY_HAND) context.diagnostic(`heap in MB: ${before} before, ${heapMb()} after`);
  });
}

const running = new Map<string, { service: Service; empty: EmptyDatabase }>();
const service = (engine: string): Service => running.get(engine)?.service as Service;
before(async () => {
  for (const engine of ENGINES) {
    const empty = await createEmptyDatabase(engine);
    running.set(engine, { service: await startService(empty.url), empty });
  }
});
after(async () => {
  for (const { service: one, empty } of running.values()) {
    await one.stop();
    await empty.drop();
  }
});
