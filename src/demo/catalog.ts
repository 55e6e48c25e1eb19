import { type Palette, picture, type Shape } from './pictures.ts';

/** A plausible catalog of a fantasy game, for the demo. */

export const ATTRIBUTES = [
  { id: 'damage', name: 'Damage', min: 1, max: 240 },
  { id: 'speed', name: 'Attack speed', min: 0.5, max: 3, step: 0.05 },
  { id: 'critical', name: 'Critical chance', min: 0, max: 50, step: 0.5 },
  { id: 'armour', name: 'Armour', min: 0, max: 180 },
  { id: 'ward', name: 'Elemental ward', min: 0, max: 75, step: 0.5 },
  { id: 'healing', name: 'Healing', min: 0, max: 500, step: 5 },
  { id: 'fortune', name: 'Fortune', min: 0, max: 30 },
] as const;

export const CLASSIFIERS = [
  {
    id: 'rarity',
    name: 'Rarity',
    classifierOptions: [
      { name: 'Common', dropRateMultiplier: 1 },
      { name: 'Uncommon', dropRateMultiplier: 0.45 },
      { name: 'Rare', dropRateMultiplier: 0.15 },
      { name: 'Epic', dropRateMultiplier: 0.04 },
      { name: 'Legendary', dropRateMultiplier: 0.008 },
    ],
  },
  {
    id: 'kind',
    name: 'Kind',
    classifierOptions: ['Weapon', 'Armour', 'Trinket', 'Consumable', 'Material'].map((name) => ({ name })),
  },
  {
    id: 'element',
    name: 'Element',
    classifierOptions: ['Fire', 'Frost', 'Storm', 'Nature', 'Shadow'].map((name) => ({ name })),
  },
] as const;

type Ranges = Partial<Record<(typeof ATTRIBUTES)[number]['id'], readonly [number, number]>>;

const item = (
  name: string,
  options: string,
  [shape, palette]: readonly [Shape, Palette],
  [width, height]: readonly [number, number],
  rollNumerator: number,
  ranges: Ranges = {},
) => ({ name, options: options.split(' '), thumbnail: picture(shape, palette), width, height, rollNumerator, ranges });

export const ITEMS = [
  item('Worn Shortsword', 'Common Weapon', ['sword', 'iron'], [1, 2], 120, { damage: [8, 14], speed: [1.1, 1.3] }),
  item("Woodcutter's Axe", 'Common Weapon', ['axe', 'iron'], [2, 2], 100, { damage: [12, 20], speed: [0.8, 0.95] }),
  item('Hunting Bow', 'Common Weapon', ['bow', 'wood'], [2, 3], 100, { damage: [9, 16], speed: [1, 1.2] }),
  item('Kitchen Knife', 'Common Weapon', ['dagger', 'iron'], [1, 1], 140, { damage: [4, 9], speed: [1.6, 1.9] }),
  item("Apprentice's Staff", 'Common Weapon', ['staff', 'wood'], [1, 3], 90, { damage: [7, 15], speed: [0.9, 1.1] }),
  item("Mason's Hammer", 'Common Weapon', ['hammer', 'iron'], [2, 2], 90, { damage: [14, 22], speed: [0.7, 0.85] }),
  item('Padded Jerkin', 'Common Armour', ['armour', 'leather'], [2, 3], 110, { armour: [6, 14] }),
  item("Traveller's Boots", 'Common Armour', ['boots', 'leather'], [2, 2], 110, { armour: [2, 6] }),
  item('Work Gloves', 'Common Armour', ['gloves', 'leather'], [2, 2], 110, { armour: [1, 4] }),
  item('Iron Cap', 'Common Armour', ['helm', 'iron'], [2, 2], 100, { armour: [4, 9] }),
  item('Plank Shield', 'Common Armour', ['shield', 'wood'], [2, 2], 100, { armour: [8, 15] }),
  item('Minor Healing Draught', 'Common Consumable', ['potion', 'blood'], [1, 1], 260, { healing: [40, 60] }),
  item('Bitter Tonic', 'Common Consumable', ['potion', 'nature'], [1, 1], 220, { healing: [20, 45] }),
  item('Scroll of Light', 'Common Consumable', ['scroll', 'gold'], [1, 1], 180),
  item('Copper Ore', 'Common Material', ['ore', 'wood'], [1, 1], 320),
  item('Iron Ore', 'Common Material', ['ore', 'iron'], [1, 1], 300),
  item('Marshwort', 'Common Material', ['herb', 'nature'], [1, 1], 280),
  item('Rough Quartz', 'Common Material', ['gem', 'iron'], [1, 1], 200),

  item('Soldier’s Longsword', 'Uncommon Weapon', ['sword', 'steel'], [1, 3], 100, {
    damage: [22, 34],
    speed: [1, 1.2],
  }),
  item('Bearded Axe', 'Uncommon Weapon', ['axe', 'steel'], [2, 2], 90, { damage: [28, 40], speed: [0.8, 1] }),
  item('Yew Longbow', 'Uncommon Weapon', ['bow', 'nature'], [2, 3], 90, { damage: [20, 36], speed: [0.95, 1.15] }),
  item('Stiletto', 'Uncommon Weapon', ['dagger', 'steel'], [1, 2], 90, { damage: [14, 22], critical: [5, 10] }),
  item('Ashen Wand', 'Uncommon Weapon Fire', ['staff', 'fire'], [1, 2], 80, { damage: [18, 33], critical: [3, 7] }),
  item('Chain Hauberk', 'Uncommon Armour', ['armour', 'steel'], [2, 3], 90, { armour: [24, 38] }),
  item('Riding Boots', 'Uncommon Armour', ['boots', 'wood'], [2, 2], 90, { armour: [8, 14] }),
  item('Archer’s Gloves', 'Uncommon Armour', ['gloves', 'nature'], [2, 2], 90, { armour: [5, 10], critical: [1, 4] }),
  item('Barbute', 'Uncommon Armour', ['helm', 'steel'], [2, 2], 90, { armour: [14, 22] }),
  item('Heater Shield', 'Uncommon Armour', ['shield', 'steel'], [2, 2], 90, { armour: [20, 30] }),
  item('Copper Band', 'Uncommon Trinket', ['ring', 'wood'], [1, 1], 110, { fortune: [1, 4] }),
  item('Healing Draught', 'Uncommon Consumable', ['potion', 'fire'], [1, 1], 160, { healing: [110, 160] }),
  item('Scroll of Return', 'Uncommon Consumable', ['scroll', 'moon'], [1, 1], 140),
  item('Silver Ore', 'Uncommon Material', ['ore', 'moon'], [1, 1], 170),
  item('Frostcap', 'Uncommon Material Frost', ['herb', 'frost'], [1, 1], 150),

  item('Emberfang', 'Rare Weapon Fire', ['dagger', 'fire'], [1, 2], 100, { damage: [34, 52], critical: [8, 16] }),
  item('Glacier Maul', 'Rare Weapon Frost', ['hammer', 'frost'], [2, 3], 90, { damage: [58, 84], ward: [4, 9] }),
  item('Galewind Bow', 'Rare Weapon Storm', ['bow', 'storm'], [2, 3], 90, { damage: [42, 66], speed: [1.2, 1.5] }),
  item('Thornstaff', 'Rare Weapon Nature', ['staff', 'nature'], [1, 3], 90, { damage: [40, 70], healing: [10, 40] }),
  item('Nightwatch Cloak', 'Rare Armour Shadow', ['cloak', 'shadow'], [2, 3], 90, { armour: [28, 44], ward: [6, 12] }),
  item('Warden’s Plate', 'Rare Armour', ['armour', 'gold'], [2, 3], 90, { armour: [56, 78] }),
  item('Stormward Shield', 'Rare Armour Storm', ['shield', 'storm'], [2, 3], 90, { armour: [40, 60], ward: [8, 14] }),
  item('Moonstone Ring', 'Rare Trinket', ['ring', 'moon'], [1, 1], 110, { fortune: [4, 9], ward: [2, 6] }),
  item('Hunter’s Talisman', 'Rare Trinket Nature', ['amulet', 'nature'], [1, 1], 100, { critical: [4, 9] }),
  item('Greater Healing Draught', 'Rare Consumable', ['potion', 'gold'], [1, 1], 140, { healing: [240, 320] }),
  item('Tome of Sparks', 'Rare Consumable Storm', ['tome', 'storm'], [1, 2], 80),
  item('Star Sapphire', 'Rare Material Frost', ['gem', 'frost'], [1, 1], 120),
  item('Gold Ore', 'Rare Material', ['ore', 'gold'], [1, 1], 130),

  item('Pyre, the Last Argument', 'Epic Weapon Fire', ['sword', 'fire'], [2, 3], 100, {
    damage: [92, 128],
    critical: [10, 20],
  }),
  item('Whisper of the Hollow', 'Epic Weapon Shadow', ['dagger', 'shadow'], [1, 2], 100, {
    damage: [64, 88],
    critical: [18, 30],
  }),
  item('Rimeheart Staff', 'Epic Weapon Frost', ['staff', 'frost'], [1, 3], 90, { damage: [84, 122], ward: [10, 18] }),
  item('Bulwark of the Vale', 'Epic Armour Nature', ['shield', 'nature'], [2, 3], 90, {
    armour: [88, 112],
    healing: [20, 60],
  }),
  item('Thunderlord’s Helm', 'Epic Armour Storm', ['helm', 'storm'], [2, 2], 90, { armour: [62, 84], ward: [12, 22] }),
  item('Cloak of Falling Stars', 'Epic Armour', ['cloak', 'frost'], [2, 3], 90, { armour: [50, 72], fortune: [6, 12] }),
  item('Band of the Third Wish', 'Epic Trinket', ['ring', 'gold'], [1, 1], 90, { fortune: [10, 18] }),
  item('Heart of the Volcano', 'Epic Trinket Fire', ['amulet', 'fire'], [1, 1], 80, {
    damage: [12, 24],
    ward: [15, 25],
  }),
  item('Elixir of Second Breath', 'Epic Consumable', ['potion', 'storm'], [1, 1], 110, { healing: [400, 500] }),

  item('Dawnbreaker', 'Legendary Weapon Fire', ['sword', 'gold'], [2, 4], 100, {
    damage: [168, 226],
    critical: [16, 32],
    fortune: [5, 10],
  }),
  item('Skypiercer', 'Legendary Weapon Storm', ['bow', 'gold'], [2, 4], 100, {
    damage: [150, 204],
    speed: [1.6, 2.1],
    critical: [18, 30],
  }),
  item('Worldroot', 'Legendary Weapon Nature', ['staff', 'gold'], [1, 4], 100, {
    damage: [140, 210],
    healing: [60, 120],
  }),
  item('Aegis of the First King', 'Legendary Armour', ['shield', 'gold'], [2, 3], 100, {
    armour: [140, 176],
    ward: [25, 40],
  }),
  item('Eye of the Deep', 'Legendary Trinket Frost', ['amulet', 'frost'], [1, 1], 100, {
    fortune: [18, 30],
    ward: [30, 50],
  }),
] as const;

export const SPACES = [
  { id: 'backpack', name: 'Backpack', cols: 10, rows: 6 },
  { id: 'stash', name: 'Stash', cols: 12, rows: 12 },
  { id: 'belt', name: 'Belt', cols: 8, rows: 1 },
] as const;

export const idOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[’']/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-');

export const TEMPLATES = [
  {
    id: 'dawn-banner',
    name: 'Banner of Dawn',
    type: 'gacha',
    disclosure: 'public',
    config: {
      baseRates: { Legendary: 0.006, Epic: 0.051, Rare: 0.943 },
      pityThreshold: 90,
      softPity: [{ from: 74, add: 0.06 }],
      pities: [{ tier: 'Epic', threshold: 10 }],
      featuredItemIds: ['dawnbreaker'],
      featuredShare: 0.5,
      guaranteeAfterLosses: 1,
      sparkCurrency: 200,
    },
  },
  {
    id: 'adventurers-pack',
    name: "Adventurer's Pack",
    type: 'card_pack',
    config: {
      baseRates: { Common: 0.66, Uncommon: 0.25, Rare: 0.07, Epic: 0.0165, Legendary: 0.0035 },
      slots: [{ count: 4 }, { count: 1, rates: { Rare: 0.86, Epic: 0.12, Legendary: 0.02 } }],
      unique: true,
      pityThreshold: 30,
    },
  },
  {
    id: 'emberfall-depths',
    name: 'Depths of Emberfall',
    type: 'roguelike',
    config: {
      baseRates: { Uncommon: 0.6, Rare: 0.3, Epic: 0.09, Legendary: 0.01 },
      choices: 3,
      depthScaling: { Rare: 1.05, Epic: 1.12, Legendary: 1.2 },
      pityThreshold: 25,
    },
  },
  {
    id: 'expedition',
    name: 'Expedition',
    type: 'idle',
    config: { baseRates: { Common: 0.8, Uncommon: 0.17, Rare: 0.03 }, rollsPerHour: 0.5, maxHours: 16 },
  },
] as const;

export const USERS = [
  'Aderyn',
  'Bastian',
  'Calla',
  'Dorian',
  'Elspeth',
  'Finnian',
  'Greta',
  'Halvard',
  'Isolde',
  'Jorah',
  'Keziah',
  'Leofric',
  'Mirela',
  'Nadia',
  'Osric',
  'Petra',
  'Quillon',
  'Rosalind',
  'Stellan',
  'Thessaly',
] as const;
