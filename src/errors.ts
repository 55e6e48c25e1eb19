import { LIMITS } from './limits.ts';

/** Every refusal that a caller can meet: code, status, and the fixed message of the specification. */
export const REFUSALS = {
  BAD_REQUEST: { status: 400, message: 'Invalid input data' },
  UNAUTHORIZED: { status: 401, message: 'Authorization not provided' },
  FORBIDDEN: { status: 403, message: 'Insufficient access' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  CONFLICT: { status: 409, message: 'Conflict' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Unsupported media type' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests' },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Internal server error' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'Service unavailable' },
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** One particular of a refusal; `path` is a JSON pointer into the request, such as `/body/itemAttributes/0/min`. */
export interface Issue {
  path: string;
  message: string;
}

/** Why a request is refused through no fault of its own; callers are not told, metrics are. */
export type RefusalReason = 'load' | 'rate' | 'stopping' | 'database';

/** An expected refusal. Anything else that is thrown is a fault of ours and becomes a 500. */
export class ServiceError extends Error {
  readonly code: RefusalCode;
  readonly issues: readonly Issue[];
  readonly reason: RefusalReason | undefined;

  constructor(
    code: RefusalCode,
    issues: readonly Issue[] = [],
    { cause, reason }: ErrorOptions & { reason?: RefusalReason } = {},
  ) {
    super(REFUSALS[code].message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.issues = issues;
    this.reason = reason;
  }
}

export const invalid = (...issues: Issue[]): ServiceError => new ServiceError('BAD_REQUEST', issues);
export const forbidden = (...issues: Issue[]): ServiceError => new ServiceError('FORBIDDEN', issues);
export const notFound = (...issues: Issue[]): ServiceError => new ServiceError('NOT_FOUND', issues);
export const conflict = (...issues: Issue[]): ServiceError => new ServiceError('CONFLICT', issues);

/** The database cannot be reached or cannot take more; the cause is for the log, never for the caller. */
export const unavailable = (cause: unknown): ServiceError =>
  new ServiceError('SERVICE_UNAVAILABLE', [], { cause, reason: 'database' });

/** Collects faults of one kind, so that a caller learns all of them at once. */
export const refuseAny = (issues: readonly Issue[], code: RefusalCode = 'BAD_REQUEST'): void => {
  if (issues.length > 0) throw new ServiceError(code, issues);
};

/** The first of a list of faults that may be long, as issues; the last of them then says how many more there are. */
export const listIssues = <T>(faults: readonly T[], toIssue: (fault: T) => Issue, root = ''): Issue[] => {
  if (faults.length <= LIMITS.issues) return faults.map(toIssue);
  const listed = faults.slice(0, LIMITS.issues - 1).map(toIssue);
  return [...listed, { path: root, message: `and ${faults.length - listed.length} more issues` }];
};

/** A reference token of a JSON pointer: `~` and `/` are escaped as RFC 6901 says. */
export const pointerToken = (token: string | number): string =>
  String(token).replaceAll('~', '~0').replaceAll('/', '~1');
