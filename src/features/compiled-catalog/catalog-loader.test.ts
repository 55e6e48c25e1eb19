import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, onEveryDatabase, type Service } from '../../../test/harness.ts';
import { assertDone } from '../../../test/rules.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { type Catalogs, createCatalogs, type TeamCatalog } from './compiled-catalog.service.ts';

const ITEMS = 60;
const ROUNDS = 12;

/** The current catalog, once it is loaded. */
const currentOf = async ({ database }: Service, catalogs: Catalogs, teamId: string): Promise<TeamCatalog> =>
  database.read(teamId, (reader) => catalogs.current(reader));

/** Everything that is compiled or shown of a catalog. */
const contentsOf = ({ version, catalog, spaces, shown, everything }: TeamCatalog) => ({
  version,
  options: [...catalog.options.values()],
  spaces: [...spaces.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  attributes: [...shown.attributes.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  classifiers: [...shown.classifiers].sort(([a], [b]) => (a < b ? -1 : 1)),
  total: everything.picker.total,
  items: catalog.items.map((item) => ({
    ...{ id: item.id, place: item.place, name: item.name, weight: item.weight, width: item.width, height: item.height },
    optionIds: item.optionIds,
    attributes: item.attributes.map(({ range: { min, max, step }, ...rest }) => ({ ...rest, min, max, step })),
    shown: shown.items.at(item.place),
    order: shown.items.attributeOrderAt(item.place),
    found: catalog.itemsById.get(item.id) === item,
  })),
});

onEveryDatabase('a catalog of which an earlier version is known', (service) => {
  const stock = async (): Promise<{ team: Client; options: string[] }> => {
    const team = await service().anotherTeam();
    const classifierOptions = ['common', 'rare', 'epic'].map((name, index) => ({
      name,
      dropRateMultiplier: 1 / 2 ** index,
    }));
    for (const id of ['damage', 'speed']) assertDone(await team.post('/attributes', { id, name: id, max: 1000 }));
    const { body } = assertDone(await team.post('/classifiers', { id: 'rarity', name: 'Rarity', classifierOptions }));
    const options: string[] = body.classifierOptions.map(({ id }: { id: string }) => id);
    const changes = Array.from({ length: ITEMS }, (_, index) => ({
      kind: 'item',
      id: `item-${index}`,
      after: {
        ...{ id: `item-${index}`, name: `Item ${index}`, rollNumerator: 1 + index },
        classifierOptionIds: [options[index % 3]],
        itemAttributes: index % 2 === 0 ? [] : [{ attributeId: 'speed', min: 1, max: index }],
      },
    }));
    assertDone(await team.post('/catalog/publish', { changes, baseVersion: 3 }));
    return { team, options };
  };

  test('is what it would be if all of it were read, whatever has changed', async () => {
    const { team, options } = await stock();
    const draws = cheapDraws(11);
    const pick = (count: number): number => Math.floor(draws() * count);
    const someItem = () => `/items/item-${pick(ITEMS)}`;
    const changes: (() => Promise<{ status: number }>)[] = [
      () => team.put(someItem(), { rollNumerator: pick(50) }),
      () => team.put(someItem(), { name: `Name ${pick(100)}`, thumbnail: draws() < 0.5 ? null : 'picture.png' }),
      () => team.put(someItem(), { classifierOptionIds: options.slice(pick(3)) }),
      () =>
        team.put(someItem(), {
          itemAttributes: [
            { attributeId: 'speed', min: 0, max: 5 },
            { attributeId: 'damage', min: 1, max: pick(90) + 1 },
          ],
        }),
      () => team.put(someItem(), { width: 1 + pick(3) }),
      () => team.delete(someItem()),
      () =>
        team.post('/items', { id: `item-${pick(2 * ITEMS)}`, name: 'New', classifierOptionIds: [options[pick(2)]] }),
      () => team.put('/attributes/speed', { step: 1 + pick(3) }),
      () =>
        team.put('/classifiers/rarity', {
          classifierOptions: [{ id: options[0], dropRateMultiplier: pick(9) }, { id: options[1] }, { id: options[2] }],
        }),
      () => team.post('/spaces', { name: 'Bag', cols: 1 + pick(9), rows: 1 }),
      () => team.post('/templates', { name: 'Banner', config: {} }),
    ];
    const known = createCatalogs(service().database.read);
    await currentOf(service(), known, team.teamId);
    for (let round = 0; round < ROUNDS; round += 1) {
      const together = 1 + pick(4);
      for (let change = 0; change < together; change += 1) await changes[pick(changes.length)]?.();
      const renewed = await currentOf(service(), known, team.teamId);
      const fresh = await currentOf(service(), createCatalogs(service().database.read), team.teamId);
      assert.deepEqual(contentsOf(renewed), contentsOf(fresh));
    }
    assertDone(await team.put('/classifiers/rarity', { classifierOptions: [{ id: options[0] }] }));
    const renewed = await currentOf(service(), known, team.teamId);
    const fresh = await currentOf(service(), createCatalogs(service().database.read), team.teamId);
    assert.deepEqual(contentsOf(renewed), contentsOf(fresh));
  });
});
