import { type Static, Type } from 'typebox';
import { Id, Nullable, Paging, responses, Strict, Timestamp, TimestampInput } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { RollFairness } from '../receipts/receipts.contract.ts';

const Count = Type.Integer({ minimum: 0 });
const tierName = Nullable(Type.String(), { description: 'The name of the option; null if it was deleted since.' });

const RollCounters = Type.Object(
  {
    rolls: { ...Count, description: 'Rolls (packs, offers, claimed rolls) of the user on the template.' },
    sparkPoints: Count,
    losses: { ...Count, description: 'Consecutive top-tier results that were not featured.' },
    pities: Type.Array(Type.Object({ tier: Type.String(), tierName, since: Count }), {
      description:
        'Rolls since each tier with a pity was last rolled, the top tier included; one that is missing is 0.',
    }),
  },
  { title: 'RollCounters' },
);

const counters = (when: string) =>
  Type.Union([RollCounters, Type.Null()], {
    description: `The counters of the user ${when}. Null if there are none: without a template or a user, and for a seeded run.`,
  });

const LoggedResult = Type.Object(
  {
    itemId: Type.String(),
    itemName: Type.String({ description: 'For a deleted item, its last name.' }),
    values: Type.Array(Type.Number(), {
      description:
        'The attribute values that were rolled, in the order of the ids of the item attributes at that time.',
    }),
    tier: Nullable(Type.String(), {
      description: 'A classifier option id; null for a roll without a template, and on a template without tiers.',
    }),
    tierName,
    pity: Nullable(Type.Boolean(), {
      description: 'Whether the tier was due because of a pity threshold; null without a template.',
    }),
    featured: Nullable(Type.Boolean(), {
      description: 'Whether the item was a featured one; null without a template.',
    }),
    requestId: Type.Optional(
      Type.String({ description: 'Only if the results of an entry belong to different requests.' }),
    ),
  },
  { title: 'LoggedResult' },
);

export const RollEvent = Type.Object(
  {
    id: Id,
    rolledAt: Timestamp,
    userId: Nullable(Type.String(), {
      description: 'Who rolled; null for a roll for nobody, and if the user was deleted.',
    }),
    templateId: Nullable(Type.String(), { description: 'Null for a roll without a template.' }),
    version: Nullable(Type.Integer(), { description: 'The version of the catalog that was rolled on.' }),
    requestId: Nullable(Type.String(), {
      description: 'The `X-Request-Id` of the request; null if several share the entry, whose results then have it.',
    }),
    results: Type.Array(LoggedResult, { description: 'In the order in which they were rolled.' }),
    before: counters('before the roll'),
    after: counters('after it'),
    fairness: Type.Optional(RollFairness),
  },
  {
    title: 'RollEvent',
    description:
      'A request that rolled. Rolls without a template and a user that happened at the same moment share an entry. Tiers, counters, request and receipt are null or missing in entries from before these were recorded.',
  },
);
export type RollEvent = Static<typeof RollEvent>;

const optional = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.idLength, description }));

const filters = {
  templateId: optional('Only rolls on this template.'),
  itemId: optional('Only entries with this item.'),
  tier: optional('Only entries with a result of this tier, which is the id of a classifier option.'),
  from: Type.Optional({ ...TimestampInput, description: 'Only rolls at this time or later.' }),
  to: Type.Optional({ ...TimestampInput, description: 'Only rolls before this time.' }),
};

const Filter = Strict({ userId: optional('Only rolls of this user.'), ...filters, ...Paging });
export type RollFilter = Omit<Static<typeof Filter>, 'limit' | 'cursor'>;

const PAGES = `Newest first, one page at a time; follow the \`Link\` header for more. At most ${LIMITS.rollEventsScanned} entries are looked at for a page, so with a filter by template, item or tier, a page can have few entries or none although more follow: the list ends where there is no \`Link\`. Entries are kept for as long as the service is configured to.`;

export const listRollEvents = {
  operationId: 'listRollEvents',
  summary: 'List rolls',
  description: `The log of every roll, for disputes and analysis. Test rolls are not in it, nor are exchanges of spark points. ${PAGES}`,
  tags: ['Rolls'],
  querystring: Filter,
  response: responses('A page of the log.', Type.Array(RollEvent), 400, 401, 403, 500),
};

export const listUserRolls = {
  operationId: 'listUserRolls',
  summary: 'List the rolls of a user',
  description: `The same as the list of all rolls with \`userId\`, but 404 for an unknown user. ${PAGES}`,
  tags: ['Rolls'],
  params: Strict({ userId: Id }),
  querystring: Strict({ ...filters, ...Paging }),
  response: responses('A page of the log.', Type.Array(RollEvent), 400, 401, 403, 404, 500),
};
