import { type Static, Type } from 'typebox';
import { Id, OneOf, Paging, PathId, responses, Strict, Timestamp } from '../../http/schemas.ts';

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
  summary: 'List the history of an item instance',
  description:
    'Its creation, every transfer and its deletion, oldest first. The history is kept after the item instance is deleted; deleted users are removed from it. The service can be configured to keep events for a number of days only; the last event of an existing item instance is always kept.',
  tags: ['Item instances'],
  params: PathId,
  querystring: Strict({ ...Paging }),
  response: responses('A page of events.', Type.Array(HistoryEvent), 400, 401, 403, 404, 500),
};
