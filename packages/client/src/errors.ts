/** A detail of an error; `path` is a JSON pointer into the request, such as `/body/itemAttributes/0/min`. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The codes of the service. A newer one may have more. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'GONE'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'TOO_MANY_REQUESTS'
  | 'INTERNAL_SERVER_ERROR'
  | 'SERVICE_UNAVAILABLE';

/** What was called, and by whom. */
export interface Caller {
  /** Its name in the client, such as `items.create`. */
  readonly operation: string;
  readonly method: string;
  /** Without the address of the service and without the query, such as `/items/sword`. */
  readonly path: string;
  /** The stack of whoever called it. */
  readonly stack: string;
}

/** What is known about a failed call. */
export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly code?: ErrorCode | undefined;
  readonly issues?: readonly Issue[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isTemporary?: boolean | undefined;
  readonly cause?: unknown;
}

/** Any failure of a call, except that its signal was aborted. */
export class ItemwrightError extends Error {
  override name = 'ItemwrightError';
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The code of the service, such as `CONFLICT`; undefined if the response was not from the service. */
  readonly code: ErrorCode | undefined;
  readonly issues: readonly Issue[];
  /** What was called: its name in the client, such as `items.create`, and the method and path of the request. */
  operation = '';
  method = '';
  path = '';
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same call may succeed later. */
  readonly isTemporary: boolean;
  /**
   * Whether the call may have taken effect: an attempt got no response, or one that leaves it open. A 404 to a DELETE or
   * a 412 may then be the result of an earlier attempt of the same call.
   */
  maybeDone = false;
  /** How often the request was sent. */
  attempts = 1;
  /** The key of the call: with the same key it can be made again later without taking effect twice. */
  idempotencyKey: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status ?? 0;
    this.code = details.code;
    this.issues = details.issues ?? [];
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.isTemporary = details.isTemporary ?? false;
  }
}

/** Names the call in an error, whose stack then begins where the call was made: that of the client helps nobody. */
export const blame = (error: ItemwrightError, { operation, method, path, stack }: Caller): void => {
  const [, ...frames] = stack.split('\n');
  error.stack = [`${error.name}: ${operation} (${method} ${path}): ${error.message}`, ...frames].join('\n');
  Object.assign(error, { operation, method, path });
};

/** 400: the request is not valid; `issues` say why. */
export class ValidationError extends ItemwrightError {
  override name = 'ValidationError';
}

/** 401: the team or the secret is missing, unknown or revoked. */
export class UnauthorizedError extends ItemwrightError {
  override name = 'UnauthorizedError';
}

/** 403: the role of the secret does not allow this. */
export class ForbiddenError extends ItemwrightError {
  override name = 'ForbiddenError';
}

/** 404: there is no such thing. */
export class NotFoundError extends ItemwrightError {
  override name = 'NotFoundError';
}

/** 409: the current state does not allow this; `issues` say why. */
export class ConflictError extends ItemwrightError {
  override name = 'ConflictError';
}

/** 412: what was to be changed is no longer as `ifMatch` says. */
export class PreconditionFailedError extends ItemwrightError {
  override name = 'PreconditionFailedError';
}

/** 413: the body is too large. */
export class PayloadTooLargeError extends ItemwrightError {
  override name = 'PayloadTooLargeError';
}

/** 429: too many requests at once. */
export class TooManyRequestsError extends ItemwrightError {
  override name = 'TooManyRequestsError';
}

/** 500: a bug in the service; or with `issues`, a plain roll for which there is no item. */
export class ServerError extends ItemwrightError {
  override name = 'ServerError';
}

/** 502, 503 or 504: the service is overloaded, stopping, or cannot be reached by the proxy in front of it. */
export class UnavailableError extends ItemwrightError {
  override name = 'UnavailableError';
}

/** There was no response, or only a part of one. */
export class ConnectionError extends ItemwrightError {
  override name = 'ConnectionError';
}

/** There was no response in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError';
}

const CLASSES: Readonly<Record<number, typeof ItemwrightError>> = {
  400: ValidationError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  413: PayloadTooLargeError,
  429: TooManyRequestsError,
  500: ServerError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
};

/** A response that the service would never give. */
export const notOurs = (status: number): ItemwrightError =>
  new ItemwrightError('The response is not from Itemwright: check the url of the client.', { status });

/** Seconds, or a date. */
const parseRetryAfter = (value: string | null): number | undefined => {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? 1000 * Number(value) : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
};

interface Body {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues: readonly Issue[];
}

const isIssue = (issue: Partial<Issue> | null): boolean =>
  typeof issue?.path === 'string' && typeof issue.message === 'string';

const parseBody = (text: string): Partial<Body> => {
  try {
    const { code, message, issues } = JSON.parse(text);
    return {
      ...(typeof code === 'string' && { code: code as ErrorCode }),
      ...(typeof message === 'string' && { message }),
      ...(Array.isArray(issues) && { issues: issues.filter(isIssue) }),
    };
  } catch {
    return {};
  }
};

const isTemporary = (status: number, shouldRetry: string | null): boolean =>
  shouldRetry === null ? [408, 429, 500, 502, 503, 504].includes(status) : shouldRetry === 'true';

/** The error that a response is. */
export const errorOf = ({ status, headers }: Response, text: string): ItemwrightError => {
  const { code, message = `The service returned status ${status}.`, issues = [] } = parseBody(text);
  const details = issues.map((issue) => `${issue.path} ${issue.message}`.trim()).join('; ');
  return new (CLASSES[status] ?? ItemwrightError)(details === '' ? message : `${message}: ${details}`, {
    status,
    code,
    issues,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get('retry-after')),
    isTemporary: isTemporary(status, headers.get('x-should-retry')),
  });
};

const STATUSES: Readonly<Record<string, number>> = { BAD_REQUEST: 400, SERVICE_UNAVAILABLE: 503 };

/** The error that the last line of a streamed response reports, whose status was sent long before. It is final. */
export const errorOfLine = ({ headers }: Response, { code, message, issues }: Body): ItemwrightError => {
  const status = STATUSES[code] ?? 500;
  const requestId = headers.get('x-request-id') ?? undefined;
  return new (CLASSES[status] ?? ItemwrightError)(message, { status, code, issues, requestId });
};
