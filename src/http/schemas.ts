import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { LIMITS } from '../shared/limits.ts';
import { describedPattern } from '../shared/shape.ts';

/** An id in a path or a query. Only its length is checked: an id that cannot exist is simply not found. */
export const Id = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  description: 'Identifier, unique in the team.',
  examples: ['019a8f3e-7c21-7d4a-9b11-3f0c5a6e8d02'],
});

/** As receipts, snapshots and leaves of the public log are named. */
export const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 in hexadecimal.',
  examples: ['8126b99e6a198c972ba17efa0c6f565e95e70059030df11c73fe1135741b0c65'],
});

/** Path segments that appear where an id could be. */
const RESERVED_IDS = ['roll', 'odds', 'batch', 'type', 'stats', 'drop-rates'];

/** A caller-supplied id. */
export const OwnId = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  pattern: describedPattern(
    `^(?!(?:\\.|\\.\\.|${RESERVED_IDS.join('|')})$)[A-Za-z0-9._:-]*$`,
    `must consist of the characters A-Z a-z 0-9 . _ : - and must not be one of ${RESERVED_IDS.join(', ')}, "." and ".."`,
  ),
  description: `Your own id, unique in the team: 1 to ${LIMITS.idLength} characters of \`A-Z a-z 0-9 . _ : -\`, except \`.\`, \`..\` and ${RESERVED_IDS.map((word) => `\`${word}\``).join(', ')}. Generated if left out.`,
  examples: ['sword-of-dawn'],
});

/** User ids come from other systems, so only control characters are rejected. */
export const UserId = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  pattern: describedPattern('^[^\\u0000-\\u001f\\u007f-\\u009f]*$', 'must not contain control characters'),
  description: `The user's id: 1 to ${LIMITS.idLength} characters other than control characters.`,
  examples: ['player-1'],
});

export const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.nameLength,
  description: 'A display name; need not be unique.',
});

export const Timestamp = Type.String({
  description: 'A time in UTC, as ISO 8601 with milliseconds.',
  examples: ['2026-11-14T09:30:00.000Z'],
});

/** A time supplied by the caller: ISO 8601 with an offset. */
export const TimestampInput = Type.String({
  format: 'date-time',
  maxLength: LIMITS.timestampLength,
  description: 'A time as ISO 8601 with an offset; returned in UTC with milliseconds.',
  examples: ['2026-11-14T09:30:00.000Z'],
});

/** A decimal number above 0, without a sign or an exponent. */
export const UnitPrice = Type.String({
  maxLength: 2 * LIMITS.moneyDigits + 1,
  pattern: describedPattern(
    `^(?=.*[1-9])(?:0|[1-9][0-9]{0,${LIMITS.moneyDigits - 1}})(?:\\.[0-9]{1,${LIMITS.moneyDigits}})?$`,
    `must be a decimal number above 0, with up to ${LIMITS.moneyDigits} digits before and after the point`,
  ),
  description: 'What each of the units cost, as a decimal number. Text, so that nothing is rounded.',
  examples: ['0.0099'],
});

export const Money = Type.String({
  pattern: describedPattern('^[A-Z]{3}$', 'must be three letters A-Z'),
  description: 'The code of the money, as in ISO 4217.',
  examples: ['EUR'],
});

interface Described {
  description?: string;
  examples?: unknown[];
}

/** A nullable value, as one schema with a list of types, so that an invalid value causes one issue instead of three. */
export const Nullable = <S extends TSchema>(schema: S, options: Described = {}) => {
  const { type, enum: words } = schema as unknown as { type: string; enum?: string[] };
  return Type.Unsafe<Static<S> | null>({
    ...schema,
    ...options,
    type: [type, 'null'],
    ...(words === undefined ? {} : { enum: [...words, null] }),
  });
};

export const OneOf = <const W extends readonly string[]>(words: W, options: Described & { default?: W[number] } = {}) =>
  Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...options });

/** A request body or query that rejects unknown members. */
export const Strict = <P extends TProperties>(
  properties: P,
  options: Described & { title?: string; minProperties?: number } = {},
) => Type.Object(properties, { ...options, additionalProperties: false });

/** A body that may be left out. Fastify validates a missing body as null. */
export const OptionalBody = <S extends TObject>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: ['object', 'null'] });

/** An array in a query: `a=1,2` and `a=1&a=2` mean the same. The query validator splits it. */
export const IdList = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.idLength }), { maxItems: LIMITS.listedIds, description });

/** Query parameters of every list. */
export const Paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.pageRows,
      default: LIMITS.pageRows,
      description: 'Maximum number of rows to return.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: LIMITS.cursorLength,
      description: 'Where to continue: taken from the `Link` header with `rel="next"` of the previous response.',
    }),
  ),
};

export const PathId = Strict({ id: Id });

export const Empty = Type.Object({}, { additionalProperties: false, description: 'An empty object.' });

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'The kind of error.', examples: ['BAD_REQUEST'] }),
    message: Type.String({ description: 'The fixed text for this code.', examples: ['Invalid input data'] }),
    issues: Type.Array(
      Type.Object({
        path: Type.String({ description: 'JSON pointer to the invalid part of the request.', examples: ['/body/min'] }),
        message: Type.String({ description: 'What is wrong.', examples: ['must be number'] }),
      }),
      { description: 'Details; all issues of the same kind are reported together.' },
    ),
  },
  { title: 'Error', description: 'The body of every error response.' },
);

/**
 * The responses of an operation: what it returns, and the statuses of its specific errors. Errors that any operation
 * can return are added to the OpenAPI document for all of them.
 */
export const responses = <S extends TSchema, C extends number = never>(
  description: string,
  success: S,
  ...errors: C[]
) =>
  ({
    200: { ...success, 'x-response-description': description },
    ...Object.fromEntries(errors.map((status) => [status, ErrorBody])),
  }) as unknown as { 200: S } & Record<C, typeof ErrorBody>;
