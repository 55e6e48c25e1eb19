/** Traces of requests, of their units of work, and of chores. It is loaded only if there is a collector to send them to. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomInt } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Database } from '../../database/work.ts';
import type { TracingSettings } from '../../settings.ts';
import { ServiceError } from '../../shared/errors.ts';
import { Replay } from '../idempotency.ts';
import type { App } from '../server.ts';
import { createExporter } from './exporter.ts';
import { type Attributes, KIND, type Span } from './otlp.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request, if it is traced; null if it was decided not to. */
    span: OpenSpan | null | undefined;
  }
}

/** A span that has not ended. */
type OpenSpan = Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'startMs'>;

/** Runs work that no request has asked for, in a trace of its own. */
export type TraceWork = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export interface Tracing {
  /** The same database, whose units of work are part of the trace that they are begun in. */
  trace(database: Database): Database;
  /** Traces requests. */
  serve(app: App): void;
  readonly traceWork: TraceWork;
  close(): Promise<void>;
}

/** Of the share of traces that is kept. */
const PRECISION = 1_000_000;

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');

/** W3C Trace Context: later versions may have more behind the flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|(?<!^00.*)-)/;

/** The caller's span. Only callers with a secret may decide what is traced. */
const callerOf = ({ context, headers: { traceparent } }: FastifyRequest) => {
  if (context === undefined || typeof traceparent !== 'string') return undefined;
  const [, traceId, parentSpanId, flags = ''] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined) return undefined;
  return { traceId, parentSpanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
};

/** Whether something went wrong, other than what a caller is told in a response. */
const isFailure = (error: unknown): boolean => !(error instanceof ServiceError || error instanceof Replay);

export const createTracing = (settings: TracingSettings, logger: Logger): Tracing => {
  const exporter = createExporter(settings, logger);
  const current = new AsyncLocalStorage<OpenSpan>();

  const beginIn = (parent: OpenSpan): OpenSpan => ({
    traceId: parent.traceId,
    spanId: newId(8),
    parentSpanId: parent.spanId,
    startMs: performance.now(),
  });
  const isChosen = (): boolean => randomInt(PRECISION) < settings.ratio * PRECISION;
  const beginTrace = (): OpenSpan => ({
    traceId: newId(16),
    spanId: newId(8),
    parentSpanId: undefined,
    startMs: performance.now(),
  });
  const end = (
    span: OpenSpan,
    { name, kind, isFailed = false, attributes = {} }: Partial<Span> & Pick<Span, 'name' | 'kind'>,
  ): void => exporter.add({ ...span, name, kind, isFailed, attributes, endMs: performance.now() });
  const during = async <T>(
    span: OpenSpan,
    about: Pick<Span, 'name' | 'kind'> & { attributes?: Attributes },
    work: () => Promise<T>,
  ) => {
    try {
      const result = await work();
      end(span, about);
      return result;
    } catch (error) {
      end(span, { ...about, isFailed: isFailure(error) });
      throw error;
    }
  };

  /** Begins the span of a request, or decides that it is not traced. */
  const beginRequest = (request: FastifyRequest): OpenSpan | null => {
    const caller = callerOf(request);
    const isTraced = !request.exchange.route.config?.isProbe && (caller?.isSampled ?? isChosen());
    return isTraced ? { ...beginTrace(), ...caller, startMs: request.arrivedAtMs } : null;
  };

  return {
    trace: (database) => {
      const system = database.engine === 'sqlite' ? 'sqlite' : 'postgresql';
      const traced = <F extends (teamId: string, use: never) => Promise<unknown>>(name: string, run: F): F =>
        ((teamId, use) => {
          const parent = current.getStore();
          if (parent === undefined) return run(teamId, use);
          const about = { name: `database ${name}`, kind: KIND.client, attributes: { 'db.system.name': system } };
          return during(beginIn(parent), about, () => run(teamId, use));
        }) as F;
      return {
        ...database,
        write: traced('write', database.write),
        transaction: traced('transaction', database.transaction),
        read: traced('read', database.read),
        readUrgent: traced('read', database.readUrgent),
      };
    },
    serve: (app) => {
      app.decorateRequest('span', undefined);
      // The first moment after the body has arrived, which loses what the work is part of.
      app.addHook('preHandler', (request, _reply, done) => {
        request.span = beginRequest(request);
        if (request.span === null) done();
        else current.run(request.span, done);
      });
      app.addHook('onResponse', (request, reply, done) => {
        const { method, exchange, id } = request;
        const span = request.span === undefined ? beginRequest(request) : request.span;
        const route = exchange.route.url;
        const { statusCode } = reply;
        if (span !== null)
          end(span, {
            name: route === undefined ? method : `${method} ${route}`,
            kind: KIND.server,
            isFailed: statusCode >= 500,
            attributes: {
              'http.request.method': method,
              'http.route': route,
              'http.response.status_code': statusCode,
              'itemwright.request_id': id,
            },
          });
        done();
      });
    },
    traceWork: (name, work) => {
      if (!isChosen()) return work();
      const span = beginTrace();
      return current.run(span, () => during(span, { name, kind: KIND.internal }, work));
    },
    close: exporter.close,
  };
};
