import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ERRORS } from '../../src/shared/errors.ts';
import { VERSION } from '../../src/shared/program.ts';
import { type ApiResponse, basic, ENGINES, onEveryDatabase } from '../harness.ts';
import { committedExamples, currentExamples, describeApi } from '../openapi-document.ts';
import { assertDone, assertInvalid, NOT_FOUND } from '../rules.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: object }> };
  responses: Record<string, Response>;
}

interface ErrorText {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly object[];
}

interface Response {
  $ref?: string;
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: Schema; example?: { code?: string } }>;
}

interface Description {
  openapi: string;
  info: { version: string; 'x-itemwright-version': string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response>; headers: object };
  tags: { name: string }[];
}

const text = await describeApi();
const description: Description = JSON.parse(text);
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method,
    path,
    operation,
  })),
);
const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (description.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema);

const responseOf = (response: Response): Response =>
  description.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;

const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json'];

const AS_CREATION = ['200', '400', '401', '403', '500'];
const AS_OTHERS = ['200', '400', '401', '403', '404', '500'];

/** A change that would leave a template unable to roll is rejected; the specification knows no rolls on templates. */
const WITH_TEMPLATES = ['409'];

const SHARED_STATUSES = new Set(['412', '413', '415', '429', '503']);

/** Every operation of the specification, with the statuses it lists. */
const SPECIFIED: Record<string, readonly string[]> = {
  'POST /attributes': AS_CREATION,
  'GET /attributes': AS_OTHERS,
  'PUT /attributes/{id}': AS_OTHERS,
  'DELETE /attributes/{id}': AS_OTHERS,
  'POST /classifiers': AS_CREATION,
  'GET /classifiers': AS_OTHERS,
  'DELETE /classifiers/{id}': [...AS_OTHERS.slice(0, -1), ...WITH_TEMPLATES, '500'],
  'POST /items': [...AS_CREATION.slice(0, -1), ...WITH_TEMPLATES, '500'],
  // 400 and 409 are possible only with a body, which is an extension.
  'POST /items/roll': ['200', '400', '401', '403', '409', '500'],
  'DELETE /items/{id}': [...AS_OTHERS.slice(0, -1), ...WITH_TEMPLATES, '500'],
  'POST /templates': AS_CREATION,
  'GET /templates': AS_OTHERS,
  'GET /templates/{id}': AS_OTHERS,
  'POST /users/{userId}/spaces': AS_CREATION,
  'GET /users/{userId}/spaces': AS_OTHERS,
  'DELETE /users/{userId}/spaces/{id}': AS_OTHERS,
  'DELETE /users': AS_OTHERS,
  'GET /spaces': AS_OTHERS,
  'GET /item-instance-spaces': AS_OTHERS,
  'GET /item-instances': AS_OTHERS,
  // What is locked is an extension.
  'DELETE /item-instances/{id}': [...AS_OTHERS.slice(0, -1), '409', '500'],
  'GET /roll-events/stats': AS_OTHERS,
  'GET /roll-events/drop-rates': AS_OTHERS,
};

describe('the OpenAPI document', () => {
  for (const [name, statuses] of Object.entries(SPECIFIED)) {
    test(`has ${name} with the statuses of the specification`, () => {
      const found = operations.find((candidate) => candidate.name === name);
      assert.ok(found, 'the operation is missing');
      // In addition, any operation can return the errors of a busy or unavailable service, and of an unacceptable body;
      // and changes of entities those of `If-Match`.
      const particular = Object.keys(found.operation.responses).filter((status) => !SHARED_STATUSES.has(status));
      assert.deepEqual(particular.sort(), statuses);
    });
  }

  test('is the committed one', async () => {
    const committed = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');
    assert.ok(committed === text, 'openapi.json is out of date: run npm run openapi');
  });

  test('passes the recommended rules of a public linter without warnings', async () => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['node_modules/.bin/redocly', 'lint', 'openapi.json', '--format=json'],
      {
        cwd: new URL('../..', import.meta.url),
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
      },
    );
    const { totals } = JSON.parse(stdout);
    assert.deepEqual([totals.errors, totals.warnings], [0, 0], `${stdout}${stderr}`);
  });

  test('has the version of the specification, and that of the service', () => {
    assert.match(description.openapi, /^3\.1\./);
    assert.equal(description.info.version, '0.0.1');
    assert.equal(description.info['x-itemwright-version'], VERSION);
  });

  test('has an id, a summary and a tag for every operation', () => {
    const tags = new Set(description.tags.map(({ name }) => name));
    for (const { name, operation } of operations) {
      assert.match(operation.operationId ?? '', /^[a-z][A-Za-z]+$/, name);
      assert.ok((operation.summary?.length ?? 0) > 0, name);
      assert.ok((operation.description?.length ?? 0) > 0, name);
      assert.match(operation.responses['200']?.description ?? '', /^[A-Z].+\.$/, name);
      assert.ok(operation.tags?.length === 1 && tags.has(operation.tags[0] as string), name);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
  });

  test('types every member of every request, and closes every object in it', () => {
    const check = (schema: Schema, where: string): void => {
      const { type, anyOf, items, properties, additionalProperties } = resolve(schema);
      assert.ok(type !== undefined || anyOf !== undefined, `${where} has no type`);
      for (const part of anyOf ?? []) check(part, where);
      if (type === 'array') check(items ?? {}, `${where}/items`);
      if (properties !== undefined && !where.endsWith('/itemAttributeInstances/items'))
        assert.equal(additionalProperties, false, `${where} takes unknown members`);
      for (const [name, member] of Object.entries(properties ?? {})) check(member, `${where}/${name}`);
    };
    let bodies = 0;
    for (const { name, path, operation } of operations) {
      for (const parameter of operation.parameters ?? []) check(parameter.schema, `${name} ${parameter.name}`);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      assert.deepEqual(
        inPath.map((parameter) => `{${parameter.name}}`),
        path.match(/\{\w+\}/g) ?? [],
      );
      const body = bodyOf(operation);
      if (body === undefined) continue;
      bodies += 1;
      check(body.schema, name);
      assert.ok(body.example !== undefined, `${name} shows no example`);
    }
    assert.ok(bodies > 10);
  });

  test('types every response, and gives every error the same shape', () => {
    for (const { name, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const { content, headers } = responseOf(response);
        if (status === '304') {
          assert.ok(content === undefined && headers?.ETag !== undefined, `${name} ${status}`);
          continue;
        }
        const { schema, example } = content?.['application/json'] ?? {};
        assert.ok(schema !== undefined && example !== undefined, `${name} ${status}`);
        assert.ok(headers?.['X-Request-Id'] !== undefined, `${name} ${status}`);
        if (status === '200') {
          assert.ok(resolve(schema).type !== undefined, name);
          continue;
        }
        assert.deepEqual(schema, { $ref: '#/components/schemas/Error' }, `${name} ${status}`);
        const expected = ERRORS[example.code as keyof typeof ERRORS];
        assert.equal(String(expected.status), status);
        assert.equal('Retry-After' in headers, status === '429' || status === '503', `${name} ${status}`);
      }
    }
    assert.deepEqual(description.components.schemas.Error?.required, ['code', 'message', 'issues']);
  });

  test('has no defaults in bodies, which generators of clients take for required members', () => {
    for (const [name, schema] of Object.entries(description.components.schemas))
      assert.doesNotMatch(JSON.stringify(schema), /"default":/, name);
  });

  test('says which bodies may be left out', () => {
    const optional = [
      'POST /catalog/drafts/{id}/publish',
      'POST /items/roll',
      'POST /users',
      'POST /users/{userId}/spaces/{id}/sort',
    ];
    for (const { name, operation } of operations)
      if (operation.requestBody !== undefined)
        assert.equal(operation.requestBody.required, !optional.includes(name), name);
  });
});

describe('the example of every operation', () => {
  for (const engine of ENGINES)
    test(`is what a service on ${engine} returns`, async () => {
      const examples = await currentExamples(engine);
      assert.deepEqual(Object.keys(examples).sort(), operations.map(({ name }) => name).sort());
      assert.deepEqual(examples, committedExamples(), 'the examples are out of date: run npm run openapi');
    });
});

onEveryDatabase('the API', (service) => {
  const assertError = (answer: ApiResponse, status: number, code: string, message: string): void => {
    assert.equal(answer.status, status);
    assert.deepEqual(Object.keys(answer.body), ['code', 'message', 'issues']);
    assert.equal(answer.body.code, code);
    assert.equal(answer.body.message, message);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json; charset=utf-8/);
  };
  const filled = (path: string) => path.replace('{type}', 'gacha').replaceAll(/\{\w+\}/g, 'any');
  const isOpen = ({ security }: Operation) => security?.length === 0;

  test('requires authorization for every operation except the health checks and what is for players', async () => {
    const open = [];
    for (const { name, method, path, operation } of operations) {
      const answer = await service().anyone().request(method.toUpperCase(), filled(path));
      if (isOpen(operation)) open.push(name);
      else assertError(answer, 401, 'UNAUTHORIZED', 'Authorization not provided');
    }
    assert.deepEqual(open.filter((name) => !name.startsWith('GET /public/')).sort(), ['GET /healthz', 'GET /readyz']);
  });

  test('rejects unknown query parameters in every operation', async () => {
    // Those of health checks and snapshots are ignored.
    const strict = operations.filter(
      ({ name, operation }) => !isOpen(operation) || /^GET \/public\/.*templates/.test(name),
    );
    for (const { method, path, operation } of strict) {
      const required = (operation.parameters ?? []).filter(
        (parameter) => parameter.in === 'query' && parameter.required,
      );
      const query = ['colour=red', ...required.map((parameter) => `${parameter.name}=any`)].join('&');
      const answer = await service().request(
        method.toUpperCase(),
        `${filled(path)}?${query}`,
        bodyOf(operation)?.example,
      );
      assertInvalid(answer, '/query/colour');
    }
  });

  describe('returns the usual errors for', () => {
    test('malformed JSON', async () => {
      for (const raw of ['{', '{"name":}', '\u0000', '{"name":"a"} {}', "{'name':'a'}", '\ufeff{', 'undefined']) {
        const answer = await service().post('/attributes', undefined, { raw });
        assertError(answer, 400, 'BAD_REQUEST', 'Invalid input data');
        assert.deepEqual(
          answer.body.issues.map(({ path }: { path: string }) => path),
          ['/body'],
        );
      }
    });

    test('unknown paths, with authorization and without', async () => {
      for (const path of ['/nowhere', '/attributes/a/b', '/items/a/roll', '/v1/items', '//items', '/Items', '/.env'])
        for (const client of [service(), service().anyone()]) {
          const answer = await client.get(path);
          assertError(answer, 404, 'NOT_FOUND', 'Not found');
          assert.deepEqual(answer.body, NOT_FOUND);
        }
    });

    test('methods that a path does not have', async () => {
      for (const [method, path] of [
        ['PATCH', '/items'],
        ['DELETE', '/items'],
        ['POST', '/items/any'],
        ['PUT', '/roll-events/stats'],
        ['OPTIONS', '/items'],
      ] as const)
        assertError(await service().request(method, path), 404, 'NOT_FOUND', 'Not found');
    });

    test('invalid percent encoding in a path', async () => {
      for (const path of ['/items/%ZZ', '/items/%', '/items/%FF', '/items/%C0%80', '/items/%ED%A0%80', '/%ZZ']) {
        const answer = await service().get(path);
        assertError(answer, 400, 'BAD_REQUEST', 'Invalid input data');
        assert.equal(answer.body.issues[0].path, '/path');
      }
    });

    test('a body of another type, or one that is too large', async () => {
      for (const type of [
        'text/plain',
        'application/xml',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'junk',
      ])
        assertError(
          await service().post('/items', undefined, { raw: '{"name":"n"}', headers: { 'content-type': type } }),
          ...([415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported media type'] as const),
        );
      assertDone(
        await service().post(
          '/items',
          { name: 'n' },
          { headers: { 'content-type': 'application/json; charset=utf-8' } },
        ),
      );
      const raw = JSON.stringify({ name: 'n'.repeat(2 * 1024 * 1024) });
      assertError(await service().post('/items', undefined, { raw }), 413, 'PAYLOAD_TOO_LARGE', 'Payload too large');
    });

    test('a body that is nested too deeply', async () => {
      for (const raw of [
        `{"name":${'['.repeat(300_000)}${']'.repeat(300_000)}}`,
        `${'{"name":'.repeat(50_000)}"\\u0000"${'}'.repeat(50_000)}`,
      ])
        assertError(await service().post('/items', undefined, { raw }), 400, 'BAD_REQUEST', 'Invalid input data');
    });

    test('invalid HTTP', async () => {
      const { hostname, port } = new URL(service().address);
      const socket = connect(Number(port), hostname);
      socket.end('GARBAGE\r\n\r\n');
      let answered = '';
      for await (const chunk of socket) answered += chunk;
      const [head, body] = answered.split('\r\n\r\n');
      assert.match(head ?? '', /^HTTP\/1\.1 400 /);
      assert.deepEqual(Object.keys(JSON.parse(body ?? '')), ['code', 'message', 'issues']);
      assertDone(await service().get('/healthz'));
    });
  });

  test('rejects an expectation that it does not know, in the usual way', async () => {
    const { hostname, port } = new URL(service().address);
    for (const [expect, status] of [
      ['zzz', 400],
      ['100-continue, zzz', 400],
      ['100-continue', 200],
      ['100-Continue', 200],
    ] as const) {
      const sent = request({ hostname, port, path: '/healthz', headers: { expect }, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of response) text += chunk;
      assert.equal(response.statusCode, status, expect);
      assert.ok(response.headers['x-request-id']);
      if (status === 400) {
        const issues = [{ path: '/headers/expect', message: 'must be 100-continue, if anything' }];
        assert.deepEqual(JSON.parse(text), { code: 'BAD_REQUEST', message: 'Invalid input data', issues });
      }
    }
  });

  test('takes a content type without a body for no body', async () => {
    const { address, teamId, secret } = service();
    const { host, hostname, port } = new URL(address);
    for (const [path, status] of [
      ['/users', '200'],
      ['/catalog/plan', '400'],
    ] as const) {
      const socket = connect(Number(port), hostname);
      // Most clients would send a length of 0.
      const head = [`POST ${path} HTTP/1.1`, `host: ${host}`, `authorization: ${basic(teamId, secret)}`];
      socket.write(`${[...head, 'content-type: application/json', 'connection: close'].join('\r\n')}\r\n\r\n`);
      let received = '';
      for await (const chunk of socket) received += chunk;
      assert.equal(received.split(' ', 2)[1], status);
    }
  });

  test('says that the content type of a body is missing, or which one it must be', async () => {
    const { address, teamId, secret } = service();
    const issuesOf = async (type: Record<string, string>) => {
      const headers = { authorization: basic(teamId, secret), ...type };
      const response = await fetch(`${address}/users`, { method: 'POST', headers, body: Buffer.from('{}') });
      const { code, message, issues } = (await response.json()) as ErrorText;
      assert.deepEqual([response.status, code, message], [415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported media type']);
      return issues;
    };
    const path = '/headers/content-type';
    assert.deepEqual(await issuesOf({}), [{ path, message: 'is missing: it must be application/json' }]);
    assert.deepEqual(await issuesOf({ 'content-type': 'application/x-www-form-urlencoded' }), [
      { path, message: 'must be application/json' },
    ]);
  });

  describe('every response', () => {
    const kinds = [
      ['GET', '/healthz', 200],
      ['GET', '/items', 200],
      ['GET', '/items?limit=0', 400],
      ['GET', '/items/%ZZ', 400],
      ['GET', '/nowhere', 404],
      ['GET', '/openapi.json', 200],
      ['GET', '/docs/', 200],
    ] as const;

    test('has the id of its request, given or generated', async () => {
      const made = new Set<string>();
      for (const [method, path, status] of kinds) {
        for (const id of ['mine', 'a'.repeat(191), '!~"<>']) {
          const answer = await service().request(method, path, undefined, { headers: { 'x-request-id': id } });
          assert.equal(answer.status, status);
          assert.equal(answer.headers.get('x-request-id'), id);
        }
        for (const given of [undefined, '', 'a b', 'a'.repeat(192)]) {
          const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
          const answer = await service().request(method, path, undefined, { headers });
          const id = answer.headers.get('x-request-id') ?? '';
          assert.match(id, /^[\x21-\x7e]{1,100}$/);
          made.add(id);
        }
      }
      assert.equal(made.size, kinds.length * 4, 'made ids are unique');
    });

    test('has security headers for browsers', async () => {
      const unauthorized = await service().anyone().get('/items');
      const responses = [unauthorized];
      for (const [method, path] of kinds) responses.push(await service().request(method, path));
      for (const { headers } of responses) {
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.equal(headers.get('cache-control'), headers.has('etag') ? 'no-cache' : 'no-store');
        assert.match(
          headers.get('content-security-policy') ?? '',
          /^default-src '(none|self)'.*frame-ancestors 'none'/,
        );
        assert.equal(headers.get('access-control-allow-origin'), null);
        assert.equal(headers.get('server'), null);
        assert.equal(headers.get('x-powered-by'), null);
      }
    });
  });

  describe('without authorization', () => {
    test('reports that it is up, with its version, and that the database responds', async () => {
      for (const [path, body] of [
        ['/healthz', { status: 'ok', version: VERSION }],
        ['/readyz', { status: 'ok' }],
      ] as const) {
        const answer = assertDone(await service().anyone().get(path));
        assert.deepEqual(answer.body, body);
        assertDone(await service().anyone('Basic junk').get(path));
      }
    });

    test('serves the OpenAPI document', async () => {
      const answer = assertDone(await service().anyone().get('/openapi.json'));
      assert.deepEqual(answer.body, description);
    });

    test('redirects from / to the console', async () => {
      const { status, headers } = await service().anyone().get('/');
      assert.deepEqual([status, headers.get('location')], [302, '/console']);
    });

    test('shows the API reference without requests to other hosts', async () => {
      const { body: page, headers } = assertDone(await service().anyone().get('/docs/'));
      assert.match(headers.get('content-type') ?? '', /^text\/html/);
      assert.ok(page.includes('/openapi.json'));
      assert.doesNotMatch(page, /https?:|wss?:|["'(]\/\//i, 'the page names another host');
      const referenced = [...page.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']/g)].map(([, path]) => path as string);
      const types: string[] = [];
      for (const path of referenced) {
        const url = new URL(path, `${service().address}/docs/`);
        assert.equal(url.origin, service().address);
        const { headers: ofFile, body } = assertDone(await service().anyone().get(url.pathname));
        const [type = ''] = (ofFile.get('content-type') ?? '').split(';');
        types.push(type);
        if (type === 'text/javascript') assert.ok(body.length > 100_000);
      }
      assert.deepEqual(types, ['image/svg+xml', 'text/javascript']);
      // Whatever the script tries, the browser lets it reach no other host.
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'self'/);
      assert.match(policy, /connect-src 'self'(;|$)/);
      for (const source of policy.split(/[; ]+/))
        assert.ok(/^[a-z-]+$|^'[a-z-]+'$|^(data|blob):$/.test(source), `${source} lets in another host`);
    });

    test('has no metrics unless they are enabled', async () => {
      assert.equal((await service().anyone().get('/metrics')).status, 404);
    });
  });
});
