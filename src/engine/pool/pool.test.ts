import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agrees, cheapDraws, countedDraws, listedDraws } from '../../../test/statistics.ts';
import { type CatalogItem, type CatalogOption, compileCatalog } from './catalog.ts';
import { compilePool, poolOdds, rollItem } from './pool.ts';

const option = (id: string, classifierId: string, dropRateMultiplier: number | null = null): CatalogOption => ({
  id,
  classifierId,
  name: id,
  dropRateMultiplier,
});

const item = (
  id: string,
  rollNumerator: number,
  optionIds: string[] = [],
  attributes: CatalogItem['attributes'] = [],
) => ({
  id,
  name: id.toUpperCase(),
  rollNumerator,
  width: 1,
  height: 1,
  optionIds,
  attributes,
});

const options = [
  option('rare', 'rarity', 0.1),
  option('common', 'rarity'),
  option('fire', 'element', 3),
  option('ice', 'element', 0),
];

const ids = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

describe('a pool', () => {
  const catalog = compileCatalog(options, [
    item('a', 1, ['rare', 'fire']),
    item('b', 1, ['common', 'fire']),
    item('c', 1, ['rare']),
    item('d', 1, ['common', 'ice']),
    item('e', 1),
  ]);

  test('contains every item without a filter', () => {
    assert.deepEqual(ids(compilePool(catalog).items), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(ids(compilePool(catalog, { classifierOptionIds: [] }).items), ['a', 'b', 'c', 'd', 'e']);
  });

  test('requires one of the listed options of each classifier', () => {
    assert.deepEqual(ids(compilePool(catalog, { classifierOptionIds: ['rare', 'common'] }).items), [
      'a',
      'b',
      'c',
      'd',
    ]);
    assert.deepEqual(ids(compilePool(catalog, { classifierOptionIds: ['common', 'fire', 'ice'] }).items), ['b', 'd']);
    assert.deepEqual(ids(compilePool(catalog, { classifierOptionIds: ['gone', 'rare'] }).items), []);
  });

  test('requires the listed items, and both if both are given', () => {
    assert.deepEqual(ids(compilePool(catalog, { itemIds: ['e', 'a'] }).items), ['a', 'e']);
    assert.deepEqual(ids(compilePool(catalog, { itemIds: ['e', 'a'], classifierOptionIds: ['fire'] }).items), ['a']);
    assert.deepEqual(ids(compilePool(catalog, { itemIds: [] }).items), []);
  });
});

describe('a plain roll', () => {
  const attributes = [
    { id: 'second', attributeId: 'armour', min: 0, max: 1, step: 0.1 },
    { id: 'first', attributeId: 'damage', min: 1, max: 10, step: null },
  ];
  const pool = compilePool(compileCatalog(options, [item('b', 1), item('a', 3, [], attributes), item('c', 0)]));

  test('uses the third draw for the item, then one per attribute in id order', () => {
    const rolled = rollItem(pool, listedDraws(0.99, 0.99, 0.74, 0, 0.999));
    assert.equal(rolled?.item.id, 'a');
    assert.deepEqual(rolled?.values, [
      { itemAttributeId: 'first', attributeId: 'damage', value: 1 },
      { itemAttributeId: 'second', attributeId: 'armour', value: 1 },
    ]);
    const { draws, count } = countedDraws(() => 0.75);
    assert.deepEqual(rollItem(pool, draws), { item: pool.items[1], values: [] });
    assert.equal(count(), 3);
  });

  test('returns undefined if nothing can be rolled', () => {
    for (const items of [[], [item('a', 0)], [item('a', 1e308), item('b', 1e308)], [item('a', 1e-300)]]) {
      assert.equal(
        rollItem(compilePool(compileCatalog(options, items)), () => 0.5),
        undefined,
      );
    }
  });

  test('publishes odds that sum to 1, including items that never drop', () => {
    assert.deepEqual(
      [...poolOdds(pool)].map(({ item: { id }, weight, odds }) => [id, weight, odds]),
      [
        ['a', 3, 0.75],
        ['b', 1, 0.25],
        ['c', 0, 0],
      ],
    );
    assert.deepEqual(
      [...poolOdds(compilePool(compileCatalog([], [item('a', 0)])))].map(({ odds }) => odds),
      [0],
    );
  });

  test('follows its odds by chi-square at the level 0.001, over 100,000 rolls', () => {
    const large = compilePool(
      compileCatalog(
        options,
        Array.from({ length: 50 }, (_, index) => item(`item-${index}`, index % 9, index % 2 ? ['rare'] : ['fire'])),
      ),
    );
    const places = new Map(large.items.map(({ id }, index) => [id, index]));
    const counts = large.items.map(() => 0);
    const draws = cheapDraws(8);
    for (let round = 0; round < 100_000; round += 1) {
      const place = places.get(rollItem(large, draws)?.item.id ?? '') ?? -1;
      counts[place] = (counts[place] ?? 0) + 1;
    }
    assert.ok(
      agrees(
        counts,
        [...poolOdds(large)].map(({ odds }) => odds),
        0.001,
      ),
    );
  });

  test('gives the same sequence for the same draws, in every version', () => {
    const draws = cheapDraws(9);
    const sequence = Array.from({ length: 12 }, () => rollItem(pool, draws));
    assert.deepEqual(
      sequence.map((rolled) => [rolled?.item.id, ...(rolled?.values ?? []).map(({ value }) => value)]),
      [
        ['a', 3, 0],
        ['a', 10, 0.7],
        ['a', 4, 0.4],
        ['a', 5, 0.6],
        ['b'],
        ['b'],
        ['b'],
        ['a', 10, 0.1],
        ['a', 5, 0.6],
        ['a', 1, 0.6],
        ['b'],
        ['a', 9, 0.7],
      ],
    );
  });
});
