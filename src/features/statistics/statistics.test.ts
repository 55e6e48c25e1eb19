import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { item } from '../../../test/catalogs.ts';
import { basic, type Client, onEveryDatabase, startService } from '../../../test/harness.ts';
import { assertDone, assertInvalid, keepsTheRulesOfAccess } from '../../../test/rules.ts';
import { type CompiledItem, compileCatalog } from '../../engine/pool/catalog.ts';
import { LIMITS } from '../../shared/limits.ts';
import { recordRolls } from '../rolls/roll-record.service.ts';

const NONE = { totalRolls: 0, uniqueItems: 0, rollsByTemplate: {}, rollsByDay: [] };

onEveryDatabase('statistics', (service) => {
  const at = (time: string) => service().setClock(Date.parse(time));
  const stats = async (team: Client, query = '') => assertDone(await team.get(`/roll-events/stats${query}`)).body;
  const rates = async (team: Client, query = '') => assertDone(await team.get(`/roll-events/drop-rates${query}`)).body;

  /** Rolls the item with this id `times` times, by making it the only one with a weight. */
  const rollItem = async (team: Client, id: string, times: number): Promise<void> => {
    assertDone(await team.put(`/items/${id}`, { rollNumerator: 1 }));
    for (let n = 0; n < times; n++) assert.equal(assertDone(await team.post('/items/roll')).body.item.id, id);
    assertDone(await team.put(`/items/${id}`, { rollNumerator: 0 }));
  };

  /** A roll on a template, recorded as every roll is. */
  const rollOnTemplate = (team: Client, templateId: string, ...itemIds: string[]): Promise<void> => {
    const nowMs = Date.parse('2026-03-03T03:03:03Z');
    const { items } = compileCatalog(
      [],
      [...new Set(itemIds)].map((id) => item(id)),
    );
    const rolled = itemIds.map((id) => ({ item: items.find((known) => known.id === id) as CompiledItem, values: [] }));
    return service().database.write(team.teamId, async (work) =>
      recordRolls(work, {
        version: 1,
        templateId,
        user: null,
        nowMs,
        requestId: 'r',
        rolled,
        details: null,
        observe: null,
      }),
    );
  };

  const teamWith = async (...ids: string[]): Promise<Client> => {
    const team = await service().anotherTeam();
    for (const id of ids) assertDone(await team.post('/items', { id, name: `Item ${id}`, rollNumerator: 0 }));
    return team;
  };

  /** Three days with gaps between them, and their boundaries to the millisecond. */
  const teamWithHistory = async (): Promise<Client> => {
    const team = await teamWith('a', 'b', 'c');
    at('2026-02-28T23:59:59.999Z');
    await rollItem(team, 'a', 1);
    at('2026-03-01T00:00:00.000Z');
    await rollItem(team, 'b', 2);
    at('2026-03-01T23:59:59.999Z');
    await rollItem(team, 'a', 1);
    at('2026-03-05T12:00:00.000Z');
    await rollItem(team, 'b', 3);
    return team;
  };

  test('of a range of days load no catalog', async () => {
    const team = await teamWithHistory();
    const cold = await startService(service().databaseUrl, { METRICS: 'on' });
    try {
      const caller = cold.anyone(basic(team.teamId, team.secret));
      const told = await caller.get('/roll-events/drop-rates?from=2026-03-01');
      assert.deepEqual(
        told.body.map(({ itemName, dropCount }: { itemName: string; dropCount: number }) => [itemName, dropCount]),
        [
          ['Item b', 5],
          ['Item a', 1],
        ],
      );
      assert.match((await cold.anyone().get('/metrics')).body, /\nitemwright_cached_catalogs 0\n/);
    } finally {
      await cold.stop();
    }
  });

  test('add up more items than are read at once, on days large and small', async () => {
    const team = await service().anotherTeam();
    const ids = Array.from({ length: LIMITS.countedItemsRead + 10 }, (_, index) => `item-${index}`);
    const rowOf = (day: string, templateId: string, some: readonly string[], each: number) => ({
      team_id: team.teamId,
      day,
      template_id: templateId,
      part: 0,
      rolls: some.length * each,
      counts: JSON.stringify(some.flatMap((id) => [id, each])),
    });
    await service().database.transaction(team.teamId, async ({ queries }) => {
      for (const row of [
        rowOf('2026-05-01', '', ids.slice(0, 3), 1),
        rowOf('2026-05-02', '', ids, 2),
        rowOf('2026-05-02', 't', ids.slice(0, 1), 5),
        rowOf('2026-05-03', '', ids.slice(1), 1),
        rowOf('2026-05-04', '', ids, 100),
      ])
        await queries.insertInto('roll_counts').values(row).execute();
    });
    const count = ids.length;
    assert.deepEqual(await stats(team, '?from=2026-05-01&to=2026-05-03'), {
      totalRolls: 3 + 2 * count + 5 + (count - 1),
      uniqueItems: count,
      rollsByTemplate: { t: 5 },
      rollsByDay: [
        { date: '2026-05-01', count: 3 },
        { date: '2026-05-02', count: 2 * count + 5 },
        { date: '2026-05-03', count: count - 1 },
      ],
    });
    const told = await rates(team, '?from=2026-05-01&to=2026-05-03');
    assert.equal(told.length, count);
    assert.deepEqual(
      told.slice(0, 4).map(({ itemId, dropCount }: { itemId: string; dropCount: number }) => [itemId, dropCount]),
      [
        ['item-0', 8],
        ['item-1', 4],
        ['item-2', 4],
        ['item-10', 3],
      ],
    );
    assert.equal((await stats(team, '?from=2026-05-01&to=2026-05-03&templateId=t')).uniqueItems, 1);
  });

  test('are zeros and empty lists for a team that never rolled', async () => {
    const team = await teamWith('a');
    assert.deepEqual(await stats(team), NONE);
    assert.deepEqual(await rates(team), []);
    assert.deepEqual(await stats(team, '?from=2026-01-01&to=2026-12-31&templateId=t'), NONE);
  });

  test('count totals, items and days with rolls, in UTC', async () => {
    const team = await teamWithHistory();
    assert.deepEqual(await stats(team), {
      totalRolls: 7,
      uniqueItems: 2,
      rollsByTemplate: {},
      rollsByDay: [
        { date: '2026-02-28', count: 1 },
        { date: '2026-03-01', count: 3 },
        { date: '2026-03-05', count: 3 },
      ],
    });
    assert.deepEqual(await rates(team), [
      { itemId: 'b', itemName: 'Item b', dropCount: 5, dropRate: 5 / 7 },
      { itemId: 'a', itemName: 'Item a', dropCount: 2, dropRate: 2 / 7 },
    ]);
  });

  test('include both the first and the last day', async () => {
    const team = await teamWithHistory();
    for (const [query, total, unique, days] of [
      ['?from=2026-03-01', 6, 2, ['2026-03-01', '2026-03-05']],
      ['?to=2026-02-28', 1, 1, ['2026-02-28']],
      ['?to=2026-03-01', 4, 2, ['2026-02-28', '2026-03-01']],
      ['?from=2026-03-01&to=2026-03-01', 3, 2, ['2026-03-01']],
      ['?from=2026-03-02', 3, 1, ['2026-03-05']],
      ['?from=2026-03-02&to=2026-03-04', 0, 0, []],
      ['?from=0001-01-01&to=9999-12-31', 7, 2, ['2026-02-28', '2026-03-01', '2026-03-05']],
    ] as const) {
      const { totalRolls, uniqueItems, rollsByDay } = await stats(team, query);
      const dates = rollsByDay.map(({ date }: { date: string }) => date);
      assert.deepEqual([totalRolls, uniqueItems, dates], [total, unique, days], query);
    }
    assert.deepEqual(await rates(team, '?from=2026-03-01&to=2026-03-01'), [
      { itemId: 'b', itemName: 'Item b', dropCount: 2, dropRate: 2 / 3 },
      { itemId: 'a', itemName: 'Item a', dropCount: 1, dropRate: 1 / 3 },
    ]);
    assert.deepEqual(await rates(team, '?from=2026-03-02&to=2026-03-04'), []);
    assert.deepEqual(await rates(team, '?from=2026-03-02'), [
      { itemId: 'b', itemName: 'Item b', dropCount: 3, dropRate: 1 },
    ]);
  });

  test('are separate per template, and include rolls without one in the total only', async () => {
    const team = await teamWith('a', 'b');
    at('2026-03-04T00:00:00Z');
    await rollItem(team, 'a', 2);
    await rollOnTemplate(team, 'banner', 'a', 'b', 'b');
    await rollOnTemplate(team, 'banner', 'b');
    await rollOnTemplate(team, '__proto__', 'a');
    const whole = await stats(team);
    assert.deepEqual([whole.totalRolls, whole.uniqueItems], [7, 2]);
    assert.deepEqual(Object.entries(whole.rollsByTemplate).sort(), [
      ['__proto__', 1],
      ['banner', 4],
    ]);
    assert.deepEqual(await stats(team, '?templateId=banner'), {
      totalRolls: 4,
      uniqueItems: 2,
      rollsByTemplate: { banner: 4 },
      rollsByDay: [{ date: '2026-03-03', count: 4 }],
    });
    assert.deepEqual(await stats(team, '?templateId=banner&from=2026-03-04'), NONE);
    assert.deepEqual(await rates(team, '?templateId=banner'), [
      { itemId: 'b', itemName: 'Item b', dropCount: 3, dropRate: 0.75 },
      { itemId: 'a', itemName: 'Item a', dropCount: 1, dropRate: 0.25 },
    ]);
  });

  test('are empty for an unknown template', async () => {
    const team = await teamWith('a');
    await rollItem(team, 'a', 1);
    for (const templateId of ['nobody', '', '%00', 'x'.repeat(191)]) {
      assert.deepEqual(await stats(team, `?templateId=${templateId}`), NONE);
      assert.deepEqual(await rates(team, `?templateId=${templateId}&from=2000-01-01`), []);
      assert.deepEqual(await rates(team, `?templateId=${templateId}`), []);
    }
  });

  test('list drop rates by count, then by id', async () => {
    const team = await teamWith('b', 'a', 'Z', 'c');
    for (const id of ['b', 'Z', 'c', 'a']) await rollItem(team, id, id === 'c' ? 2 : 1);
    assert.deepEqual(
      (await rates(team)).map(({ itemId, dropRate }: { itemId: string; dropRate: number }) => [itemId, dropRate]),
      [
        ['c', 0.4],
        ['Z', 0.2],
        ['a', 0.2],
        ['b', 0.2],
      ],
    );
  });

  test('keep the row and last name of a deleted item, and use the name of a new item with the same id', async () => {
    const team = await teamWith('a', 'b');
    await rollItem(team, 'a', 1);
    await rollItem(team, 'b', 3);
    assertDone(await team.put('/items/a', { name: 'Renamed' }));
    assert.equal((await rates(team))[1].itemName, 'Renamed');
    assertDone(await team.delete('/items/a'));
    const expected = { itemId: 'a', itemName: 'Renamed', dropCount: 1, dropRate: 0.25 };
    assert.deepEqual((await rates(team))[1], expected);
    assert.equal((await stats(team)).uniqueItems, 2);
    assertDone(await team.post('/items', { id: 'a', name: 'Another' }));
    assert.deepEqual((await rates(team))[1], { ...expected, itemName: 'Another' });
    assertDone(await team.delete('/items/a'));
    assert.deepEqual((await rates(team))[1], { ...expected, itemName: 'Another' });
  });

  test('are kept when the user who rolled is deleted', async () => {
    const team = await teamWith('a');
    await team.put('/items/a', { rollNumerator: 1 });
    assertDone(await team.post('/items/roll', { userId: 'player' }));
    const before = [await stats(team), await rates(team)];
    assertDone(await team.delete('/users/player'));
    assert.deepEqual([await stats(team), await rates(team)], before);
  });

  test('do not include rolls of another team', async () => {
    const [team, other] = [await teamWith('a'), await teamWith('a')];
    await rollItem(team, 'a', 2);
    await rollOnTemplate(team, 't', 'a');
    assert.deepEqual(await stats(other), NONE);
    assert.deepEqual(await stats(other, '?templateId=t'), NONE);
    assert.deepEqual(await rates(other), []);
  });

  test('add up the rolls of several nodes and connections', async () => {
    const team = await teamWith('a');
    await team.put('/items/a', { rollNumerator: 1 });
    const node = await startService(service().databaseUrl);
    try {
      const there = node.anyone(`Basic ${btoa(`${team.teamId}:${team.secret}`)}`);
      at('2026-07-07T07:07:07Z');
      node.setClock(Date.parse('2026-07-07T07:07:07Z'));
      for (const client of [team, there])
        await Promise.all(Array.from({ length: 20 }, () => client.post('/items/roll')));
    } finally {
      await node.stop();
    }
    assert.deepEqual(await stats(team), {
      totalRolls: 40,
      uniqueItems: 1,
      rollsByTemplate: {},
      rollsByDay: [{ date: '2026-07-07', count: 40 }],
    });
    assert.deepEqual(await rates(team), [{ itemId: 'a', itemName: 'Item a', dropCount: 40, dropRate: 1 }]);
  });

  for (const path of ['/roll-events/stats', '/roll-events/drop-rates'])
    describe(`${path} rejects`, () => {
      test('a first day after the last', async () => {
        assertInvalid(await service().get(`${path}?from=2026-03-02&to=2026-03-01`), '/query/from');
      });

      test('invalid dates', async () => {
        for (const date of [
          ...['', 'today', '2026', '2026-3-1', '2026-02-31', '2026-02-29', '2026-13-01', '2026-00-10', '2026-01-00'],
          ...['20260301', '2026-03-01T00:00:00Z', '+02026-03-01', '2026-03-01%00', '2026-03-01,2026-03-02'],
        ])
          assertInvalid(await service().get(`${path}?from=${date}&to=${date}`), '/query/from', '/query/to');
        assertInvalid(await service().get(`${path}?from=2026-03-01&from=2026-03-02`), '/query/from');
        assertDone(await service().get(`${path}?from=2024-02-29&to=2024-02-29`));
      });

      test('a template id that is too long, and unknown parameters', async () => {
        assertInvalid(await service().get(`${path}?templateId=${'x'.repeat(192)}`), '/query/templateId');
        assertInvalid(await service().get(`${path}?limit=1&colour=red`), '/query/limit', '/query/colour');
      });
    });

  describe('access', () => {
    keepsTheRulesOfAccess(service, [
      { method: 'GET', path: '/roll-events/stats', changes: false },
      { method: 'GET', path: '/roll-events/drop-rates', changes: false },
    ]);
  });
});
