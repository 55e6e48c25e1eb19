import { type Static, type TProperties, Type } from 'typebox';
import {
  Empty,
  GivenTimestamp,
  Id,
  Name,
  Nullable,
  OneOf,
  OwnId,
  Paging,
  PathId,
  responses,
  Strict,
  Timestamp,
} from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';

export const TEMPLATE_TYPES = ['gacha', 'roguelike', 'idle', 'card_pack'] as const;

const Tier = Type.String({
  minLength: 1,
  maxLength: LIMITS.nameLength,
  description: 'A classifier option: its id, or a name that only one option of the team bears.',
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
      description: 'Number of the roll from which it counts.',
    }),
    add: Type.Number({
      exclusiveMinimum: 0,
      description: "What each roll from there adds to the tier's share: 0.06 is six of a hundred.",
    }),
  }),
  { maxItems: LIMITS.softPitySegments, description: 'Segments in which the share grows, ascending by `from`.' },
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
            description: 'An item must have, for each classifier named, one of these options.',
          }),
        ),
        itemIds: Type.Optional(itemIds('Only these items.')),
      },
      { description: 'Narrows the pool first.' },
    ),
  ),
  pityThreshold: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.pityThreshold,
      description: 'The top tier is given at this roll at the latest; 0: never by pity.',
    }),
  ),
  rateUpMultiplier: Type.Optional(
    Type.Number({ minimum: 0, description: 'Multiplies the weights of featured items; 1 when left out.' }),
  ),
  sparkCurrency: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Points that a featured item costs; 0: no spark.',
    }),
  ),
  featuredItemIds: Type.Optional(itemIds('Featured items, all of the pool.')),
  startsAt: Type.Optional({ ...GivenTimestamp, description: 'Rolls before it are refused.' }),
  endsAt: Type.Optional({ ...GivenTimestamp, description: 'Rolls from then on are refused.' }),
};

const gacha = {
  ...common,
  pityTier: Type.Optional({ ...Tier, description: 'The tier that ranks first; else the one of the smallest share.' }),
  softPity: Type.Optional(SoftPity),
  pities: Type.Optional(
    Type.Array(
      Strict({
        tier: Tier,
        threshold: Type.Integer({
          minimum: 1,
          maximum: LIMITS.pityThreshold,
          description: 'The tier is due at this roll, unless a rarer one comes.',
        }),
        softPity: Type.Optional(SoftPity),
        higherResets: Type.Optional(
          Type.Boolean({ description: 'Whether a rarer result sets this counter to 0 too.' }),
        ),
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
      description: 'After so many that were not, the next is featured.',
    }),
  ),
  pityGroup: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.nameLength,
      description: 'Templates of one group share the counters of a player.',
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
            count: Type.Integer({ minimum: 1, maximum: LIMITS.packCards, description: 'Cards of this slot.' }),
            rates: Type.Optional({ ...Rates, description: 'Tier of `baseRates` → rate; `baseRates` when left out.' }),
            classifierOptionIds: Type.Optional(
              Type.Array(Id, {
                maxItems: LIMITS.templateTiers,
                description: 'Only items that have, for each classifier named, one of these options.',
              }),
            ),
          }),
          {
            minItems: 1,
            maxItems: LIMITS.packSlots,
            description: `At most ${LIMITS.packCards} cards in all; one slot of 5 when left out.`,
          },
        ),
      ),
      unique: Type.Optional(Type.Boolean({ description: 'No item twice in a pack.' })),
    },
    { baseRates: { rare: 0.2, common: 0.8 }, slots: [{ count: 4 }, { count: 1, rates: { rare: 1 } }] },
  ),
  roguelike: configOf(
    'RoguelikeConfig',
    {
      ...common,
      choices: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LIMITS.offerChoices, description: 'Items in an offer; 3 when left out.' }),
      ),
      depthScaling: Type.Optional(
        tierTable({ minimum: 0, maximum: 2 }, 'Tier → factor, by which its rate is multiplied once for each depth.'),
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
        description: 'How fast rolls accrue, to six decimals.',
      }),
      maxHours: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'How long they accrue; 24 when left out.' }),
      ),
    },
    { rollsPerHour: 2, maxHours: 12 },
  ),
};

/** Checked by the type of the template, which a schema of the body alone cannot know; the document lists all four. */
export const Config = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'The configuration, by the type of the template. It is answered as it was given.',
  'x-any-of': Object.values(CONFIGS),
});

export const TemplateType = OneOf(TEMPLATE_TYPES, { description: 'The game system.', examples: ['gacha'] });

const Template = Type.Object(
  { id: Id, teamId: Id, name: Name, type: TemplateType, config: Config, createdAt: Timestamp, updatedAt: Timestamp },
  { title: 'Template', description: 'The configuration of a game system.' },
);
export type Template = Static<typeof Template>;

const NewTemplate = Strict(
  {
    id: Type.Optional(OwnId),
    name: Name,
    type: Type.Optional({
      ...TemplateType,
      default: 'gacha' as const,
      description: 'The game system; `gacha` when left out.',
    }),
    config: Config,
    createdAt: Type.Optional(GivenTimestamp),
    updatedAt: Type.Optional(
      Nullable(GivenTimestamp, { description: 'When it was last changed; null means the same as leaving it out.' }),
    ),
  },
  { title: 'NewTemplate', examples: [{ name: 'Standard banner', config: { pityThreshold: 90 } }] },
);
export type NewTemplate = Static<typeof NewTemplate>;

const TemplateChange = Strict(
  { name: Type.Optional(Name), config: Type.Optional(Config) },
  { title: 'TemplateChange', examples: [{ name: 'Standard banner' }] },
);
export type TemplateChange = Static<typeof TemplateChange>;

const tags = ['Templates'];

export const createTemplate = {
  operationId: 'createTemplate',
  summary: 'Create a template',
  description:
    'A configuration of a game system: a gacha banner, card pack, roguelike offer or idle drop. It is checked against the catalog. A configuration whose exact odds would take too long to compute is rejected with 400.',
  tags,
  body: NewTemplate,
  response: responses('The template that was created.', Template, 400, 401, 403, 500),
};

export const listTemplates = {
  operationId: 'listTemplates',
  summary: 'List templates',
  description: 'Oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  querystring: Strict({ ...Paging }),
  response: responses('A page of templates.', Type.Array(Template), 400, 401, 403, 404, 500),
};

export const listTemplatesOfType = {
  operationId: 'listTemplatesOfType',
  summary: 'List templates of one type',
  description: 'Oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  params: Strict({ type: TemplateType }),
  querystring: Strict({ ...Paging }),
  response: responses('A page of templates.', Type.Array(Template), 400, 401, 403, 500),
};

export const getTemplate = {
  operationId: 'getTemplate',
  summary: 'Get a template',
  description: 'With its configuration, as it was saved.',
  tags,
  params: PathId,
  response: responses('The template.', Template, 400, 401, 403, 404, 500),
};

export const updateTemplate = {
  operationId: 'updateTemplate',
  summary: 'Update a template',
  description: '`config` replaces the whole configuration and is checked as on creation. The type cannot be changed.',
  tags,
  params: PathId,
  body: TemplateChange,
  response: responses('The template after the change.', Template, 400, 401, 403, 404, 500),
};

export const deleteTemplate = {
  operationId: 'deleteTemplate',
  summary: 'Delete a template',
  description: 'Deletes what it remembers about users too; roll statistics are kept.',
  tags,
  params: PathId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 500),
};
