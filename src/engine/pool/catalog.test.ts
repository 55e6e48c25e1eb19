import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { item as itemOf } from '../../../test/catalogs.ts';
import { buildCatalog, type CatalogItemAttribute, type CatalogOption, compileCatalog } from './catalog.ts';

const option = (id: string, classifierId: string, dropRateMultiplier: number | null = null): CatalogOption => ({
  id,
  classifierId,
  name: id,
  dropRateMultiplier,
});

const options = [
  option('rare', 'rarity', 0.1),
  option('common', 'rarity'),
  option('fire', 'element', 3),
  option('ice', 'element', 0),
];

const item = (id: string, rollNumerator: number, optionIds: string[] = [], attributes: CatalogItemAttribute[] = []) =>
  itemOf(id, optionIds, rollNumerator, attributes);

const attribute = (id: string, range: Partial<CatalogItemAttribute> = {}): CatalogItemAttribute => ({
  id,
  attributeId: 'damage',
  min: 0,
  max: 10,
  step: null,
  ...range,
});

describe('a catalog', () => {
  test('weights an item by its roll numerator and the multipliers of its options, in id order', () => {
    const { items } = compileCatalog(options, [
      item('b', 1.3, ['rare', 'fire']),
      item('c', 4, ['common', 'ice']),
      item('a', 5),
    ]);
    assert.deepEqual(
      items.map(({ id, weight }) => [id, weight]),
      [
        ['a', 5],
        ['b', 1.3 * 3 * 0.1],
        ['c', 0],
      ],
    );
    assert.notEqual(1.3 * 3 * 0.1, 1.3 * 0.1 * 3, 'the order of the factors shows in the last bit');
  });

  test('rejects an unknown option', () => {
    assert.throws(() => compileCatalog([], [item('a', 1, ['gone'])]), /gone/);
  });

  test('has the name, footprint and place of each item', () => {
    const { items, itemsById } = compileCatalog(
      [],
      [
        { ...item('b', 1), name: 'Spear', width: 1, height: 4 },
        { ...item('a', 1), name: 'Shield', width: 2, height: 3 },
      ],
    );
    assert.deepEqual(
      items.map(({ id, place, name, width, height }) => [id, place, name, width, height]),
      [
        ['a', 0, 'Shield', 2, 3],
        ['b', 1, 'Spear', 1, 4],
      ],
    );
    assert.equal(itemsById.get('b'), items[1]);
  });

  test('has the attributes of each item in byte order of their ids', () => {
    const { items } = compileCatalog(
      [],
      [
        item('a', 1, [], [attribute('a2'), attribute('a1', { attributeId: 'luck', min: 1 })]),
        item('b', 1),
        item('c', 1, [], [attribute('c1', { max: 2 })]),
      ],
    );
    const shown = items.map(({ attributes }) =>
      attributes.map(({ itemAttributeId, attributeId, range: { min, max } }) => [
        itemAttributeId,
        attributeId,
        min,
        max,
      ]),
    );
    assert.deepEqual(shown, [
      [
        ['a1', 'luck', 1, 10],
        ['a2', 'damage', 0, 10],
      ],
      [],
      [['c1', 'damage', 0, 2]],
    ]);
    assert.deepEqual(
      items.map(({ attributeCount }) => attributeCount),
      [2, 0, 1],
    );
  });

  test('shares a range between item attributes that differ only in their ids', () => {
    const { items } = compileCatalog(
      [],
      [
        item('a', 1, [], [attribute('a1'), attribute('a2')]),
        item('b', 1, [], [attribute('b1'), attribute('b2', { step: 5 }), attribute('b3', { max: 11 })]),
      ],
    );
    const [a1, a2, b1, b2, b3] = items.flatMap(({ attributes }) => attributes.map(({ range }) => range));
    assert.ok(a1 !== undefined && a1 === a2 && a1 === b1);
    assert.equal(new Set([b1, b2, b3]).size, 3);
    assert.deepEqual([b1?.valueAt(0.99), b2?.valueAt(0.5), b3?.valueAt(0.99)], [10, 5, 11]);
  });

  test('accepts items in byte order only', () => {
    const catalog = buildCatalog([]);
    catalog.add(item('b', 1));
    assert.throws(() => catalog.add(item('a', 1)), /out of order/);
    assert.throws(() => catalog.add(item('b', 1)), /out of order/);
  });
});
