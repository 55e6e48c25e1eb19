import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type Client, onEveryQuietDatabase } from '../../../test/harness.ts';
import { assertDone } from '../../../test/rules.ts';
import { countRolls, foldCounts, teamsToFold } from './roll-counts.service.ts';

onEveryQuietDatabase('roll counts', (service, engine) => {
  const fold = (team: Client, most = 1000) => service().database.transaction(team.teamId, (tx) => foldCounts(tx, most));

  const count = (team: Client, day: string, itemIds: string[], templateId: string | null = null) =>
    service().database.write(team.teamId, async (work) => {
      const rolled = itemIds.map((id) => ({ item: { id } }));
      countRolls(work, { version: 1, templateId, nowMs: Date.parse(day), rolled, observe: null });
    });

  const pending = (team: Client) =>
    service().database.read('', ({ queries: reader }) =>
      reader.selectFrom('roll_pending').selectAll().where('team_id', '=', team.teamId).execute(),
    );

  const counts = async (team: Client, query = '') => ({
    stats: assertDone(await team.get(`/roll-events/stats${query}`)).body,
    rates: assertDone(await team.get(`/roll-events/drop-rates${query}`)).body,
  });

  const QUERIES = [
    '',
    '?from=2026-01-02',
    '?to=2026-01-01',
    '?templateId=t',
    '?templateId=t&from=2026-01-01&to=2026-01-02',
  ];
  const allCounts = (team: Client) => Promise.all(QUERIES.map((query) => counts(team, query)));

  test('are the same before, during and after folding', async () => {
    const team = await service().anotherTeam();
    await count(team, '2026-01-01', ['a', 'b', 'a']);
    await count(team, '2026-01-02', ['a', 'c'], 't');
    await count(team, '2026-01-02', ['c'], 'u');
    await count(team, '2026-01-01', ['b']);
    const before = await allCounts(team);
    assert.deepEqual(before[0]?.stats, {
      totalRolls: 7,
      uniqueItems: 3,
      rollsByTemplate: { t: 2, u: 1 },
      rollsByDay: [
        { date: '2026-01-01', count: 4 },
        { date: '2026-01-02', count: 3 },
      ],
    });
    assert.deepEqual(
      before[0]?.rates.map(({ itemId, dropCount }: { itemId: string; dropCount: number }) => [itemId, dropCount]),
      [
        ['a', 3],
        ['b', 2],
        ['c', 2],
      ],
    );
    while ((await pending(team)).length > 0) {
      assert.equal(await fold(team, 1), 1);
      assert.deepEqual(await allCounts(team), before);
    }
    await count(team, '2026-01-01', ['b']);
    await fold(team);
    assert.equal((await counts(team)).stats.totalRolls, 8);
    assert.equal((await counts(team, '?to=2026-01-01')).stats.totalRolls, 5);
  });

  test('are folded as many at a time as asked, however the database runs the statement', async () => {
    const [team, other] = [await service().anotherTeam(), await service().anotherTeam()];
    for (let n = 0; n < 3; n += 1) await count(other, '2026-01-01', ['a']);
    // Expecting one row of other teams, PostgreSQL runs subqueries once per row.
    if (engine === 'postgres')
      await service().database.transaction('', ({ queries }) => sql`analyze roll_pending`.execute(queries));
    for (let n = 0; n < 5; n += 1) await count(team, '2026-01-01', ['a']);
    assert.equal(await fold(team, 2), 2);
    assert.equal((await pending(team)).length, 3);
  });

  test('lose and repeat nothing during concurrent folds and rolls', async () => {
    const team = await service().anotherTeam();
    const other = await service().anotherTeam();
    const rolls = Array.from({ length: 120 }, (_, n) => [`item-${n % 7}`, `item-${n % 3}`]);
    const seen: number[] = [];
    await Promise.all([
      ...rolls.map((itemIds, n) =>
        count(n % 4 === 0 ? other : team, `2026-01-0${1 + (n % 3)}`, itemIds, n % 2 ? 't' : null),
      ),
      ...Array.from({ length: 40 }, (_, n) => fold(n % 4 === 0 ? other : team, 7)),
      ...Array.from({ length: 20 }, async () => {
        const { stats } = await counts(team);
        assert.equal(
          stats.rollsByDay.reduce((sum: number, day: { count: number }) => sum + day.count, 0),
          stats.totalRolls,
        );
        seen.push(stats.totalRolls);
      }),
    ]);
    for (const whose of [team, other]) while ((await fold(whose, 50)) > 0);
    for (const [whose, share] of [
      [team, 90],
      [other, 30],
    ] as const) {
      assert.deepEqual(await pending(whose), []);
      const { stats, rates } = await counts(whose);
      assert.equal(stats.totalRolls, 2 * share);
      assert.equal(
        rates.reduce((sum: number, { dropCount }: { dropCount: number }) => sum + dropCount, 0),
        2 * share,
      );
    }
    for (const total of seen) assert.ok(total <= 180);
  });

  test('are unchanged if folding fails', async () => {
    const team = await service().anotherTeam();
    await count(team, '2026-01-01', ['a']);
    const before = await counts(team);
    await assert.rejects(
      service().database.transaction(team.teamId, async (tx) => {
        await foldCounts(tx, 1000);
        throw new Error('and then it fails');
      }),
      /and then it fails/,
    );
    assert.equal((await pending(team)).length, 1);
    assert.deepEqual(await counts(team), before);
  });

  test('are folded once enough are pending', async () => {
    const team = await service().anotherTeam();
    const enough = async () => (await service().database.read('', teamsToFold)).includes(team.teamId);
    assert.equal(await enough(), false);
    for (let n = 0; n < 31; n += 1) await count(team, '2026-01-01', ['a']);
    assert.equal(await enough(), false);
    await count(team, '2026-01-01', ['a']);
    assert.equal(await enough(), true);
  });
});
