import { type Static, Type } from 'typebox';
import { Id, Nullable, Paging, PathId, responses, Strict, Timestamp, UserId } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { GivenBalance } from '../balances/balances.contract.ts';
import { RollFairness } from '../receipts/receipts.contract.ts';
import { NullableInstance, rollResultMembers, TestRoll } from '../rolls/rolls.contract.ts';
import { subjectMembers } from './subjects.contract.ts';

export const TierId = Nullable(Type.String(), {
  description: 'A classifier option id; null for the only tier of a template without `baseRates`.',
});
/** Optional in states, since responses that earlier versions stored for an `Idempotency-Key` lack it. */
export const TierName = Nullable(Type.String(), { description: 'The name of the option.' });
const Rate = Type.Number({ description: 'From 0 to 1.' });
export const Count = Type.Integer({ minimum: 0 });

export const UserTemplateState = Type.Object(
  {
    templateId: Id,
    userId: Type.String(),
    rolls: { ...Count, description: 'Number of rolls (packs, offers, claimed rolls) of the user on the template.' },
    sinceTop: { ...Count, description: 'Rolls since the top tier was last rolled.' },
    losses: { ...Count, description: 'Consecutive top-tier results that were not featured.' },
    sparkPoints: { ...Count, description: 'Points that can be exchanged for a featured item.' },
    pities: Type.Array(Type.Object({ tier: Type.String(), tierName: Type.Optional(TierName), since: Count }), {
      description: 'Rolls since each lower tier with its own pity was last rolled.',
    }),
    accruedRolls: {
      ...Count,
      description: 'Rolls accrued on an idle template that can be claimed now; 0 for other types.',
    },
    next: Type.Array(Type.Object({ tier: TierId, tierName: Type.Optional(TierName), rate: Rate }), {
      description:
        'The exact tier odds of the next roll; for packs and offers, the chance that it contains the tier. Rarest first.',
    }),
  },
  { title: 'UserTemplateState', description: 'The state of a user on a template.' },
);
export type UserTemplateState = Static<typeof UserTemplateState>;

const OnFull = Type.Unsafe<'reject' | 'unplaced'>({
  type: 'string',
  enum: ['reject', 'unplaced'],
  description:
    '`reject`, the default, returns 409 before anything is rolled if the user space might not have room: it must fit as many items of the largest size that can be rolled. Anything that still has no free position is kept unplaced, with `placed: false`. `unplaced` skips the check.',
});

const TargetUserSpaceId = Type.String({
  minLength: 1,
  maxLength: LIMITS.idLength,
  description: 'Creates an item instance for every result and places it in this user space of the user.',
});

export const Depth = Type.Integer({
  minimum: 0,
  maximum: LIMITS.offerDepth,
  description: 'Depth of a roguelike offer; defaults to 0.',
});

const TemplateRollRequest = Strict(
  {
    userId: Type.Optional({
      ...UserId,
      description: 'The user who rolls. Without it: base odds, and no pity, guarantee or spark.',
    }),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.rollsPerCall,
        description:
          'Number of consecutive rolls (packs, offers); 1 by default. Not for idle templates, which roll what has accrued.',
      }),
    ),
    userSpaceId: Type.Optional(TargetUserSpaceId),
    grant: Type.Optional(
      Type.Boolean({ description: 'Without a user space: creates an unplaced item instance for every result.' }),
    ),
    onFull: Type.Optional(OnFull),
    depth: Type.Optional(Depth),
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.nameLength,
        description:
          'Makes roguelike offers reproducible: they depend only on template, catalog, seed, depth and offer.',
      }),
    ),
    offer: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER - LIMITS.rollsPerCall,
        description:
          'Number of the offer in a seeded run; defaults to 0. With `count`, the first of consecutive offers.',
      }),
    ),
    test: Type.Optional(TestRoll),
  },
  { title: 'TemplateRollRequest', examples: [{ userId: 'player-1', count: 10 }] },
);
export type TemplateRollRequest = Static<typeof TemplateRollRequest>;

const TemplateRollResult = Type.Object(
  {
    ...rollResultMembers,
    tier: TierId,
    pity: Type.Boolean({ description: 'Whether the tier was due because of a pity threshold.' }),
    featured: Type.Boolean({ description: 'Whether the item is a featured one.' }),
  },
  { title: 'TemplateRollResult' },
);

const NullableState = Type.Union([UserTemplateState, Type.Null()], { description: 'Null without a user.' });

const TemplateRoll = Type.Object(
  {
    templateId: Id,
    userId: Nullable(Type.String()),
    rolls: Type.Array(TemplateRollResult, { description: 'Grouped by pack or offer, in order.' }),
    state: NullableState,
    fairness: Type.Optional(RollFairness),
  },
  { title: 'TemplateRoll' },
);

const SparkRequest = Strict(
  {
    userId: UserId,
    itemId: { ...Id, description: 'A featured item of the template.' },
    userSpaceId: Type.Optional(TargetUserSpaceId),
    onFull: Type.Optional(OnFull),
  },
  { title: 'SparkRequest', examples: [{ userId: 'player-1', itemId: 'sword-of-dawn' }] },
);
export type SparkRequest = Static<typeof SparkRequest>;

const Spark = Type.Object(
  {
    templateId: Id,
    userId: Type.String(),
    itemInstance: NullableInstance,
    balance: Type.Optional(GivenBalance),
    state: UserTemplateState,
    fairness: Type.Optional(RollFairness),
  },
  { title: 'Spark' },
);
export type Spark = Static<typeof Spark>;

const oddsMembers = {
  base: {
    ...Rate,
    description: 'Share of all items rolled, without pity and guarantee, at the depth that was asked for.',
  },
  effective: { ...Rate, description: 'Share of all items rolled in the long run, with every rule except spark.' },
  expectedRolls: Nullable(Type.Number(), {
    description: 'Mean number of rolls (packs, offers) until the first one, starting from no state; null: never.',
  }),
  medianRolls: Nullable(Type.Number(), {
    description: 'The number of rolls after which at least half of all users have one.',
  }),
  worstRolls: Nullable(Type.Number(), {
    description: 'The most rolls it can take; null if there is no limit.',
  }),
};

export const disclosed = {
  tiers: Type.Array(
    Type.Object({
      tier: TierId,
      name: TierName,
      ...oddsMembers,
    }),
  ),
  items: Type.Array(
    Type.Object({ itemId: Id, itemName: Type.String(), tier: TierId, featured: Type.Boolean(), ...oddsMembers }),
  ),
};

const Curve = Type.Array(
  Type.Object({ roll: Type.Integer({ minimum: 1 }), chance: { ...Rate, description: 'By this roll, from 0 to 1.' } }),
  {
    maxItems: LIMITS.curve.points,
    description: `The chance that a new user has received the top tier, which is the first of \`tiers\`, by a roll (pack, offer). Ends with the first roll whose chance is at least ${LIMITS.curve.chance}, or with roll ${LIMITS.curve.rolls}. Has every roll or, if there are more than ${LIMITS.curve.points}, as many at equal distances. Empty if the tier never comes up.`,
  },
);

const TemplateOdds = Type.Object(
  { templateId: Id, ...disclosed, curve: Curve },
  { title: 'TemplateOdds', description: 'What must be disclosed, computed exactly from the rules that rolls use.' },
);
export type TemplateOdds = Static<typeof TemplateOdds>;

const HASHES = ['b2849b2da61e346930ab44ee5958cf8dff36cd7c4688587f18eed5ef9b7b798b'];

export const OddsInForce = Type.Object(
  {
    version: Type.Integer({ description: 'The version of the catalog that it began with.' }),
    from: { ...Timestamp, description: 'When that version was made.' },
    to: Nullable(Timestamp, { description: 'When the next one replaced it; null while it is in force.' }),
    config: Nullable(Type.String(), {
      description:
        'The hash (SHA-256) of the configuration with everything that decides its odds; null if the template could not be rolled on, or its pool was too large to be kept.',
      examples: HASHES,
    }),
    tiers: Type.Unsafe<Static<typeof disclosed.tiers> | null>({
      ...disclosed.tiers,
      type: ['array', 'null'],
      description:
        'As in the odds of the template, rarest first; null if they take too long to compute, or if the configuration was replaced at once and never rolled on.',
    }),
  },
  { title: 'OddsInForce' },
);

const ConfigOdds = Type.Object(
  {
    ...disclosed,
    curve: Curve,
    warnings: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'The member of the configuration, as a JSON pointer.' }),
          message: Type.String(),
        }),
        {
          description:
            'What may not be meant, such as a soft pity that begins after the hard pity. Left out if there is nothing.',
        },
      ),
    ),
  },
  { title: 'ConfigOdds', description: 'The odds of a configuration as if it were saved.' },
);
export type ConfigOdds = Static<typeof ConfigOdds>;

const OddsRequest = Strict(
  {
    ...subjectMembers,
    depth: Type.Optional(Depth),
  },
  { title: 'OddsRequest', examples: [{ type: 'gacha', config: { pityThreshold: 90 } }] },
);
export type OddsRequest = Static<typeof OddsRequest>;

const tags = ['Templates'];

export const rollTemplate = {
  operationId: 'rollTemplate',
  'x-reason': true,
  summary: 'Roll on a template',
  description:
    'A gacha roll gives an item, a card pack its cards, a roguelike template an offer to choose from, and an idle template whatever has accrued. Nothing is given to the user without `userSpaceId` or `grant`. Counters, statistics, item instances and placements are saved together or not at all, and rolls of the same user on the same template (or pity group) never run at the same time. A user who does not exist yet is created. 400 before `startsAt`, from `endsAt` on, and if a later change to the catalog broke the configuration. 409 if the user space does not have enough room.',
  tags,
  params: PathId,
  body: TemplateRollRequest,
  response: responses(
    "What was rolled, and the user's counters afterwards.",
    TemplateRoll,
    400,
    401,
    403,
    404,
    409,
    500,
  ),
};

export const sparkTemplate = {
  operationId: 'sparkTemplate',
  'x-reason': true,
  summary: 'Exchange spark points for a featured item',
  description:
    'Every roll of a user earns a point. The item is always given, with rolled attributes. It does not count as a roll: statistics, counters and odds stay as they are. 400 for a template without spark and for an item that is not featured; 409 for too few points.',
  tags,
  params: PathId,
  body: SparkRequest,
  response: responses(
    "The item that was given, and the user's counters afterwards.",
    Spark,
    400,
    401,
    403,
    404,
    409,
    500,
  ),
};

export const getUserTemplateState = {
  operationId: 'getUserTemplateState',
  summary: "Get a user's state on a template",
  description:
    "The user's pity counters, guarantee and spark points, and the exact odds of the next roll. All zero for a user who has not rolled on it yet; 404 for an unknown user or template.",
  tags,
  params: Strict({ userId: Id, id: Id }),
  response: responses('The counters, and the odds of the next roll.', UserTemplateState, 400, 401, 403, 404, 500),
};

export const getTemplateOdds = {
  operationId: 'getTemplateOdds',
  summary: 'Get the exact odds of a template',
  description:
    'What a store must disclose: one row per tier, rarest first, and one row per item, in order of id; and the chance of the top tier by number of rolls, to draw as a curve. Computed from the rules that rolls use, never sampled; pity and guarantees are included, spark is not. Not paged. Computed in the background and kept until the catalog or the template changes. 400 if, after a later change to the catalog, they take too long to compute; 429 if the team has too many computations in progress; 503 if the time limit was reached.',
  tags,
  params: PathId,
  querystring: Strict({
    depth: Type.Optional(Depth),
    config: Type.Optional({
      ...Id,
      examples: HASHES,
      description: 'The hash of a configuration from the history: returns its odds instead of the current ones.',
    }),
  }),
  response: responses('The odds of every tier and every item.', TemplateOdds, 400, 401, 403, 404, 500),
};

export const listOddsHistory = {
  operationId: 'listOddsHistory',
  summary: 'List the odds that a template had',
  description: `Every version of the catalog that changed anything that decides the odds of the template, with the time and the odds of the tiers; newest first. \`GET /templates/{id}/odds?config=\` returns all odds of any of them. New versions are listed within about a second. The history is kept when the template is deleted. A page has at most ${LIMITS.listedConfigs} rows, and fewer if the odds take long to compute.`,
  tags,
  params: PathId,
  querystring: Strict(Paging),
  response: responses('A page of what was configured when.', Type.Array(OddsInForce), 400, 401, 403, 404, 500),
};

export const previewTemplateOdds = {
  operationId: 'previewTemplateOdds',
  summary: 'Get the exact odds of a configuration without saving it',
  description:
    'Checks the configuration as saving would, and changes nothing. With `draftId`, on the catalog as the draft would make it. 400 if the odds would take too long to compute; 429 if the team has too many computations in progress; 503 if the time limit was reached.',
  tags,
  body: OddsRequest,
  response: responses('The odds of every tier and every item.', ConfigOdds, 400, 401, 403, 500),
};
