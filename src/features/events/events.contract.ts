import { type Static, Type } from 'typebox';
import { Id, IdList, Nullable, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { EVENT_TYPES, USUAL_TYPES } from '../../shared/event-types.ts';
import { LIMITS } from '../../shared/limits.ts';

const FeedEvent = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({ description: 'A UUID; the same whenever the event is read.' }),
    source: Type.String({ description: '`/teams/` and the id of the team.' }),
    type: Type.String({ description: `One of ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}.` }),
    subject: Type.Optional(
      Type.String({
        description:
          'What it is about: `users/ID`, `templates/ID`, `drafts/ID` or `catalog`. Missing if that is a user who was deleted.',
      }),
    ),
    time: Timestamp,
    datacontenttype: Type.Literal('application/json'),
    sequence: Type.String({ description: 'Sorts as the feed does.' }),
    catalogversion: Type.Optional(
      Type.Integer({ description: 'The version of the catalog, for rolls and changes of the catalog.' }),
    ),
    requestid: Type.Optional(Type.String({ description: 'The `X-Request-Id` of the request that caused it.' })),
    cause: Type.Optional(
      Type.String({
        description: 'Why something happened to an item instance, as in its history.',
        examples: ['template:banner'],
      }),
    ),
    player: Type.Optional(
      Type.String({
        description:
          'A random name of the user, which is the same in all of their events. It stays when the user is deleted, unlike the id.',
      }),
    ),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What the API returns for the item instance, roll, user, user space, version, draft or alarm; in `before`, what was different before. Ids of deleted users are null.',
    }),
  },
  { title: 'FeedEvent', description: 'A CloudEvent (version 1.0): something that happened.' },
);
export type FeedEvent = Static<typeof FeedEvent>;

const Events = Type.Object(
  {
    data: Type.Array(FeedEvent, { description: 'In the order in which they happened.' }),
    cursor: Type.String({ description: 'Where to go on: the `after` of the next request.' }),
    hasMore: Type.Boolean({ description: 'Whether there are more events already.' }),
  },
  { title: 'FeedPage' },
);

const Types = Type.Array(Type.String({ maxLength: LIMITS.idLength, examples: ['roll.made'] }), {
  maxItems: LIMITS.listedIds,
  description: `Types of events: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
});

const EventSettings = Type.Object({ types: Types }, { title: 'EventSettings' });

const tags = ['Events'];

export const listEvents = {
  operationId: 'listEvents',
  summary: 'Read the feed of events',
  description: `Whatever changes is in the feed of the team, in one order, once. Read to the end, keep the cursor, and go on from it later: no event is missed, and none comes twice. Changes of one request stand together, and what was answered before another request was sent comes first. A page can be empty although more follows, if a filter passes over very many events. An unknown \`userId\` has no events. With \`Accept: text/event-stream\`, the response is a stream of server-sent events, with the cursor as \`id\`, the type as \`event\` and the event as \`data\`; \`Last-Event-ID\` takes precedence over \`after\`. A cursor that is not in the feed, because its events are no longer kept or a backup was restored, is answered with 410: go on without \`after\`, from the oldest event.`,
  tags,
  querystring: Strict({
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.idLength,
        description:
          'A cursor; `now` for only what happens from now on. Without it, the feed begins with the oldest event that is kept.',
      }),
    ),
    types: Type.Optional(IdList('Only events of these types, separated by commas.')),
    userId: Type.Optional({ ...Id, description: 'Only events of this user.' }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.eventsPerPage,
        default: LIMITS.eventsPerPageByDefault,
        description: 'Maximum number of events to return; a stream does not have one.',
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.eventsWaitS,
        default: 0,
        description: 'If there is no event, wait for the next one: at most so many seconds.',
      }),
    ),
  }),
  response: responses('A page of the feed, or a stream.', Events, 400, 401, 403, 410, 500),
};

export const getEventSettings = {
  operationId: 'getEventSettings',
  summary: 'Get the types of events that are kept',
  description: 'Which changes are in the feed of the team.',
  tags,
  response: responses('The types.', EventSettings, 400, 401, 403, 500),
};

export const updateEventSettings = {
  operationId: 'updateEventSettings',
  summary: 'Set the types of events that are kept',
  description: `What happens from now on is in the feed if its type is listed; what is there already stays. An empty list keeps none. Null is for what teams keep unless they say otherwise: all but ${EVENT_TYPES.filter(
    (type) => !USUAL_TYPES.includes(type),
  )
    .map((type) => `\`${type}\``)
    .join(', ')}, including types that later versions add.`,
  tags,
  body: Strict(
    { types: Nullable(Types) },
    { title: 'EventSettingsChange', examples: [{ types: ['item_instance.created', 'roll.made'] }] },
  ),
  response: responses('The types.', EventSettings, 400, 401, 403, 500),
};
