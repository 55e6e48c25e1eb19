import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

const nothing = (): void => {};

/** A request with its response, and the work that is done for it. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Answers that it took too long. */
  readonly refuse: () => void;
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

  constructor(request: IncomingMessage, response: ServerResponse, nowMs: number, refuse: () => void) {
    this.request = request;
    this.response = response;
    this.waitsSinceMs = nowMs;
    this.refuse = refuse;
  }

  /** Work may go on after its caller has left, or was told that it takes too long. */
  work(promise: Promise<unknown>): void {
    this.#isWorking = true;
    const done = (): void => {
      this.#isWorking = false;
      if (this.isClosed) this.onEnd();
    };
    promise.then(done, done);
  }

  close(): void {
    this.isClosed = true;
    this.onClose();
    if (!this.#isWorking) this.onEnd();
  }
}

/** All that is under way. */
export interface Exchanges {
  open(request: IncomingMessage, response: ServerResponse, refuse: () => void): Exchange;
  all(): Iterable<Exchange>;
  readonly isStopping: boolean;
  /** From now on every response is the last on its connection. */
  stop(): void;
  /** Ends what takes too long. */
  sweep(): void;
}

/** Keeps requests within their time: `limitMs` to be answered, and as long again for the caller to take the response. */
export const createExchanges = (limitMs: number, monotonicMs: () => number): Exchanges => {
  const all = new Set<Exchange>();
  let isStopping = false;

  const isLastOnConnection = ({ response }: Exchange): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };

  const check = (exchange: Exchange, nowMs: number): void => {
    const { request, response } = exchange;
    if (response.headersSent) {
      exchange.sentAtMs ??= nowMs;
      if (nowMs - exchange.sentAtMs >= limitMs) request.socket.destroy();
    } else if (request.complete && !exchange.isLate && nowMs - exchange.waitsSinceMs >= limitMs) {
      // Whether a request arrives in time is seen to by Node.
      exchange.isLate = true;
      exchange.refuse();
    }
  };

  return {
    open: (request, response, refuse) => {
      const exchange = new Exchange(request, response, monotonicMs(), refuse);
      all.add(exchange);
      if (isStopping) isLastOnConnection(exchange);
      // Emitted whatever becomes of a response, also of one that waits for another on a connection which goes.
      response.on('close', () => {
        all.delete(exchange);
        exchange.close();
      });
      return exchange;
    },
    all: () => all,
    get isStopping() {
      return isStopping;
    },
    stop: () => {
      isStopping = true;
      for (const exchange of all) isLastOnConnection(exchange);
    },
    sweep: () => {
      const nowMs = monotonicMs();
      for (const exchange of all) check(exchange, nowMs);
    },
  };
};

/** How often to look for what takes too long. */
export const sweepEveryMs = (limitMs: number): number => Math.min(LIMITS.sweepMs, limitMs / 10);
