import swagger from '@fastify/swagger';
import apiReference from '@scalar/fastify-api-reference';
import { LIMITS } from '../limits.ts';
import type { App } from './server.ts';

const DESCRIPTION = `A team-scoped interface for game items: define them, roll them, give them to players, keep them in grids, and compare the drops with the odds.

Authorization is Basic: the team id as username, one of the team's secrets as password. Every refusal has the same shape, \`{ code, message, issues }\`, and names what is wrong by JSON pointers. Lists answer at most ${LIMITS.pageRows.toLocaleString('en')} rows, oldest first; a \`Link\` header with \`rel="next"\` leads on.`;

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

const STATUS_TEXTS: Record<string, string> = {
  200: 'Done.',
  400: 'Something in the request is not valid.',
  401: 'No authorization, or none that counts.',
  403: 'The role of the secret does not allow it.',
  404: 'There is no such thing in this team.',
  409: 'The state of things forbids it; nothing changed.',
  500: 'A fault of the service.',
};

/** Every POST may be repeated safely, but for the one whose answer must not be kept. */
const KEY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idLength },
  description:
    'Makes the request safe to repeat: the same request with the same key gets the first answer again, byte for byte, for at least 24 hours, and has no second effect. A refusal is not kept. The same key with another request: 400.',
  example: 'pull-7f3a',
};
const UNKEYED_OPERATION = 'createSecret';

/** What Fastify's plugin makes, made to measure: names for schemas, words for statuses, bodies that may be left out. */
const finish = (document: Json): Json => {
  if (!isObject(document) || !isObject(document.paths)) throw new Error('the OpenAPI document has no paths');
  for (const path of Object.values(document.paths)) {
    for (const [verb, operation] of Object.entries(path as Record<string, Json>)) {
      if (!isObject(operation)) continue;
      if (verb === 'post' && operation.operationId !== UNKEYED_OPERATION)
        operation.parameters = [...((operation.parameters as Json[] | undefined) ?? []), KEY_PARAMETER];
      for (const [status, response] of Object.entries(operation.responses as Record<string, { description: string }>)) {
        response.description = STATUS_TEXTS[status] ?? response.description;
      }
      const body = operation.requestBody;
      if (!isObject(body)) continue;
      const media = (body.content as Record<string, { schema: { type: Json } }>)['application/json'];
      if (media === undefined) continue;
      // A body whose schema also takes null is one that may be left out.
      const optional = Array.isArray(media.schema.type) && media.schema.type.includes('null');
      if (optional) media.schema.type = 'object';
      body.required = !optional;
    }
  }
  const components = isObject(document.components) ? document.components : {};
  const schemas: Record<string, Json> = {};
  const paths = hoistTitled(document.paths, schemas);
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...document, paths, components: { ...components, schemas: sorted } };
};

/** The OpenAPI document of everything that is registered; the app must be ready. */
export const openApiDocument = (app: App): Json => finish(JSON.parse(JSON.stringify(app.swagger())) as Json);

/** Describes the routes that are registered after it, and serves the document and a reference made of it. */
export const serveOpenApi = async (app: App): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Itemwright',
        version: '0.0.1',
        description: DESCRIPTION,
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: '/', description: 'The service that serves this document.' }],
      components: {
        securitySchemes: { basic: { type: 'http', scheme: 'basic', description: 'Team id and secret.' } },
      },
      security: [{ basic: [] }],
      tags: [
        { name: 'Attributes', description: 'Numeric properties that items carry.' },
        { name: 'Classifiers', description: 'Ways to sort items, with multipliers for their weights.' },
        { name: 'Items', description: 'Blueprints of what can be rolled.' },
        { name: 'Rolls', description: 'Rolling items.' },
        { name: 'Templates', description: 'Configurations of game systems.' },
        { name: 'Users', description: 'Players.' },
        { name: 'Spaces', description: 'Kinds of grid containers.' },
        { name: 'User spaces', description: 'The containers of a player.' },
        { name: 'Item instances', description: 'What players own, and where it lies.' },
        { name: 'Statistics', description: 'What was really rolled.' },
        { name: 'Team', description: 'The team and its secrets.' },
        { name: 'Service', description: 'Whether the service is well.' },
      ],
    },
  });

  let document: string | undefined;
  app.get('/openapi.json', { schema: { hide: true }, config: { access: 'public' } }, (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(app));
    return reply.type('application/json; charset=utf-8').send(document);
  });

  // The reference is a page with a script of its own, so it gets a policy of its own; it loads nothing from elsewhere.
  await app.register(async (pages) => {
    pages.addHook('onSend', async (_request, reply, payload) => {
      reply.header(
        'content-security-policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      );
      return payload;
    });
    pages.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
    await pages.register(apiReference, {
      routePrefix: '/docs',
      configuration: {
        title: 'Itemwright API reference',
        url: '/openapi.json',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
      } as never,
    });
  });
};
