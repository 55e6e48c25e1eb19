import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, createEmptyDatabase, ENGINES, onEveryDatabase, startService } from '../../../test/harness.ts';
import { assertDone, assertInvalid } from '../../../test/rules.ts';

const textOf = async (address: string, { teamId, secret }: Client, query = ''): Promise<string> => {
  const authorization = `Basic ${Buffer.from(`${teamId}:${secret}`).toString('base64')}`;
  const response = await fetch(`${address}/catalog${query}`, { headers: { authorization } });
  assert.equal(response.status, 200, query);
  return response.text();
};

/** Changes a catalog in many ways. */
const play = async (team: Client): Promise<void> => {
  const { body: rarity } = assertDone(
    await team.post('/classifiers', {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: [{ name: 'Z last' }, { name: 'A first', dropRateMultiplier: 0.1 }],
    }),
  );
  const [plain, rare] = rarity.classifierOptions.map(({ id }: { id: string }) => id);
  assertDone(await team.post('/attributes', { id: 'power', name: 'Power "x" \n ü 👾', min: -0.1, max: 1e300 }));
  assertDone(await team.post('/attributes', { id: 'Luck', name: 'Luck', step: 5e-324 }));
  const itemAttributes = [
    { attributeId: 'power', min: 0, max: 1 },
    { attributeId: 'Luck', min: 1, max: 2 },
  ];
  assertDone(
    await team.post('/items', { id: 'sword', name: 'Sword', classifierOptionIds: [rare, plain], itemAttributes }),
  );
  assertDone(
    await team.post('/items', { id: 'Axe', name: 'Axe', thumbnail: 'https://x/a.png', classifierOptionIds: [rare] }),
  );
  assertDone(await team.post('/items', { id: 'club', name: 'Club', classifierOptionIds: [plain], width: 2 }));
  assertDone(await team.put('/items/sword', { classifierOptionIds: [rare] }));
  assertDone(await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 3 }));
  const config = { baseRates: { 'A first': 1, 'Z last': 9 }, pityThreshold: 10 };
  assertDone(await team.post('/templates', { id: 'dawn', name: 'Dawn', config }));
  assertDone(
    await team.put('/classifiers/rarity', { classifierOptions: [{ id: rare, name: 'Renamed' }, { id: plain }] }),
  );
  assertDone(await team.put('/templates/dawn', { config: { ...config, baseRates: { [rare]: 2, [plain]: 1 } } }));
};

onEveryDatabase('the document of a catalog', (service) => {
  test('of a new team is empty', async () => {
    const team = await service().anotherTeam();
    assert.equal(
      await textOf(service().address, team),
      '{\n  "formatVersion": 1,\n  "attributes": [],\n  "classifiers": [],\n  "spaces": [],\n  "items": [],\n  "templates": []\n}\n',
    );
    assert.equal((await team.get('/catalog')).headers.get('etag'), '"0"');
  });

  test('contains everything, in order of ids, without times and team', async () => {
    const team = await service().anotherTeam();
    await play(team);
    const { body } = assertDone(await team.get('/catalog'));
    assert.deepEqual(
      [body.attributes, body.classifiers, body.spaces, body.items, body.templates].map((list) =>
        list.map(({ id }: { id: string }) => id),
      ),
      [['Luck', 'power'], ['rarity'], ['bag'], ['Axe', 'club', 'sword'], ['dawn']],
    );
    assert.ok(!/teamId|createdAt|updatedAt/.test(JSON.stringify(body)));
    const [first, second] = body.classifiers[0].classifierOptions;
    assert.deepEqual([first.name, second.name], ['Renamed', 'Z last']);
    assert.deepEqual(body.templates[0].bindings, { [first.id]: first.id, [second.id]: second.id });
  });

  test('of every earlier version is what it was then', async () => {
    const team = await service().anotherTeam();
    const { address } = service();
    const texts = [await textOf(address, team)];
    /** Keeps the document after each change. */
    const watched: Client = {
      ...team,
      post: async (...request) => keep(await team.post(...request)),
      put: async (...request) => keep(await team.put(...request)),
      delete: async (...request) => keep(await team.delete(...request)),
    };
    const keep = async <T extends { readonly status: number }>(response: T): Promise<T> => {
      if (response.status === 200) texts.push(await textOf(address, team));
      return response;
    };
    await play(watched);
    assertDone(await watched.delete('/templates/dawn'));
    assertDone(await watched.delete('/classifiers/rarity'));
    for (const id of ['sword', 'Axe', 'club']) assertDone(await watched.delete(`/items/${id}`));
    assert.ok(texts.length > 15, `${texts.length}`);
    for (const [version, text] of texts.entries())
      assert.equal(await textOf(address, team, `?version=${version}`), text, `version ${version}`);
    const last = assertDone(await team.get('/catalog?version=3'));
    assert.equal(last.headers.get('etag'), '"3"');
    assert.equal((await team.get(`/catalog?version=${texts.length}`)).status, 404);
    assertInvalid(await team.get('/catalog?version=-1'), '/query/version');
    assertInvalid(await team.get('/catalog?version=x'), '/query/version');
  });

  test('of an earlier version is not made from a damaged history', async () => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'a', name: 'A' }));
    assertDone(await team.put('/items/a', { name: 'B' }));
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries.updateTable('items').set({ name: 'C' }).where('team_id', '=', team.teamId).execute(),
    );
    assert.equal((await team.get('/catalog?version=1')).status, 500);
    assert.equal((await team.get('/catalog')).status, 200);
  });
});

test('the document of a catalog is the same on both databases', async () => {
  const texts = new Set<string>();
  for (const engine of ENGINES) {
    const empty = await createEmptyDatabase(engine);
    const service = await startService(empty.url);
    try {
      await play(service);
      const text = await textOf(service.address, service);
      // Generated ids differ from team to team.
      const numbers = new Map<string, number>();
      texts.add(
        text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
          if (!numbers.has(id)) numbers.set(id, numbers.size);
          return `id-${numbers.get(id)}`;
        }),
      );
    } finally {
      await service.stop();
      await empty.drop();
    }
  }
  assert.equal(texts.size, 1);
});
