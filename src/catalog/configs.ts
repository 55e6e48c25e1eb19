/** The configurations of the game systems, as templates have them. */
import { type TProperties, Type } from 'typebox';
import { Id, Strict, TimestampInput } from '../http/schemas.ts';
import { LIMITS } from '../shared/limits.ts';

export const TEMPLATE_TYPES = ['gacha', 'roguelike', 'idle', 'card_pack'] as const;

const Tier = Type.String({
  minLength: 1,
  maxLength: LIMITS.nameLength,
  description: 'A classifier option: its id, or a name that only one option of the team has.',
  examples: ['five'],
});

const tierTable = (value: object, description: string) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    maxProperties: LIMITS.templateTiers,
    propertyNames: { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
    additionalProperties: { type: 'number', ...value },
    description,
  });

const Rates = tierTable({ minimum: 0 }, 'Tier → rate of 0 or more; rates are relative to their sum.');

const SoftPity = Type.Array(
  Strict({
    from: Type.Integer({
      minimum: 1,
      maximum: LIMITS.pityThreshold,
      description: 'The first roll that it applies to.',
    }),
    add: Type.Number({
      exclusiveMinimum: 0,
      description: "Added to the tier's share at each roll from there on; 0.06 is six percentage points.",
    }),
  }),
  { maxItems: LIMITS.softPitySegments, description: 'Segments in which the share increases, ascending by `from`.' },
);

const itemIds = (description: string) => Type.Array(Id, { maxItems: LIMITS.templateItems, description });

const common = {
  baseRates: Type.Optional(Rates),
  pool: Type.Optional(
    Strict(
      {
        classifierOptionIds: Type.Optional(
          Type.Array(Id, {
            maxItems: LIMITS.templateTiers,
            description: 'An item must have one of these options of each classifier they belong to.',
          }),
        ),
        itemIds: Type.Optional(itemIds('Only these items.')),
      },
      { description: 'Narrows the pool before anything else applies.' },
    ),
  ),
  pityThreshold: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.pityThreshold,
      description: 'The top tier is given at this roll at the latest; 0: no pity.',
    }),
  ),
  rateUpMultiplier: Type.Optional(
    Type.Number({ minimum: 0, description: 'Multiplies the weights of featured items; defaults to 1.' }),
  ),
  sparkCurrency: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Price of a featured item in points; 0: no spark.',
    }),
  ),
  featuredItemIds: Type.Optional(itemIds('Featured items, which must be in the pool.')),
  startsAt: Type.Optional({ ...TimestampInput, description: 'Rolls before this time are rejected.' }),
  endsAt: Type.Optional({ ...TimestampInput, description: 'Rolls from this time on are rejected.' }),
};

const gacha = {
  ...common,
  pityTier: Type.Optional({ ...Tier, description: 'The top tier; defaults to the tier with the smallest share.' }),
  softPity: Type.Optional(SoftPity),
  pities: Type.Optional(
    Type.Array(
      Strict({
        tier: Tier,
        threshold: Type.Integer({
          minimum: 1,
          maximum: LIMITS.pityThreshold,
          description: 'The tier is due at this roll, unless a rarer one is rolled.',
        }),
        softPity: Type.Optional(SoftPity),
        higherResets: Type.Optional(Type.Boolean({ description: 'Whether a rarer result also resets this counter.' })),
      }),
      { maxItems: LIMITS.templateTiers, description: 'Pity of lower tiers.' },
    ),
  ),
  featuredShare: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'The share of top-tier results that are featured.' }),
  ),
  guaranteeAfterLosses: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.guaranteeAfterLosses,
      description: 'After this many consecutive top-tier results that were not featured, the next one is featured.',
    }),
  ),
  pityGroup: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.nameLength,
      description: "Templates of the same group share a user's counters.",
    }),
  ),
};

const configOf = <P extends TProperties>(title: string, members: P, example: object) =>
  Strict(members, { title, examples: [example] });

export const CONFIGS = {
  gacha: configOf('GachaConfig', gacha, {
    baseRates: { five: 0.006, four: 0.051, three: 0.943 },
    pityThreshold: 90,
    softPity: [{ from: 74, add: 0.06 }],
  }),
  card_pack: configOf(
    'CardPackConfig',
    {
      ...common,
      slots: Type.Optional(
        Type.Array(
          Strict({
            count: Type.Integer({
              minimum: 1,
              maximum: LIMITS.packCards,
              description: 'Number of cards in this slot.',
            }),
            rates: Type.Optional({ ...Rates, description: 'Tier of `baseRates` → rate; defaults to `baseRates`.' }),
            classifierOptionIds: Type.Optional(
              Type.Array(Id, {
                maxItems: LIMITS.templateTiers,
                description: 'Only items that have one of these options of each classifier they belong to.',
              }),
            ),
          }),
          {
            minItems: 1,
            maxItems: LIMITS.packSlots,
            description: `At most ${LIMITS.packCards} cards in total; defaults to one slot of 5.`,
          },
        ),
      ),
      unique: Type.Optional(Type.Boolean({ description: 'No item appears twice in a pack.' })),
    },
    { baseRates: { rare: 0.2, common: 0.8 }, slots: [{ count: 4 }, { count: 1, rates: { rare: 1 } }] },
  ),
  roguelike: configOf(
    'RoguelikeConfig',
    {
      ...common,
      choices: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LIMITS.offerChoices,
          description: 'Number of items in an offer; defaults to 3.',
        }),
      ),
      depthScaling: Type.Optional(
        tierTable({ minimum: 0, maximum: 2 }, 'Tier → factor by which its rate is multiplied once per depth.'),
      ),
    },
    { baseRates: { rare: 0.1, common: 0.9 }, choices: 3, depthScaling: { rare: 1.1 } },
  ),
  idle: configOf(
    'IdleConfig',
    {
      ...gacha,
      rollsPerHour: Type.Number({
        exclusiveMinimum: 0,
        maximum: 1e6,
        description: 'How fast rolls accrue, with up to six decimals.',
      }),
      maxHours: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'How long rolls accrue; defaults to 24.' }),
      ),
    },
    { rollsPerHour: 2, maxHours: 12 },
  ),
};

/**
 * Validated by the type of the template, which a schema of the body cannot know; the OpenAPI document lists all four.
 */
export const Config = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'The configuration, depending on the type of the template. It is returned as it was given.',
  'x-any-of': Object.values(CONFIGS),
});
