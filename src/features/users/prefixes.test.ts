import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone, assertInvalid, pagesOf } from '../../../test/rules.ts';

onEveryDatabase('users by prefix', (service) => {
  let team: Client;
  const PEOPLE: readonly (readonly [id: string, externalId: string | null])[] = [
    ['ann', 'steam:1'],
    ['anna', null],
    ['Ann', 'steam:11'],
    ['ann\u{10ffff}', 'psn:1'],
    ['bob', 'ann-elsewhere'],
    ['cyd', 'ann'],
    ['ann-2', 'ann-2'],
    ['日本', 'é'],
    ['a%', 'a_'],
    ['\ud7ff1', '\ue0001'],
  ];
  before(async () => {
    team = await service().anotherTeam();
    for (const [id, externalId] of PEOPLE) assertDone(await team.post('/users', { id, externalId }));
    const other = await service().anotherTeam();
    assertDone(await other.post('/users', { id: 'annother', externalId: 'annother' }));
  });
  const idsOf = (users: readonly { id: string }[]): string[] => users.map(({ id }) => id);
  const find = async (prefix: string): Promise<string[]> =>
    idsOf(assertDone(await team.get(`/users?prefix=${encodeURIComponent(prefix)}`)).body);

  test('are found by the beginning of id and external id, once each, ids first', async () => {
    assert.deepEqual(await find('ann'), ['ann', 'ann-2', 'anna', 'ann\u{10ffff}', 'cyd', 'bob']);
    assert.deepEqual(await find('ann-'), ['ann-2', 'bob']);
    assert.deepEqual(await find('steam:1'), ['ann', 'Ann']);
    assert.deepEqual(await find('steam:11'), ['Ann']);
  });

  test('are found as they are written: no letter and no sign stands for another', async () => {
    assert.deepEqual(await find('A'), ['Ann']);
    assert.deepEqual(await find('a%'), ['a%']);
    assert.deepEqual(await find('a_'), ['a%']);
    assert.deepEqual(await find('日'), ['日本']);
    assert.deepEqual(await find('é'), ['日本']);
    assert.deepEqual(await find('e'), []);
    assert.deepEqual(await find('\ud7ff'), ['\ud7ff1']);
    assert.deepEqual(await find('\u{10ffff}'), []);
    assert.deepEqual(await find('zzz'), []);
  });

  test('come in pages, with nobody left out or repeated', async () => {
    for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
      const pages = await pagesOf(team, `/users?prefix=ann&limit=${limit}`);
      assert.deepEqual(idsOf(pages.flat() as { id: string }[]), [
        'ann',
        'ann-2',
        'anna',
        'ann\u{10ffff}',
        'cyd',
        'bob',
      ]);
      assert.ok(pages.every((page) => page.length <= limit));
    }
  });

  test('are not looked for without a prefix, or with an external id', async () => {
    assertInvalid(await team.get('/users?prefix='), '/query/prefix');
    assertInvalid(await team.get(`/users?prefix=${'x'.repeat(192)}`), '/query/prefix');
    assertInvalid(await team.get('/users?prefix=ann&externalId=steam:1'), '/query/prefix');
    assertInvalid(await team.get('/users?prefix=ann&cursor=x'), '/query/cursor');
  });
});
