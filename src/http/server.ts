import { parse as parseQuery } from 'node:querystring';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import type { Logger } from 'pino';
import { allows, type Context, type Role } from '../context.ts';
import { type Issue, REFUSALS, type RefusalCode, ServiceError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Settings } from '../settings.ts';
import type { Authorizer } from './authorization.ts';
import { Strict } from './schemas.ts';
import { bodyFaults, requestIssues, validatorCompiler } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    context: Context;
    arrivedAtMs: number;
  }
  interface FastifyContextConfig {
    /** Who may call; `public` needs no authorization. Left out: `read` for GET, `write` for the rest. */
    access?: Role | 'public';
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface ServerParts {
  readonly settings: Settings;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  readonly clock: () => number;
}

/** A request that takes longer to arrive, or to be answered, is cut off. */
const REQUEST_TIMEOUT_MS = 30_000;
const HANDLER_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
const RETRY_AFTER_S = 1;

const VISIBLE = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.requestIdLength}}$`);

/** Ids of requests are only for people to find a log line, so a prefix of the process and a count are enough. */
const requestIds = () => {
  const prefix = `${Date.now().toString(36)}${process.pid.toString(36)}`;
  let count = 0;
  return (headers: Record<string, string | string[] | undefined>): string => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && VISIBLE.test(given) ? given : `${prefix}-${(++count).toString(36)}`;
  };
};

/** No id holds a control character, so a NUL that becomes another one still names nothing, and PostgreSQL can be asked. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\u0001');

const parseQuerystring = (text: string): Record<string, unknown> => {
  const query = parseQuery(text) as Record<string, string | string[]>;
  if (!text.includes('%00')) return query;
  for (const [name, value] of Object.entries(query)) {
    query[name] = Array.isArray(value) ? value.map(withoutNul) : withoutNul(value);
  }
  return query;
};

/** The answers of a JSON interface are never pages: they may load nothing, be framed nowhere and be taken for nothing else. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=15552000',
  'cache-control': 'no-store',
};

const errorBody = (code: RefusalCode, issues: readonly Issue[] = []) => ({
  code,
  message: REFUSALS[code].message,
  issues,
});

/** What Fastify itself refuses, before any operation begins, in the terms of the interface. */
const asServiceError = (error: FastifyError): ServiceError | undefined => {
  if (error.validation)
    return new ServiceError('BAD_REQUEST', requestIssues(error.validationContext, error.validation));
  switch (error.statusCode) {
    case 400:
      return new ServiceError('BAD_REQUEST', [{ path: '/body', message: error.message }]);
    case 413:
      return new ServiceError('PAYLOAD_TOO_LARGE');
    case 415:
      return new ServiceError('UNSUPPORTED_MEDIA_TYPE');
    case 503:
      return new ServiceError('SERVICE_UNAVAILABLE', [], { cause: error });
    default:
      return undefined;
  }
};

const sendRefusal = (reply: FastifyReply, { code, issues }: ServiceError) => {
  const { status } = REFUSALS[code];
  if (code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Basic realm="itemwright"');
  if (code === 'SERVICE_UNAVAILABLE' || code === 'TOO_MANY_REQUESTS') reply.header('retry-after', RETRY_AFTER_S);
  // Doing the same again would end the same: generated clients that retry by themselves obey this. A 500 with issues
  // is one that the interface foresees, a roll with nothing to roll.
  if (code === 'CONFLICT' || (code === 'INTERNAL_SERVER_ERROR' && issues.length > 0))
    reply.header('x-should-retry', 'false');
  return reply.code(status).send(errorBody(code, issues));
};

export const createServer = async ({ settings, authorizer, logger, clock }: ServerParts): Promise<App> => {
  const nextRequestId = requestIds();
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    handlerTimeout: HANDLER_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    bodyLimit: LIMITS.bodyBytes,
    forceCloseConnections: 'idle',
    genReqId: ({ headers }) => nextRequestId(headers),
    routerOptions: {
      // Longer than any id that is accepted, even when each of its characters is escaped, so that validation refuses it.
      maxParamLength: 16_384,
      querystringParser: parseQuerystring,
    },
    frameworkErrors: (error, request, reply) => {
      reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
      return sendRefusal(
        reply as unknown as FastifyReply,
        new ServiceError('BAD_REQUEST', [{ path: '/path', message: error.message }]),
      );
    },
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return;
      const text = JSON.stringify(
        errorBody('BAD_REQUEST', [
          { path: '', message: 'is not a request that HTTP allows, or did not arrive in time' },
        ]),
      );
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
      );
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  app.decorateRequest('context');
  app.decorateRequest('arrivedAtMs', 0);
  // Unknown query parameters are refused by an operation that knows none at all, too.
  app.addHook('onRoute', (route) => {
    const { schema, config } = route;
    if (schema === undefined || schema.hide || schema.querystring !== undefined || config?.access === 'public') return;
    route.schema = { ...schema, querystring: Strict({}) };
  });

  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text: string, done) => {
    // A client that always sends the content type means no body here.
    if (text === '') return done(null, undefined);
    parseJson(request, text, (error, value) => {
      if (error !== null) {
        done(new ServiceError('BAD_REQUEST', [{ path: '/body', message: 'is not valid JSON' }]));
        return;
      }
      const faults = bodyFaults(text, value);
      if (faults.length > 0) done(new ServiceError('BAD_REQUEST', faults));
      else done(null, value);
    });
  });

  const authorize = async (request: FastifyRequest): Promise<void> => {
    const { access = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write' } =
      request.routeOptions.config;
    if (access === 'public' || request.is404) return;
    const caller = await authorizer.identify(request.headers.authorization);
    if (caller === undefined) throw new ServiceError('UNAUTHORIZED');
    request.context = { teamId: caller.teamId, role: caller.role, nowMs: clock(), requestId: request.id };
    if (!allows(caller.role, access)) throw new ServiceError('FORBIDDEN');
  };

  app.addHook('onRequest', async (request, reply) => {
    request.arrivedAtMs = performance.now();
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
  });
  if (settings.corsOrigins === '*' || settings.corsOrigins.length > 0) {
    // Awaited, so that its hook comes before authorization: a preflight carries none.
    await app.register(cors, {
      origin: settings.corsOrigins === '*' ? '*' : [...settings.corsOrigins],
      methods: ['GET', 'POST', 'PUT', 'DELETE'],
      allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-request-id'],
      exposedHeaders: ['link', 'x-request-id', 'idempotency-replayed', 'retry-after'],
      maxAge: 600,
    });
    app.addHook('onSend', async (_request, reply, payload) => {
      reply.header('cross-origin-resource-policy', 'cross-origin');
      return payload;
    });
  }
  app.addHook('onRequest', authorize);
  app.addHook('preValidation', async (request) => {
    const params = request.params as Record<string, string>;
    for (const name in params) params[name] = withoutNul(params[name] as string);
  });
  app.addHook('onResponse', async (request, reply) => {
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round((performance.now() - request.arrivedAtMs) * 100) / 100,
        teamId: request.context?.teamId,
      },
      'request',
    );
  });

  app.setNotFoundHandler((_, reply) => sendRefusal(reply, new ServiceError('NOT_FOUND')));
  app.setErrorHandler((error: FastifyError | ServiceError, request, reply) => {
    const refusal = error instanceof ServiceError ? error : asServiceError(error);
    if (refusal === undefined) {
      logger.error({ requestId: request.id, err: error }, 'a request failed');
      return sendRefusal(reply, new ServiceError('INTERNAL_SERVER_ERROR'));
    }
    if (REFUSALS[refusal.code].status >= 500)
      logger.warn(
        { requestId: request.id, code: refusal.code, issues: refusal.issues, err: refusal.cause },
        'a request could not be served',
      );
    return sendRefusal(reply, refusal);
  });
  return app;
};
