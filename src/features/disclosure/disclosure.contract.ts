import { type Static, Type } from 'typebox';
import { TemplateType } from '../../catalog/entities.ts';
import { Id, Name, Nullable, OneOf, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { oddsChangeMembers } from '../catalog/versions.contract.ts';
import { disclosed, OddsInForce, TierId } from '../templates/template-rolls.contract.ts';

const Rate = (description: string) => Type.Number({ description: `${description} From 0 to 1.` });
const Roll = (description: string) => Type.Integer({ minimum: 1, description });

const Pity = Type.Object(
  {
    tier: TierId,
    threshold: Roll(
      'The roll (pack, offer), counted from the last result of this tier, that is certain to give this tier or a rarer one.',
    ),
    higherResets: Type.Boolean({ description: 'Whether the count also starts over when a rarer tier is rolled.' }),
    byRoll: Type.Array(
      Type.Object({
        from: Roll('The first roll with this rate; 1 is the one right after the tier was rolled.'),
        to: Roll('The last one.'),
        rate: Rate('The rate of the tier; for packs and offers, the chance that one contains it.'),
      }),
      {
        description:
          'Ascending; the last entry is at the threshold. For the top tier, its rate is 1. For lower tiers, the rates apply while no other counter has moved, so the rate at the threshold is 1 minus the rates of rarer tiers.',
      },
    ),
  },
  { title: 'PublicPity' },
);

const Featured = Type.Object(
  {
    itemIds: Type.Array(Id),
    share: Nullable(Type.Number(), {
      description:
        'The share of featured items among the results of the top tier, without the guarantee; null if the top tier has no featured items.',
    }),
    guaranteeAfterLosses: Nullable(Type.Integer(), {
      description:
        'After this many consecutive results of the top tier that were not featured, the next one is featured; null without a guarantee.',
    }),
  },
  { title: 'PublicFeatured' },
);

const TierRate = Type.Object({ tier: TierId, rate: Rate('The rate or chance.') });

const Pack = Type.Object(
  {
    cards: Type.Integer({ description: 'Number of cards in a pack, or of choices in an offer.' }),
    unique: Type.Boolean({ description: 'Whether no item appears twice.' }),
    slots: Type.Array(
      Type.Object({
        count: Type.Integer({ description: 'Number of cards.' }),
        tiers: Type.Array(TierRate, { description: 'The rates of one card while no tier is used up.' }),
      }),
      { description: 'What one card gives, in order.' },
    ),
    contains: Type.Array(TierRate, { description: 'The chance that a pack contains the tier, if no pity is due.' }),
    depthScaling: Type.Array(Type.Object({ tier: TierId, factor: Type.Number() }), {
      description:
        'For offers: the factor by which the rate of a tier is multiplied once per depth. All other odds are those at depth 0.',
    }),
  },
  { title: 'PublicPack' },
);

const Depth = Type.Object(
  {
    depth: Type.Integer(),
    tiers: Type.Array(
      Type.Object({
        tier: TierId,
        rate: Rate('The rate of one choice while no tier is used up.'),
        contains: Rate('The chance that an offer contains the tier, if no pity is due.'),
      }),
      { description: 'In the order of `tiers`.' },
    ),
  },
  { title: 'PublicDepth' },
);

const Idle = Type.Object(
  {
    rollsPerHour: Type.Number({ description: 'How many rolls accrue per hour.' }),
    maxHours: Type.Number({ description: 'After so many hours without a claim, nothing more accrues.' }),
    maxRolls: Type.Integer({ description: 'The most whole rolls that can have accrued.' }),
  },
  { title: 'PublicIdle' },
);

const AttributeRange = Type.Object(
  {
    itemId: Id,
    attributeId: Id,
    min: Type.Number(),
    max: Type.Number(),
    step: Nullable(Type.Number(), {
      description: 'Values are `min`, `min` + `step`, … up to `max`. Null: whole numbers, or any value; see `values`.',
    }),
    values: Nullable(Type.Integer(), {
      description: 'The number of values, all equally likely; null if any value between the bounds is possible.',
    }),
    odds: Nullable(Type.Number(), { description: 'The odds of each value; null if there is no number of values.' }),
  },
  { title: 'PublicAttributeRange' },
);

const surroundings = {
  attributeNames: Type.Array(Type.Object({ id: Id, name: Name }), {
    description: `The names of the attributes in \`attributes\`; at most ${LIMITS.disclosedItems}.`,
  }),
  pityGroup: Type.Union(
    [
      Type.Object(
        {
          name: Type.String(),
          templates: Type.Array(Type.Object({ templateId: Id, name: Name }), {
            description: 'The other public templates that share the counters of pity and losses.',
          }),
        },
        { title: 'PublicPityGroup' },
      ),
      Type.Null(),
    ],
    { description: 'Null if the template has counters of its own.' },
  ),
  announced: Type.Array(
    Type.Object(
      { at: { ...Timestamp, description: 'When the change is scheduled.' }, ...oddsChangeMembers },
      { title: 'PublicAnnouncement' },
    ),
    {
      description:
        'Scheduled changes of these odds that the team announces, earliest first, each compared with what is in force now. Shares are `effective`.',
    },
  ),
};
const Surroundings = Type.Object(surroundings);
export type Surroundings = Static<typeof Surroundings>;

const Results = Type.Object(
  {
    rolls: Type.Number({ description: 'Number of rolled items, rounded to two significant digits.' }),
    tiers: Type.Array(
      Type.Object({
        tier: TierId,
        share: Rate('Share of the tier among all results, or among all cards but forced ones.'),
        expected: Rate(
          'The share that was promised for the same results: the mean of the odds that applied to each of them, given the counters of its user. It differs from `effective`, which is for the long run.',
        ),
      }),
      {
        description: `Rarest first; rounded to ${LIMITS.shareDigits} significant digits. Cards of packs and offers that a pity decided are not counted. Empty if nothing has been rolled yet.`,
      },
    ),
    evidence: Type.Number({
      description:
        'How much more likely the results are if something is wrong: 20 is strong evidence against the odds, 1 or less is none. Rounded to two significant digits.',
    }),
    templateEvidence: Type.Number({
      description:
        'The evidence against all configurations that the template ever had, one after another. Rounded to two significant digits.',
    }),
  },
  { title: 'PublicResults', description: 'What was rolled on this configuration, as of about a minute ago.' },
);
export type PublicResults = Static<typeof Results>;

const PublicOdds = Type.Object(
  {
    templateId: Id,
    name: Name,
    type: TemplateType,
    config: Type.String({
      description: 'The hash (SHA-256) of the configuration in force, with everything that decides its odds.',
      examples: ['b2849b2da61e346930ab44ee5958cf8dff36cd7c4688587f18eed5ef9b7b798b'],
    }),
    from: { ...Timestamp, description: 'When it came into force.' },
    startsAt: Nullable(Timestamp, { description: 'Rolls before this time are rejected.' }),
    endsAt: Nullable(Timestamp, { description: 'Rolls from this time on are rejected.' }),
    ...disclosed,
    pity: Type.Array(Pity, {
      description: 'Tiers whose rate depends on how long ago they were last rolled, rarest first.',
    }),
    featured: Type.Union([Featured, Type.Null()], { description: 'Null if no item is featured.' }),
    sparkCurrency: Nullable(Type.Integer(), {
      description:
        'The number of points for which a user may choose a featured item; every roll (pack, offer) gives one point. Null if that is not possible.',
    }),
    pack: Type.Union([Pack, Type.Null()], {
      description: 'What one card and one pack (choice, offer) give; null for templates that give one item per roll.',
    }),
    depths: Type.Array(Depth, {
      description: 'For offers whose odds depend on the depth: those at some depths. Empty for others.',
    }),
    idle: Type.Union([Idle, Type.Null()], {
      description: 'How rolls accrue; null for templates that users roll on at will.',
    }),
    attributes: Type.Array(AttributeRange, {
      description: 'The values that attributes of items can get, in order of items.',
    }),
    ...surroundings,
    results: Results,
  },
  { title: 'PublicOdds', description: 'What a game must disclose about a template.' },
);

export type PublicOddsInForce = Static<typeof OddsInForce>;

const tags = ['Public'];
const params = Strict({ teamId: Id, id: Id });
const querystring = Strict({});

/** The languages of the page. */
const LANGUAGES = ['en', 'ja', 'ko', 'zh', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'en';

/** A page rather than an operation, so the OpenAPI document does not list it. */
export const getPublicPage = {
  hide: true,
  params,
  querystring: Strict({ lang: Type.Optional(OneOf(LANGUAGES)) }),
};

export const getPublicOdds = {
  operationId: 'getPublicOdds',
  summary: 'Get the published odds of a template',
  description:
    'For anyone: the exact odds currently in force for a template whose `disclosure` is `public`, the rules that change them, and the results so far. A page for players with the same content is at `/public/{teamId}/templates/{id}`; `?lang=` chooses its language (en, ja, ko, zh, de). 404 for any other template, whether it exists or not, and for one that cannot be rolled on. The response may be a minute old. For about a second after the template was created, the status may be 503.',
  tags,
  security: [],
  'x-cached': true,
  params,
  querystring,
  response: responses('The odds, rules and results.', PublicOdds, 400, 404, 429, 500, 503),
};

export const listPublicHistory = {
  operationId: 'listPublicHistory',
  summary: 'List the published odds that a template had',
  description: `For anyone: what was configured when, with the odds of the tiers at the time; newest first, at most ${LIMITS.disclosedVersions}, and fewer if their odds take long to compute. The list begins with the creation of the template, even if it became public later. Tiers have the names that they had at the time.`,
  tags,
  security: [],
  'x-cached': true,
  params,
  querystring,
  response: responses('What was configured when.', Type.Array(OddsInForce), 400, 404, 429, 500, 503),
};
