import { type Static, Type } from 'typebox';
import { Id, Nullable, Paging, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { Count, TierId, TierName, UserTemplateState } from './template-rolls.contract.ts';

const tags = ['Templates'];

const CertainWithin = (what: string) =>
  Nullable(Type.Integer({ minimum: 1 }), {
    description: `One of the next so many rolls (packs, offers) is certain to give ${what}; null if none is.`,
  });

const Wait = Type.Object(
  {
    templateId: Id,
    userId: Type.String(),
    tier: {
      ...TierId,
      description: 'The option of the top tier; null on a template without tiers, where there is nothing to wait for.',
    },
    tierName: TierName,
    rolls: { ...Count, description: 'Rolls (packs, offers) since it was last rolled.' },
    lastAt: Nullable(Timestamp, {
      description:
        'When it was last rolled, on this template or on another one of its pity group; null if that is not in the log, or too long ago to be found.',
    }),
    setAt: Nullable(Timestamp, { description: 'When somebody set the counter, if that was later.' }),
    chance: Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description:
        'The chance that so many rolls in a row do not give it, from 0 to 1, by the present odds of this template. Null if the odds scale with depth.',
    }),
    certainWithin: CertainWithin('it'),
    pities: Type.Array(Type.Object({ tier: Type.String(), certainWithin: CertainWithin('this tier or a rarer one') }), {
      description: 'The same for each lower tier with a pity of its own.',
    }),
    sentence: Type.String({
      description: 'The same in English, in one sentence.',
      examples: [
        '81 rolls since the last Legendary on 3 November 2026; the chance of that is 5.1 %; the next 9 are certain to contain one.',
      ],
    }),
  },
  { title: 'Wait', description: 'How long a user has waited for the top tier.' },
);

export type Wait = Static<typeof Wait>;

export const getUserWait = {
  operationId: 'getUserWait',
  summary: 'Explain how long a user has waited for the top tier',
  description: `The answer to "so many rolls, and nothing": how many there were, when the last one was, how likely such a wait is by the present odds, and when it ends for certain. The last one is looked for in the newest ${LIMITS.rollEventsScanned} entries of the user's log. 404 for an unknown user or template.`,
  tags,
  params: Strict({ userId: Id, id: Id }),
  response: responses('The wait.', Wait, 400, 401, 403, 404, 500),
};

const CounterValue = Type.Integer({ minimum: 0, maximum: 1_000_000 });

const CountersRequest = Strict(
  {
    sinceTop: Type.Optional({ ...CounterValue, description: 'Rolls without the top tier.' }),
    losses: Type.Optional({ ...CounterValue, description: 'Consecutive top-tier results that were not featured.' }),
    sparkPoints: Type.Optional(CounterValue),
    pities: Type.Optional(
      Type.Array(
        Strict({
          tier: { ...Id, description: 'The option of a lower tier with a pity of its own.' },
          since: CounterValue,
        }),
        {
          maxItems: LIMITS.templateTiers,
          description: 'Rolls without each lower tier; those that are left out stay.',
        },
      ),
    ),
  },
  { title: 'CountersRequest', minProperties: 1, examples: [{ sinceTop: 80 }] },
);
export type CountersRequest = Static<typeof CountersRequest>;

export const setCounters = {
  operationId: 'setUserCounters',
  'x-reason': true,
  summary: "Set a user's counters on a template",
  description:
    'For support, to make good what went wrong. What is left out stays. The header `Itemwright-Reason` is required, and `GET /users/{userId}/counter-changes` returns it with the counters before and after. Counters can only be set to what rolls could have led to, and are shared with the other templates of a pity group. 409 if rolls on the template are verifiable: receipts have every counter, and nobody may change what they say.',
  tags,
  params: Strict({ userId: Id, id: Id }),
  body: CountersRequest,
  response: responses(
    "The user's counters, and the odds of the next roll.",
    UserTemplateState,
    400,
    401,
    403,
    404,
    409,
    500,
  ),
};

const SetCounters = Type.Object(
  {
    rolls: Count,
    sinceTop: Count,
    losses: Count,
    sparkPoints: Count,
    pities: Type.Array(Type.Object({ tier: Type.String(), since: Count })),
  },
  { title: 'SetCounters' },
);

export const CounterChange = Type.Object(
  {
    id: Id,
    templateId: Id,
    before: SetCounters,
    after: SetCounters,
    author: Type.String({ description: 'The name of the secret that was used.' }),
    reason: Type.String(),
    requestId: Type.String(),
    createdAt: Timestamp,
  },
  { title: 'CounterChange', description: 'Counters of a user that somebody set.' },
);

export const listCounterChanges = {
  operationId: 'listUserCounterChanges',
  summary: "List changes of a user's counters",
  description: 'Every time that somebody set counters of the user, oldest first. Deleted with the user.',
  tags: ['Users'],
  params: Strict({ userId: Id }),
  querystring: Strict(Paging),
  response: responses('A page of changes.', Type.Array(CounterChange), 400, 401, 403, 404, 500),
};
