import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** What is done about an exchange when something becomes of it. */
type React = (exchange: Exchange) => void;

const nothing: React = () => {};

/**
 * A request with its response, and the work that is done for it. What reacts to its end is one function for all exchanges
 * of a route: closures made for each request kept requests in memory until the next full garbage collection.
 */
export class Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Its index among those in progress. */
  index: number;
  /** Since when its caller waits: it has arrived, or its body has. */
  waitsSinceMs: number;
  /** Since when the response is on its way to the caller. */
  sentAtMs: number | undefined;
  /** Bytes that were set aside for a body which is still to arrive. */
  awaitedBytes = 0;
  /** Whether it has a slot, or why it has none. */
  isAdmitted = false;
  refusal: ServiceError | undefined;
  /** It took too long and its caller was told so: what it still asks for must not be done any more. */
  isLate = false;
  /** Its response was sent, or nobody is there any more to take it. */
  isClosed = false;
  #isWorking = false;
  /** Called once when it is closed, and once when it is closed and no work goes on. */
  onClose = nothing;
  onEnd = nothing;

  constructor(request: FastifyRequest, reply: FastifyReply, index: number, nowMs: number) {
    this.request = request;
    this.reply = reply;
    this.index = index;
    this.waitsSinceMs = nowMs;
  }

  /** Work may go on after its caller has left, or was told that it takes too long. */
  work(promise: Promise<unknown>): void {
    this.#isWorking = true;
    const done = (): void => {
      this.#isWorking = false;
      if (this.isClosed) this.onEnd(this);
    };
    promise.then(done, done);
  }

  close(): void {
    this.isClosed = true;
    this.onClose(this);
    if (!this.#isWorking) this.onEnd(this);
  }
}

/** All that is under way. */
export interface Exchanges {
  open(request: FastifyRequest, reply: FastifyReply): Exchange;
  all(): Iterable<Exchange>;
  readonly isStopping: boolean;
  /** From now on every response is the last on its connection. */
  stop(): void;
  /** Ends what takes too long. */
  sweep(): void;
}

interface Limits {
  /** How long a request may take, and as long again the caller to take the response. */
  readonly limitMs: number;
  readonly monotonicMs: () => number;
  /** Answers a request that takes too long. */
  readonly refuse: React;
}

/** Keeps requests within their time. */
export const createExchanges = ({ limitMs, monotonicMs, refuse }: Limits): Exchanges => {
  // An array and not a Set: V8 links the old table of a Set to the new one whenever it grows or is cleaned up, so a dead table
  // in the old generation keeps the next one alive, with all requests in it, until the next full collection.
  const all: Exchange[] = [];
  let isStopping = false;

  const isLastOnConnection = ({ reply: { raw } }: Exchange): void => {
    if (!raw.headersSent) raw.setHeader('connection', 'close');
  };

  const check = (exchange: Exchange, nowMs: number): void => {
    const { raw: request } = exchange.request;
    if (exchange.reply.raw.headersSent) {
      exchange.sentAtMs ??= nowMs;
      if (nowMs - exchange.sentAtMs >= limitMs) request.socket.destroy();
    } else if (request.complete && !exchange.isLate && nowMs - exchange.waitsSinceMs >= limitMs) {
      // Whether a request arrives in time is seen to by Node.
      exchange.isLate = true;
      refuse(exchange);
    }
  };

  /** The last one takes its index. */
  const remove = ({ index }: Exchange): void => {
    const last = all.pop() as Exchange;
    if (last.index === index) return;
    all[index] = last;
    last.index = index;
  };

  return {
    open: (request, reply) => {
      const exchange = new Exchange(request, reply, all.length, monotonicMs());
      all.push(exchange);
      if (isStopping) isLastOnConnection(exchange);
      // Emitted whatever becomes of a response, also of one that waits for another on a connection which goes.
      reply.raw.on('close', () => {
        remove(exchange);
        exchange.close();
      });
      return exchange;
    },
    all: () => [...all],
    get isStopping() {
      return isStopping;
    },
    stop: () => {
      isStopping = true;
      for (const exchange of all) isLastOnConnection(exchange);
    },
    sweep: () => {
      const nowMs = monotonicMs();
      for (const exchange of [...all]) check(exchange, nowMs);
    },
  };
};

/** How often to look for what takes too long. */
export const sweepEveryMs = (limitMs: number): number => Math.min(LIMITS.sweepMs, limitMs / 10);
