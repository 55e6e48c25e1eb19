import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, stockShapes } from '../../../test/inventories.ts';
import { assertDone } from '../../../test/rules.ts';

onEveryDatabase('reasons', (service) => {
  let team: Client;
  before(async () => {
    team = await service().anotherTeam();
    await stockShapes(team);
    for (const id of ['ann', 'bob']) assertDone(await team.post('/users', { id }));
  });

  const because = (reason: string) => ({ headers: { 'itemwright-reason': reason } });
  const reasonsOf = async (id: string) =>
    assertDone(await team.get(`/item-instances/${id}/history`)).body.map(({ reason }: { reason: string }) => reason);
  const give = (id: string, options = {}) =>
    team.post('/item-instances', { id, itemId: '1x1', userId: 'ann' }, options);

  test('are kept with each event, with the name of the secret that was used', async () => {
    assertDone(await give('sword', because('ticket 1')));
    assertDone(await team.post('/item-instances/sword/transfer', { toUserId: 'bob' }));
    assertDone(await team.delete('/item-instances/sword', because('ticket 2')));
    assertDone(await team.post('/item-instances/sword/restore', undefined, because('ticket 3')));
    assert.deepEqual(await reasonsOf('sword'), ['ticket 1', null, 'ticket 2', 'ticket 3']);
    const { body } = await team.get('/item-instances/sword/history');
    const { body: secrets } = await team.get('/secrets');
    for (const { author } of body) assert.equal(author, secrets[0].name);
    await assertInventoriesHold(service());
  });

  test('are null if there are none, and the author is known nevertheless', async () => {
    assertDone(await give('plain'));
    const [created] = (await team.get('/item-instances/plain/history')).body;
    assert.equal(created.reason, null);
    assert.equal(typeof created.author, 'string');
    assertDone(await team.delete('/item-instances/plain'));
    const [again] = (await team.get('/item-instances/plain/history')).body;
    assert.deepEqual(again, created);
  });

  test('of rolls, batches and deletions of users are kept, too', async () => {
    const { itemInstance } = assertDone(await team.post('/items/roll', { userId: 'ann' }, because('a gift'))).body;
    assert.deepEqual(await reasonsOf(itemInstance.id), ['a gift']);
    const operations = [
      { type: 'create', id: 'batched', itemId: '1x1', userId: 'ann' },
      { type: 'transfer', id: 'batched', toUserId: 'bob' },
    ];
    assertDone(await team.post('/item-instances/batch', { operations }, because('a trade')));
    assert.deepEqual(await reasonsOf('batched'), ['a trade', 'a trade']);
    assertDone(await team.post('/users', { id: 'leaver' }));
    assertDone(await team.post('/item-instances', { id: 'left', itemId: '1x1', userId: 'leaver' }));
    assertDone(await team.delete('/users/leaver', because('asked to be forgotten')));
    assert.deepEqual(await reasonsOf('left'), [null, 'asked to be forgotten']);
    await assertInventoriesHold(service());
  });

  test('may have any characters, percent-encoded or in UTF-8', async () => {
    const reason = 'wegen „Größe“, 100 % 🐉';
    const utf8 = Buffer.from('wegen „Größe“, 100 %25 🐉').toString('latin1');
    for (const [id, sent] of [
      ['encoded', encodeURIComponent(reason)],
      ['bytes', utf8],
    ] as const) {
      assertDone(await give(id, because(sent)));
      assert.deepEqual(await reasonsOf(id), [reason]);
    }
    const longest = '🐉'.repeat(200);
    assertDone(await give('longest', because(encodeURIComponent(longest))));
    assert.deepEqual(await reasonsOf('longest'), [longest]);
  });

  for (const [what, reason] of [
    ['of 201 characters', 'x'.repeat(201)],
    ['without any', ''],
    ['with a percent sign on its own', '100 %'],
    ['that is not UTF-8', 'Gr\u00f6\u00dfe'],
    ['with an encoded line feed', 'a%0Ab'],
    ['that is far too long', '%41'.repeat(2000)],
  ] as const)
    test(`${what} are rejected, and nothing happens`, async () => {
      const answer = await give('never', because(reason));
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer), ['/headers/itemwright-reason']);
      assert.equal((await team.get('/item-instances/never')).status, 404);
    });
});
