import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Static } from 'typebox';
import { sortedBy } from '../../engine/byte-order.ts';
import { compileCatalog } from '../../engine/pool/catalog.ts';
import { rollAttributes } from '../../engine/pool/pool.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { ItemInstance } from '../item-instances/item-instances.contract.ts';
import type { RollResult } from '../rolls/rolls.contract.ts';
import { createPresenter, type StoredInstance } from './catalog.presenter.ts';
import { collectShownItems } from './shown-catalog.presenter.ts';

const AWKWARD = [
  'plain',
  'with "quotes"',
  'with a \\ backslash',
  'line\nbreak \u2028 and tab\t',
  '剣 🗡️ é',
  '\ud800 alone',
  '',
];

const CREATED_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const UPDATED_MS = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
const CREATED = '2026-01-02T03:04:05.006Z';
const UPDATED = '2026-12-31T23:59:59.999Z';

interface Given {
  readonly name?: string;
  readonly thumbnail?: string | null;
  readonly rollNumerator?: number;
  readonly min?: number;
}

/**
 * A catalog of one item, `sword`, with two options and three attributes listed in a different order than they are
 * drawn.
 */
const presenterOf = ({ name = 'Sword', thumbnail = null, rollNumerator = 1, min = 0 }: Given = {}) => {
  const options = [
    { id: 'rare', classifierId: 'rarity', name: `${name} rare`, dropRateMultiplier: 0.25 },
    { id: 'fire', classifierId: 'element', name: `${name} fire`, dropRateMultiplier: null },
  ];
  const listed = ['luck', 'armour', 'damage'].map((attributeId) => ({
    id: `sword-${attributeId}`,
    attributeId,
    min,
    max: 99.5,
    step: null,
  }));
  const catalog = compileCatalog(options, [
    {
      id: 'sword',
      name,
      rollNumerator,
      width: 2,
      height: 3,
      optionIds: options.map(({ id }) => id),
      attributes: listed,
    },
  ]);
  const sorted = sortedBy(listed, ({ id }) => id);
  const items = collectShownItems(options.map(({ id }) => id));
  items.add({
    thumbnail,
    rollNumerator,
    createdAtMs: CREATED_MS,
    updatedAtMs: UPDATED_MS,
    links: options.map(({ id }) => ({ id: `sword-${id}`, optionId: id })),
    attributeOrder: listed.map((attribute) => sorted.indexOf(attribute)),
  });
  const presenter = createPresenter(catalog, {
    teamId: 'team',
    attributes: new Map(
      listed.map(({ attributeId: id }) => [id, { id, name: `${name} ${id}`, min: -1, max: 1000, step: 0.5 }]),
    ),
    classifiers: new Map(['rarity', 'element'].map((id) => [id, { name: `${name} ${id}` }])),
    items: items.finish(),
  });
  return { presenter, catalog };
};

/** The item instance as the contract defines it. */
const instanceOf = (
  { name = 'Sword', thumbnail = null, rollNumerator = 1, min = 0 }: Given,
  { id, userId, placement }: StoredInstance,
  values: readonly (readonly [attributeId: string, value: number])[],
): Static<typeof ItemInstance> => ({
  id,
  userId,
  item: {
    id: 'sword',
    name,
    thumbnail,
    rollNumerator,
    width: 2,
    height: 3,
    createdAt: CREATED,
    updatedAt: UPDATED,
    teamId: 'team',
  },
  itemInstanceSpace: placement && {
    id: placement.id,
    itemInstanceId: id,
    teamUserSpaceId: placement.userSpaceId,
    spacePositionX: placement.x,
    spacePositionY: placement.y,
    rotated: placement.rotated,
    teamId: 'team',
    createdAt: CREATED,
    updatedAt: UPDATED,
  },
  classifiers: [
    { id: 'rarity', name: `${name} rarity`, classifierOption: { id: 'rare', name: `${name} rare` } },
    { id: 'element', name: `${name} element`, classifierOption: { id: 'fire', name: `${name} fire` } },
  ],
  attributes: values.map(([attributeId, value]) => ({
    id: `sword-${attributeId}`,
    attributeId,
    name: `${name} ${attributeId}`,
    value,
    min,
    max: 99.5,
  })),
});

const stored = (values: string, given: Partial<StoredInstance> = {}): StoredInstance => ({
  id: 'instance',
  itemId: 'sword',
  userId: 'player',
  data: null,
  isLocked: false,
  values,
  placement: null,
  ...given,
});

const ALL = '{"sword-armour":2,"sword-damage":3,"sword-luck":1}';
const ALL_LISTED = [
  ['luck', 1],
  ['armour', 2],
  ['damage', 3],
] as const;

describe('item instance as JSON', () => {
  test('has the attributes in the order of the item', () => {
    const { presenter } = presenterOf();
    assert.equal(presenter.instanceText(stored(ALL)), JSON.stringify(instanceOf({}, stored(ALL), ALL_LISTED)));
  });

  test('matches the contract for any name', () => {
    for (const name of AWKWARD) {
      const placement = {
        id: `placement ${name}`,
        userSpaceId: `bag ${name}`,
        x: 0,
        y: 199,
        rotated: true,
        createdAtMs: CREATED_MS,
        updatedAtMs: UPDATED_MS,
      };
      for (const thumbnail of [null, name]) {
        const { presenter } = presenterOf({ name, thumbnail });
        for (const where of [null, placement, { ...placement, rotated: false }]) {
          const instance = stored(ALL, { id: `instance ${name}`, userId: `player ${name}`, placement: where });
          assert.equal(
            presenter.instanceText(instance),
            JSON.stringify(instanceOf({ name, thumbnail }, instance, ALL_LISTED)),
          );
        }
      }
    }
  });

  test('matches the contract for any number', () => {
    for (const value of [0, -0, 0.1, -7.25, 1e21, 1e-7, 2 ** 53, 5e-324, Number.MAX_VALUE]) {
      const given = { rollNumerator: value, min: value };
      const instance = stored(`{"sword-damage":${Object.is(value, -0) ? '-0' : value}}`);
      assert.equal(
        presenterOf(given).presenter.instanceText(instance),
        JSON.stringify(instanceOf(given, instance, [['damage', value]])),
      );
    }
  });

  test('leaves out attributes without a value and values of attributes that the item no longer has', () => {
    const { presenter } = presenterOf();
    const cases: [string, [string, number][]][] = [
      ['{}', []],
      ['{"gone":5}', []],
      ['{"sword-luck":7,"gone":5}', [['luck', 7]]],
      ['{"sword-damage":3}', [['damage', 3]]],
    ];
    for (const [values, expected] of cases)
      assert.equal(
        presenter.instanceText(stored(values)),
        JSON.stringify(instanceOf({}, stored(values), expected)),
        values,
      );
  });

  test('is not written for an item that is not in the catalog', () => {
    assert.throws(() => presenterOf().presenter.instanceText(stored(ALL, { itemId: 'shield' })), /does not contain/);
  });
});

describe('roll result as JSON', () => {
  test('matches the contract for any name', () => {
    for (const name of AWKWARD) {
      const { presenter, catalog } = presenterOf({ name, thumbnail: name, rollNumerator: 0.5 });
      const [item] = catalog.items;
      assert.ok(item);
      const option = (id: string, classifierId: string, dropRateMultiplier: number | null) => ({
        id: `sword-${id}`,
        itemId: 'sword',
        classifierId,
        classifierOptionId: id,
        classifierOption: { id, name: `${name} ${id}`, dropRateMultiplier, classifierId },
      });
      const expected: RollResult = {
        item: {
          id: 'sword',
          name,
          thumbnail: name,
          rollNumerator: 0.5,
          width: 2,
          height: 3,
          createdAt: CREATED,
          updatedAt: UPDATED,
          teamId: 'team',
          classifiers: [option('rare', 'rarity', 0.25), option('fire', 'element', null)],
        },
        itemAttributeInstances: ['armour', 'damage', 'luck'].map((id) => ({
          itemAttributeId: `sword-${id}`,
          value: 0,
          attribute: { id, name: `${name} ${id}`, min: -1, max: 1000, step: 0.5, teamId: 'team' },
        })),
      };
      const rolled = { item, values: rollAttributes(item, () => 0) };
      assert.equal(presenter.rollText(rolled), JSON.stringify(expected));
      assert.equal(presenter.rollText(rolled, ',"tier":null'), JSON.stringify({ ...expected, tier: null }));
    }
  });
});

describe('presenter', () => {
  test('writes the right item when there are more items than it caches', () => {
    const count = LIMITS.cachedItemTexts + 10;
    const idOf = (place: number) => `item-${String(place).padStart(6, '0')}`;
    const catalog = compileCatalog(
      [],
      Array.from({ length: count }, (_, place) => ({
        id: idOf(place),
        name: `Item ${place}`,
        rollNumerator: 1,
        width: 1,
        height: 1,
        optionIds: [],
        attributes: [],
      })),
    );
    const items = collectShownItems([]);
    for (let place = 0; place < count; place += 1)
      items.add({
        thumbnail: `${place}.png`,
        rollNumerator: 1,
        createdAtMs: CREATED_MS,
        updatedAtMs: UPDATED_MS,
        links: [],
        attributeOrder: [],
      });
    const presenter = createPresenter(catalog, {
      teamId: 'team',
      attributes: new Map(),
      classifiers: new Map(),
      items: items.finish(),
    });
    for (const round of [1, 2])
      for (const [place, item] of catalog.items.entries()) {
        const shown = JSON.parse(presenter.rollText({ item, values: [] })).item;
        const instance = JSON.parse(presenter.instanceText(stored('{}', { itemId: item.id }))).item;
        assert.deepEqual([shown.id, shown.thumbnail], [idOf(place), `${place}.png`], `round ${round}`);
        assert.deepEqual([instance.id, instance.thumbnail], [idOf(place), `${place}.png`], `round ${round}`);
      }
  });
});
