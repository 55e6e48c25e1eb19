/** What the OpenAPI document says about responses that all operations have in common: errors and headers. */
import { ERRORS, type ErrorCode, type Issue, shouldRetry } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';

interface ErrorResponse {
  readonly name: string;
  readonly code: ErrorCode;
  readonly description: string;
  readonly headers: readonly string[];
  /** The particulars in the example. */
  readonly issues: readonly Issue[];
}

const RESPONSES: readonly ErrorResponse[] = [
  {
    name: 'BadRequest',
    code: 'BAD_REQUEST',
    description: 'The request is not valid; `issues` says what is wrong and where. Nothing was changed.',
    headers: [],
    issues: [{ path: '/body/name', message: 'must NOT have fewer than 1 characters' }],
  },
  {
    name: 'Unauthorized',
    code: 'UNAUTHORIZED',
    description: 'The credentials are missing, malformed, unknown or revoked; `issues` says which.',
    headers: ['WWW-Authenticate'],
    issues: [
      {
        path: '/headers/authorization',
        message: 'has a team id or a secret that is wrong, or a secret that was revoked',
      },
    ],
  },
  {
    name: 'Forbidden',
    code: 'FORBIDDEN',
    description: 'The role of the secret does not allow this operation.',
    headers: [],
    issues: [],
  },
  {
    name: 'NotFound',
    code: 'NOT_FOUND',
    description: 'The team has no such resource.',
    headers: [],
    issues: [],
  },
  {
    name: 'Conflict',
    code: 'CONFLICT',
    description: 'The current state does not allow it; `issues` says why. Nothing was changed.',
    headers: [],
    issues: [{ path: '/body/userSpaceId', message: 'has no room for it' }],
  },
  {
    name: 'Gone',
    code: 'GONE',
    description:
      'The cursor is not in the feed, or no longer. Go on without `after`, from the oldest event that is kept.',
    headers: [],
    issues: [
      { path: '/query/after', message: 'is not in the feed, or no longer; the oldest cursor is 1841.9f2c01aa.0' },
    ],
  },
  {
    name: 'PreconditionFailed',
    code: 'PRECONDITION_FAILED',
    description: 'The entity is not as `If-Match` says: it was changed in the meantime. Nothing was changed.',
    headers: [],
    issues: [
      {
        path: '/headers/if-match',
        message: 'does not match: the item was changed in the meantime, and is now "WNbkPRiCwgODcDeTWFIMiQ"',
      },
    ],
  },
  {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    description: `The body is larger than ${LIMITS.bodyBytes.toLocaleString('en')} bytes.`,
    headers: [],
    issues: [],
  },
  {
    name: 'UnsupportedMediaType',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The `Content-Type` of the body is not `application/json`.',
    headers: [],
    issues: [{ path: '/headers/content-type', message: 'must be application/json' }],
  },
  {
    name: 'TooManyRequests',
    code: 'TOO_MANY_REQUESTS',
    description: 'The team, or the address, made too many requests. Retry after the time given.',
    headers: ['Retry-After'],
    issues: [],
  },
  {
    name: 'InternalServerError',
    code: 'INTERNAL_SERVER_ERROR',
    description: 'Something went wrong in the service. The log has the details under the request id.',
    headers: [],
    issues: [],
  },
  {
    name: 'ServiceUnavailable',
    code: 'SERVICE_UNAVAILABLE',
    description: 'The service is overloaded, stopping, or cannot reach its database. Retry after the time given.',
    headers: ['Retry-After'],
    issues: [],
  },
];

const text = { type: 'string' } as const;

const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request in the log: the one that was sent, or a generated one.',
    schema: text,
    example: 'f3a9c1d2-17',
  },
  'X-Should-Retry': {
    description:
      'Whether the same request can succeed later: `false` on errors that a retry cannot fix, `true` on 503.',
    schema: { type: 'string', enum: ['true', 'false'] },
    example: 'false',
  },
  'Retry-After': {
    description: 'How many seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: LIMITS.retryAfterS,
  },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with.',
    schema: text,
    example: 'Basic realm="itemwright"',
  },
  Link: {
    description: 'Only if there are more rows: the path of the next page, with `rel="next"`.',
    schema: text,
    example: '</items?limit=100&cursor=WzE3MzE1NzY2MDAwMDAsImEiXQ>; rel="next"',
  },
  ETag: {
    description: 'Identifies the state of what was returned, for `If-Match` or `If-None-Match`.',
    schema: text,
    example: '"WNbkPRiCwgODcDeTWFIMiQ"',
  },
  'Cache-Control': {
    description: 'How long anyone may keep the response.',
    schema: text,
    example: `public, max-age=${LIMITS.disclosureAgeS}`,
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
} as const;

export type HeaderName = keyof typeof HEADERS;

const refToHeader = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Headers by name, as an operation refers to them. */
export const headersOf = (...names: HeaderName[]) => Object.fromEntries(names.map((name) => [name, refToHeader(name)]));

/** What a caller gets who has the response already. */
export const notModified = {
  description: 'The response is still the one with the `ETag` in `If-None-Match`.',
  headers: headersOf('X-Request-Id', 'ETag', 'Cache-Control'),
};

const toComponent = ({ code, description, headers, issues }: ErrorResponse) => {
  const { status, message } = ERRORS[code];
  const hint: HeaderName[] = shouldRetry(status, issues) === undefined ? [] : ['X-Should-Retry'];
  return {
    description,
    headers: headersOf('X-Request-Id', ...hint, ...(headers as HeaderName[])),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { code, message, issues } },
    },
  };
};

/** The shared components that operations refer to. */
export const responseComponents = () => ({
  headers: HEADERS,
  responses: Object.fromEntries(RESPONSES.map((error) => [error.name, toComponent(error)])),
});

const NAMES = new Map(RESPONSES.map(({ name, code }) => [ERRORS[code].status as number, name]));

/** The error responses with these statuses, as an operation refers to them. */
export const errorResponses = (statuses: Iterable<number>) =>
  Object.fromEntries(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((status) => [String(status), { $ref: `#/components/responses/${NAMES.get(status)}` }]),
  );
