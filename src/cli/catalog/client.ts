import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { ERRORS, type ErrorCode, type Issue } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { CommandError } from '../shared.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Where the service is, and who calls it. */
export interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly authorization: string;
}

const readUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new CommandError('ITEMWRIGHT_URL must be an address such as https://items.example or http://127.0.0.1:8080');
  if (url.username !== '' || url.password !== '')
    throw new CommandError('ITEMWRIGHT_URL must not contain a secret: set ITEMWRIGHT_CREDENTIALS to TEAM_ID:SECRET');
  return url.href.replace(/\/+$/, '');
};

/** Reads the connection from the environment. An empty variable counts as unset. */
export const readConnection = (environment: Readonly<Record<string, string | undefined>>): Connection => {
  const credentials = environment.ITEMWRIGHT_CREDENTIALS || undefined;
  if (credentials === undefined) throw new CommandError('ITEMWRIGHT_CREDENTIALS is missing: set it to TEAM_ID:SECRET');
  if (!/^[^:]+:./s.test(credentials)) throw new CommandError('ITEMWRIGHT_CREDENTIALS must be TEAM_ID:SECRET');
  return {
    url: readUrl(environment.ITEMWRIGHT_URL || DEFAULT_URL),
    authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
};

/** An error that the service returned. */
export class ApiError extends CommandError {
  readonly status: number;
  readonly issues: readonly Issue[];

  constructor(message: string, status: number, issues: readonly Issue[] = []) {
    super(message);
    this.status = status;
    this.issues = issues;
  }
}

/** There was no response, so nobody knows whether the request was carried out. */
export class NoResponse extends CommandError {}

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Makes it safe to send the request again when there was no response. */
  readonly idempotencyKey?: string;
}

export interface ApiResponse<T> {
  readonly body: T;
  readonly headers: Headers;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Why a connection failed. The reason is in the cause, or in the first of several. */
const reasonOf = (error: unknown): string => {
  const { cause } = error as { cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || (error as Error).message;
};

interface SendOptions {
  readonly accept: string;
  readonly timeoutMs: number;
}

/** Sends a request, and reads the response. Any failure in between means that there was none. */
const exchange = async <T>(
  { url, authorization }: Connection,
  { method, path, body, idempotencyKey }: ApiRequest,
  { accept, timeoutMs }: SendOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> => {
  const headers: Record<string, string> = {
    authorization,
    accept,
    'x-itemwright-source': 'cli',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      // A redirected POST could arrive as a GET, and the secret would go to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return await read(response);
  } catch (error) {
    throw new NoResponse(`no response from ${url} (ITEMWRIGHT_URL): ${reasonOf(error)}`);
  }
};

const receive = async (response: Response): Promise<Received> => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});

const send = (connection: Connection, request: ApiRequest): Promise<Received> =>
  exchange(connection, request, { accept: 'application/json', timeoutMs: LIMITS.callMs }, receive);

/** What a status means to somebody at the command line, if the response itself says too little. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'the service does not accept ITEMWRIGHT_CREDENTIALS',
  FORBIDDEN: 'the secret in ITEMWRIGHT_CREDENTIALS may not do this: its role must be design, write or admin',
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const errorOf = ({ url }: Connection, { method, path }: ApiRequest, { status, headers, text }: Received): ApiError => {
  const location = headers.get('location');
  if (location !== null)
    return new ApiError(`${url} redirects to ${location}: set ITEMWRIGHT_URL to the address itself`, status);
  const { code, issues = [] } = (parse(text) ?? {}) as { code?: ErrorCode; issues?: Issue[] };
  if (code === undefined || !Object.hasOwn(ERRORS, code))
    return new ApiError(
      `${method} ${url}${path} returned ${status}, but not from Itemwright: check ITEMWRIGHT_URL`,
      status,
    );
  if (status === 404 && issues.length === 0)
    return new ApiError(`${url}${path} was not found: is ITEMWRIGHT_URL right, and the service of this release?`, 404);
  const [first, ...others] = issues.map(({ path: where, message }) => (where === '' ? message : `${where} ${message}`));
  const message = [HINTS[code] ?? ERRORS[code].message, ...(first === undefined ? [] : [first])].join(': ');
  return new ApiError([message, ...others.map((line) => `  ${line}`)].join('\n'), status, issues);
};

/** How long to wait before a request is sent again: as long as the service says, within reason. */
const pauseMs = (headers: Headers | undefined, attempt: number): number => {
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  return Math.min(seconds >= 0 ? seconds * 1000 : LIMITS.callPauseMs * attempt, LIMITS.callPauseMostMs);
};

const isTemporary = (status: number): boolean => status === 503 || status === 429;

/** Calls the service. */
export type Call = <T>(request: ApiRequest) => Promise<ApiResponse<T>>;

/**
 * A request that the service had no room or time for is sent again, a few times. If there was no response, only a
 * request with an `Idempotency-Key` is: it has proved before that there is a service at this address.
 */
export const connect =
  (connection: Connection): Call =>
  async <T>(request: ApiRequest): Promise<ApiResponse<T>> => {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= LIMITS.callAttempts;
      const received = await send(connection, request).catch((error: unknown) => {
        if (isLast || !(error instanceof NoResponse) || request.idempotencyKey === undefined) throw error;
      });
      if (received?.status === 200) {
        const body = parse(received.text);
        if (body === undefined) throw errorOf(connection, request, received);
        return { body: body as T, headers: received.headers };
      }
      if (received !== undefined && (isLast || !isTemporary(received.status)))
        throw errorOf(connection, request, received);
      await delay(pauseMs(received?.headers, attempt));
    }
  };

/** A line of a response that is sent bit by bit. */
interface Line<T> {
  readonly progress?: number;
  readonly result?: T;
  readonly error?: { readonly code: ErrorCode };
}

/** Reads such a response to its end, and returns its last line. */
const readToLast = async <T>(
  body: Response['body'],
  onProgress: (progress: number) => void,
): Promise<Line<T> | undefined> => {
  let last: Line<T> | undefined;
  if (body === null) return undefined;
  for await (const text of createInterface({ input: Readable.fromWeb(body as ReadableStream) })) {
    last = parse(text) as Line<T> | undefined;
    if (last?.progress !== undefined) onProgress(last.progress);
  }
  return last;
};

/** Calls an operation that takes long, and reports how far it is. */
export const callAndWatch =
  (connection: Connection) =>
  async <T>(request: ApiRequest, timeoutMs: number, onProgress: (progress: number) => void): Promise<T> => {
    const options = { accept: 'application/x-ndjson', timeoutMs };
    const received = await exchange(connection, request, options, async (response) =>
      response.status === 200
        ? { headers: response.headers, last: await readToLast<T>(response.body, onProgress) }
        : receive(response),
    );
    if (!('last' in received)) throw errorOf(connection, request, received);
    const { headers, last } = received;
    if (last?.result !== undefined) return last.result;
    const { code } = last?.error ?? {};
    const status = code === undefined || !Object.hasOwn(ERRORS, code) ? 200 : ERRORS[code].status;
    throw errorOf(connection, request, { status, headers, text: JSON.stringify(last?.error ?? null) });
  };
