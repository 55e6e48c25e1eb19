import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, inventoryState } from '../../../test/inventories.ts';
import {
  assertInvalid,
  keepsTheRulesOfCreation,
  keepsTheRulesOfLists,
  keepsTheRulesOfRows,
  NOT_FOUND,
} from '../../../test/rules.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const TIME = '2026-11-14T09:30:00.000Z';
const LATER = '2026-11-14T09:30:01.000Z';

const next = (link: string | null): string | undefined => /^<([^>]*)>; rel="next"$/.exec(link ?? '')?.[1];

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

onEveryDatabase('spaces', (service) => {
  test('creates, gets and lists a space', async () => {
    const team = await service().anotherTeam();
    service().setClock(MOMENT);
    const { status, body } = await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 4, rows: 3 });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      id: 'bag',
      name: 'Bag',
      teamId: team.teamId,
      cols: 4,
      rows: 3,
      createdAt: TIME,
      updatedAt: TIME,
    });
    assert.deepEqual((await team.get('/spaces/bag')).body, body);
    assert.deepEqual((await team.get('/spaces')).body, [{ ...body, userSpaces: [] }]);
  });

  test('accepts sides from 1 to 200', async () => {
    for (const side of [1, 200]) {
      const { status, body } = await service().post('/spaces', { name: 'x'.repeat(191), cols: side, rows: side });
      assert.equal(status, 200);
      assert.deepEqual([body.cols, body.rows], [side, side]);
    }
  });

  test('changes a space member by member', async () => {
    service().setClock(MOMENT);
    const { body: created } = await service().post('/spaces', { id: 'changing', name: 'Bag', cols: 4, rows: 3 });
    service().setClock(MOMENT + 1000);
    const renamed = await service().put('/spaces/changing', { name: 'Chest' });
    assert.equal(renamed.status, 200);
    assert.deepEqual(renamed.body, { ...created, name: 'Chest', updatedAt: LATER });
    const resized = await service().put('/spaces/changing', { cols: 9, rows: 1 });
    assert.deepEqual(resized.body, { ...created, name: 'Chest', cols: 9, rows: 1, updatedAt: LATER });
    assert.deepEqual((await service().get('/spaces/changing')).body, resized.body);
  });

  test('keeps both of two concurrent changes', async () => {
    await service().post('/spaces', { id: 'twice', name: 'Bag 0', cols: 1, rows: 1 });
    for (let round = 1; round <= 20; round += 1) {
      const name = `Bag ${round}`;
      await Promise.all([
        service().put('/spaces/twice', { name }),
        service().put('/spaces/twice', { cols: round }),
        service().put('/spaces/twice', { rows: round }),
      ]);
      const { body } = await service().get('/spaces/twice');
      assert.deepEqual([body.name, body.cols, body.rows], [name, round, round]);
    }
  });

  test('lists spaces with their user spaces, or only those of one user', async () => {
    const team = await service().anotherTeam();
    for (const id of ['1-one', '2-two', '3-three']) await team.post('/spaces', { id, name: id, cols: 1, rows: 1 });
    await team.post('/users/ann/spaces', { id: 'ann-one', spaceId: '1-one' });
    await team.post('/users/bob/spaces', { id: 'bob-one', spaceId: '1-one' });
    await team.post('/users/ann/spaces', { id: 'ann-three-1', spaceId: '3-three' });
    await team.post('/users/ann/spaces', { id: 'ann-three-2', spaceId: '3-three' });
    const listed = (rows: { id: string; userSpaces: unknown }[]) => rows.map(({ id, userSpaces }) => [id, userSpaces]);
    const ann = (id: string) => ({ id, userId: 'ann' });
    assert.deepEqual(listed((await team.get('/spaces')).body), [
      ['1-one', [ann('ann-one'), { id: 'bob-one', userId: 'bob' }]],
      ['2-two', []],
      ['3-three', [ann('ann-three-1'), ann('ann-three-2')]],
    ]);
    assert.deepEqual(listed((await team.get('/spaces?userId=ann')).body), [
      ['1-one', [ann('ann-one')]],
      ['3-three', [ann('ann-three-1'), ann('ann-three-2')]],
    ]);
    for (const nobody of ['nobody', 'ann%00', '%00', ''])
      assert.deepEqual((await team.get(`/spaces?userId=${nobody}`)).body, []);
  });

  test('pages through spaces by links that keep the filter, whatever it contains', async () => {
    const team = await service().anotherTeam();
    const userId = 'who?&what=#/+ %🐉';
    const path = encodeURIComponent(userId);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await team.post('/spaces', { id, name: id, cols: 1, rows: 1 });
    for (const spaceId of ['a', 'c', 'e']) await team.post(`/users/${path}/spaces`, { id: `of-${spaceId}`, spaceId });
    const seen: string[] = [];
    // A question mark need not be escaped in a query.
    let link: string | undefined = `/spaces?userId=${path.replaceAll('%3F', '?')}&limit=1`;
    for (let page = 0; link !== undefined; page += 1) {
      assert.ok(page < 4, 'the links end');
      const { status, body, headers }: Awaited<ReturnType<Client['get']>> = await team.get(link);
      assert.equal(status, 200);
      assert.ok(body.length <= 1, 'the limit is kept');
      seen.push(...idsOf(body));
      link = next(headers.get('link'));
    }
    assert.deepEqual(seen, ['a', 'c', 'e']);
  });

  /** Gives users user spaces of a space; `prefix`-0000 is the oldest. */
  const giveMany = async (team: Client, spaceId: string, prefix: string, count: number, userId?: string) => {
    const names = Array.from({ length: count }, (_, number) => `${prefix}-${String(number).padStart(4, '0')}`);
    await service().database.transaction(team.teamId, async ({ queries, teamId }) => {
      const made = { team_id: teamId, created_at: MOMENT, updated_at: MOMENT };
      const users = (userId === undefined ? names : [userId]).map((id) => ({
        ...made,
        id,
        external_id: null,
        roller_id: id,
      }));
      await queries
        .insertInto('users')
        .values(users)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const rows = names.map((id) => ({ ...made, id, user_id: userId ?? id, space_id: spaceId, external_id: null }));
      await queries.insertInto('user_spaces').values(rows).execute();
    });
    return names;
  };

  const readPages = async (team: Client, path: string) => {
    const pages: Awaited<ReturnType<Client['get']>>['body'][] = [];
    for (let link: string | undefined = path; link !== undefined; ) {
      assert.ok(pages.length < 20, 'the links end');
      const { status, body, headers }: Awaited<ReturnType<Client['get']>> = await team.get(link);
      assert.equal(status, 200);
      pages.push(body);
      link = next(headers.get('link'));
    }
    return pages;
  };

  test('lists the first hundred user spaces of a space, and all of them page by page', async () => {
    const team = await service().anotherTeam();
    await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 1, rows: 1 });
    const names = await giveMany(team, 'bag', 'player', 250);
    const own = await giveMany(team, 'bag', 'own', 120, 'collector');
    const { body } = await team.get('/spaces');
    assert.deepEqual(idsOf(body[0].userSpaces), own.slice(0, 100), 'by id where they are of one moment');
    const { body: ofUser } = await team.get('/spaces?userId=collector');
    assert.deepEqual(idsOf(ofUser[0].userSpaces), own.slice(0, 100));
    const { body: ofPlayer } = await team.get('/spaces?userId=player-0200');
    assert.deepEqual(ofPlayer[0].userSpaces, [{ id: 'player-0200', userId: 'player-0200' }]);

    const pages = await readPages(team, '/spaces/bag/user-spaces?limit=150');
    assert.deepEqual(
      pages.map(({ length }) => length),
      [150, 150, 70],
    );
    assert.deepEqual(idsOf(pages.flat()), [...own, ...names]);
    const time = new Date(MOMENT).toISOString();
    assert.deepEqual(pages[0]?.[0], {
      id: 'own-0000',
      teamId: team.teamId,
      userId: 'collector',
      externalId: null,
      spaceId: 'bag',
      createdAt: time,
      updatedAt: time,
    });
    assert.deepEqual((await team.get('/spaces/none/user-spaces')).body, NOT_FOUND);
    assert.deepEqual((await service().get('/spaces/bag/user-spaces')).body, NOT_FOUND, "another team's");
  });

  test('ends a page of spaces before it contains more than a thousand user spaces', async () => {
    const team = await service().anotherTeam();
    service().setClock(MOMENT);
    const ids = Array.from({ length: 13 }, (_, number) => `space-${String(number).padStart(2, '0')}`);
    for (const id of ids) await team.post('/spaces', { id, name: id, cols: 1, rows: 1 });
    for (const id of ids.slice(0, 12)) await giveMany(team, id, id, 101);
    const pages = await readPages(team, '/spaces');
    assert.deepEqual(pages.map(idsOf), [ids.slice(0, 10), ids.slice(10)]);
    for (const space of pages.flat().slice(0, 12)) assert.equal(space.userSpaces.length, 100);
    assert.deepEqual((await readPages(team, '/spaces?limit=4')).map(idsOf), [
      ids.slice(0, 4),
      ids.slice(4, 8),
      ids.slice(8, 12),
      ids.slice(12),
    ]);
  });

  test('finds what a smaller grid would cut off in any of many user spaces', async () => {
    const team = await service().anotherTeam();
    await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 1 });
    await team.post('/items', { id: 'coin', name: 'Coin' });
    await giveMany(team, 'bag', 'a', 1050);
    const at = { itemId: 'coin', userId: 'a-1049', userSpaceId: 'a-1049', spacePositionX: 1, spacePositionY: 0 };
    assert.equal((await team.post('/item-instances', at)).status, 200);
    const rejected = await team.put('/spaces/bag', { cols: 1 });
    assert.equal(rejected.status, 409);
    assert.deepEqual(issuePaths(rejected), ['/body/cols']);
    assert.match(rejected.body.issues[0].message, /in user space a-1049$/);
  });

  test('shrinks a space to the size of its contents', async () => {
    const team = await service().anotherTeam();
    await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 5, rows: 5 });
    await team.post('/items', { id: 'spear', name: 'Spear', width: 1, height: 2 });
    await team.post('/users/ann/spaces', { id: 'anns', spaceId: 'bag' });
    const at = { itemId: 'spear', userId: 'ann', userSpaceId: 'anns', spacePositionX: 2, spacePositionY: 1 };
    assert.equal((await team.post('/item-instances', at)).status, 200);
    const { status, body } = await team.put('/spaces/bag', { cols: 3, rows: 3 });
    assert.equal(status, 200);
    assert.deepEqual([body.cols, body.rows], [3, 3]);
  });

  test('deletes a space without user spaces', async () => {
    await service().post('/spaces', { id: 'gone', name: 'Bag', cols: 1, rows: 1 });
    const { status, body } = await service().delete('/spaces/gone');
    assert.equal(status, 200);
    assert.deepEqual(body, {});
    assert.equal((await service().get('/spaces/gone')).status, 404);
    assert.equal((await service().post('/spaces', { id: 'gone', name: 'Bag', cols: 1, rows: 1 })).status, 200);
  });

  describe('rejects', () => {
    test('all invalid members of a new space at once, each with its path', async () => {
      const answer = await service().post('/spaces', { name: '', cols: '3', rows: 201, depth: 2 });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/body/cols', '/body/depth', '/body/name', '/body/rows']);
      const empty = await service().post('/spaces', {});
      assert.equal(empty.status, 400);
      assert.deepEqual(issuePaths(empty).sort(), ['/body/cols', '/body/name', '/body/rows']);
    });

    test('all issues of path, query and body at once', async () => {
      const answer = await service().put(`/spaces/${'x'.repeat(192)}?colour=red&limit=1`, { cols: 0, depth: 1 });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), [
        '/body/cols',
        '/body/depth',
        '/path/id',
        '/query/colour',
        '/query/limit',
      ]);
    });

    test('sides that are not integers from 1 to 200', async () => {
      await service().post('/spaces', { id: 'sides', name: 'Bag', cols: 1, rows: 1 });
      for (const side of [0, -1, 1.5, 201, null, '1', true, [1], 1e300]) {
        const created = await service().post('/spaces', { name: 'Bag', cols: side, rows: side });
        assert.equal(created.status, 400);
        assert.deepEqual([...new Set(issuePaths(created))], ['/body/cols', '/body/rows']);
        const changed = await service().put('/spaces/sides', { cols: side, rows: side });
        assert.equal(changed.status, 400);
        assert.deepEqual([...new Set(issuePaths(changed))], ['/body/cols', '/body/rows']);
      }
      const infinite = await service().post('/spaces', undefined, { raw: '{"name":"Bag","cols":1e999,"rows":1}' });
      assert.deepEqual([infinite.status, [...new Set(issuePaths(infinite))]], [400, ['/body/cols']]);
      assert.equal((await service().get('/spaces/sides')).body.cols, 1);
    });

    test('a change to a name that is too long, empty or not a string', async () => {
      await service().post('/spaces', { id: 'names', name: 'Bag', cols: 1, rows: 1 });
      for (const name of ['x'.repeat(192), '', null, 7, 'a\0'])
        assertInvalid(await service().put('/spaces/names', { name }), '/body/name');
    });

    test('a change with unknown members', async () => {
      await service().post('/spaces', { id: 'members', name: 'Bag', cols: 1, rows: 1 });
      const answer = await service().put('/spaces/members', { id: 'other', teamId: 'other', userSpaces: [] });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/body/id', '/body/teamId', '/body/userSpaces']);
    });

    test('an invalid change to an unknown space', async () => {
      assertInvalid(await service().put('/spaces/nothing', { cols: 0 }), '/body/cols');
    });

    test('invalid queries', async () => {
      const answer = await service().get(`/spaces?limit=x&spaceId=y&userId=${'x'.repeat(192)}`);
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/query/limit', '/query/spaceId', '/query/userId']);
      assert.equal((await service().get('/spaces?userId=a&userId=b')).status, 400);
    });

    test('a shrink that would cut off an item with 409, and changes nothing', async () => {
      const team = await service().anotherTeam();
      await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 6, rows: 6 });
      await team.post('/items', { id: 'shield', name: 'Shield', width: 3, height: 2 });
      await team.post('/users/ann/spaces', { id: 'anns', spaceId: 'bag' });
      const at = { itemId: 'shield', userId: 'ann', userSpaceId: 'anns', spacePositionX: 1, spacePositionY: 2 };
      const { body: given } = await team.post('/item-instances', at);
      const before = await inventoryState(service());
      const message = `would cut off item instance ${given.id} at 1, 2 in user space anns`;
      for (const [change, paths] of [
        [{ cols: 3 }, ['/body/cols']],
        [{ cols: 1, rows: 6, name: 'Small' }, ['/body/cols']],
        [{ rows: 3 }, ['/body/rows']],
        [{ rows: 2 }, ['/body/rows']],
        [{ cols: 6, rows: 1 }, ['/body/rows']],
        [{ cols: 3, rows: 3 }, ['/body/cols', '/body/rows']],
      ] as const) {
        const { status, body, headers } = await team.put('/spaces/bag', change);
        assert.equal(status, 409);
        assert.deepEqual(body, {
          code: 'CONFLICT',
          message: 'Conflict',
          issues: paths.map((path) => ({ path, message })),
        });
        assert.equal(headers.get('x-should-retry'), 'false');
        assert.deepEqual(await inventoryState(service()), before);
      }
    });

    test('deleting a space with user spaces with 409, and changes nothing', async () => {
      const team = await service().anotherTeam();
      await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 1, rows: 1 });
      await team.post('/users/ann/spaces', { id: 'anns', spaceId: 'bag' });
      const before = await inventoryState(service());
      const { status, body } = await team.delete('/spaces/bag');
      assert.equal(status, 409);
      assert.deepEqual(body, {
        code: 'CONFLICT',
        message: 'Conflict',
        issues: [{ path: '/path/id', message: 'is used by user space anns of user ann' }],
      });
      assert.deepEqual(await inventoryState(service()), before);
      await team.delete('/users/ann/spaces/anns');
      assert.equal((await team.delete('/spaces/bag')).status, 200);
    });
  });

  const create = (client: Client, id: string) => client.post('/spaces', { id, name: id, cols: 1, rows: 1 });

  describe('create', () => keepsTheRulesOfCreation(service, '/spaces', { cols: 1, rows: 1 }));

  describe('list', () => keepsTheRulesOfLists(service, '/spaces', create));

  for (const [operation, call] of Object.entries<(client: Client, id: string) => Promise<ApiResponse>>({
    'GET /spaces/{id}': (client, id) => client.get(`/spaces/${id}`),
    'GET /spaces/{id}/user-spaces': (client, id) => client.get(`/spaces/${id}/user-spaces`),
    'PUT /spaces/{id}': (client, id) => client.put(`/spaces/${id}`, { name: 'Bag' }),
    'DELETE /spaces/{id}': (client, id) => client.delete(`/spaces/${id}`),
  }))
    keepsTheRulesOfRows(service, operation, call, create);

  test('keeps cells, placements and grid rows consistent', () => assertInventoriesHold(service()));
});

onEveryDatabase('user spaces', (service) => {
  test('gives a user a space, and creates an unknown user', async () => {
    const team = await service().anotherTeam();
    service().setClock(MOMENT);
    const { body: space } = await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 1 });
    const { status, body } = await team.post('/users/ann/spaces', { spaceId: 'bag' });
    assert.equal(status, 200);
    assert.match(body.id, /^[0-9a-f-]{36}$/);
    const expected = {
      id: body.id,
      teamId: team.teamId,
      userId: 'ann',
      externalId: null,
      spaceId: 'bag',
      createdAt: TIME,
      updatedAt: TIME,
    };
    assert.deepEqual(body, expected);
    assert.deepEqual((await team.get('/users/ann')).body, {
      id: 'ann',
      externalId: null,
      teamId: team.teamId,
      createdAt: TIME,
      updatedAt: TIME,
    });
    assert.deepEqual((await team.get('/users/ann/spaces')).body, [{ ...expected, space }]);
  });

  test('leaves an existing user alone', async () => {
    const team = await service().anotherTeam();
    await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 1 });
    service().setClock(MOMENT);
    const { body: user } = await team.post('/users', { id: 'ann', externalId: 'elsewhere' });
    service().setClock(MOMENT + 1000);
    assert.equal((await team.post('/users/ann/spaces', { spaceId: 'bag' })).body.createdAt, LATER);
    assert.deepEqual((await team.get('/users/ann')).body, user);
  });

  test('stores an external id as free text that need not be unique', async () => {
    const team = await service().anotherTeam();
    await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 1 });
    for (const externalId of ['slot 1', 'slot 1', '', null, '🐉'.repeat(191), 'line\nbreak']) {
      const { status, body } = await team.post('/users/ann/spaces', { spaceId: 'bag', externalId });
      assert.equal(status, 200);
      assert.equal(body.externalId, externalId);
    }
    assert.equal((await team.get('/users/ann/spaces')).body.length, 6);
  });

  for (const userId of ['auth0|5f7c8ec7', 'a@b.c', 'a b', '🐉', 'a/b', '100%', 'x'.repeat(191), '🐉'.repeat(191)]) {
    test(`gives a space to ${JSON.stringify(userId.slice(0, 20))}`, async () => {
      const team = await service().anotherTeam();
      await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 1 });
      const path = `/users/${encodeURIComponent(userId)}/spaces`;
      const { status, body } = await team.post(path, { id: 'theirs', spaceId: 'bag' });
      assert.equal(status, 200);
      assert.equal(body.userId, userId);
      assert.deepEqual(idsOf((await team.get(path)).body), ['theirs']);
      assert.deepEqual(idsOf((await team.get(`/spaces?userId=${encodeURIComponent(userId)}`)).body), ['bag']);
      assert.equal((await team.delete(`${path}/theirs`)).status, 200);
      assert.deepEqual((await team.get(path)).body, []);
    });
  }

  test('pages through the spaces of a user', async () => {
    const team = await service().anotherTeam();
    await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 1 });
    for (const id of ['a', 'b', 'c']) await team.post('/users/ann/spaces', { id, spaceId: 'bag' });
    await team.post('/users/bob/spaces', { id: 'bobs', spaceId: 'bag' });
    const first = await team.get('/users/ann/spaces?limit=2');
    assert.deepEqual(idsOf(first.body), ['a', 'b']);
    const second = await team.get(next(first.headers.get('link')) as string);
    assert.deepEqual(idsOf(second.body), ['c']);
    assert.equal(second.headers.get('link'), null);
  });

  test('deletes a user space and keeps its contents, unplaced', async () => {
    const team = await service().anotherTeam();
    await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 2 });
    await team.post('/items', { id: 'sword', name: 'Sword' });
    for (const id of ['going', 'staying']) {
      await team.post('/users/ann/spaces', { id, spaceId: 'bag' });
      for (const n of [1, 2])
        await team.post('/item-instances', {
          id: `in-${id}-${n}`,
          itemId: 'sword',
          userId: 'ann',
          userSpaceId: id,
        });
    }
    const { body: before } = await team.get('/item-instances');
    const answer = await team.delete('/users/ann/spaces/going');
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {});
    assert.deepEqual(idsOf((await team.get('/users/ann/spaces')).body), ['staying']);
    assert.deepEqual(
      (await team.get('/item-instances')).body,
      before.map((instance: { id: string }) =>
        instance.id.startsWith('in-going') ? { ...instance, itemInstanceSpace: null } : instance,
      ),
    );
    assert.equal((await team.get('/item-instance-spaces')).body.length, 2);
    assert.equal((await team.delete('/users/ann/spaces/going')).status, 404);
    await assertInventoriesHold(service());
  });

  describe('rejects', () => {
    test('control characters in the id of a new user', async () => {
      await service().post('/spaces', { id: 'control', name: 'Bag', cols: 1, rows: 1 });
      const before = await inventoryState(service());
      for (const userId of ['%00', 'a%00b', '%0A', '%7F', '%C2%85', 'x'.repeat(192)]) {
        const answer = await service().post(`/users/${userId}/spaces`, { spaceId: 'control' });
        assert.equal(answer.status, 400, userId);
        assert.deepEqual(issuePaths(answer), ['/path/userId']);
      }
      assert.deepEqual(await inventoryState(service()), before);
    });

    test('a space that is unknown or of another team, and creates no user', async () => {
      const other = await service().anotherTeam();
      await other.post('/spaces', { id: 'foreign', name: 'Bag', cols: 1, rows: 1 });
      const before = await inventoryState(service());
      for (const spaceId of ['nothing', 'foreign', '🐉']) {
        const { status, body } = await service().post('/users/newcomer/spaces', { spaceId });
        assert.equal(status, 400);
        assert.deepEqual(body, {
          code: 'BAD_REQUEST',
          message: 'Invalid input data',
          issues: [{ path: '/body/spaceId', message: 'is not a space of this team' }],
        });
      }
      assert.deepEqual(await inventoryState(service()), before);
    });

    test('all invalid members at once, each with its path', async () => {
      const shape = await service().post('/users/ann/spaces', { id: 'a b', externalId: 7, userId: 'bob' });
      assert.equal(shape.status, 400);
      assert.deepEqual(issuePaths(shape).sort(), ['/body/externalId', '/body/id', '/body/spaceId', '/body/userId']);
      await service().post('/spaces', { id: 'faults', name: 'Bag', cols: 1, rows: 1 });
      await service().post('/users/ann/spaces', { id: 'taken', spaceId: 'faults' });
      const references = await service().post('/users/ann/spaces', { id: 'taken', spaceId: 'nothing' });
      assert.equal(references.status, 400);
      assert.deepEqual(issuePaths(references).sort(), ['/body/id', '/body/spaceId']);
      for (const [body, path] of [
        [{ spaceId: '' }, '/body/spaceId'],
        [{ spaceId: 'x'.repeat(192) }, '/body/spaceId'],
        [{ spaceId: null }, '/body/spaceId'],
        [{ spaceId: 'faults\0' }, '/body/spaceId'],
        [{ spaceId: 'faults', externalId: 'x'.repeat(192) }, '/body/externalId'],
        [{ spaceId: 'faults', externalId: '\0' }, '/body/externalId'],
      ] as const) {
        const answer = await service().post('/users/ann/spaces', body);
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer), [path]);
      }
    });

    test('unknown users with 404', async () => {
      for (const userId of ['nobody', '%00', 'a%2Fb', 'x'.repeat(191)]) {
        for (const answer of [
          await service().get(`/users/${userId}/spaces`),
          await service().delete(`/users/${userId}/spaces/any`),
        ]) {
          assert.equal(answer.status, 404);
          assert.deepEqual(answer.body, NOT_FOUND);
        }
      }
      for (const answer of [
        await service().get(`/users/${'x'.repeat(192)}/spaces`),
        await service().delete(`/users/${'x'.repeat(192)}/spaces/any`),
      ]) {
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer), ['/path/userId']);
      }
    });

    test('deleting a user space that is unknown or belongs to another user', async () => {
      await service().post('/spaces', { id: 'owned', name: 'Bag', cols: 1, rows: 1 });
      await service().post('/users/owner/spaces', { id: 'owned-1', spaceId: 'owned' });
      await service().post('/users/thief/spaces', { id: 'owned-2', spaceId: 'owned' });
      for (const path of [
        '/users/owner/spaces/nothing',
        '/users/thief/spaces/owned-1',
        '/users/owner/spaces/owned-1%00',
      ])
        assert.equal((await service().delete(path)).status, 404);
      const long = await service().delete(`/users/owner/spaces/${'x'.repeat(192)}`);
      assert.deepEqual([long.status, issuePaths(long)], [400, ['/path/id']]);
      assert.deepEqual(idsOf((await service().get('/users/owner/spaces')).body), ['owned-1']);
    });

    test('unknown query parameters', async () => {
      const answer = await service().get('/users/ann/spaces?spaceId=a&limit=0');
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/query/limit', '/query/spaceId']);
    });
  });

  test('keeps cells, placements and grid rows consistent', () => assertInventoriesHold(service()));
});
