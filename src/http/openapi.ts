import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import { LIMITS } from '../shared/limits.ts';
import { type Prepared, prepare } from '../shared/prepared.ts';
import { VERSION } from '../shared/program.ts';
import examples from './openapi-examples.json' with { type: 'json' };
import { errorResponses, type HeaderName, headersOf, notModified, responseComponents } from './openapi-responses.ts';
import { sendPrepared } from './prepared-responses.ts';
import { ErrorBody } from './schemas.ts';
import type { App } from './server.ts';
import { REVALIDATED, type StaticFiles, sendFile, sendNotBuilt } from './static-files.ts';

/** Of the interface specification, which the API has extended by additions only. The product has its own version. */
const INTERFACE_VERSION = '0.0.1';

const DESCRIPTION = `A team-scoped API for game items: define them, roll them, give them to users, keep them in grid inventories, and compare the drops with the odds.

Authorization is Basic: the team id is the username, one of the team's secrets the password. Every error has the same shape, \`{ code, message, issues }\`, and each issue points at what is wrong with a JSON pointer. Lists return at most ${LIMITS.pageRows.toLocaleString('en')} rows, oldest first; a \`Link\` header with \`rel="next"\` has the next page.

[The guides](../guides/) explain how everything is used. Samples in TypeScript use [the client](../guides/client).`;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moves every schema that bears a title into the components, where generators of clients look for names. */
const hoistTitled = (value: Json, components: Record<string, Json>): Json => {
  if (Array.isArray(value)) return value.map((member) => hoistTitled(member, components));
  if (!isObject(value)) return value;
  const walked = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, hoistTitled(member, components)]),
  );
  // A member whose shape depends on another is checked elsewhere; the document still lists what it may be.
  const { 'x-any-of': anyOf, ...own } = walked;
  if (anyOf !== undefined) return { description: own.description ?? '', anyOf };
  const { title, ...schema } = walked;
  if (typeof title !== 'string' || !('type' in schema)) return walked;
  components[title] ??= schema;
  return { $ref: `#/components/schemas/${title}` };
};

/** Every POST and PATCH can be retried safely, except for the one whose response must not be stored. */
const KEY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idLength },
  description:
    'Makes the request safe to retry: the same request with the same key gets the first response again, byte for byte, for at least 24 hours, and has no second effect. Errors are not stored. The same key with a different request: 400.',
  example: 'pull-7f3a',
};
const UNKEYED_OPERATION = 'createSecret';

/** Of operations that a history records. */
const REASON_PARAMETER: Json = {
  name: 'Itemwright-Reason',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.reasonHeaderLength },
  description: `Why, in up to ${LIMITS.reasonLength} characters: the history keeps it. UTF-8, which may be percent-encoded, as \`encodeURIComponent\` does; a percent sign must be.`,
  example: 'lost in the outage of Tuesday',
};

/** Of operations that change one thing that has an `ETag`. */
const MATCH_PARAMETER: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description:
    'The `ETag` of what you change, as you know it: if it was changed in the meantime, the request is rejected with 412, and nothing is changed.',
  example: '"WNbkPRiCwgODcDeTWFIMiQ"',
};

/** Of responses that anyone may keep for a while. */
const NONE_MATCH_PARAMETER: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The `ETag` of the response that you have: if it is still right, you get 304 without a body.',
  example: '"WNbkPRiCwgODcDeTWFIMiQ"',
};

interface Operation {
  readonly operationId: string;
  'x-etag'?: boolean;
  'x-cached'?: boolean;
  'x-reason'?: boolean;
  'x-lines'?: string;
  readonly security?: readonly unknown[];
  parameters?: { name: string; in: string; schema?: ParameterSchema; example?: Json }[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Json | { description: string; headers: Json; content?: Record<string, Media> }>;
}

interface ParameterSchema {
  readonly type?: string;
  readonly anyOf?: readonly ParameterSchema[];
}

interface Media {
  schema: { type?: Json; description?: string };
  example?: Json;
}

/** What any operation can return, besides what is particular to it. */
const commonErrors = (verb: string, { security }: Operation): number[] => [
  // Whatever the operation, what is not HTTP at all is rejected with 400.
  400,
  ...(security?.length === 0 ? [] : [401, 403, 429, 500, 503]),
  // A body that the operation does not need is read nevertheless, except with GET.
  ...(verb === 'get' ? [] : [413, 415]),
];

const takesKey = (verb: string, { operationId }: Operation): boolean =>
  (verb === 'post' || verb === 'patch') && operationId !== UNKEYED_OPERATION;

const describeResponses = (verb: string, operation: Operation): void => {
  const { 200: success, ...errors } = operation.responses;
  const headers: HeaderName[] = ['X-Request-Id'];
  if (operation.parameters?.some(({ name }) => name === 'cursor')) headers.push('Link');
  if (takesKey(verb, operation)) headers.push('Idempotency-Replayed');
  const isCached = operation['x-cached'] === true;
  if (operation['x-etag'] === true || isCached) headers.push('ETag');
  if (isCached) headers.push('Cache-Control');
  delete operation['x-etag'];
  delete operation['x-cached'];
  const described = success as { description: string; content?: Record<string, Media> };
  // The lines of a response that is sent bit by bit: OpenAPI has no way to say what each of them is.
  if (operation['x-lines'] !== undefined && described.content !== undefined)
    described.content['application/x-ndjson'] = { schema: { type: 'string', description: operation['x-lines'] } };
  delete operation['x-lines'];
  operation.responses = {
    200: { ...described, headers: headersOf(...headers) },
    ...(isCached && { 304: notModified }),
    ...errorResponses([...Object.keys(errors).map(Number), ...commonErrors(verb, operation)]),
  };
};

/** A body whose schema also takes null is one that may be left out. */
const describeBody = ({ requestBody }: Operation): void => {
  const media = requestBody?.content['application/json'];
  if (requestBody === undefined || media === undefined) return;
  const isOptional = Array.isArray(media.schema.type) && media.schema.type.includes('null');
  if (isOptional) media.schema.type = 'object';
  requestBody.required = !isOptional;
};

/** The values of a path's parameters and query in an example. */
const valuesIn = (template: string, path: string): Map<string, string> => {
  const url = new URL(path, 'http://localhost');
  const values = new Map(url.searchParams);
  const parts = url.pathname.split('/');
  for (const [index, part] of template.split('/').entries())
    if (part.startsWith('{')) values.set(part.slice(1, -1), decodeURIComponent(parts[index] ?? ''));
  return values;
};

const isInteger = (value: string, { type, anyOf = [] }: ParameterSchema): boolean =>
  /^-?\d+$/.test(value) && (type === 'integer' || anyOf.some((schema) => isInteger(value, schema)));

/** A parameter as what its schema says that it is, not as the text that stands in a URL. */
const typedValue = (value: string, schema: ParameterSchema): string | number | boolean => {
  if (schema.type === 'boolean') return value === 'true';
  return isInteger(value, schema) ? Number(value) : value;
};

const addExample = (template: string, operation: Operation, { path, request, response }: Example): void => {
  const values = valuesIn(template, path);
  for (const parameter of operation.parameters ?? []) {
    const value = values.get(parameter.name);
    if (value !== undefined) parameter.example = typedValue(value, parameter.schema ?? {});
  }
  const body = operation.requestBody?.content['application/json'];
  if (body !== undefined && request !== undefined) body.example = request;
  const success = operation.responses[200] as { content?: Record<string, Media> };
  const media = success.content?.['application/json'];
  if (media !== undefined) media.example = response;
};

interface Example {
  readonly path: string;
  readonly request?: Json;
  readonly response: Json;
}

const EXAMPLES = examples as unknown as Record<string, Example>;

/** What Fastify's plugin generates, completed: named schemas, examples, and the errors and headers of every operation. */
const finish = (document: Json): Json => {
  if (!isObject(document) || !isObject(document.paths)) throw new Error('the OpenAPI document has no paths');
  for (const [template, methods] of Object.entries(document.paths))
    for (const [verb, described] of Object.entries(methods as Record<string, Json>)) {
      const operation = described as unknown as Operation;
      if (takesKey(verb, operation)) operation.parameters = [...(operation.parameters ?? []), KEY_PARAMETER as never];
      if ('412' in operation.responses)
        operation.parameters = [...(operation.parameters ?? []), MATCH_PARAMETER as never];
      if (operation['x-reason'] === true)
        operation.parameters = [...(operation.parameters ?? []), REASON_PARAMETER as never];
      delete operation['x-reason'];
      if (operation['x-cached'] === true)
        operation.parameters = [...(operation.parameters ?? []), NONE_MATCH_PARAMETER as never];
      describeBody(operation);
      describeResponses(verb, operation);
      const example = EXAMPLES[`${verb.toUpperCase()} ${template}`];
      if (example !== undefined) addExample(template, operation, example);
    }
  const components = isObject(document.components) ? document.components : {};
  const schemas: Record<string, Json> = {};
  const paths = hoistTitled(document.paths, schemas);
  hoistTitled(JSON.parse(JSON.stringify(ErrorBody)) as Json, schemas);
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  const shared = JSON.parse(JSON.stringify(responseComponents())) as { [key: string]: Json };
  return { ...document, paths, components: { ...components, ...shared, schemas: sorted } };
};

/** The OpenAPI document of everything that is registered; the app must be ready. */
export const openApiDocument = (app: App): Json => finish(JSON.parse(JSON.stringify(app.swagger())) as Json);

/** Generating the document keeps other requests waiting, so what is served is the one that was committed. */
const COMMITTED = new URL('../../openapi.json', import.meta.url);

const urlOf = (prefix: string): string => (prefix === '' ? '/' : prefix);

const readCommitted = async (prefix: string): Promise<Prepared> => {
  const document = JSON.parse(await readFile(COMMITTED, 'utf8')) as { servers: { url: string }[] };
  for (const server of document.servers) server.url = urlOf(prefix);
  return prepare(JSON.stringify(document));
};

/** The reference is a page with a script of its own, so it gets a policy of its own; it loads nothing from elsewhere. */
const REFERENCE_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const open = { schema: { hide: true }, config: { access: 'public' } } as const;

/** Serves the OpenAPI document, and a reference made of it. */
export const referenceRoutes = (app: App, files: StaticFiles, prefix: string): void => {
  let document: Promise<Prepared> | undefined;
  app.get('/openapi.json', open, async (request, reply) => {
    document ??= readCommitted(prefix).catch((error: unknown) => {
      document = undefined;
      throw error;
    });
    const kind = { type: 'application/json; charset=utf-8', cacheControl: REVALIDATED };
    return sendPrepared(request, reply, await document, kind);
  });
  app.get('/docs', open, async (_request, reply) => reply.redirect(`${prefix}/docs/`, 301));
  for (const [path, name] of [
    ['/docs/', 'docs/index.html'],
    ['/docs/js/scalar.js', 'docs/scalar.js'],
  ] as const)
    app.get(path, open, async (request, reply) => {
      const file = await files.find(name);
      if (file === undefined) return sendNotBuilt(reply, 'The API reference');
      reply.header('content-security-policy', REFERENCE_POLICY);
      return sendFile(request, reply, file, REVALIDATED);
    });
};

/** Describes the routes that are registered after it. */
export const describeRoutes = async (app: App, prefix: string): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Itemwright',
        version: INTERFACE_VERSION,
        // The plugin has no type for extensions.
        ...{ 'x-itemwright-version': VERSION },
        description: DESCRIPTION,
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: urlOf(prefix), description: 'The service that serves this document.' }],
      components: {
        securitySchemes: { basic: { type: 'http', scheme: 'basic', description: 'Team id and secret.' } },
      },
      security: [{ basic: [] }],
      tags: [
        { name: 'Attributes', description: 'Numeric properties that items carry.' },
        { name: 'Classifiers', description: 'Ways to sort items, such as rarity, with multipliers for their weights.' },
        { name: 'Items', description: 'Blueprints of what can be rolled.' },
        { name: 'Rolls', description: 'Rolling items.' },
        { name: 'Templates', description: 'Gacha banners, card packs, roguelike offers and idle drops.' },
        { name: 'Catalog', description: 'Versions of the catalog: who changed what, and when.' },
        { name: 'Users', description: 'The players of your game.' },
        { name: 'Spaces', description: 'Kinds of grid containers.' },
        { name: 'User spaces', description: 'The containers that users have.' },
        { name: 'Item instances', description: 'What users own, and where it is placed.' },
        { name: 'Balances', description: 'What users have of currencies.' },
        { name: 'Statistics', description: 'What was rolled.' },
        { name: 'Fairness', description: 'Rolls that players can verify: seeds, receipts and proofs.' },
        { name: 'Public', description: 'What anyone may read, without authorization.' },
        { name: 'Events', description: 'The feed of what happened, in order.' },
        { name: 'Team', description: 'The team and its secrets.' },
        { name: 'Service', description: 'Health of the service.' },
      ],
    },
  });
};
