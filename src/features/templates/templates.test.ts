import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import {
  givesCoins,
  keepsTheRulesOfCreation,
  keepsTheRulesOfLists,
  keepsTheRulesOfRows,
  keepsTheRulesOfTimes,
} from '../../../test/rules.ts';

onEveryDatabase('templates', (service) => {
  const options: Record<string, string> = {};

  before(async () => {
    const classifierOptions = [{ name: 'five' }, { name: 'four' }, { name: 'three' }, { name: 'empty' }];
    const { body } = await service().post('/classifiers', { id: 'rarity', name: 'Rarity', classifierOptions });
    for (const option of body.classifierOptions) options[option.name] = option.id;
    for (const tier of ['five', 'four', 'three']) {
      for (const number of [1, 2, 3]) {
        const item = { id: `${tier}-${number}`, name: `${tier} ${number}`, classifierOptionIds: [options[tier]] };
        assert.equal((await service().post('/items', item)).status, 200);
      }
    }
  });

  const rates = { five: 0.006, four: 0.051, three: 0.943 };

  test('creates a gacha template by default, and returns the configuration as given', async () => {
    const config = { baseRates: rates, pityThreshold: 90, rateUpMultiplier: 2, sparkCurrency: 200 };
    const { status, body } = await service().post('/templates', { id: 'banner', name: 'Banner', config });
    assert.equal(status, 200);
    const { createdAt } = body;
    assert.deepEqual(body, {
      id: 'banner',
      teamId: service().teamId,
      name: 'Banner',
      type: 'gacha',
      config,
      verifiable: false,
      disclosure: 'private',
      createdAt,
      updatedAt: createdAt,
    });
    assert.deepEqual((await service().get('/templates/banner')).body, body);
  });

  test('saves every type', async () => {
    for (const [type, config] of Object.entries({
      gacha: {
        baseRates: rates,
        pityTier: 'five',
        softPity: [{ from: 74, add: 0.06 }],
        pities: [{ tier: 'four', threshold: 10, higherResets: true }],
        featuredItemIds: ['five-1'],
        featuredShare: 0.5,
        guaranteeAfterLosses: 1,
        pityGroup: 'limited',
        startsAt: '2026-01-01T00:00:00Z',
        endsAt: '2026-02-01T00:00:00+01:00',
      },
      card_pack: { baseRates: rates, slots: [{ count: 4 }, { count: 1, rates: { four: 9, five: 1 } }], unique: false },
      roguelike: { baseRates: rates, choices: 3, depthScaling: { five: 1.1 } },
      idle: { baseRates: rates, rollsPerHour: 0.5, maxHours: 12 },
    })) {
      const answer = await service().post('/templates', { id: `of-${type}`, name: type, type, config });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(answer.body.config, config);
      const listed = await service().get(`/templates/type/${type}`);
      assert.ok(listed.body.every((template: { type: string }) => template.type === type));
      assert.ok(listed.body.some((template: { id: string }) => template.id === `of-${type}`));
    }
  });

  test('changes name and configuration, and keeps what is left out', async () => {
    await service().post('/templates', { id: 'changing', name: 'Before', config: { pityThreshold: 10 } });
    const renamed = await service().put('/templates/changing', { name: 'After' });
    assert.deepEqual([renamed.body.name, renamed.body.config], ['After', { pityThreshold: 10 }]);
    const changed = await service().put('/templates/changing', { config: { baseRates: rates } });
    assert.deepEqual([changed.body.name, changed.body.config], ['After', { baseRates: rates }]);
    assert.deepEqual((await service().get('/templates/changing')).body, changed.body);
  });

  test('keeps a tier bound to its option when the option is renamed', async () => {
    const made = await service().post('/classifiers', { name: 'Season', classifierOptions: [{ name: 'spring' }] });
    const [option] = made.body.classifierOptions;
    await service().post('/items', { id: 'bud', name: 'Bud', classifierOptionIds: [option.id] });
    const config = { baseRates: { spring: 1 } };
    assert.equal((await service().post('/templates', { id: 'seasonal', name: 'Seasonal', config })).status, 200);
    const renaming = { classifierOptions: [{ id: option.id, name: 'summer' }] };
    assert.equal((await service().put(`/classifiers/${made.body.id}`, renaming)).status, 200);
    assert.deepEqual((await service().get('/templates/seasonal')).body.config, config);
    const rolled = await service().post('/templates/seasonal/roll', {});
    assert.deepEqual([rolled.status, rolled.body.rolls?.[0].item.id], [200, 'bud']);
    assert.equal((await service().get('/templates/seasonal/odds')).body.tiers[0].name, 'summer');
    const removal = await service().put(`/classifiers/${made.body.id}`, { classifierOptions: [] });
    assert.equal(removal.status, 409);
    assert.equal((await service().delete('/templates/seasonal')).status, 200);
    assert.equal((await service().put(`/classifiers/${made.body.id}`, { classifierOptions: [] })).status, 200);
  });

  test('prevents what a template refers to from being deleted', async () => {
    const config = { baseRates: rates, featuredItemIds: ['five-2'] };
    await service().post('/templates', { id: 'holder', name: 'Holder', config });
    const item = await service().delete('/items/five-2');
    assert.equal(item.status, 400);
    assert.match(item.body.issues[0].message, /Holder \(holder\)/);
    assert.equal((await service().delete('/classifiers/rarity')).status, 400);
    assert.deepEqual((await service().delete('/templates/holder')).body, {});
    assert.equal((await service().get('/templates/holder')).status, 404);
    const gone = await service().delete('/items/five-2');
    assert.equal(gone.status, 200, JSON.stringify(gone.body));
  });

  describe('rejects', () => {
    const faults = async (type: string, config: unknown): Promise<string[]> => {
      const answer = await service().post('/templates', { name: 'Wrong', type, config });
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      return issuePaths(answer)
        .map((path) => path.replace('/body/config', ''))
        .sort();
    };

    test('members that the type does not have, and values out of range, all at once', async () => {
      assert.deepEqual(await faults('gacha', { pityTreshold: 90, pityThreshold: -1, rateUpMultiplier: 'x' }), [
        '/pityThreshold',
        '/pityTreshold',
        '/rateUpMultiplier',
      ]);
      assert.deepEqual(await faults('card_pack', { featuredShare: 0.5 }), ['/featuredShare']);
      assert.deepEqual(await faults('roguelike', { choices: 21, pityGroup: 'x' }), ['/choices', '/pityGroup']);
      assert.deepEqual(await faults('idle', { slots: [] }), ['/rollsPerHour', '/slots']);
      assert.deepEqual(await faults('gacha', { startsAt: 'tomorrow' }), ['/startsAt']);
    });

    test('unknown options, tiers without items and contradictions, with their paths', async () => {
      assert.deepEqual(await faults('gacha', { baseRates: { nobody: 1, empty: 1 } }), [
        '/baseRates/empty',
        '/baseRates/nobody',
      ]);
      assert.deepEqual(await faults('gacha', { baseRates: { five: 0 } }), ['/baseRates']);
      assert.deepEqual(await faults('gacha', { baseRates: rates, featuredItemIds: ['five-1', 'gone'] }), [
        '/featuredItemIds/1',
      ]);
      assert.deepEqual(
        await faults('gacha', {
          baseRates: rates,
          softPity: [
            { from: 9, add: 0.1 },
            { from: 9, add: 0.1 },
          ],
        }),
        ['/softPity/1/from'],
      );
      assert.deepEqual(await faults('gacha', { startsAt: '2026-02-01T00:00:00Z', endsAt: '2026-01-31T23:59:59Z' }), [
        '/endsAt',
      ]);
    });

    test('a change to a configuration that is invalid for the type, and changes nothing', async () => {
      const before = await service().post('/templates', {
        id: 'kept',
        name: 'Kept',
        type: 'idle',
        config: { rollsPerHour: 1 },
      });
      const answer = await service().put('/templates/kept', { name: 'Other', config: { rollsPerHour: 0 } });
      assert.deepEqual(issuePaths(answer), ['/body/config/rollsPerHour']);
      assert.deepEqual((await service().get('/templates/kept')).body, before.body);
    });

    test('an unknown type, and a missing configuration', async () => {
      assert.deepEqual(issuePaths(await service().post('/templates', { name: 'X', type: 'slots', config: {} })), [
        '/body/type',
      ]);
      assert.deepEqual(issuePaths(await service().post('/templates', { name: 'X' })), ['/body/config']);
      assert.equal((await service().get('/templates/type/slots')).status, 400);
    });

    test('options and items of another team, as if they did not exist', async () => {
      const other = await service().anotherTeam();
      const byId = await other.post('/templates', {
        name: 'X',
        config: { baseRates: { [options.five as string]: 1 } },
      });
      assert.equal(byId.status, 400);
      const byItem = await other.post('/templates', { name: 'X', config: { pool: { itemIds: ['five-1'] } } });
      assert.deepEqual(issuePaths(byItem).slice(0, 1), ['/body/config/pool/itemIds/0']);
    });
  });

  const prepare = givesCoins();
  const create = async (client: Client, id: string) => {
    await prepare(client);
    return client.post('/templates', { id, name: id, config: {} });
  };

  describe('create', () => {
    keepsTheRulesOfCreation(service, '/templates', { config: {} }, prepare);
    keepsTheRulesOfTimes(service, '/templates', { name: 'dated', config: {} }, prepare);
  });

  describe('list', () => keepsTheRulesOfLists(service, '/templates', create));

  for (const [operation, call] of Object.entries<(client: Client, id: string) => Promise<ApiResponse>>({
    'GET /templates/{id}': (client, id) => client.get(`/templates/${id}`),
    'PUT /templates/{id}': (client, id) => client.put(`/templates/${id}`, { name: 'X' }),
    'DELETE /templates/{id}': (client, id) => client.delete(`/templates/${id}`),
    'POST /templates/{id}/roll': (client, id) => client.post(`/templates/${id}/roll`, {}),
    'GET /templates/{id}/odds': (client, id) => client.get(`/templates/${id}/odds`),
  }))
    keepsTheRulesOfRows(service, operation, call, create);
});
