import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { assertDone } from '../../../test/rules.ts';
import { LIMITS } from '../../shared/limits.ts';

/** As if the catalogs below were large. */
const SMALL = { inlineItems: 20, changesPerWrite: 10 };
const ITEMS = 60;

interface Item {
  readonly id: string;
  readonly classifiers: readonly { readonly classifierOption: { readonly id: string } }[];
  readonly updatedAt: string;
}

onEveryDatabase('single changes of a large catalog', (service) => {
  const limits = { ...LIMITS };
  after(() => {
    Object.assign(LIMITS, limits);
  });
  const optionOf = (number: number): string => (number < 2 ? 'epic' : 'common');

  before(async () => {
    Object.assign(LIMITS, SMALL);
    const classifierOptions = ['common', 'epic'].map((id) => ({ id, name: id, dropRateMultiplier: null }));
    const items = Array.from({ length: ITEMS }, (_, number) => ({
      ...{ id: `item-${number}`, name: `Item ${number}`, classifierOptionIds: [optionOf(number), 'shiny'] },
    }));
    const config = { baseRates: { common: 0.9, epic: 0.1 } };
    assertDone(
      await service().post('/catalog/publish', {
        ...{ formatVersion: 1, baseVersion: 0, attributes: [], spaces: [] },
        classifiers: [
          { id: 'rarity', name: 'Rarity', classifierOptions },
          { id: 'look', name: 'Look', classifierOptions: [{ id: 'shiny', name: 'shiny', dropRateMultiplier: null }] },
        ],
        items,
        templates: [{ id: 'banner', name: 'Banner', type: 'gacha', config }],
      }),
    );
  });

  const itemsNow = async (): Promise<Item[]> => assertDone(await service().get('/items?limit=1000')).body;
  const versionNow = async (): Promise<number> =>
    assertDone(await service().get('/catalog/versions?limit=1')).body[0].version;
  const has = (item: Item, option: string): boolean =>
    item.classifiers.some(({ classifierOption }) => classifierOption.id === option);

  /** Every version can be undone, so the history says what happened. */
  const assertHistory = async () => {
    const first = assertDone(await service().get('/catalog?version=1')).body;
    assert.equal(first.items.length, ITEMS);
  };

  test('creates an item without an id that templates must be checked for, once', async () => {
    const version = await versionNow();
    const { body } = assertDone(
      await service().post('/items', { name: 'Another', classifierOptionIds: ['shiny', 'common'] }),
    );
    const both = await service().post('/items', { name: 'Torn', classifierOptionIds: ['epic', 'common'] });
    assert.equal(both.status, 409, JSON.stringify(both.body));
    const found = await itemsNow();
    assert.equal(found.filter(({ id }) => id === body.id).length, 1);
    assert.equal(found.length, ITEMS + 1);
    assert.equal(await versionNow(), version + 1);
    assertDone(await service().delete(`/items/${body.id}`));
  });

  test('rejects what would leave a template unable to roll', async () => {
    assertDone(await service().put('/items/item-0', { rollNumerator: 0 }));
    const last = await service().put('/items/item-1', { rollNumerator: 0 });
    assert.equal(last.status, 409, JSON.stringify(last.body));
    assert.match(last.body.issues[0].message, /template Banner \(banner\)/);
    const multiplied = await service().put('/classifiers/rarity', {
      classifierOptions: [
        { id: 'common', name: 'common', dropRateMultiplier: 0 },
        { id: 'epic', name: 'epic', dropRateMultiplier: null },
      ],
    });
    assert.equal(multiplied.status, 409, JSON.stringify(multiplied.body));
    assertDone(await service().put('/items/item-0', { rollNumerator: 100 }));
  });

  test('takes an option from more items than are written at once, while others change the catalog', async () => {
    const version = await versionNow();
    const before = await itemsNow();
    const [removed, ...others] = await Promise.all([
      service().put('/classifiers/look', { classifierOptions: [{ name: 'dull' }] }),
      ...[3, 4, 5].map((number) => service().put(`/items/item-${number}`, { name: `Renamed ${number}` })),
      service().post('/items', { id: 'meanwhile', name: 'Meanwhile', classifierOptionIds: ['common'] }),
    ]);
    for (const answer of [removed, ...others]) assertDone(answer);
    const found = await itemsNow();
    assert.deepEqual(
      found.filter((item) => has(item, 'shiny')),
      [],
    );
    assert.equal(found.filter((item) => has(item, 'common')).length, ITEMS - 2 + 1);
    const told = new Map(before.map(({ id, updatedAt }) => [id, updatedAt]));
    // To lose an option is no change of an item by its author.
    for (const { id, updatedAt } of found.filter(({ id }) => !/^(?:item-[345]|meanwhile)$/.test(id)))
      assert.equal(updatedAt, told.get(id), id);
    assert.equal(await versionNow(), version + 5);
    await assertHistory();
  });

  test('deletes a classifier that more items have than are written at once', async () => {
    const rejected = await service().delete('/classifiers/rarity');
    assert.equal(rejected.status, 400, JSON.stringify(rejected.body));
    assertDone(await service().delete('/templates/banner'));
    assertDone(await service().delete('/classifiers/rarity'));
    for (const { id, classifiers } of await itemsNow()) assert.deepEqual(classifiers, [], id);
    await assertHistory();
  });
});
