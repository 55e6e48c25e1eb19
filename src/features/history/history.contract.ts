import { type Static, Type } from 'typebox';
import { answers, Id, OneOf, Paging, PathId, Strict, Timestamp } from '../../http/schemas.ts';

const NullableUserId = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: ['player-1'] });

const HistoryEvent = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: 'Counts the events of this item instance, from 1.' }),
    itemInstanceId: Id,
    itemId: Id,
    event: OneOf(['created', 'transferred', 'deleted'] as const, { description: 'What happened.' }),
    fromUserId: NullableUserId('Who had it before; null where nobody had, or where that user is deleted.'),
    toUserId: NullableUserId(
      'Who has it since; null where nobody has, where that user is deleted, or, of a creation, where what came next is not kept any more.',
    ),
    cause: Type.String({
      description:
        'Why: `request` (an operation on this item instance), `batch`, `roll`, `template:ID` (a roll on that template), `spark:ID`, `user deleted`, or `unknown` (created before there was a history).',
      examples: ['request'],
    }),
    requestId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The `X-Request-Id` of the request that did it.',
    }),
    createdAt: Timestamp,
  },
  { title: 'ItemInstanceEvent', description: 'Something that happened to an item instance.' },
);
export type HistoryEvent = Static<typeof HistoryEvent>;

export const listHistory = {
  operationId: 'listItemInstanceHistory',
  summary: 'Show what happened to an item instance',
  description:
    'Its creation, every transfer to another user and its deletion, oldest first. It stays when the item instance is deleted; users who are deleted are taken out of it. A service may be set to keep events only for so many days; of an item instance that is there the last one is always kept.',
  tags: ['Item instances'],
  params: PathId,
  querystring: Strict({ ...Paging }),
  response: answers(Type.Array(HistoryEvent), 400, 401, 403, 404, 500),
};
