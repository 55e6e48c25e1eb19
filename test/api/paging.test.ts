import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '../../src/database/work.ts';
import { LIMITS } from '../../src/shared/limits.ts';
import { numbered } from '../fill.ts';
import { onEveryDatabase } from '../harness.ts';
import { pagesOf } from '../rules.ts';

const WITHOUT_DETAILS = { thumbnail: null, roll_numerator: 1, width: 1, height: 1 };
const dated = { created_at: 1, updated_at: 1 };
const ids = Array.from({ length: LIMITS.pageRows + 1 }, (_, index) => numbered('row', index));

/** Gives a team one row more than a page has, by the path of the list. */
const FILLS: Record<string, (tx: Transaction) => Promise<unknown>> = {
  '/users': ({ queries, teamId: team_id }) =>
    queries
      .insertInto('users')
      .values(ids.map((id) => ({ team_id, id, external_id: null, roller_id: id, ...dated })))
      .execute(),
  '/spaces': ({ queries, teamId: team_id }) =>
    queries
      .insertInto('spaces')
      .values(ids.map((id) => ({ team_id, id, name: id, cols: 1, rows: 1, ...dated })))
      .execute(),
  '/templates': ({ queries, teamId: team_id }) =>
    queries
      .insertInto('templates')
      .values(
        ids.map((id) => ({
          team_id,
          id,
          name: id,
          type: 'gacha',
          config: '{}',
          bindings: '{}',
          verifiable: 0,
          disclosure: 'private' as const,
          ...dated,
        })),
      )
      .execute(),
  '/items': ({ queries, teamId: team_id }) =>
    queries
      .insertInto('items')
      .values(ids.map((id) => ({ ...{ team_id, id, name: id, ...WITHOUT_DETAILS }, ...dated })))
      .execute(),
  '/item-instances': async ({ queries, teamId: team_id }) => {
    const [id] = ids as [string];
    await queries
      .insertInto('items')
      .values({ team_id, id, name: id, ...WITHOUT_DETAILS, ...dated })
      .execute();
    await queries
      .insertInto('users')
      .values({ team_id, id, external_id: null, roller_id: id, ...dated })
      .execute();
    const origin = {
      item_id: id,
      user_id: id,
      attribute_values: '{}',
      cause: 'request',
      request_id: null,
      data: null,
      locked: null,
    };
    await queries
      .insertInto('item_instances')
      .values(ids.map((instance) => ({ team_id, id: instance, ...origin, ...dated })))
      .execute();
  },
};

onEveryDatabase('a list', (service) => {
  for (const [path, fill] of Object.entries(FILLS))
    test(`of ${path} has a thousand rows unless fewer are asked for, and a link to the rest`, async () => {
      const team = await service().anotherTeam();
      await service().database.transaction(team.teamId, fill);
      const pages = await pagesOf(team, path);
      assert.deepEqual(
        pages.map(({ length }) => length),
        [LIMITS.pageRows, 1],
      );
      assert.deepEqual(
        pages.flat().map(({ id }) => id),
        ids,
      );
    });

  test('of templates of a type and of secrets is in order of creation, page by page', async () => {
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
      assert.deepEqual(await names(`/templates/type/gacha?limit=${limit}`), ['b', 'c', 'd']);
      assert.deepEqual(await names(`/templates/type/idle?limit=${limit}`), ['a', 'e']);
    }
    // The ids of secrets are generated; there are few of them, and they come all at once.
    const secrets = (await names('/secrets')).filter((name) => name.length === 1);
    assert.deepEqual(secrets.slice(0, 3).sort(), ['a', 'b', 'c']);
    assert.deepEqual(secrets.slice(3), ['e', 'd']);
  });
});
