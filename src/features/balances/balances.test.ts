import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertConflict, assertDone, assertInvalid, assertNotFound } from '../../../test/rules.ts';
import { checkAll } from '../../maintenance/check/check.ts';
import { LIMITS } from '../../shared/limits.ts';

const MOST = LIMITS.balance;

onEveryDatabase('balances', (service) => {
  const teamWithGems = async (spend = 'freeFirst'): Promise<Client> => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'gem', name: 'Gem', currency: true, spend, rollNumerator: 0 }));
    assertDone(await team.post('/items', { id: 'coin', name: 'Coin', currency: true }));
    assertDone(await team.post('/items', { id: 'sword', name: 'Sword', rollNumerator: 0 }));
    return team;
  };
  const add = (team: Client, quantity: unknown, more: object = {}, userId = 'ann') =>
    team.post(`/users/${userId}/balances`, { itemId: 'gem', quantity, ...more });
  const consume = (team: Client, quantity: unknown, userId = 'ann') =>
    team.post(`/users/${userId}/consume`, { units: [{ itemId: 'gem', quantity }] });
  const balances = async (team: Client, userId = 'ann') =>
    assertDone(await team.get(`/users/${userId}/balances?lots=true`)).body;
  const history = async (team: Client, itemId = 'gem', userId = 'ann') =>
    assertDone(await team.get(`/users/${userId}/balances/${itemId}/history`)).body;
  const findings = async (): Promise<string[]> => {
    const found: string[] = [];
    await service().database.snapshot((snapshot) => checkAll(snapshot, (_, finding) => found.push(finding)));
    return found;
  };
  const paid = (unitPrice: string) => ({ unitPrice, money: 'EUR' });
  const lot = (quantity: number, unitPrice: string | null = null) => ({
    ...{ quantity, unitPrice, money: unitPrice && 'EUR' },
  });

  test('are added to and taken from, and every change is in the ledger with its author and reason', async () => {
    const team = await teamWithGems();
    const because = { headers: { 'itemwright-reason': 'a lost purchase', 'x-request-id': 'the-request' } };
    const { body: added } = assertDone(
      await team.post('/users/ann/balances', { itemId: 'gem', quantity: 100 }, because),
    );
    assert.deepEqual(added, { itemId: 'gem', change: 100, total: 100, lots: [lot(100)] });
    const { body: taken } = assertDone(await consume(team, 30));
    assert.deepEqual(taken.consumed, [{ itemId: 'gem', change: -30, total: 70, lots: [lot(-30)] }]);
    assert.deepEqual(await balances(team), [
      { itemId: 'gem', quantity: 70, paid: 0, free: 70, lots: [{ ...lot(70), since: null }] },
    ]);
    const { body: short } = assertDone(await team.get('/users/ann/balances'));
    assert.deepEqual(short, [{ itemId: 'gem', quantity: 70, paid: 0, free: 70 }]);
    const [second, first, ...others] = await history(team);
    assert.deepEqual(others, []);
    const { body: secrets } = await team.get('/secrets');
    assert.deepEqual(first, {
      ...{ sequence: 1, itemId: 'gem', change: 100, before: 0, after: 100, lots: [lot(100)], cause: 'request' },
      ...{ author: secrets[0].name, reason: 'a lost purchase', requestId: 'the-request', createdAt: first.createdAt },
    });
    assert.deepEqual([second.sequence, second.before, second.after, second.cause], [2, 100, 70, 'consumed']);
    assertDone(await consume(team, 70));
    assert.deepEqual(await balances(team), []);
    assert.deepEqual(await findings(), []);
  });

  for (const [spend, left] of [
    ['freeFirst', { paid: 3, free: 0, taken: [lot(-5), lot(-7, '0.99')] }],
    ['paidFirst', { paid: 0, free: 3, taken: [lot(-10, '0.99'), lot(-2)] }],
  ] as const)
    test(`are spent in the order that the currency says: ${spend}`, async () => {
      const team = await teamWithGems(spend);
      assertDone(await add(team, 10, paid('0.99')));
      assertDone(await add(team, 5));
      const { body } = assertDone(await consume(team, 12));
      assert.deepEqual(body.consumed[0].lots, left.taken);
      const [balance] = await balances(team);
      assert.deepEqual([balance.quantity, balance.paid, balance.free], [3, left.paid, left.free]);
      const { body: report } = assertDone(await team.get('/balances/report?itemId=gem'));
      assert.deepEqual(report.prices, left.paid === 0 ? [] : [{ ...lot(left.paid, '0.99') }]);
      assert.deepEqual(await findings(), []);
    });

  test('keep paid units apart by what they cost, and spend the oldest first', async () => {
    const team = await teamWithGems();
    for (const [quantity, unitPrice] of [
      [10, '0.10'],
      [20, '0.2'],
      [30, '0.1'],
      [1, '000.1'],
    ] as const) {
      const response = await add(team, quantity, paid(unitPrice));
      if (unitPrice.startsWith('00')) assertInvalid(response, '/body/unitPrice');
      else assertDone(response);
    }
    const [{ lots }] = await balances(team);
    assert.deepEqual(
      lots.map(({ since: _, ...rest }: { since: string }) => rest),
      [lot(40, '0.1'), lot(20, '0.2')],
    );
    const { body } = assertDone(await consume(team, 45));
    assert.deepEqual(body.consumed[0].lots, [lot(-40, '0.1'), lot(-5, '0.2')]);
    assert.deepEqual(await findings(), []);
  });

  test('hold units at a hundred prices', async () => {
    const team = await teamWithGems();
    for (let price = 1; price <= LIMITS.lotsPerBalance; price += 1) assertDone(await add(team, 1, paid(`${price}.5`)));
    assertConflict(await add(team, 1, paid('101')), '/body/unitPrice');
    assertDone(await add(team, 1, paid('7.50')));
    const [{ quantity, lots }] = await balances(team);
    assert.deepEqual([quantity, lots.length], [101, 100]);
  });

  test('are taken all or nothing, and what is missing is named', async () => {
    const team = await teamWithGems();
    assertDone(await add(team, 159));
    assertDone(await team.post('/users/ann/balances', { itemId: 'coin', quantity: 5 }));
    const units = [
      { itemId: 'coin', quantity: 5 },
      { itemId: 'gem', quantity: 160 },
    ];
    const before = [await balances(team), await history(team), await history(team, 'coin')];
    const response = await team.post('/users/ann/consume', { units });
    assertConflict(response, '/body/units/1/quantity');
    assert.match(response.body.issues[0].message, /1 are missing/);
    assert.deepEqual([await balances(team), await history(team), await history(team, 'coin')], before);
    assertDone(await add(team, 1));
    const { body } = assertDone(await team.post('/users/ann/consume', { units }));
    assert.deepEqual(
      body.consumed.map(({ total }: { total: number }) => total),
      [0, 0],
    );
  });

  test('refuse numbers that are none, and more than 10^15', async () => {
    const team = await teamWithGems();
    for (const quantity of [0, -1, 1.5, MOST + 1, 2 ** 53, 1e300, '5', null, true, [], {}]) {
      assertInvalid(await add(team, quantity), '/body/quantity');
      assertInvalid(await consume(team, quantity), '/body/units/0/quantity');
    }
    for (const unitPrice of ['', '0', '0.0', '-1', '+1', '1e3', '.5', '5.', '1,5', ' 1', 'NaN', '1'.repeat(13), 0.5])
      assertInvalid(await add(team, 1, { unitPrice, money: 'EUR' }), '/body/unitPrice');
    for (const money of ['', 'eur', 'EURO', 'E1R', 978]) {
      assertInvalid(await add(team, 1, { unitPrice: '1', money }), '/body/money');
    }
    assertInvalid(await add(team, 1, { unitPrice: '1' }), '/body/money');
    assertInvalid(await add(team, 1, { money: 'EUR' }), '/body/unitPrice');
    assertDone(await add(team, MOST - 1));
    assertConflict(await add(team, 2), '/body/quantity');
    assertDone(await add(team, 1, paid('0.000000000001')));
    assertConflict(await add(team, 1), '/body/quantity');
    const [{ quantity }] = await balances(team);
    assert.equal(quantity, MOST);
    const { body } = assertDone(await consume(team, MOST));
    assert.equal(body.consumed[0].total, 0);
    assert.deepEqual(await findings(), []);
  });

  test('are of currencies and users of the team', async () => {
    const team = await teamWithGems();
    const other = await teamWithGems();
    assertDone(await add(other, 5, {}, 'bob'));
    for (const itemId of ['sword', 'nothing', 'Gem']) {
      assertInvalid(await team.post('/users/ann/balances', { itemId, quantity: 1 }), '/body/itemId');
      assertInvalid(await team.get(`/balances/report?itemId=${itemId}`), '/query/itemId');
    }
    assertDone(await add(team, 1));
    const sword = { units: [{ itemId: 'sword', quantity: 1 }] };
    assertInvalid(await team.post('/users/ann/consume', sword), '/body/units/0/itemId');
    const twice = { units: [1, 2].map((quantity) => ({ itemId: 'gem', quantity })) };
    assertInvalid(await team.post('/users/ann/consume', twice), '/body/units/1/itemId');
    assertInvalid(await team.post('/users/ann/consume', { units: [] }), '/body/units');
    for (const path of ['/users/bob/balances', '/users/bob/balances/gem/history']) assertNotFound(await team.get(path));
    assertNotFound(await consume(team, 1, 'bob'));
    assert.equal((await balances(other, 'bob'))[0].quantity, 5);
  });

  test('lose nothing when many add and take at once', async () => {
    const team = await teamWithGems();
    await Promise.all(Array.from({ length: 50 }, (_, index) => add(team, 10, index % 2 === 0 ? {} : paid('0.5'))));
    const responses = await Promise.all(Array.from({ length: 120 }, () => consume(team, 5)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 100);
    assert.equal(responses.filter(({ status }) => status === 409).length, 20);
    assert.deepEqual(await balances(team), []);
    assert.equal((await history(team)).length, 150);
    assert.deepEqual(await findings(), []);
  });

  test('have a ledger in pages, newest first', async () => {
    const team = await teamWithGems();
    for (let quantity = 1; quantity <= 5; quantity += 1) assertDone(await add(team, quantity));
    const pages: number[][] = [];
    for (let path: string | undefined = '/users/ann/balances/gem/history?limit=2'; path !== undefined; ) {
      const { body, headers } = assertDone(await team.get(path));
      pages.push(body.map(({ change }: { change: number }) => change));
      path = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(pages, [[5, 4], [3, 2], [1]]);
  });

  test('are reported as of a moment, over all users', async () => {
    const team = await teamWithGems();
    const start = Date.parse('2026-05-01T00:00:00.000Z');
    const at = async (hour: number, work: () => Promise<unknown>) => {
      service().setClock(start + hour * 3_600_000);
      await work();
    };
    const reportAt = async (hour: number) => {
      const moment = new Date(start + hour * 3_600_000).toISOString();
      return assertDone(await team.get(`/balances/report?itemId=gem&at=${moment}`)).body;
    };
    await at(1, async () => assertDone(await add(team, 10, paid('0.99'))));
    await at(2, async () => assertDone(await add(team, 20, paid('0.5'), 'bob')));
    await at(3, async () => assertDone(await add(team, 5, { unitPrice: '9', money: 'CHF' }, 'bob')));
    await at(4, async () => assertDone(await consume(team, 12, 'bob')));
    await at(5, async () => assertDone(await team.delete('/users/bob')));
    assert.deepEqual((await reportAt(0)).prices, []);
    assert.deepEqual((await reportAt(1)).prices, [lot(10, '0.99')]);
    assert.deepEqual((await reportAt(2)).prices, [lot(20, '0.5'), lot(10, '0.99')]);
    const third = await reportAt(3);
    assert.deepEqual([third.quantity, third.prices[0]], [35, { unitPrice: '9', money: 'CHF', quantity: 5 }]);
    assert.deepEqual((await reportAt(4)).quantity, 23);
    assert.deepEqual((await reportAt(5)).prices, [lot(10, '0.99')]);
    service().setClock(Date.now());
  });

  test('end with their user, whose ledger still adds up', async () => {
    const team = await teamWithGems();
    assertDone(await add(team, 7));
    assertDone(await add(team, 3, paid('1')));
    const { body: exported } = assertDone(await team.get('/users/ann/export'));
    assert.deepEqual(exported.balances, await balances(team));
    assert.deepEqual(exported.balanceHistory, (await history(team)).toReversed());
    assertDone(await team.delete('/users/ann'));
    assert.deepEqual(await findings(), []);
    assertDone(await team.post('/users', { id: 'ann' }));
    assert.deepEqual([await balances(team), await history(team)], [[], []]);
    assertDone(await add(team, 1));
    assert.equal((await balances(team))[0].quantity, 1);
  });

  test('cannot be left behind by somebody who adds while the user is deleted', async () => {
    const team = await teamWithGems();
    for (let round = 0; round < 5; round += 1) {
      await add(team, 1);
      await Promise.all([team.delete('/users/ann'), ...Array.from({ length: 5 }, () => add(team, 1))]);
    }
    assert.deepEqual(await findings(), []);
  });

  test('that are wrong are found by the check', async () => {
    const team = await teamWithGems();
    assertDone(await add(team, 7));
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries.updateTable('balances').set({ quantity: 8 }).where('team_id', '=', team.teamId).execute(),
    );
    assert.match((await findings()).join(), /the balance of gem of ann is 8, but its ledger adds up to 7/);
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries.deleteFrom('balances').where('team_id', '=', team.teamId).execute(),
    );
    assert.match((await findings()).join(), /is missing, but its ledger has 7 units/);
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries.deleteFrom('balance_entries').where('team_id', '=', team.teamId).execute(),
    );
  });

  describe('of currencies that are rolled', () => {
    test('grow instead of item instances', async () => {
      const team = await teamWithGems();
      const { body } = assertDone(await team.post('/items/roll', { userId: 'ann' }));
      assert.deepEqual([body.item.id, body.itemInstance], ['coin', null]);
      assert.deepEqual(body.balance, { itemId: 'coin', quantity: 1, total: 1 });
      const config = { featuredItemIds: ['coin'], sparkCurrency: 1 };
      assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config }));
      const { body: rolled } = assertDone(
        await team.post('/templates/banner/roll', { userId: 'ann', count: 3, grant: true }),
      );
      assert.deepEqual(
        rolled.rolls.map(({ itemInstance, balance }: Record<string, unknown>) => [itemInstance, balance]),
        [2, 3, 4].map((total) => [null, { itemId: 'coin', quantity: 1, total }]),
      );
      const { body: spark } = assertDone(await team.post('/templates/banner/spark', { userId: 'ann', itemId: 'coin' }));
      assert.deepEqual([spark.itemInstance, spark.balance.total], [null, 5]);
      assert.deepEqual(
        (await history(team, 'coin')).map(({ cause }: { cause: string }) => cause),
        ['spark:banner', 'template:banner', 'template:banner', 'template:banner', 'roll'],
      );
      assert.deepEqual((await team.get('/item-instances?userId=ann')).body, []);
      assert.deepEqual(await findings(), []);
    });

    test('need no room in a user space, beside items that do', async () => {
      const team = await teamWithGems();
      assertDone(await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 1, rows: 1 }));
      const { body: bag } = assertDone(await team.post('/users/ann/spaces', { spaceId: 'bag' }));
      const full = { itemId: 'sword', userId: 'ann', userSpaceId: bag.id };
      assertDone(await team.post('/item-instances', full));
      const { body } = assertDone(await team.post('/items/roll', { userId: 'ann', userSpaceId: bag.id }));
      assert.deepEqual([body.itemInstance, body.placed, body.balance.total], [null, undefined, 1]);
      assertDone(await team.put('/items/sword', { rollNumerator: 1 }));
      assertConflict(await team.post('/items/roll', { userId: 'ann', userSpaceId: bag.id }), '/body/userSpaceId');
    });

    test('are refused before the draw if a balance could become too large', async () => {
      const team = await teamWithGems();
      assertDone(await team.post('/users/ann/balances', { itemId: 'coin', quantity: MOST }));
      assertConflict(await team.post('/items/roll', { userId: 'ann' }), '/body/userId');
      assertDone(await team.post('/items/roll', {}));
    });

    test('are given once each when many roll at once', async () => {
      const team = await teamWithGems();
      await Promise.all(Array.from({ length: 60 }, () => team.post('/items/roll', { userId: 'ann' })));
      assert.equal((await balances(team))[0].quantity, 60);
      assert.deepEqual(await findings(), []);
    });
  });

  describe('and the catalog', () => {
    test('a currency has no size, attributes or instances', async () => {
      const team = await teamWithGems();
      assertDone(await team.post('/attributes', { id: 'luck', name: 'Luck', min: 0, max: 9 }));
      const made = (more: object) => team.post('/items', { name: 'Made', currency: true, ...more });
      assertInvalid(await made({ width: 2 }), '/body/width');
      assertInvalid(await made({ height: 3 }), '/body/height');
      assertInvalid(await made({ itemAttributes: [{ attributeId: 'luck', min: 0, max: 1 }] }), '/body/itemAttributes');
      assertInvalid(await made({ currency: false, spend: 'paidFirst' }), '/body/spend');
      assertInvalid(await team.put('/items/sword', { spend: 'paidFirst' }), '/body/spend');
      assertInvalid(await team.post('/item-instances', { itemId: 'gem', userId: 'ann' }), '/body/itemId');
      const operations = [{ type: 'create', itemId: 'gem', userId: 'ann' }];
      assertInvalid(await team.post('/item-instances/batch', { operations }), '/body/operations/0/itemId');
    });

    test('items that are no currency do not mention it', async () => {
      const team = await teamWithGems('paidFirst');
      const { body: sword } = await team.get('/items/sword');
      assert.ok(!('currency' in sword) && !('spend' in sword));
      const { body: gem } = await team.get('/items/gem');
      assert.deepEqual([gem.currency, gem.spend], [true, 'paidFirst']);
      const { body: document } = await team.get('/catalog');
      const entity = (id: string) => document.items.find((item: { id: string }) => item.id === id);
      assert.deepEqual([entity('gem').currency, entity('gem').spend], [true, 'paidFirst']);
      assert.ok(!('currency' in entity('sword')) && !('spend' in entity('coin')));
      const { body: rolled } = assertDone(await team.post('/items/roll', {}));
      assert.doesNotMatch(JSON.stringify(rolled), /currency|spend/);
      assertDone(await team.put('/items/gem', { spend: 'freeFirst' }));
      assert.ok(!('spend' in (await team.get('/items/gem')).body));
    });

    test('what users have keeps an item from becoming a currency, or from being none any more', async () => {
      const team = await teamWithGems();
      assertDone(await team.post('/item-instances', { id: 'blade', itemId: 'sword', userId: 'ann' }));
      assertConflict(await team.put('/items/sword', { currency: true }), '/body/currency');
      assertDone(await add(team, 2));
      const response = await team.put('/items/gem', { currency: false });
      assertConflict(response, '/body/currency');
      assert.match(response.body.issues[0].message, /1 users have units/);
      assertInvalid(await team.delete('/items/gem'), '/path/id');
      const { body: document } = await team.get('/catalog');
      const gem = document.items.find(({ id }: { id: string }) => id === 'gem');
      const changes = [{ kind: 'item', id: 'gem', after: { ...gem, currency: false } }];
      const { body: plan } = assertDone(await team.post('/catalog/plan', { changes }));
      assert.deepEqual(
        plan.faults.map(({ path }: { path: string }) => path),
        ['/currency'],
      );
      const { version } = (await team.get('/catalog/versions?limit=1')).body[0];
      assert.equal((await team.post('/catalog/publish', { changes, baseVersion: version })).status, 409);
      assertDone(await consume(team, 2));
      assertDone(await team.put('/items/gem', { currency: false }));
      assertDone(await team.delete('/item-instances/blade'));
      assertDone(await team.put('/items/sword', { currency: true }));
      assertDone(await team.delete('/items/gem'));
    });

    test('there is a limit to currencies', async () => {
      const team = await service().anotherTeam();
      const changes = Array.from({ length: LIMITS.currenciesPerTeam }, (_, index) => {
        const id = `coin-${index}`;
        return { kind: 'item', id, after: { id, name: id, currency: true } };
      });
      assertDone(await team.post('/catalog/publish', { changes, baseVersion: 0 }));
      assertInvalid(await team.post('/items', { name: 'More', currency: true }), '/body/currency');
      const more = [{ kind: 'item', id: 'more', after: { id: 'more', name: 'More', currency: true } }];
      assert.equal((await team.post('/catalog/publish', { changes: more, baseVersion: 1 })).status, 409);
      assertDone(await team.put('/items/coin-1', { name: 'Renamed' }));
    });
  });
});
