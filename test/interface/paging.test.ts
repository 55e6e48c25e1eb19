import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/limits.ts';
import { type Client, onEveryDatabase } from '../harness.ts';

interface Row {
  readonly id: string;
  readonly name: string;
}

onEveryDatabase('a list', (service) => {
  const pagesOf = async (team: Client, path: string): Promise<Row[][]> => {
    const pages: Row[][] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const { status, body, headers } = await team.get(next);
      assert.equal(status, 200, JSON.stringify(body));
      pages.push(body);
      next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    return pages;
  };

  test('has a thousand rows unless fewer are asked for, and a link to the rest', async () => {
    const team = await service().anotherTeam();
    const users = Array.from({ length: LIMITS.pageRows + 1 }, (_, index) => `user-${String(index).padStart(4, '0')}`);
    await service().database.transaction(team.teamId, ({ queries, teamId: team_id }) =>
      queries
        .insertInto('users')
        .values(
          users.map((id) => ({
            ...{ team_id, id, external_id: null, roller_id: id, created_at: 1, updated_at: 1 },
          })),
        )
        .execute(),
    );
    const pages = await pagesOf(team, '/users');
    assert.deepEqual(
      pages.map(({ length }) => length),
      [1000, 1],
    );
    assert.deepEqual(
      pages.flat().map(({ id }) => id),
      users,
    );
    assert.equal((await team.get(`/users?limit=${LIMITS.pageRows}`)).body.length, LIMITS.pageRows);
    assert.equal((await team.get(`/users?limit=${LIMITS.pageRows + 1}`)).status, 400);
  });

  test('of templates, of templates of a type and of secrets is in order of creation, page by page', async () => {
    const team = await service().anotherTeam();
    const { body: kind } = await team.post('/classifiers', { name: 'Kind', classifierOptions: [{ name: 'one' }] });
    await team.post('/items', { name: 'Coin', classifierOptionIds: [kind.classifierOptions[0].id] });
    const baseRates = { one: 1 };
    const START_MS = Date.parse('2026-03-01T00:00:00.000Z');
    // Those of one moment are in the order of their ids.
    for (const [index, id] of ['c', 'a', 'b', 'e', 'd'].entries()) {
      service().setClock(START_MS + (index < 3 ? 0 : index));
      const [type, config] = index % 2 === 0 ? ['gacha', { baseRates }] : ['idle', { baseRates, rollsPerHour: 1 }];
      assert.equal((await team.post('/templates', { id, name: id, type, config })).status, 200);
      assert.equal((await team.post('/secrets', { name: id, role: 'read' })).status, 200);
    }
    service().setClock(Date.now());
    const names = async (path: string) => (await pagesOf(team, path)).flat().map(({ name }) => name);
    for (const limit of [1, 2, 3, 1000]) {
      assert.deepEqual(await names(`/templates?limit=${limit}`), ['a', 'b', 'c', 'e', 'd']);
      assert.deepEqual(await names(`/templates/type/gacha?limit=${limit}`), ['b', 'c', 'd']);
      assert.deepEqual(await names(`/templates/type/idle?limit=${limit}`), ['a', 'e']);
    }
    // The ids of secrets are generated; there are few of them, and they come all at once.
    const secrets = (await names('/secrets')).filter((name) => name.length === 1);
    assert.deepEqual(secrets.slice(0, 3).sort(), ['a', 'b', 'c']);
    assert.deepEqual(secrets.slice(3), ['e', 'd']);
  });
});
