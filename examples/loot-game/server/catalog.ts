/** The catalog of the game, as a document that is published as it is. In a real game it would be in files of its own. */
import { pictureOf, type Rarity, type ShapeName, sizeOf } from './art.ts';
import type { CardPackConfig, CatalogDocument, GachaConfig } from './itemwright.ts';

export const BANNER_ID = 'dawn-banner';
export const CHEST_ID = 'iron-chest';
export const SPACE_ID = 'bag';

const RARITIES: readonly Rarity[] = ['common', 'uncommon', 'rare', 'epic', 'legendary'];

const ATTRIBUTES = [
  { id: 'armour', name: 'Armour', min: 0, max: 200, step: null },
  { id: 'damage', name: 'Damage', min: 0, max: 200, step: null },
  { id: 'healing', name: 'Healing', min: 0, max: 500, step: 5 },
  { id: 'luck', name: 'Luck', min: 0, max: 50, step: null },
  { id: 'magic', name: 'Magic', min: 0, max: 100, step: null },
];

type Ranges = Partial<Record<'armour' | 'damage' | 'healing' | 'luck' | 'magic', readonly [number, number]>>;

const item = (id: string, name: string, rarity: Rarity, shape: ShapeName, ranges: Ranges = {}) => {
  const [width, height] = sizeOf(shape);
  return {
    id,
    name,
    thumbnail: pictureOf(shape, rarity),
    rollNumerator: 100,
    width,
    height,
    classifierOptionIds: [rarity],
    itemAttributes: Object.entries(ranges).map(([attributeId, [min, max]]) => ({
      id: `${id}.${attributeId}`,
      attributeId,
      min,
      max,
    })),
  };
};

const ITEMS = [
  item('rusty-dagger', 'Rusty Dagger', 'common', 'dagger', { damage: [3, 8] }),
  item('plank-shield', 'Plank Shield', 'common', 'shield', { armour: [5, 12] }),
  item('worn-boots', 'Worn Boots', 'common', 'boots', { armour: [2, 5] }),
  item('bitter-draught', 'Bitter Draught', 'common', 'potion', { healing: [20, 60] }),
  item('torn-scroll', 'Torn Scroll', 'common', 'scroll', { magic: [1, 4] }),
  item('rough-quartz', 'Rough Quartz', 'common', 'gem'),

  item('soldiers-sword', 'Soldier’s Sword', 'uncommon', 'sword', { damage: [14, 24] }),
  item('hunting-bow', 'Hunting Bow', 'uncommon', 'bow', { damage: [12, 28] }),
  item('iron-helm', 'Iron Helm', 'uncommon', 'helm', { armour: [12, 20] }),
  item('jade-ring', 'Jade Ring', 'uncommon', 'ring', { luck: [1, 4] }),
  item('forest-elixir', 'Forest Elixir', 'uncommon', 'potion', { healing: [80, 140] }),

  item('frost-staff', 'Frost Staff', 'rare', 'staff', { damage: [20, 34], magic: [12, 24] }),
  item('knights-plate', 'Knight’s Plate', 'rare', 'armour', { armour: [40, 64] }),
  item('storm-shield', 'Storm Shield', 'rare', 'shield', { armour: [30, 44], magic: [6, 12] }),
  item('moonstone-amulet', 'Moonstone Amulet', 'rare', 'amulet', { magic: [10, 20], luck: [2, 6] }),
  item('tome-of-sparks', 'Tome of Sparks', 'rare', 'tome', { magic: [18, 30] }),

  item('nightfang', 'Nightfang', 'epic', 'dagger', { damage: [48, 70], luck: [4, 9] }),
  item('widowmaker', 'Widowmaker', 'epic', 'axe', { damage: [72, 104] }),
  item('crown-of-thorns', 'Crown of Thorns', 'epic', 'crown', { armour: [24, 36], magic: [20, 34] }),
  item('heart-of-dusk', 'Heart of Dusk', 'epic', 'gem', { luck: [8, 16] }),

  item('dawnbreaker', 'Dawnbreaker', 'legendary', 'greatsword', { damage: [130, 180], luck: [10, 20] }),
  item('eye-of-the-deep', 'Eye of the Deep', 'legendary', 'amulet', { magic: [60, 95] }),
  item('first-kings-crown', 'First King’s Crown', 'legendary', 'crown', { armour: [60, 90], luck: [20, 40] }),
];

/** Soft pity raises the chance from the 35th roll on; the 50th is certain. */
const BANNER: GachaConfig = {
  baseRates: { legendary: 0.012, epic: 0.088, rare: 0.9 },
  pityThreshold: 50,
  softPity: [{ from: 35, add: 0.06 }],
  pities: [{ tier: 'epic', threshold: 10 }],
  featuredItemIds: ['dawnbreaker'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};

/** Three different things, of which the last is at least uncommon. */
const CHEST: CardPackConfig = {
  baseRates: { legendary: 0.004, epic: 0.026, rare: 0.1, uncommon: 0.25, common: 0.62 },
  slots: [{ count: 2 }, { count: 1, rates: { legendary: 0.01, epic: 0.06, rare: 0.28, uncommon: 0.65 } }],
  unique: true,
  pityThreshold: 40,
};

const template = (id: string, name: string, type: 'gacha' | 'card_pack', config: GachaConfig | CardPackConfig) => ({
  id,
  name,
  type,
  config,
  bindings: Object.fromEntries(Object.keys(config.baseRates ?? {}).map((tier) => [tier, tier])),
  // Players can check each roll, and anyone can read the odds.
  verifiable: true as const,
  disclosure: 'public' as const,
});

export const CATALOG: CatalogDocument = {
  formatVersion: 1,
  attributes: ATTRIBUTES,
  classifiers: [
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: RARITIES.map((id) => ({
        id,
        name: `${id[0]?.toUpperCase()}${id.slice(1)}`,
        dropRateMultiplier: null,
      })),
    },
  ],
  spaces: [{ id: SPACE_ID, name: 'Bag', cols: 8, rows: 8 }],
  items: ITEMS,
  templates: [
    template(BANNER_ID, 'Banner of Dawn', 'gacha', BANNER),
    template(CHEST_ID, 'Iron chest', 'card_pack', CHEST),
  ],
};
