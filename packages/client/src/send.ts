import {
  blame,
  type Caller,
  ConnectionError,
  errorOf,
  errorOfLine,
  ItemwrightError,
  notOurs,
  TimeoutError,
} from './errors.ts';
import type { Answer, Attempt, CallOptions, Hooks, WatchOptions } from './options.ts';

/** The n-th pause is random, from 0 to twice as much as the one before: clients must not all retry at the same moment. */
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;
/** However long a service, or something in front of it, asks to wait. */
const MAX_RETRY_AFTER_MS = 30_000;

/** A request that may be sent several times, each time the same. */
export interface Prepared {
  readonly caller: Caller;
  readonly hooks: Hooks;
  readonly url: string;
  readonly init: RequestInit & { readonly headers: Headers };
  readonly fetch: typeof globalThis.fetch;
  /** Whether sending it again is safe. */
  readonly isRepeatable: boolean;
  readonly idempotencyKey: string | undefined;
  readonly options: CallOptions & Pick<WatchOptions, 'onProgress'>;
  readonly timeoutMs: number;
}

const nextOf = ({ status, headers }: Response, url: string): Record<string, string> | undefined => {
  const link = /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (link === undefined) return undefined;
  if (!URL.canParse(link, url)) throw notOurs(status);
  return Object.fromEntries(new URL(link, url).searchParams);
};

const cutOff = (cause?: unknown) => new ConnectionError('The response was cut off.', { isTemporary: true, cause });

/** Whatever goes wrong before the whole response has arrived means that there was none. */
const orLost = <T>(received: Promise<T>): Promise<T> =>
  received.catch((cause: unknown) => {
    throw new ConnectionError('The connection failed before the whole response arrived.', { isTemporary: true, cause });
  });

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // What the service sends is JSON, so a part is missing.
    throw cutOff(cause);
  }
};

/** Reads a response line by line until one has the result. */
const readLines = async (
  response: Response,
  onProgress: (progress: number) => void,
  onChunk: () => void,
): Promise<{ data: unknown; text: string }> => {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (let text = ''; ; ) {
    const { done, value } = reader === undefined ? { done: true } : await orLost(reader.read());
    if (done) throw cutOff();
    onChunk();
    const lines = (text + decoder.decode(value, { stream: true })).split('\n');
    text = lines.pop() as string;
    for (const line of lines) {
      const { progress, result, error } = Object(parse(line));
      if (error) throw errorOfLine(response, error);
      if (result !== undefined) return { data: result, text: line };
      if (typeof progress === 'number') onProgress(progress);
    }
  }
};

const receive = async (
  { url, options: { onProgress } }: Prepared,
  response: Response,
  onChunk: () => void,
): Promise<Answer<unknown>> => {
  const { status, headers } = response;
  const type = headers.get('content-type') ?? '';
  const read = async () => {
    if (onProgress !== undefined && type.startsWith('application/x-ndjson'))
      return readLines(response, onProgress, onChunk);
    const text = await orLost(response.text());
    if (status === 304) return { data: undefined, text };
    if (response.type === 'opaqueredirect' || headers.has('location'))
      throw new ItemwrightError('The service redirects: the url of the client must be its address.', { status });
    if (!response.ok) throw errorOf(response, text);
    if (!type.startsWith('application/json')) throw notOurs(status);
    return { data: parse(text), text };
  };
  return {
    ...(await read()),
    etag: headers.get('etag') ?? undefined,
    next: nextOf(response, url),
    requestId: headers.get('x-request-id') ?? undefined,
    response,
  };
};

/** Calls a hook, which cannot make a call fail. */
const tell = <T>(hook: ((event: T) => void) | undefined, event: T): void => {
  try {
    hook?.(event);
  } catch {}
};

/** Sends a request once. */
const attempt = (prepared: Prepared, about: Attempt, endsAt: number): Promise<Answer<unknown>> => {
  const { url, init, hooks, fetch, options, timeoutMs } = prepared;
  const { signal } = options;
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>;
    const stop = (reason: unknown) => {
      reject(reason);
      controller.abort(reason);
    };
    const onAbort = () => stop(signal?.reason);
    const startTimer = () => {
      clearTimeout(timer);
      // Longer timers would end at once.
      const ms = Math.min(timeoutMs, endsAt - performance.now(), 2 ** 31 - 1);
      timer = setTimeout(() => stop(new TimeoutError('There was no response in time.', { isTemporary: true })), ms);
    };
    const run = async (): Promise<void> => {
      try {
        const headers = new Headers(init.headers);
        tell(hooks.onRequest, { ...about, headers });
        const startedMs = performance.now();
        const response = await orLost(fetch(url, { ...init, headers, signal: controller.signal }));
        tell(hooks.onResponse, { ...about, status: response.status, ms: performance.now() - startedMs });
        resolve(await receive(prepared, response, startTimer));
      } catch (error) {
        stop(error);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    };
    signal?.addEventListener('abort', onAbort);
    startTimer();
    void run();
  });
};

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

const pauseMs = ({ retryAfterMs = 0 }: ItemwrightError, attempts: number): number =>
  Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) +
  Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);

/** Sends a request until there is a result, or sending it again is unsafe or of no use. */
export const send = async (prepared: Prepared): Promise<Answer<unknown>> => {
  const { caller, hooks, url, isRepeatable, idempotencyKey, options } = prepared;
  const { operation, method } = caller;
  const { signal, retries = 4, totalTimeoutMs = Number.POSITIVE_INFINITY } = options;
  const endsAt = performance.now() + totalTimeoutMs;
  let maybeDone = false;
  for (let attempts = 1; ; attempts += 1) {
    signal?.throwIfAborted();
    const about = { operation, method, url, attempt: attempts };
    try {
      return await attempt(prepared, about, endsAt);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ItemwrightError)) throw error;
      maybeDone ||= error.status === 0 || error.status >= 500;
      Object.assign(error, { maybeDone, attempts, idempotencyKey });
      blame(error, caller);
      const ms = pauseMs(error, attempts);
      if (!isRepeatable || !error.isTemporary || attempts > retries || performance.now() + ms >= endsAt) throw error;
      tell(hooks.onRetry, { ...about, error, pauseMs: ms });
      await sleep(ms, signal);
    }
  }
};
