import type { TemplateType } from '../systems/config.ts';
import { flag, integer, list, number, object, type Shape, table, text } from './shape.ts';

/** What the service allows: within these limits, compiling and rolling are quick. */
export const CONFIG_LIMITS = {
  templateTiers: 100,
  templateItems: 1000,
  pityThreshold: 1000,
  softPitySegments: 100,
  guaranteeAfterLosses: 10,
  packSlots: 20,
  packCards: 20,
  offerChoices: 20,
  offerDepth: 1000,
} as const;

const { templateTiers, templateItems, pityThreshold, softPitySegments } = CONFIG_LIMITS;

const ids = list(text, templateTiers);
const rates = table(number(0), { most: templateTiers });
const softPity = list(object({ from: integer(1, pityThreshold), add: number(0) }), softPitySegments);

const common = {
  baseRates: rates,
  pool: object({}, { classifierOptionIds: ids, itemIds: list(text, templateItems) }),
  pityThreshold: integer(0, pityThreshold),
  rateUpMultiplier: number(0),
  sparkCurrency: integer(0),
  featuredItemIds: list(text, templateItems),
  startsAt: text,
  endsAt: text,
};

const gacha = {
  ...common,
  pityTier: text,
  softPity,
  pities: list(
    object({ tier: text, threshold: integer(1, pityThreshold) }, { softPity, higherResets: flag }),
    templateTiers,
  ),
  featuredShare: number(0, 1),
  guaranteeAfterLosses: integer(1, CONFIG_LIMITS.guaranteeAfterLosses),
  pityGroup: text,
};

const slot = object(
  { count: integer(1, CONFIG_LIMITS.packCards) },
  {
    rates,
    classifierOptionIds: ids,
  },
);

/** Configurations as the contract of templates describes them, which the engine relies on. */
export const CONFIG_SHAPES: Readonly<Record<TemplateType | 'plain', Shape>> = {
  plain: object({}),
  gacha: object({}, gacha),
  idle: object({ rollsPerHour: number(0, 1e6) }, { ...gacha, maxHours: number(0, 1e6) }),
  card_pack: object({}, { ...common, slots: list(slot, CONFIG_LIMITS.packSlots), unique: flag }),
  roguelike: object(
    {},
    {
      ...common,
      choices: integer(1, CONFIG_LIMITS.offerChoices),
      depthScaling: table(number(0, 2), { most: templateTiers }),
    },
  ),
};
