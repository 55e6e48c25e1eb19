import { Type } from 'typebox';
import { Id, responses, Strict } from '../../http/schemas.ts';

export const getSnapshot = {
  operationId: 'getPublicSnapshot',
  summary: 'Get a snapshot that receipts refer to',
  description:
    'The configuration or pool with this hash: the response is its canonical text, byte for byte. Anyone may read what verifiable rolls were made from, once somebody has rolled on it or its `startsAt` has come.',
  tags: ['Public'],
  security: [],
  'x-cached': true,
  params: Strict({ teamId: Id, hash: Type.String({ description: 'SHA-256 in hexadecimal.' }) }),
  response: responses(
    'The snapshot.',
    Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    400,
    404,
    429,
    500,
    503,
  ),
};
