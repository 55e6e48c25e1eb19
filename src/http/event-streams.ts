import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import type { Authorizer } from './authorization.ts';
import type { App } from './server.ts';

/** Makes the texts of a stream, until the signal aborts; fails before the first one if the request is invalid. */
export type StreamSource = (signal: AbortSignal) => AsyncGenerator<string>;

/** Responses that go on as long as the client wants to: server-sent events. */
export interface EventStreams {
  serve(request: FastifyRequest, reply: FastifyReply, source: StreamSource): Promise<FastifyReply>;
  /** How many are open. */
  readonly open: number;
}

interface Stream {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly ended: AbortController;
  /** Since when the client has read nothing of what was sent. */
  blockedSinceMs: number | undefined;
  drained: (() => void) | undefined;
}

/**
 * A stream is written to as fast as its client reads: what waits is one piece. Whoever reads nothing for too long is cut
 * off, and so is whoever's secret was revoked.
 */
export const createEventStreams = (app: App, authorizer: Authorizer): EventStreams => {
  const streams = new Set<Stream>();

  const end = ({ reply, ended }: Stream): void => {
    ended.abort();
    reply.raw.end();
  };

  /** Proxies close connections on which nothing is sent. */
  const tend = async (stream: Stream, nowMs: number): Promise<void> => {
    const { request, reply, blockedSinceMs } = stream;
    if (blockedSinceMs !== undefined) {
      if (nowMs - blockedSinceMs >= LIMITS.streamSlowMs) reply.raw.destroy();
      return;
    }
    const caller = await Promise.resolve(authorizer.identify(request.headers.authorization, request)).catch(
      // It cannot be looked up at the moment.
      () => null,
    );
    if (caller === undefined) end(stream);
    else if (stream.blockedSinceMs === undefined && !stream.ended.signal.aborted) write(stream, ':\n\n');
  };

  const write = (stream: Stream, text: string): boolean => {
    const hasRoom = stream.reply.raw.write(text);
    if (!hasRoom) stream.blockedSinceMs ??= performance.now();
    return hasRoom;
  };

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const stream of streams) tend(stream, nowMs);
  }, LIMITS.streamCommentMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.stopSignal.addEventListener('abort', () => {
    for (const stream of streams) end(stream);
  });

  const begin = (request: FastifyRequest, reply: FastifyReply, ended: AbortController): Stream => {
    const stream: Stream = { request, reply, ended, blockedSinceMs: undefined, drained: undefined };
    const { raw } = reply;
    reply.hijack();
    request.exchange.limitMs = Number.POSITIVE_INFINITY;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      // Some proxies would collect what is sent.
      'x-accel-buffering': 'no',
    });
    raw.on('drain', () => {
      stream.blockedSinceMs = undefined;
      stream.drained?.();
    });
    return stream;
  };

  const send = async (stream: Stream, text: string): Promise<void> => {
    if (write(stream, text)) return;
    await new Promise<void>((resolve) => {
      stream.drained = resolve;
      stream.ended.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  };

  const serve: EventStreams['serve'] = async (request, reply, source) => {
    if (app.stopSignal.aborted) throw new ServiceError('SERVICE_UNAVAILABLE', [], { reason: 'stopping' });
    if (streams.size >= LIMITS.streams) throw new ServiceError('SERVICE_UNAVAILABLE', [], { reason: 'load' });
    const ended = new AbortController();
    reply.raw.on('close', () => ended.abort());
    const texts = source(ended.signal);
    // What is wrong with the request is a response like any other.
    const first = await texts.next();
    if (request.exchange.isClosed || app.stopSignal.aborted) {
      ended.abort();
      throw new ServiceError('SERVICE_UNAVAILABLE', [], { reason: 'stopping' });
    }
    const stream = begin(request, reply, ended);
    streams.add(stream);
    reply.raw.on('close', () => streams.delete(stream));
    request.exchange.giveSlot();
    try {
      if (!first.done) await send(stream, first.value);
      for await (const text of texts) {
        if (ended.signal.aborted) break;
        await send(stream, text);
      }
      end(stream);
    } catch (error) {
      // The client goes on where it was, once it has connected again.
      app.explainFailure(error, request);
      reply.raw.destroy();
    }
    return reply;
  };

  return {
    serve,
    get open() {
      return streams.size;
    },
  };
};
