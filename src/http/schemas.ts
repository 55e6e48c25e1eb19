import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { LIMITS } from '../limits.ts';
import { describedPattern } from '../shape.ts';

/** An id in a path or a query: only its length is checked, since one that cannot exist is simply not found. */
export const Id = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  description: 'Identifier, unique in the team.',
  examples: ['019a8f3e-7c21-7d4a-9b11-3f0c5a6e8d02'],
});

/** Words that a path already uses where an id would stand. */
const RESERVED_IDS = ['roll', 'odds', 'batch', 'type', 'stats', 'drop-rates'];

/** An id of the caller's own choice. */
export const OwnId = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  pattern: describedPattern(
    `^(?!(?:\\.|\\.\\.|${RESERVED_IDS.join('|')})$)[A-Za-z0-9._:-]*$`,
    `must consist of the characters A-Z a-z 0-9 . _ : - and must not be one of ${RESERVED_IDS.join(', ')}, "." and ".."`,
  ),
  description: `An id of your own, unique in the team: 1 to ${LIMITS.idLength} characters of \`A-Z a-z 0-9 . _ : -\`; not \`.\`, \`..\`, nor one of ${RESERVED_IDS.map((word) => `\`${word}\``).join(', ')}. Made by the service when left out.`,
  examples: ['sword-of-dawn'],
});

/** Players' ids come from elsewhere, so that only control characters are refused. */
export const UserId = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  pattern: describedPattern('^[^\\u0000-\\u001f\\u007f-\\u009f]*$', 'must not contain control characters'),
  description: `The player's id: any 1 to ${LIMITS.idLength} characters but control characters.`,
  examples: ['player-1'],
});

export const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.nameLength,
  description: 'A name for people to read; it need not be unique.',
});

export const Timestamp = Type.String({
  description: 'A moment in UTC, ISO 8601 with milliseconds.',
  examples: ['2026-11-14T09:30:00.000Z'],
});

/** A moment given by the caller: any ISO 8601 time with its offset. */
export const GivenTimestamp = Type.String({
  format: 'date-time',
  maxLength: LIMITS.timestampLength,
  description: 'A moment as ISO 8601; answered in UTC with milliseconds.',
  examples: ['2026-11-14T09:30:00.000Z'],
});

interface Described {
  description?: string;
  examples?: unknown[];
}

/** A value that may be null, as one type with a list of types, which gives a caller one fault instead of three. */
export const Nullable = <S extends TSchema>(schema: S, options: Described = {}) =>
  Type.Unsafe<Static<S> | null>({
    ...schema,
    ...options,
    type: [(schema as unknown as { type: string }).type, 'null'],
  });

/** One of a list of words. */
export const OneOf = <const W extends readonly string[]>(words: W, options: Described & { default?: W[number] } = {}) =>
  Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...options });

/** A request body or query: members that it does not know are refused. */
export const Strict = <P extends TProperties>(
  properties: P,
  options: Described & { title?: string; minProperties?: number } = {},
) => Type.Object(properties, { ...options, additionalProperties: false });

/** A body that may be left out altogether. Fastify hands a missing body to validation as null. */
export const OptionalBody = <S extends TObject>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: ['object', 'null'] });

/** A list in a query: `a=1,2` and `a=1&a=2` mean the same. The validator of queries splits it. */
export const IdList = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.idLength }), { maxItems: LIMITS.listedIds, description });

/** What every list accepts besides its filters. */
export const Paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.pageRows,
      default: LIMITS.pageRows,
      description: 'The most rows to answer.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: LIMITS.cursorLength,
      description: 'Where to go on: taken from the `Link` header of the answer before, with `rel="next"`.',
    }),
  ),
};

export const PathId = Strict({ id: Id });

export const Empty = Type.Object({}, { additionalProperties: false, description: 'Nothing more to say.' });

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'What kind of refusal it is.', examples: ['BAD_REQUEST'] }),
    message: Type.String({ description: 'The fixed text of the code.', examples: ['Invalid input data'] }),
    issues: Type.Array(
      Type.Object({
        path: Type.String({ description: 'JSON pointer into the request.', examples: ['/body/min'] }),
        message: Type.String({ description: 'What is wrong there.', examples: ['must be number'] }),
      }),
      { description: 'The particulars; all faults of one kind are reported together.' },
    ),
  },
  { title: 'Error', description: 'The shape of every refusal.' },
);

/**
 * The responses of an operation: what it returns, and the statuses of the errors that are particular to it. Errors that any
 * operation can return are added to the OpenAPI document for all of them.
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
