import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertConflict, assertDone, assertInvalid, assertNotFound } from '../../../test/rules.ts';
import { removeOldResponses } from '../../http/idempotency.ts';
import { checkAll } from '../../maintenance/check/check.ts';
import { LIMITS } from '../../shared/limits.ts';

const DAY_MS = 86_400_000;

onEveryDatabase('grants', (service) => {
  const teamWithGems = async (spend = 'freeFirst'): Promise<Client> => {
    const team = await service().anotherTeam();
    for (const id of ['gem', 'coin'])
      assertDone(await team.post('/items', { id, name: id, currency: true, spend, rollNumerator: 0 }));
    assertDone(await team.post('/items', { id: 'sword', name: 'Sword' }));
    return team;
  };
  const bought = (quantity: number, unitPrice = '0.99') => ({ itemId: 'gem', quantity, unitPrice, money: 'EUR' });
  const free = (quantity: number, itemId = 'gem') => ({ itemId, quantity });
  const grant = (
    team: Client,
    reference: unknown,
    give: unknown,
    { userId = 'ann', ...more }: { userId?: string; source?: string } = {},
  ) => team.post(`/users/${userId}/grants`, { reference, give, ...more });
  const revoke = (team: Client, reference: string) => team.post(`/grants/${encodeURIComponent(reference)}/revoke`);
  const consume = (team: Client, quantity: number) =>
    team.post('/users/ann/consume', { units: [{ itemId: 'gem', quantity }] });
  const balance = async (team: Client, userId = 'ann') => {
    const { body } = assertDone(await team.get(`/users/${userId}/balances`));
    const found = body.find(({ itemId }: { itemId: string }) => itemId === 'gem');
    return found === undefined ? [0, 0, 0] : [found.quantity, found.paid, found.free];
  };
  const unused = async (team: Client) =>
    assertDone(await team.get('/balances/report?itemId=gem')).body.prices.map(
      ({ unitPrice, quantity }: { unitPrice: string; quantity: number }) => [unitPrice, quantity],
    );
  const findings = async (): Promise<string[]> => {
    const found: string[] = [];
    await service().database.snapshot((snapshot) => checkAll(snapshot, (_, finding) => found.push(finding)));
    return found;
  };

  test('give once, and the same reference again returns what the first request gave', async () => {
    const team = await teamWithGems();
    const give = [bought(100), free(10), free(3, 'coin')];
    const { body: first } = assertDone(await grant(team, 'order ☘/1', give, { source: 'shop' }));
    assert.deepEqual(
      [first.reference, first.userId, first.source, first.revokedAt, first.revoked],
      ['order ☘/1', 'ann', 'shop', null, []],
    );
    assert.deepEqual(
      first.given.map(({ itemId, change, total }: Record<string, unknown>) => [itemId, change, total]),
      [
        ['gem', 100, 100],
        ['gem', 10, 110],
        ['coin', 3, 3],
      ],
    );
    assertDone(await consume(team, 50));
    const again = [{ ...bought(100), unitPrice: '0.990' }, free(10), free(3, 'coin')];
    assert.deepEqual(assertDone(await grant(team, 'order ☘/1', again, { source: 'shop' })).body, first);
    assert.deepEqual(assertDone(await team.get(`/grants/${encodeURIComponent('order ☘/1')}`)).body, first);
    assert.deepEqual(await balance(team), [60, 60, 0]);
    const { body: history } = await team.get('/users/ann/balances/coin/history');
    assert.equal(history[0].cause, 'grant:order ☘/1');
    const { body: exported } = assertDone(await team.get('/users/ann/export'));
    assert.deepEqual(exported.grants, [first]);
    assert.deepEqual(await findings(), []);
  });

  test('refuse a reference that was used for something else', async () => {
    const team = await teamWithGems();
    assertDone(await grant(team, 'order', [bought(10)]));
    for (const [give, more] of [
      [[bought(11)], {}],
      [[bought(10, '1')], {}],
      [[free(10)], {}],
      [[bought(10), free(1)], {}],
      [[bought(10)], { userId: 'bob' }],
      [[bought(10)], { source: 'shop' }],
    ] as const)
      assertConflict(await grant(team, 'order', give, more), '/body/reference');
    assert.deepEqual(await balance(team), [10, 10, 0]);
    assertNotFound(await team.get('/users/bob'));
  });

  test('give once to 50 callers at once', async () => {
    const team = await teamWithGems();
    const responses = await Promise.all(Array.from({ length: 50 }, () => grant(team, 'order', [bought(10)])));
    for (const { status, body } of responses) assert.deepEqual([status, body], [200, responses[0]?.body]);
    assert.deepEqual(await balance(team), [10, 10, 0]);
    const { body: history } = await team.get('/users/ann/balances/gem/history');
    assert.equal(history.length, 1);
    assert.deepEqual(await findings(), []);
  });

  test('remember their reference after stored responses are gone, and after their user is', async () => {
    const team = await teamWithGems();
    const start = Date.parse('2026-05-01T00:00:00.000Z');
    service().setClock(start);
    const { body: first } = assertDone(await grant(team, 'order', [bought(10)]));
    service().setClock(start + 400 * DAY_MS);
    await removeOldResponses(
      service().database,
      () => start + 400 * DAY_MS,
      () => true,
    );
    assert.deepEqual(assertDone(await grant(team, 'order', [bought(10)])).body, first);
    assertDone(await team.delete('/users/ann'));
    const { body: orphan } = assertDone(await grant(team, 'order', [bought(10)]));
    assert.deepEqual(orphan, { ...first, userId: null });
    assertDone(await team.post('/users', { id: 'ann' }));
    assert.deepEqual(await balance(team), [0, 0, 0]);
    const { body: revoked } = assertDone(await revoke(team, 'order'));
    assert.deepEqual([revoked.userId, revoked.revoked], [null, []]);
    assert.deepEqual(await balance(team), [0, 0, 0]);
    assert.deepEqual(await findings(), []);
    service().setClock(Date.now());
  });

  for (const [spend, left, owed, after] of [
    ['freeFirst', [3, 3, 0], 7, []],
    ['paidFirst', [3, 0, 3], 7, []],
  ] as const)
    test(`that are revoked take back what is there, and the rest is owed: ${spend}`, async () => {
      const team = await teamWithGems(spend);
      assertDone(await grant(team, 'order', [bought(10)]));
      assertDone(await team.post('/users/ann/balances', free(5)));
      assertDone(await consume(team, 12));
      assert.deepEqual(await balance(team), left);
      const { body } = assertDone(await revoke(team, 'order'));
      assert.deepEqual([body.revoked[0].change, body.revoked[0].total, body.revoked[0].owed], [-10, -7, owed]);
      assert.deepEqual(await balance(team), [-7, 0, -7]);
      assert.deepEqual(await unused(team), after);
      assert.deepEqual(assertDone(await revoke(team, 'order')).body, body);
      assert.deepEqual(assertDone(await team.get('/grants/order')).body, body);
      assert.deepEqual(assertDone(await grant(team, 'order', [bought(10)])).body, body);
      assertConflict(await consume(team, 1), '/body/units/0/quantity');
      assertDone(await grant(team, 'next', [bought(6, '2')]));
      assert.deepEqual(await balance(team), [-1, 0, -1]);
      assertDone(await grant(team, 'third', [bought(6, '2')]));
      assert.deepEqual(await balance(team), [5, 5, 0]);
      assert.deepEqual(await unused(team), [['2', 5]]);
      assertDone(await team.delete('/users/ann'));
      assert.deepEqual(await findings(), []);
    });

  test('that are revoked take units of their own price first', async () => {
    const team = await teamWithGems();
    assertDone(await grant(team, 'one', [bought(10, '1')]));
    assertDone(await grant(team, 'two', [bought(10, '2')]));
    assertDone(await grant(team, 'mail', [free(4)]));
    assertDone(await revoke(team, 'two'));
    assert.deepEqual(await unused(team), [['1', 10]]);
    assert.deepEqual(await balance(team), [14, 10, 4]);
    assertDone(await consume(team, 9));
    assertDone(await revoke(team, 'one'));
    assert.deepEqual(await balance(team), [-5, 0, -5]);
    assert.deepEqual(await findings(), []);
  });

  test('are revoked once by many at once, beside others who give and take', async () => {
    const team = await teamWithGems();
    assertDone(await grant(team, 'order', [bought(10)]));
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 3 === 0 ? revoke(team, 'order') : grant(team, `gift-${index}`, [free(1)]),
      ),
    );
    for (const { status } of responses) assert.equal(status, 200);
    assert.deepEqual(await balance(team), [20, 0, 20]);
    assert.deepEqual(await findings(), []);
  });

  test('refuse what is no grant, and give all of it or nothing', async () => {
    const team = await teamWithGems();
    for (const reference of ['', 'a\nb', 'r'.repeat(201), 7, null])
      assertInvalid(await grant(team, reference, [free(1)]), '/body/reference');
    assertInvalid(await grant(team, 'order', []), '/body/give');
    assertInvalid(await grant(team, 'order', [free(1), free(1, 'sword')]), '/body/give/1/itemId');
    assertInvalid(await grant(team, 'order', [{ ...free(1), money: 'EUR' }]), '/body/give/0/unitPrice');
    assertInvalid(await grant(team, 'order', [free(0)]), '/body/give/0/quantity');
    assertConflict(await grant(team, 'order', [free(LIMITS.balance), free(1)]), '/body/give/1/quantity');
    assertNotFound(await team.get('/grants/order'));
    assertNotFound(await team.get('/users/ann'));
    assertDone(await grant(team, 'r'.repeat(200), [free(1)]));
    assertDone(await revoke(team, 'r'.repeat(200)));
    for (const path of ['/grants/order', '/grants/Order']) assertNotFound(await team.get(path));
    assertNotFound(await revoke(team, 'order'));
    const other = await teamWithGems();
    assertDone(await grant(other, 'order', [free(5)]));
    assertNotFound(await revoke(team, 'order'));
    assert.deepEqual(await balance(other), [5, 0, 5]);
  });

  test('cannot make a user owe more than there may be', async () => {
    const team = await teamWithGems();
    for (const reference of ['one', 'two']) {
      assertDone(await grant(team, reference, [free(LIMITS.balance)]));
      assertDone(await consume(team, LIMITS.balance));
    }
    assertDone(await revoke(team, 'one'));
    assertConflict(await revoke(team, 'two'), '/path/reference');
    assert.deepEqual(await balance(team), [-LIMITS.balance, 0, -LIMITS.balance]);
  });
});
