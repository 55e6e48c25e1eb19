import { type Static, Type } from 'typebox';
import { Id, Nullable, OneOf, Paging, PathId, responses, Strict, Timestamp } from '../../http/schemas.ts';

const NullableUserId = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description, examples: ['player-1'] });

const changedState = (description: string) =>
  Type.Object(
    {
      data: Type.Optional(
        Type.Unsafe<Readonly<Record<string, unknown>>>({
          type: 'object',
          additionalProperties: true,
          description: 'The members that differ.',
        }),
      ),
      locked: Type.Optional(Type.Boolean()),
    },
    { title: 'ItemInstanceState', description },
  );

export const HistoryEvent = Type.Object(
  {
    sequence: Type.Integer({
      minimum: 1,
      description: 'Number of the event in the history of this item instance, starting at 1.',
    }),
    itemInstanceId: Id,
    itemId: Id,
    event: OneOf(['created', 'transferred', 'changed', 'deleted'] as const, { description: 'What happened.' }),
    fromUserId: NullableUserId('The previous owner; null if there was none or that user was deleted.'),
    toUserId: NullableUserId(
      'The owner from then on. Null if there is none or that user was deleted; for a creation also if the following event is no longer kept.',
    ),
    cause: Type.String({
      description:
        'The cause: `request` (an operation on this item instance), `batch`, `roll`, `template:ID` (a roll on that template), `spark:ID`, `restored`, `user deleted`, or `unknown` (created before histories were kept).',
      examples: ['request'],
    }),
    requestId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The `X-Request-Id` of the request that caused it.',
    }),
    author: Nullable(Type.String(), {
      description: 'The name of the secret of that request; null for events from before this was recorded.',
      examples: ['Support, Ann'],
    }),
    reason: Nullable(Type.String(), {
      description: 'The reason that the request gave, in the header `Itemwright-Reason`.',
      examples: ['lost in the outage of Tuesday'],
    }),
    createdAt: Timestamp,
    before: Type.Optional(
      changedState('What a change changed, as it was before. Members that did not exist are missing.'),
    ),
    after: Type.Optional(changedState('The same after it. Members that were removed are missing.')),
  },
  { title: 'ItemInstanceEvent', description: 'An event in the life of an item instance.' },
);
export type HistoryEvent = Static<typeof HistoryEvent>;

export const listHistory = {
  operationId: 'listItemInstanceHistory',
  summary: 'List the history of an item instance',
  description:
    'Its creation, every transfer and change, and its deletion, oldest first. The history is kept after the item instance is deleted; deleted users are removed from it. The service can be configured to keep events for a number of days only; the last event of an existing item instance is always kept.',
  tags: ['Item instances'],
  params: PathId,
  querystring: Strict({ ...Paging }),
  response: responses('A page of events.', Type.Array(HistoryEvent), 400, 401, 403, 404, 500),
};
