import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { Readable } from 'node:stream';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
  type onSendHookHandler,
  type preParsingHookHandler,
  type preValidationHookHandler,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import type { Logger } from 'pino';
import type { Settings } from '../settings.ts';
import { type Access, allows, type Context } from '../shared/context.ts';
import { ERRORS, type ErrorCode, type Issue, listIssues, ServiceError, shouldRetry } from '../shared/errors.ts';
import { bodyIssues, sizeIssue } from '../shared/json-text.ts';
import { LIMITS } from '../shared/limits.ts';
import { type Authorizer, type Caller, explainHeader } from './authorization.ts';
import { createExchanges, type Exchange, sweepEveryMs } from './exchanges.ts';
import { Replay } from './idempotency.ts';
import { type Body, createOutgoing, type Outgoing } from './outgoing.ts';
import { createPressure } from './pressure.ts';
import { reasonOf } from './reason.ts';
import { Strict } from './schemas.ts';
import { serializerCompiler } from './serialization.ts';
import { createDrain } from './stopping.ts';
import { keepTick } from './ticks.ts';
import { requestIssues, validatorCompiler } from './validation.ts';
import { createVisitors, paceVisitors } from './visitors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    context: Context;
    arrivedAtMs: number;
    exchange: Exchange;
    /** Why it was rejected, if it was. */
    serviceError: ServiceError | undefined;
  }
  interface FastifyInstance {
    /** Whether the service was told to stop: it still responds, but is no longer ready. */
    readonly isStopping: () => boolean;
    /** Makes `isStopping` true; `close` does the stopping. */
    readonly prepareToStop: () => void;
    /** Aborts as soon as the service is told to stop. */
    readonly stopSignal: AbortSignal;
    /** What a caller is told about a failure. Anything unexpected is logged. */
    readonly explainFailure: (error: unknown, request: FastifyRequest) => ServiceError;
    /** Responses that clients have not read yet. */
    readonly outgoing: Outgoing;
  }
  interface FastifyContextConfig {
    /** What callers need; `public` needs no authorization. Default: `read` for GET, `users` for everything else. */
    access?: Access | 'public';
    /** Whether it has no limit per address, unlike everything else that needs no authorization. */
    isProbe?: boolean;
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
  readonly requestTimeoutMs?: number;
  /** Cancels work that stopping must not wait for; its requests are rejected. */
  readonly cancelWork: () => Promise<void>;
}

const VISIBLE = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.requestIdLength}}$`);

/** Request ids only help people find log lines, so a prefix per process and a counter are enough. */
const requestIds = () => {
  const prefix = `${Date.now().toString(36)}${process.pid.toString(36)}`;
  let count = 0;
  return (headers: Record<string, string | string[] | undefined>): string => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && VISIBLE.test(given) ? given : `${prefix}-${(++count).toString(36)}`;
  };
};

/**
 * No id contains a control character, so replacing a NUL with another one still finds nothing, without an error from
 * PostgreSQL.
 */
const withoutNul = (text: string): string => text.replaceAll('\0', '\u0001');

const withoutNulParams: preValidationHookHandler = (request, _reply, done) => {
  const params = request.params as Record<string, string>;
  for (const name in params) params[name] = withoutNul(params[name] as string);
  done();
};

/** Node emits no events for a body that cannot come, but whoever parses one waits for its end. */
const withEnd: preParsingHookHandler = ({ raw, headers }, _reply, payload, done) =>
  done(null, raw.readableEnded && headers['content-type'] !== undefined ? Readable.from([]) : payload);

const parseQuerystring = (text: string): Record<string, unknown> => {
  const query = parseQuery(text) as Record<string, string | string[]>;
  if (!text.includes('%00')) return query;
  for (const [name, value] of Object.entries(query)) {
    query[name] = Array.isArray(value) ? value.map(withoutNul) : withoutNul(value);
  }
  return query;
};

/**
 * Responses of a JSON API are never pages: they must not load anything, be framed, or be interpreted as another type.
 */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Member names may be as long as a whole body. */
const shortened = ({ path, message }: Issue): Issue =>
  path.length > LIMITS.issuePathLength
    ? { path: `${path.slice(0, LIMITS.issuePathLength)}…`, message }
    : { path, message };

export const errorBody = (code: ErrorCode, issues: readonly Issue[] = []) => ({
  code,
  message: ERRORS[code].message,
  issues: listIssues(issues, shortened),
});

const contentTypeIssue = ({ headers }: FastifyRequest): Issue => ({
  path: '/headers/content-type',
  message:
    headers['content-type'] === undefined ? 'is missing: it must be application/json' : 'must be application/json',
});

/** What a client may expect of the service before it sends a body. */
const KNOWN_EXPECTATION = /^100-continue$/i;

const expectationIssue = ({ headers: { expect } }: FastifyRequest): Issue | undefined =>
  expect === undefined || KNOWN_EXPECTATION.test(expect)
    ? undefined
    : { path: '/headers/expect', message: 'must be 100-continue, if anything' };

/** Translates errors that Fastify itself raises before a handler runs. */
const asServiceError = (error: FastifyError, request: FastifyRequest): ServiceError | undefined => {
  if (error.validation) return new ServiceError('BAD_REQUEST', requestIssues(request));
  switch (error.statusCode) {
    case 400:
      return new ServiceError('BAD_REQUEST', [{ path: '/body', message: error.message }]);
    case 413:
      return new ServiceError('PAYLOAD_TOO_LARGE');
    case 415:
      return new ServiceError('UNSUPPORTED_MEDIA_TYPE', [contentTypeIssue(request)]);
    case 503:
      return new ServiceError('SERVICE_UNAVAILABLE', [], { cause: error });
    default:
      return undefined;
  }
};

const sendError = (reply: FastifyReply, { code, issues }: ServiceError) => {
  const { status } = ERRORS[code];
  if (code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Basic realm="itemwright"');
  if (code === 'SERVICE_UNAVAILABLE' || code === 'TOO_MANY_REQUESTS') reply.header('retry-after', LIMITS.retryAfterS);
  const retry = shouldRetry(status, issues);
  if (retry !== undefined) reply.header('x-should-retry', String(retry));
  return reply.code(status).send(errorBody(code, issues));
};

/** Our own clients say who they are, so that the history of a catalog can. */
const sourceOf = ({ headers }: FastifyRequest): Context['source'] => {
  const given = headers['x-itemwright-source'];
  return given === 'console' || given === 'cli' ? given : 'api';
};

const isPreflight = ({ method }: FastifyRequest): boolean => method === 'OPTIONS';

/** The query of routes that declare none. */
const NO_PARAMETERS = Strict({});

/** Logs a request. */
const logRequest = (log: Logger, { id: requestId, method, arrivedAtMs, context }: FastifyRequest, status: number) => {
  const ms = Math.round((performance.now() - arrivedAtMs) * 100) / 100;
  log.info({ requestId, method, status, ms, teamId: context?.teamId }, 'request');
};

/** The path without the prefix; for a path outside the prefix, one that matches no route. */
const withoutPrefix = (url: string, prefix: string): string => {
  if (!url.startsWith(prefix)) return OUTSIDE;
  const rest = url.slice(prefix.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : OUTSIDE;
};
const OUTSIDE = '/outside-of-the-prefix';

/** The most bytes that the body of a request may have. A body that is too large is not received. */
const bodyBytes = ({ headers, exchange: { route } }: FastifyRequest): number => {
  const { bodyLimit = LIMITS.bodyBytes } = route;
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyLimit;
  return length > bodyLimit ? 0 : length;
};

/** A large body stays in memory until the response is sent, so its bytes stay reserved. */
const keepsBody = ({ route: { bodyLimit = 0 } }: Exchange): boolean => bodyLimit > LIMITS.bodyBytes;

/** Sends what is already JSON, bypassing the serializer. */
export const sendText = (reply: Pick<FastifyReply, 'type'>, body: Body): never => {
  const typed = reply.type('application/json; charset=utf-8') as FastifyReply;
  // Fastify takes a list for an object to serialize.
  if (Array.isArray(body)) typed.server.outgoing.send(typed.request.exchange, body);
  else typed.send(body);
  return typed as never;
};

/**
 * Like `sendText`, for long responses: sent in parts, as fast as the client reads them. For a short text, a stream
 * would cost more.
 */
export const sendParts = async (reply: FastifyReply, parts: AsyncGenerator<string>): Promise<FastifyReply> => {
  const { value: first = '' } = await parts.next();
  const second = await parts.next();
  if (second.done) return sendText(reply, first);
  const all = async function* () {
    yield first;
    yield second.value;
    yield* parts;
  };
  return reply.type('application/json; charset=utf-8').send(Readable.from(all(), { objectMode: false }));
};

export const createServer = async ({
  settings,
  authorizer,
  logger,
  clock,
  requestTimeoutMs = LIMITS.requestTimeoutMs,
  cancelWork,
}: ServerParts): Promise<App> => {
  keepTick();
  const nextRequestId = requestIds();
  const pressure = createPressure(settings.rateLimit);
  /** Of requests that are refused before their route is asked. */
  const logRefused = ({ request, reply, route }: Exchange): void =>
    logRequest(logger.child({ route: route.url ?? null }), request, reply.statusCode);
  const app = Fastify({
    logger: false,
    trustProxy: settings.trustedProxies.length > 0 && [...settings.trustedProxies],
    requestTimeout: requestTimeoutMs,
    http: {
      connectionsCheckingInterval: Math.min(requestTimeoutMs, LIMITS.requestTimeoutCheckMs),
      // Node refuses a longer time for the headers than for the whole request, which Fastify tells it only later.
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      // A request without a body then costs a fifth less: Node treats its stream as ended from the start.
      optimizeEmptyRequests: true,
    },
    keepAliveTimeout: LIMITS.keepAliveMs,
    bodyLimit: LIMITS.bodyBytes,
    forceCloseConnections: 'idle',
    // Requests on open connections are still served while stopping, as the last on their connection.
    return503OnClosing: false,
    genReqId: ({ headers }) => nextRequestId(headers),
    ...(settings.pathPrefix !== '' && {
      rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutPrefix(url, settings.pathPrefix),
    }),
    routerOptions: {
      maxParamLength: LIMITS.pathParameterLength,
      querystringParser: parseQuerystring,
    },
    frameworkErrors: (error, request, reply) => {
      reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
      if (exchanges.isStopping) reply.header('connection', 'close');
      return sendError(
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
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('context');
  app.decorateRequest('arrivedAtMs', 0);
  app.decorateRequest('exchange');
  // Reject unknown query parameters on routes that declare none, too.
  app.addHook('onRoute', (route) => {
    const { schema, config } = route;
    if (schema === undefined || schema.hide || schema.querystring !== undefined || config?.access === 'public') return;
    route.schema = { ...schema, querystring: NO_PARAMETERS };
  });

  const releaseSlot = ({ request }: Exchange): void => pressure.release(request.context.teamId);

  /** Admits a request that has arrived completely; it has a slot until it ends. */
  const admitArrived = (request: FastifyRequest): ServiceError | undefined => {
    const { exchange, context } = request;
    // Public routes have no context; their limit is per address.
    if (context === undefined || exchange.isAdmitted || exchange.rejection !== undefined) return exchange.rejection;
    // The client is gone.
    if (exchange.isClosed) return new ServiceError('SERVICE_UNAVAILABLE');
    if (!keepsBody(exchange)) releaseBytes(request);
    exchange.waitsSinceMs = performance.now();
    exchange.rejection = pressure.admit(context.teamId, exchange.waitsSinceMs);
    if (exchange.rejection !== undefined) return exchange.rejection;
    exchange.isAdmitted = true;
    exchange.onEnd = releaseSlot;
    return undefined;
  };

  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text: string, done) => {
    // Do not parse a rejected request. The next hook reports it; reporting it here would close the connection.
    if (admitArrived(request) !== undefined) return done(null, undefined);
    // Clients that always send a content type may send no body.
    if (text === '') return done(null, undefined);
    const tooLarge = sizeIssue(text);
    if (tooLarge !== undefined) return done(new ServiceError('BAD_REQUEST', [tooLarge]));
    parseJson(request, text, (error, value) => {
      if (error !== null) {
        done(new ServiceError('BAD_REQUEST', [{ path: '/body', message: 'is not valid JSON' }]));
        return;
      }
      const issues = bodyIssues(text, value);
      if (issues.length > 0) done(new ServiceError('BAD_REQUEST', issues));
      else done(null, value);
    });
  });

  app.server.maxConnections = LIMITS.connections;
  const exchanges = createExchanges({
    limitMs: requestTimeoutMs,
    monotonicMs: () => performance.now(),
    reject: ({ reply }) => reply.send(new ServiceError('SERVICE_UNAVAILABLE')),
  });
  const sweeper = setInterval(exchanges.sweep, sweepEveryMs(requestTimeoutMs)).unref();
  let isStopping = false;
  app.decorate('isStopping', () => isStopping);
  const stopping = new AbortController();
  // Every request that waits for events listens.
  setMaxListeners(0, stopping.signal);
  app.decorate('stopSignal', stopping.signal);
  app.decorate('prepareToStop', () => {
    isStopping = true;
    stopping.abort();
  });
  const drain = createDrain(app.server, exchanges);
  app.addHook('preClose', async () => {
    isStopping = true;
    stopping.abort();
    await Promise.all([cancelWork(), drain()]);
  });
  app.addHook('onClose', async () => clearInterval(sweeper));
  const outgoing = createOutgoing(exchanges.all, () => performance.now());
  app.decorate('outgoing', outgoing);
  const admitVisitor = createVisitors(settings.rateLimitPublic);
  /** Without a limit per address, whoever needs no secret could ask a million times. */
  const limitVisitor = ({ ip, arrivedAtMs, exchange }: FastifyRequest): ServiceError | undefined =>
    exchange.route.config?.isProbe ? undefined : admitVisitor(ip, arrivedAtMs);
  paceVisitors(app.server);
  // Node would respond with an error that is not one of ours.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAtMs = performance.now();
    request.exchange = exchanges.open(request, reply);
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
    const isPublic = request.is404 || isPreflight(request) || request.exchange.route.config.access === 'public';
    const refused = isPublic ? limitVisitor(request) : undefined;
    const issue = expectationIssue(request);
    const refusal = refused ?? (issue && new ServiceError('BAD_REQUEST', [issue]));
    if (request.is404 || refusal !== undefined) request.exchange.onClose = logRefused;
    done(refusal);
  });
  if (settings.corsOrigins === '*' || settings.corsOrigins.length > 0) {
    // Awaited, so that its hook runs before authorization, which a preflight does not have.
    await app.register(cors, {
      origin: settings.corsOrigins === '*' ? '*' : [...settings.corsOrigins],
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      // No list of allowed headers: whatever a browser asks to send is allowed, since clients add their own.
      exposedHeaders: ['etag', 'link', 'x-request-id', 'idempotency-replayed', 'retry-after', 'x-should-retry'],
      maxAge: LIMITS.preflightS,
      // Any OPTIONS request is handled as a preflight; the plugin's own error would not have the format of ours.
      strictPreflight: false,
    });
  }

  // Do not read the body of a request without a route.
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? new ServiceError('NOT_FOUND') : undefined));

  /** Authorizes a request, before its body arrives. */
  const authorize = (request: FastifyRequest, needed: Access, caller: Caller | undefined): ServiceError | undefined => {
    if (caller === undefined)
      return limitVisitor(request) ?? new ServiceError('UNAUTHORIZED', [explainHeader(request.headers.authorization)]);
    const { teamId, role, secretId, secretName } = caller;
    const reason = reasonOf(request);
    request.context = {
      teamId,
      role,
      author: { secretId, name: secretName },
      source: sourceOf(request),
      nowMs: clock(),
      requestId: request.id,
      reason: reason instanceof ServiceError ? null : reason,
    };
    if (!allows(role, needed)) return new ServiceError('FORBIDDEN');
    if (reason instanceof ServiceError) return reason;
    const bytes = request.exchange.isClosed ? 0 : bodyBytes(request);
    if (bytes > 0 && !pressure.receive(teamId, bytes)) return new ServiceError('SERVICE_UNAVAILABLE');
    request.exchange.awaitedBytes = bytes;
    return undefined;
  };

  /** Releases the reserved bytes: the body has arrived, or never will. */
  const releaseBytes = ({ exchange, context }: FastifyRequest): void => {
    if (exchange.awaitedBytes === 0) return;
    pressure.received(context.teamId, exchange.awaitedBytes);
    exchange.awaitedBytes = 0;
  };

  // These hooks are added to each route, with callbacks: they can use the properties of the route, and a request that
  // does not wait creates no promises.
  app.addHook('onRoute', (route) => {
    // Log the route pattern, not the path: user ids do not belong in logs.
    const routeLog = logger.child({ route: route.url });
    const reads = route.method === 'GET' || route.method === 'HEAD';
    /** Called for every request, whether it got a response or was aborted. */
    const closed = ({ request, reply }: Exchange): void => {
      releaseBytes(request);
      outgoing.release(request.exchange);
      logRequest(routeLog, request, reply.statusCode);
    };
    const begin: onRequestHookHandler = (request, _reply, done) => {
      request.exchange.onClose = closed;
      const access = route.config?.access ?? (reads ? 'read' : 'users');
      if (access === 'public' || isPreflight(request)) {
        done();
        return;
      }
      const caller = authorizer.identify(request.headers.authorization, request);
      if (caller instanceof Promise) caller.then((known) => done(authorize(request, access, known)), done);
      else done(authorize(request, access, caller));
    };
    const admit: preValidationHookHandler = (request, _reply, done) => done(admitArrived(request));
    const { handler } = route;
    route.handler = function (request, reply) {
      const result = handler.call(this, request, reply);
      if (result instanceof Promise) request.exchange.work(result);
      return result;
    };
    const inParts: onSendHookHandler = ({ exchange, method }, _reply, payload, sent) => {
      // Fastify would report a client that has left as a failure.
      if (exchange.isClosed && payload instanceof Readable) return void payload.destroy();
      const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
      if (method === 'HEAD' || !isWhole || payload.length <= LIMITS.partLength) return sent(null, payload);
      outgoing.send(exchange, payload);
    };
    route.onRequest = [begin, ...[route.onRequest ?? []].flat()];
    if (!reads) route.preParsing = withEnd;
    // After the hooks of the route itself, which may look at the whole body.
    route.onSend = [...[route.onSend ?? []].flat(), inParts];
    route.preValidation = [
      admit,
      ...(route.url.includes(':') ? [withoutNulParams] : []),
      ...[route.preValidation ?? []].flat(),
    ];
  });

  const explainFailure = (error: unknown, request: FastifyRequest): ServiceError => {
    const known = error instanceof ServiceError ? error : asServiceError(error as FastifyError, request);
    if (known === undefined) logger.error({ requestId: request.id, err: error }, 'a request failed');
    else if (ERRORS[known.code].status >= 500)
      logger.warn(
        { requestId: request.id, code: known.code, issues: known.issues, err: known.cause },
        'a request could not be served',
      );
    request.serviceError = known ?? new ServiceError('INTERNAL_SERVER_ERROR');
    return request.serviceError;
  };
  app.decorate('explainFailure', explainFailure);
  app.setErrorHandler((error: FastifyError | ServiceError | Replay, request, reply) => {
    if (error instanceof Replay) return sendText(reply.code(200).header('idempotency-replayed', 'true'), error.text);
    return sendError(reply, explainFailure(error, request));
  });
  return app;
};
