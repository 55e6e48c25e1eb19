import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';

/** Reacts to a state change of an exchange. */
type Listener = (exchange: Exchange) => void;

const noop: Listener = () => {};

/**
 * A request with its response and the work done for it. The listeners are shared by all exchanges of a route: closures
 * made per request kept requests in memory until the next full garbage collection.
 */
export class Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Kept, since Fastify makes another one whenever it is asked. */
  readonly route: FastifyRequest['routeOptions'];
  /** Its index in the list of open exchanges. */
  index: number;
  /** When the request, or its body, arrived. */
  waitsSinceMs: number;
  /** When the response was sent. */
  sentAtMs: number | undefined;
  /** Replaces the usual time limit while work is done that is known to take long. */
  limitMs: number | undefined;
  /** Bytes reserved for a body that has not arrived yet. */
  awaitedBytes = 0;
  /** What is being sent, if it is long, and when the client last took some of it. */
  body: { readonly of: object; readonly length: number } | undefined;
  movedAtMs = 0;
  /** Whether it has a slot, or why it was rejected. */
  isAdmitted = false;
  rejection: ServiceError | undefined;
  /** It timed out and the caller was told so: it must have no further effect. */
  isLate = false;
  /** The response was sent, or the caller is gone. */
  isClosed = false;
  #isWorking = false;
  /** Called once when it is closed, and once when it is closed and no work is running. */
  onClose = noop;
  onEnd = noop;

  constructor(request: FastifyRequest, reply: FastifyReply, index: number, nowMs: number) {
    this.request = request;
    this.reply = reply;
    this.route = request.routeOptions;
    this.index = index;
    this.waitsSinceMs = nowMs;
  }

  /** Work may continue after the caller has left, or after a timeout was reported. */
  work(promise: Promise<unknown>): void {
    this.#isWorking = true;
    const done = (): void => {
      this.#isWorking = false;
      if (this.isClosed) this.onEnd(this);
    };
    promise.then(done, done);
  }

  /** Gives work more time than usual. What comes after it, such as receiving the response, has the usual time again. */
  async allow<T>(limitMs: number, work: Promise<T>): Promise<T> {
    this.limitMs = limitMs;
    try {
      return await work;
    } finally {
      this.limitMs = undefined;
      this.waitsSinceMs = performance.now();
      this.sentAtMs = undefined;
    }
  }

  /** Lets others have its slot, while it waits for what costs nothing. */
  giveSlot(): void {
    if (!this.isAdmitted) return;
    const { onEnd } = this;
    this.onEnd = noop;
    onEnd(this);
  }

  close(): void {
    this.isClosed = true;
    this.onClose(this);
    if (!this.#isWorking) this.onEnd(this);
  }
}

/** All open exchanges. */
export interface Exchanges {
  open(request: FastifyRequest, reply: FastifyReply): Exchange;
  all(): Iterable<Exchange>;
  readonly isStopping: boolean;
  /** From now on every response is the last on its connection. */
  stop(): void;
  /** Ends exchanges that take too long. */
  sweep(): void;
}

interface Limits {
  /** The time limit for the work, and again for the client to receive the response. */
  readonly limitMs: number;
  readonly monotonicMs: () => number;
  /** Responds to a request that takes too long. */
  readonly reject: Listener;
}

/** Enforces time limits on requests. */
export const createExchanges = ({ limitMs, monotonicMs, reject }: Limits): Exchanges => {
  // An array rather than a Set: V8 links the old table of a Set to the new one whenever it grows or is cleaned up, so a
  // dead table in the old generation keeps the next one alive, with all its requests, until the next full collection.
  const all: Exchange[] = [];
  let isStopping = false;

  const isLastOnConnection = ({ reply: { raw } }: Exchange): void => {
    if (!raw.headersSent) raw.setHeader('connection', 'close');
  };

  const check = (exchange: Exchange, nowMs: number): void => {
    const { raw: request } = exchange.request;
    const mostMs = exchange.limitMs ?? limitMs;
    if (exchange.reply.raw.headersSent) {
      exchange.sentAtMs ??= nowMs;
      if (nowMs - exchange.sentAtMs >= mostMs) request.socket.destroy();
    } else if (request.complete && !exchange.isLate && nowMs - exchange.waitsSinceMs >= mostMs) {
      // Node itself enforces that a request arrives in time.
      exchange.isLate = true;
      reject(exchange);
    }
  };

  /** Fills the gap with the last exchange. */
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
      // Emitted for every response, including one that is queued behind another on a connection that breaks.
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

/** How often to look for exchanges that take too long. */
export const sweepEveryMs = (limitMs: number): number => Math.min(LIMITS.sweepMs, limitMs / 10);
