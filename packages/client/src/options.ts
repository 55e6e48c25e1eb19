import type { ItemwrightError } from './errors.ts';

/** How calls are made; each call can override it. */
export interface CallOptions {
  /** Ends the call at once, also while it waits for its next attempt. It rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** How long an attempt may take: 35,000 by default; 150,000 for computations and publications. */
  readonly timeoutMs?: number | undefined;
  /** How long the call may take with all of its attempts; by default only their number limits it. */
  readonly totalTimeoutMs?: number | undefined;
  /** How often a request is sent again if that is safe and may help; 4 by default. */
  readonly retries?: number | undefined;
  /** Additional headers, such as `x-request-id`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of a POST that has an effect. */
export interface PostOptions extends CallOptions {
  /**
   * Identifies the call, so that it takes effect once however often it is sent: the id of the purchase, for example. By
   * default, each call has a new one. With `false` it has none, and is not retried.
   */
  readonly idempotencyKey?: string | false | undefined;
}

/** Options of a change that can depend on what was seen. */
export interface ChangeOptions extends CallOptions {
  /** The `ETag` of what was seen: if it was changed since, the call is rejected with a `PreconditionFailedError`. */
  readonly ifMatch?: string | undefined;
}

/** Options of a PATCH, which has both. */
export interface PatchOptions extends PostOptions, ChangeOptions {}

/** Options of a read that can depend on what is known already. */
export interface ReadOptions extends CallOptions {
  /** The `ETag` of what is known: if it is unchanged, the call resolves to undefined. */
  readonly ifNoneMatch: string;
}

/** Options of a call that reports its progress. */
export interface WatchOptions extends CallOptions {
  /** Told how far it is, from 0 to 1. */
  readonly onProgress?: ((progress: number) => void) | undefined;
}

/** An attempt of a call, as hooks see it. */
export interface Attempt {
  /** The name of the call in the client, such as `items.create`. */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
}

/**
 * Told about every request, for logs, metrics and traces. What a hook throws is ignored, so that it cannot make a call fail
 * that succeeded.
 */
export interface Hooks {
  /** Before a request is sent; headers can still be added. */
  readonly onRequest?: ((request: Attempt & { readonly headers: Headers }) => void) | undefined;
  /** When the head of a response has arrived. */
  readonly onResponse?: ((response: Attempt & { readonly status: number; readonly ms: number }) => void) | undefined;
  /** When a request has failed and will be sent again after a pause. */
  readonly onRetry?:
    | ((retry: Attempt & { readonly error: ItemwrightError; readonly pauseMs: number }) => void)
    | undefined;
}

export interface ClientOptions extends CallOptions, Hooks {
  /** The address of the service, with its path prefix if it has one: `https://items.example.com`. */
  readonly url: string;
  /** Team and secret; without them only what is public can be read. */
  readonly teamId?: string | undefined;
  readonly secret?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The result of a call, and the response that it came with. */
export interface Answer<T> {
  readonly data: T;
  /** The `ETag` of what was read or written, for `ifMatch`. */
  readonly etag: string | undefined;
  /** The query parameters of what follows, if there is more: `cursor` for lists, `from` for proofs. */
  readonly next: Readonly<Record<string, string>> | undefined;
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** The body as it was sent. */
  readonly text: string;
  /** Status and headers; its body has been read. */
  readonly response: Response;
}

/** A call under way: the promise of its result. */
export interface Call<T> extends Promise<T> {
  /** The result together with its `ETag` and the response. */
  withResponse(): Promise<Answer<T>>;
}
