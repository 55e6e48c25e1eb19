import { LIMITS } from './limits.ts';

/** Every error that the API returns: code, status and fixed message. */
export const ERRORS = {
  BAD_REQUEST: { status: 400, message: 'Invalid input data' },
  UNAUTHORIZED: { status: 401, message: 'Authorization not provided' },
  FORBIDDEN: { status: 403, message: 'Insufficient access' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  CONFLICT: { status: 409, message: 'Conflict' },
  GONE: { status: 410, message: 'Gone' },
  PRECONDITION_FAILED: { status: 412, message: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported media type' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests' },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Internal server error' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'Service unavailable' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A detail of an error; `path` is a JSON pointer into the request, such as `/body/itemAttributes/0/min`. */
export interface Issue {
  path: string;
  message: string;
}

/** Why a request was rejected through no fault of its own; only shown in metrics. */
export type ErrorReason = 'load' | 'rate' | 'stopping' | 'database';

/** An expected error. Anything else that is thrown is a bug and becomes a 500. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];
  readonly reason: ErrorReason | undefined;

  constructor(
    code: ErrorCode,
    issues: readonly Issue[] = [],
    { cause, reason }: ErrorOptions & { reason?: ErrorReason } = {},
  ) {
    super(ERRORS[code].message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.issues = issues;
    this.reason = reason;
  }
}

export const invalid = (...issues: Issue[]): ServiceError => new ServiceError('BAD_REQUEST', issues);
export const forbidden = (...issues: Issue[]): ServiceError => new ServiceError('FORBIDDEN', issues);
export const notFound = (...issues: Issue[]): ServiceError => new ServiceError('NOT_FOUND', issues);
export const gone = (...issues: Issue[]): ServiceError => new ServiceError('GONE', issues);
export const conflict = (...issues: Issue[]): ServiceError => new ServiceError('CONFLICT', issues);

/** The database cannot be reached or is overloaded; the cause is logged, never sent to the caller. */
export const unavailable = (cause: unknown): ServiceError =>
  new ServiceError('SERVICE_UNAVAILABLE', [], { cause, reason: 'database' });

/** Throws all issues at once, if there are any. */
export const throwIfAny = (issues: readonly Issue[], code: ErrorCode = 'BAD_REQUEST'): void => {
  if (issues.length > 0) throw new ServiceError(code, issues);
};

/**
 * Whether the same request may succeed later; generated clients with built-in retries use it. A 500 with issues is one
 * that the API documents: there is nothing to roll.
 */
export const shouldRetry = (status: number, issues: readonly Issue[]): boolean | undefined => {
  if (status === 503) return true;
  if (status >= 500) return issues.length > 0 ? false : undefined;
  return status === 408 || status === 429 ? undefined : false;
};

/** Turns problems into issues, at most as many as a response lists; the last one then says how many more there are. */
export const listIssues = <T>(faults: readonly T[], toIssue: (fault: T) => Issue, root = ''): Issue[] => {
  if (faults.length <= LIMITS.issues) return faults.map(toIssue);
  const listed = faults.slice(0, LIMITS.issues - 1).map(toIssue);
  return [...listed, { path: root, message: `and ${faults.length - listed.length} more issues` }];
};

/** Escapes a reference token of a JSON pointer, as in RFC 6901. */
export const pointerToken = (token: string | number): string =>
  String(token).replaceAll('~', '~0').replaceAll('/', '~1');

/** What a function returns; undefined if it finds its input invalid. */
export const unlessInvalid = <T>(make: () => T): T | undefined => {
  try {
    return make();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'BAD_REQUEST') return undefined;
    throw error;
  }
};
