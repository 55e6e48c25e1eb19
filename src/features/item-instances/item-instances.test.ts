import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, inventoryState } from '../../../test/inventories.ts';
import {
  givesCoins,
  keepsTheRulesOfBodies,
  keepsTheRulesOfIds,
  keepsTheRulesOfLists,
  keepsTheRulesOfRows,
  NOT_FOUND,
} from '../../../test/rules.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const TIME = '2026-11-14T09:30:00.000Z';
const LATER = '2026-11-14T09:30:01.000Z';
const UUID = /^[0-9a-f-]{36}$/;

const next = (link: string | null): string | undefined => /^<([^>]*)>; rel="next"$/.exec(link ?? '')?.[1];

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

const conflict = (path: string, message: string) => ({
  code: 'CONFLICT',
  message: 'Conflict',
  issues: [{ path, message }],
});

/** Creates a catalog: a sword with two attributes, a coin of one cell, a spear of 1 × 3 cells and a table of 3 × 2. */
const stock = async (team: Client) => {
  const { body: quality } = await team.post('/classifiers', {
    id: 'quality',
    name: 'Quality',
    classifierOptions: [{ name: 'Common' }, { name: 'Rare' }],
  });
  const [common, rare] = idsOf(quality.classifierOptions) as [string, string];
  await team.post('/attributes', { id: 'damage', name: 'Damage', min: 0, max: 100 });
  await team.post('/attributes', { id: 'weight', name: 'Weight', min: -5, max: 5 });
  const { body: sword } = await team.post('/items', {
    id: 'sword',
    name: 'Sword',
    thumbnail: 'sword.png',
    rollNumerator: 7,
    classifierOptionIds: [rare],
    itemAttributes: [
      { attributeId: 'damage', min: 10, max: 20 },
      { attributeId: 'weight', min: -2.5, max: -2.5 },
    ],
  });
  await team.post('/items', { id: 'coin', name: 'Coin', classifierOptionIds: [common] });
  await team.post('/items', { id: 'spear', name: 'Spear', width: 1, height: 3 });
  await team.post('/items', { id: 'table', name: 'Table', width: 3, height: 2 });
  const [damage, weight] = idsOf(sword.attributes) as [string, string];
  return { sword, damage, weight, common, rare };
};

/** Creates a space and a user space of it. */
const openSpace = async (team: Client, userId: string, cols: number, rows: number): Promise<string> => {
  const { body: space } = await team.post('/spaces', { name: 'Grid', cols, rows });
  const { body } = await team.post(`/users/${encodeURIComponent(userId)}/spaces`, { spaceId: space.id });
  return body.id;
};

const placeOf = ({ body }: ApiResponse) => {
  const { spacePositionX, spacePositionY, rotated } = body.itemInstanceSpace;
  return [spacePositionX, spacePositionY, rotated];
};

onEveryDatabase('item instances', (service) => {
  let team: Client;
  let stocked: Awaited<ReturnType<typeof stock>>;
  before(async () => {
    service().setClock(MOMENT);
    team = await service().anotherTeam();
    stocked = await stock(team);
  });

  test('gives an item to an unknown user, unplaced', async () => {
    const { status, body } = await team.post('/item-instances', { itemId: 'coin', userId: 'auth0|newcomer 🐉' });
    assert.equal(status, 200);
    assert.match(body.id, UUID);
    assert.deepEqual(body, {
      id: body.id,
      itemId: 'coin',
      userId: 'auth0|newcomer 🐉',
      teamId: team.teamId,
      createdAt: TIME,
      updatedAt: TIME,
      itemInstanceSpace: null,
    });
    assert.equal((await team.get(`/users/${encodeURIComponent('auth0|newcomer 🐉')}`)).status, 200);
  });

  test('gives an item into a user space and returns all of it', async () => {
    const userSpaceId = await openSpace(team, 'whole', 4, 4);
    const { status, body } = await team.post('/item-instances', {
      id: 'excalibur',
      itemId: 'sword',
      userId: 'whole',
      userSpaceId,
      spacePositionX: 3,
      spacePositionY: 2,
      itemAttributeInstances: [{ itemAttributeId: stocked.damage, value: 19.5 }],
    });
    assert.equal(status, 200);
    const itemInstanceSpace = {
      id: body.itemInstanceSpace.id,
      itemInstanceId: 'excalibur',
      teamUserSpaceId: userSpaceId,
      spacePositionX: 3,
      spacePositionY: 2,
      rotated: false,
      teamId: team.teamId,
      createdAt: TIME,
      updatedAt: TIME,
    };
    assert.match(itemInstanceSpace.id, UUID);
    assert.deepEqual(body, {
      id: 'excalibur',
      itemId: 'sword',
      userId: 'whole',
      teamId: team.teamId,
      createdAt: TIME,
      updatedAt: TIME,
      itemInstanceSpace,
    });
    const shown = await team.get('/item-instances/excalibur');
    assert.equal(shown.status, 200);
    assert.deepEqual(shown.body, {
      id: 'excalibur',
      userId: 'whole',
      item: {
        id: 'sword',
        name: 'Sword',
        thumbnail: 'sword.png',
        rollNumerator: 7,
        width: 1,
        height: 1,
        createdAt: TIME,
        updatedAt: TIME,
        teamId: team.teamId,
      },
      itemInstanceSpace,
      classifiers: [{ id: 'quality', name: 'Quality', classifierOption: { id: stocked.rare, name: 'Rare' } }],
      attributes: [
        { id: stocked.damage, attributeId: 'damage', name: 'Damage', value: 19.5, min: 10, max: 20 },
        { id: stocked.weight, attributeId: 'weight', name: 'Weight', value: -2.5, min: -2.5, max: -2.5 },
      ],
    });
    assert.deepEqual((await team.get('/item-instances?userId=whole')).body, [shown.body]);
    assert.deepEqual((await team.get(`/item-instance-spaces?teamUserSpaceId=${userSpaceId}`)).body, [
      {
        spacePositionX: 3,
        spacePositionY: 2,
        rotated: false,
        itemInstanceId: 'excalibur',
        teamUserSpaceId: userSpaceId,
        itemInstance: {
          id: 'excalibur',
          itemId: 'sword',
          teamId: team.teamId,
          createdAt: TIME,
          updatedAt: TIME,
          item: { name: 'Sword' },
        },
      },
    ]);
  });

  test('accepts values at both ends of the range and rolls those left out', async () => {
    for (const value of [10, 20]) {
      const { body } = await team.post('/item-instances', {
        itemId: 'sword',
        userId: 'values',
        itemAttributeInstances: [
          { itemAttributeId: stocked.weight, value: -2.5 },
          { itemAttributeId: stocked.damage, value },
        ],
      });
      const shown = await team.get(`/item-instances/${body.id}`);
      assert.deepEqual(
        shown.body.attributes.map((attribute: { value: number }) => attribute.value),
        [value, -2.5],
      );
    }
    const rolled = new Set<number>();
    for (let n = 0; n < 20; n += 1) {
      const { body } = await team.post('/item-instances', { itemId: 'sword', userId: 'values' });
      const [damage, weight] = (await team.get(`/item-instances/${body.id}`)).body.attributes;
      assert.ok(Number.isInteger(damage.value) && damage.value >= 10 && damage.value <= 20);
      assert.equal(weight.value, -2.5);
      rolled.add(damage.value);
    }
    assert.ok(rolled.size > 1, 'twenty rolls of eleven values do not all agree');
  });

  test('does not count as a roll', async () => {
    assert.equal((await team.get('/roll-events/stats')).body.totalRolls, 0);
  });

  test('uses the first free position, row by row', async () => {
    const userSpaceId = await openSpace(team, 'rows', 3, 2);
    const give = (more: object = {}) =>
      team.post('/item-instances', { itemId: 'coin', userId: 'rows', userSpaceId, ...more });
    assert.deepEqual(placeOf(await give({ spacePositionX: 1, spacePositionY: 0 })), [1, 0, false]);
    assert.deepEqual(placeOf(await give()), [0, 0, false]);
    const third = await give();
    assert.deepEqual(placeOf(third), [2, 0, false]);
    assert.deepEqual(placeOf(await give()), [0, 1, false]);
    await team.delete(`/item-instances/${third.body.id}`);
    assert.deepEqual(placeOf(await give()), [2, 0, false]);
    assert.deepEqual(placeOf(await give()), [1, 1, false]);
    assert.deepEqual(placeOf(await give()), [2, 1, false]);
    const state = await inventoryState(service());
    const full = await give();
    assert.equal(full.status, 409);
    assert.deepEqual(full.body, conflict('/body/userSpaceId', 'has no free space of 1 × 1 cells'));
    assert.equal(full.headers.get('x-should-retry'), 'false');
    assert.deepEqual(await inventoryState(service()), state);
  });

  test('finds room for large items, upright first, then rotated', async () => {
    const userSpaceId = await openSpace(team, 'large', 5, 4);
    const give = (itemId: string, more: object = {}) =>
      team.post('/item-instances', { itemId, userId: 'large', userSpaceId, ...more });
    // t t t s c
    // t t t s c
    // - - - s c
    // - - - - -
    assert.deepEqual(placeOf(await give('table')), [0, 0, false]);
    assert.deepEqual(placeOf(await give('spear')), [3, 0, false]);
    assert.deepEqual(placeOf(await give('spear')), [4, 0, false]);
    assert.deepEqual(placeOf(await give('spear')), [0, 2, true]);
    assert.deepEqual(placeOf(await give('spear', { rotated: true })), [0, 3, true]);
    const none = await give('spear', { rotated: false });
    assert.equal(none.status, 409);
    assert.deepEqual(none.body, conflict('/body/userSpaceId', 'has no free space of 1 × 3 cells'));
    assert.deepEqual(placeOf(await give('coin')), [3, 3, false]);
    assert.deepEqual(placeOf(await give('coin')), [4, 3, false]);
    assert.equal((await give('coin')).status, 409);
    await assertInventoriesHold(service());
  });

  test('places rotated items with width and height exchanged', async () => {
    const userSpaceId = await openSpace(team, 'turned', 3, 3);
    const give = (itemId: string, x: number, y: number, rotated: boolean) =>
      team.post('/item-instances', {
        itemId,
        userId: 'turned',
        userSpaceId,
        spacePositionX: x,
        spacePositionY: y,
        rotated,
      });
    assert.equal((await give('spear', 1, 0, true)).status, 409);
    assert.deepEqual(placeOf(await give('spear', 0, 0, true)), [0, 0, true]);
    assert.equal((await give('table', 2, 1, true)).status, 409);
    assert.deepEqual(placeOf(await give('table', 0, 1, false)), [0, 1, false]);
    await assertInventoriesHold(service());
  });

  test('fills a grid of the maximum size to its last cell', async () => {
    const userSpaceId = await openSpace(team, 'vast', 200, 200);
    const at = { itemId: 'coin', userId: 'vast', userSpaceId, spacePositionX: 199, spacePositionY: 199 };
    assert.deepEqual(placeOf(await team.post('/item-instances', at)), [199, 199, false]);
    assert.equal((await team.post('/item-instances', at)).status, 409);
    await team.post('/items', { id: 'monolith', name: 'Monolith', width: 20, height: 20 });
    const big = { itemId: 'monolith', userId: 'vast', userSpaceId };
    assert.equal(
      (await team.post('/item-instances', { ...big, spacePositionX: 180, spacePositionY: 180 })).status,
      409,
    );
    const edge = await team.post('/item-instances', { ...big, spacePositionX: 180, spacePositionY: 179 });
    assert.deepEqual(placeOf(edge), [180, 179, false]);
    assert.deepEqual(placeOf(await team.post('/item-instances', big)), [0, 0, false]);
  });

  describe('moves', () => {
    const put = async (userId: string, cols: number, rows: number, itemId = 'coin') => {
      const userSpaceId = await openSpace(team, userId, cols, rows);
      const { body } = await team.post('/item-instances', { itemId, userId, userSpaceId });
      return { userId, userSpaceId, id: body.id as string, given: body };
    };
    const move = (id: string, userId: string, x: number, y: number, more: object = {}) =>
      team.post(`/item-instances/${id}/move`, { userId, spacePositionX: x, spacePositionY: y, ...more });

    test('within its user space, and returns the instance', async () => {
      service().setClock(MOMENT);
      const { userId, id, given } = await put('mover', 3, 3);
      service().setClock(MOMENT + 1000);
      const moved = await move(id, userId, 2, 1);
      service().setClock(MOMENT);
      assert.equal(moved.status, 200);
      assert.deepEqual(moved.body, {
        ...given,
        itemInstanceSpace: { ...given.itemInstanceSpace, spacePositionX: 2, spacePositionY: 1, updatedAt: LATER },
      });
      assert.deepEqual((await team.get(`/item-instances/${id}`)).body.itemInstanceSpace, moved.body.itemInstanceSpace);
    });

    test('onto cells that it covers itself', async () => {
      const { userId, id } = await put('shifter', 4, 3, 'table');
      assert.deepEqual(placeOf(await move(id, userId, 1, 1)), [1, 1, false]);
      assert.deepEqual(placeOf(await move(id, userId, 1, 1)), [1, 1, false]);
      assert.deepEqual(placeOf(await move(id, userId, 0, 0, { rotated: true })), [0, 0, true]);
      assert.deepEqual(placeOf(await move(id, userId, 1, 0)), [1, 0, true], 'it keeps area as it does');
      assert.deepEqual(placeOf(await move(id, userId, 1, 0, { rotated: false })), [1, 0, false]);
      await assertInventoriesHold(service());
    });

    test('and frees the cells that it leaves', async () => {
      const { userId, userSpaceId, id } = await put('leaver', 2, 1);
      assert.equal((await move(id, userId, 1, 0)).status, 200);
      assert.deepEqual(placeOf(await team.post('/item-instances', { itemId: 'coin', userId, userSpaceId })), [
        0,
        0,
        false,
      ]);
    });

    test('to another space of the owner, given by space or by user space', async () => {
      const { userId, userSpaceId, id } = await put('traveller', 1, 1);
      const { body: spaces } = await team.get(`/users/${userId}/spaces`);
      const homeSpaceId = spaces[0].spaceId;
      const otherId = await openSpace(team, userId, 2, 2);
      const otherSpaceId = (await team.get(`/users/${userId}/spaces`)).body.find(
        (space: { id: string }) => space.id === otherId,
      ).spaceId;
      const there = await move(id, userId, 1, 1, { spaceId: otherSpaceId });
      assert.equal(there.body.itemInstanceSpace.teamUserSpaceId, otherId);
      const back = await move(id, userId, 0, 0, { userSpaceId });
      assert.equal(back.body.itemInstanceSpace.teamUserSpaceId, userSpaceId);
      const stay = await move(id, userId, 0, 0, { spaceId: homeSpaceId });
      assert.equal(stay.body.itemInstanceSpace.teamUserSpaceId, userSpaceId);
      const both = await move(id, userId, 0, 1, { spaceId: otherSpaceId, userSpaceId: otherId });
      assert.equal(both.body.itemInstanceSpace.teamUserSpaceId, otherId);
      assert.equal(both.body.itemInstanceSpace.id, there.body.itemInstanceSpace.id, 'a placement keeps its id');
      await assertInventoriesHold(service());
    });

    test('among several user spaces of one space: the current or the given one', async () => {
      const { userId, userSpaceId, id } = await put('hoarder', 2, 2);
      const spaceId = (await team.get(`/users/${userId}/spaces`)).body[0].spaceId;
      const { body: second } = await team.post(`/users/${userId}/spaces`, { spaceId });
      const { body: third } = await team.post(`/users/${userId}/spaces`, { spaceId });
      const within = await move(id, userId, 1, 1, { spaceId });
      assert.equal(within.body.itemInstanceSpace.teamUserSpaceId, userSpaceId);
      const named = await move(id, userId, 1, 1, { spaceId, userSpaceId: second.id });
      assert.equal(named.body.itemInstanceSpace.teamUserSpaceId, second.id);
      const elsewhere = await put(userId, 1, 1);
      const ambiguous = await move(elsewhere.id, userId, 0, 0, { spaceId });
      assert.equal(ambiguous.status, 400);
      assert.deepEqual(issuePaths(ambiguous), ['/body/userSpaceId']);
      assert.equal((await move(elsewhere.id, userId, 0, 0, { userSpaceId: third.id })).status, 200);
    });

    test('an unplaced instance into a given space', async () => {
      const userSpaceId = await openSpace(team, 'homeless', 2, 2);
      const spaceId = (await team.get('/users/homeless/spaces')).body[0].spaceId;
      const { body: first } = await team.post('/item-instances', { itemId: 'spear', userId: 'homeless' });
      const { body: second } = await team.post('/item-instances', { itemId: 'coin', userId: 'homeless' });
      const nowhere = await move(second.id, 'homeless', 0, 0);
      assert.equal(nowhere.status, 400);
      assert.deepEqual(issuePaths(nowhere), ['/body/spaceId']);
      assert.equal((await move(first.id, 'homeless', 0, 0, { spaceId })).status, 409, 'a spear is too long');
      assert.equal((await team.get(`/item-instances/${first.id}`)).body.itemInstanceSpace, null);
      const placed = await move(second.id, 'homeless', 1, 0, { spaceId });
      assert.equal(placed.status, 200);
      assert.deepEqual(placed.body, {
        ...second,
        itemInstanceSpace: {
          id: placed.body.itemInstanceSpace.id,
          itemInstanceId: second.id,
          teamUserSpaceId: userSpaceId,
          spacePositionX: 1,
          spacePositionY: 0,
          rotated: false,
          teamId: team.teamId,
          createdAt: TIME,
          updatedAt: TIME,
        },
      });
    });

    describe('rejects', () => {
      test('positions outside the grid and occupied cells with 409, and changes nothing', async () => {
        const { userId, userSpaceId, id } = await put('blocked', 4, 3, 'table');
        await team.post('/item-instances', {
          itemId: 'coin',
          userId,
          userSpaceId,
          spacePositionX: 3,
          spacePositionY: 2,
        });
        const state = await inventoryState(service());
        const outside = 'is outside the grid of 4 × 3 cells';
        for (const [x, y, rotated, path, message] of [
          [-1, 0, false, '/body/spacePositionX', outside],
          [2, 0, false, '/body/spacePositionX', outside],
          [4, 0, false, '/body/spacePositionX', outside],
          [0, -1, false, '/body/spacePositionY', outside],
          [0, 2, false, '/body/spacePositionY', outside],
          [0, 1, true, '/body/spacePositionY', outside],
          [3, 0, true, '/body/spacePositionX', outside],
          [Number.MAX_SAFE_INTEGER, 0, false, '/body/spacePositionX', outside],
          [0, Number.MIN_SAFE_INTEGER, false, '/body/spacePositionY', outside],
          [1, 1, false, '/body/spacePositionX', 'a cell at 1, 1 is taken'],
          [2, 0, true, '/body/spacePositionX', 'a cell at 2, 0 is taken'],
        ] as const) {
          const answer = await move(id, userId, x, y, { rotated });
          assert.equal(answer.status, 409, `${x}, ${y}, ${rotated}`);
          assert.deepEqual(answer.body, conflict(path, message));
          assert.deepEqual(await inventoryState(service()), state);
        }
      });

      test('a move to a full space, and leaves the instance in place', async () => {
        const { userId, id } = await put('crowded', 1, 1);
        const full = await put(userId, 1, 1);
        const state = await inventoryState(service());
        const answer = await move(id, userId, 0, 0, { userSpaceId: full.userSpaceId });
        assert.equal(answer.status, 409);
        assert.deepEqual(await inventoryState(service()), state);
      });

      test('another owner, an unknown instance and one of another team with 404', async () => {
        const { id } = await put('victim', 2, 2);
        await openSpace(team, 'robber', 2, 2);
        const other = await service().anotherTeam();
        for (const answer of [
          await move(id, 'robber', 1, 1),
          await move(id, 'nobody', 1, 1),
          await move('nothing', 'victim', 1, 1),
          await move('%00', 'victim', 1, 1),
          await move(id, 'robber', 1, 1, { userSpaceId: 'nothing' }),
          await other.post(`/item-instances/${id}/move`, { userId: 'victim', spacePositionX: 1, spacePositionY: 1 }),
        ]) {
          assert.equal(answer.status, 404);
          assert.deepEqual(answer.body, NOT_FOUND);
        }
        assert.equal((await team.get(`/item-instances/${id}`)).body.itemInstanceSpace.spacePositionX, 0);
      });

      test('unknown spaces and those of another user', async () => {
        const { userId, id } = await put('lodger', 2, 2);
        const foreign = await put('landlord', 2, 2);
        const foreignSpaceId = (await team.get('/users/landlord/spaces')).body[0].spaceId;
        const state = await inventoryState(service());
        for (const [more, path] of [
          [{ userSpaceId: 'nothing' }, '/body/userSpaceId'],
          [{ userSpaceId: foreign.userSpaceId }, '/body/userSpaceId'],
          [{ spaceId: 'nothing' }, '/body/spaceId'],
          [{ spaceId: foreignSpaceId }, '/body/spaceId'],
        ] as const) {
          const answer = await move(id, userId, 0, 0, more);
          assert.equal(answer.status, 400);
          assert.deepEqual(issuePaths(answer), [path]);
        }
        const own = (await team.get(`/users/${userId}/spaces`)).body[0].id;
        const apart = await move(id, userId, 0, 0, { userSpaceId: own, spaceId: foreignSpaceId });
        assert.deepEqual([apart.status, issuePaths(apart)], [400, ['/body/spaceId']]);
        assert.deepEqual(await inventoryState(service()), state);
      });

      test('all invalid members at once, each with its path', async () => {
        const { id } = await put('faulty', 2, 2);
        const answer = await team.post(`/item-instances/${id}/move`, {
          spacePositionX: 0.5,
          spacePositionY: '1',
          rotated: 1,
          spaceId: '',
          userSpaceId: 'x'.repeat(192),
          direction: 'up',
        });
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer).sort(), [
          '/body/direction',
          '/body/rotated',
          '/body/spaceId',
          '/body/spacePositionX',
          '/body/spacePositionY',
          '/body/userId',
          '/body/userSpaceId',
        ]);
        const missing = await team.post(`/item-instances/${id}/move`, { userId: 'faulty' });
        assert.deepEqual(issuePaths(missing).sort(), ['/body/spacePositionX', '/body/spacePositionY']);
        const long = await move('x'.repeat(192), 'faulty', 0, 0);
        assert.deepEqual([long.status, issuePaths(long)], [400, ['/path/id']]);
        assert.equal((await move('nothing', 'faulty', 0.5, 0)).status, 400, 'the shape comes before the path');
      });
    });
  });

  describe('deletes', () => {
    test('an instance, and frees its cells', async () => {
      const userSpaceId = await openSpace(team, 'dropper', 3, 2);
      const give = (itemId: string) => team.post('/item-instances', { itemId, userId: 'dropper', userSpaceId });
      const { body } = await give('table');
      assert.equal((await give('coin')).status, 409);
      const answer = await team.delete(`/item-instances/${body.id}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {});
      assert.equal((await team.get(`/item-instances/${body.id}`)).status, 404);
      assert.deepEqual((await team.get(`/item-instance-spaces?teamUserSpaceId=${userSpaceId}`)).body, []);
      assert.deepEqual(placeOf(await give('table')), [0, 0, false]);
      assert.equal((await team.delete(`/item-instances/${body.id}`)).status, 404);
    });

    test('an unplaced instance, and lets its id be reused', async () => {
      for (let n = 0; n < 2; n += 1) {
        assert.equal((await team.post('/item-instances', { id: 'again', itemId: 'coin', userId: 'u' })).status, 200);
        assert.equal((await team.delete('/item-instances/again')).status, 200);
      }
    });
  });

  describe('rejects the creation with', () => {
    const give = (body: object) => team.post('/item-instances', body);

    test('all invalid members at once, each with its path', async () => {
      const answer = await give({
        id: 'a b',
        itemId: '',
        userId: 'a\u0007',
        userSpaceId: 7,
        itemAttributeInstances: [{ value: '1' }, { itemAttributeId: 'a', value: 1, unit: 'kg' }, 7],
        spacePositionX: 1.5,
        spacePositionY: null,
        rotated: 'yes',
        amount: 3,
      });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), [
        '/body/amount',
        '/body/id',
        '/body/itemAttributeInstances/0/itemAttributeId',
        '/body/itemAttributeInstances/0/value',
        '/body/itemAttributeInstances/2',
        '/body/itemId',
        '/body/rotated',
        '/body/spacePositionX',
        '/body/spacePositionY',
        '/body/userId',
        '/body/userSpaceId',
      ]);
      const empty = await give({});
      assert.deepEqual(issuePaths(empty).sort(), ['/body/itemId', '/body/userId']);
    });

    test('ids that are too long, contain control characters or are not strings', async () => {
      for (const id of ['x'.repeat(192), '', 'a\0b', null, 7, ['coin']]) {
        for (const member of ['itemId', 'userId', 'userSpaceId']) {
          const answer = await give({ itemId: 'coin', userId: 'u', [member]: id });
          assert.equal(answer.status, 400);
          assert.deepEqual(issuePaths(answer), [`/body/${member}`]);
        }
      }
      for (const userId of ['\n', '\u007f', '\u009f'])
        assert.deepEqual(issuePaths(await give({ itemId: 'coin', userId })), ['/body/userId']);
    });

    test('positions that are not integers, incomplete, or without a user space', async () => {
      const userSpaceId = await openSpace(team, 'halves', 2, 2);
      const base = { itemId: 'coin', userId: 'halves' };
      const state = await inventoryState(service());
      for (const [more, paths] of [
        [{ userSpaceId, spacePositionX: 0 }, ['/body/spacePositionY']],
        [{ userSpaceId, spacePositionY: 0 }, ['/body/spacePositionX']],
        [{ userSpaceId, spacePositionX: 0.5, spacePositionY: 0 }, ['/body/spacePositionX']],
        [{ userSpaceId, spacePositionX: 0, spacePositionY: 1e300 }, ['/body/spacePositionY']],
        [{ spacePositionX: 0, spacePositionY: 0 }, ['/body/userSpaceId']],
        [{ spacePositionX: 0 }, ['/body/spacePositionY', '/body/userSpaceId']],
        [{ rotated: true }, ['/body/userSpaceId']],
      ] as const) {
        const answer = await give({ ...base, ...more });
        assert.equal(answer.status, 400, JSON.stringify(more));
        assert.deepEqual(issuePaths(answer).sort(), paths);
      }
      assert.deepEqual(await inventoryState(service()), state);
    });

    test('positions outside the grid and occupied cells with 409, and changes nothing', async () => {
      const userSpaceId = await openSpace(team, 'outside', 3, 2);
      const base = { itemId: 'coin', userId: 'outside', userSpaceId };
      await give({ ...base, spacePositionX: 1, spacePositionY: 1 });
      const state = await inventoryState(service());
      for (const [x, y, path, message] of [
        [-1, 0, '/body/spacePositionX', 'is outside the grid of 3 × 2 cells'],
        [3, 0, '/body/spacePositionX', 'is outside the grid of 3 × 2 cells'],
        [0, -1, '/body/spacePositionY', 'is outside the grid of 3 × 2 cells'],
        [0, 2, '/body/spacePositionY', 'is outside the grid of 3 × 2 cells'],
        [1, 1, '/body/spacePositionX', 'a cell at 1, 1 is taken'],
      ] as const) {
        const answer = await give({ ...base, spacePositionX: x, spacePositionY: y });
        assert.equal(answer.status, 409);
        assert.deepEqual(answer.body, conflict(path, message));
      }
      const large = await give({ ...base, itemId: 'table', spacePositionX: 0, spacePositionY: 0 });
      assert.deepEqual(large.body, conflict('/body/spacePositionX', 'a cell at 0, 0 is taken'));
      assert.deepEqual(await inventoryState(service()), state);
    });

    test('references that do not exist, are taken or belong to another team, all at once', async () => {
      const other = await service().anotherTeam();
      const foreign = await stock(other);
      const foreignSpaceId = await openSpace(other, 'u', 2, 2);
      await other.post('/items', { id: 'foreign-item', name: 'Foreign' });
      await give({ id: 'taken', itemId: 'coin', userId: 'u' });
      const state = await inventoryState(service());
      for (const [body, paths] of [
        [{ itemId: 'nothing', userId: 'new' }, ['/body/itemId']],
        [{ itemId: 'foreign-item', userId: 'new' }, ['/body/itemId']],
        [{ itemId: 'coin', userId: 'new', userSpaceId: 'nothing' }, ['/body/userSpaceId']],
        [{ itemId: 'coin', userId: 'u', userSpaceId: foreignSpaceId }, ['/body/userSpaceId']],
        [{ id: 'taken', itemId: 'coin', userId: 'new' }, ['/body/id']],
        [
          {
            id: 'taken',
            itemId: 'sword',
            userId: 'new',
            userSpaceId: 'nothing',
            itemAttributeInstances: [{ itemAttributeId: foreign.damage, value: 15 }],
          },
          ['/body/id', '/body/itemAttributeInstances/0/itemAttributeId', '/body/userSpaceId'],
        ],
        [
          { id: 'taken', itemId: 'nothing', userId: 'new', userSpaceId: foreignSpaceId },
          ['/body/id', '/body/itemId', '/body/userSpaceId'],
        ],
      ] as const) {
        const answer = await give(body);
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer).sort(), paths);
      }
      assert.deepEqual(await inventoryState(service()), state, 'no user was created');
    });

    test('a user space of another user', async () => {
      const userSpaceId = await openSpace(team, 'rich', 2, 2);
      const answer = await give({ itemId: 'coin', userId: 'poor', userSpaceId });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer), ['/body/userSpaceId']);
      assert.equal((await team.get('/users/poor')).status, 404);
    });

    test("values out of range, repeated, or of another item's attribute, all at once", async () => {
      const { body: other } = await team.post('/items', {
        id: 'axe',
        name: 'Axe',
        itemAttributes: [{ attributeId: 'damage', min: 0, max: 100 }],
      });
      const answer = await give({
        itemId: 'sword',
        userId: 'u',
        itemAttributeInstances: [
          { itemAttributeId: stocked.damage, value: 20.000001 },
          { itemAttributeId: stocked.weight, value: -2.5 },
          { itemAttributeId: stocked.weight, value: -2.5 },
          { itemAttributeId: other.attributes[0].id, value: 50 },
          { itemAttributeId: 'damage', value: 15 },
        ],
      });
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body.issues, [
        { path: '/body/itemAttributeInstances/0/value', message: 'must be between 10 and 20' },
        { path: '/body/itemAttributeInstances/2/itemAttributeId', message: 'is given more than once' },
        { path: '/body/itemAttributeInstances/3/itemAttributeId', message: 'is not an attribute of this item' },
        { path: '/body/itemAttributeInstances/4/itemAttributeId', message: 'is not an attribute of this item' },
      ]);
      const low = await give({
        itemId: 'sword',
        userId: 'u',
        itemAttributeInstances: [{ itemAttributeId: stocked.damage, value: 9.99 }],
      });
      assert.deepEqual(issuePaths(low), ['/body/itemAttributeInstances/0/value']);
    });

    test('an invalid reference before a conflict', async () => {
      const userSpaceId = await openSpace(team, 'order', 1, 1);
      const at = { userId: 'order', userSpaceId, spacePositionX: 5, spacePositionY: 5 };
      assert.equal((await give({ ...at, itemId: 'nothing' })).status, 400);
      assert.equal((await give({ ...at, itemId: 'coin' })).status, 409);
    });
  });

  describe('lists', () => {
    let lister: Client;
    let options: { common: string; rare: string };
    before(async () => {
      lister = await service().anotherTeam();
      options = await stock(lister);
      await lister.post('/spaces', { id: 'bag', name: 'Bag', cols: 5, rows: 5 });
      for (const userId of ['ann', 'bob'])
        for (const n of [1, 2]) await lister.post(`/users/${userId}/spaces`, { id: `${userId}-${n}`, spaceId: 'bag' });
      for (const [id, itemId, userId, userSpaceId] of [
        ['i1', 'sword', 'ann', 'ann-1'],
        ['i2', 'coin', 'ann', 'ann-1'],
        ['i3', 'coin', 'ann', 'ann-2'],
        ['i4', 'spear', 'ann', undefined],
        ['i5', 'sword', 'bob', 'bob-1'],
        ['i6', 'coin', 'bob', undefined],
      ])
        assert.equal((await lister.post('/item-instances', { id, itemId, userId, userSpaceId })).status, 200);
    });
    const listed = async (query: string): Promise<string[]> => {
      const { status, body } = await lister.get(`/item-instances?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return idsOf(body);
    };

    test('instances by owner, user space, item, options and ids, and by combinations', async () => {
      const { common, rare } = options;
      for (const [query, ids] of [
        ['', ['i1', 'i2', 'i3', 'i4', 'i5', 'i6']],
        ['userId=ann', ['i1', 'i2', 'i3', 'i4']],
        ['userId=bob', ['i5', 'i6']],
        ['userSpaceId=ann-1', ['i1', 'i2']],
        ['itemId=coin', ['i2', 'i3', 'i6']],
        ['userId=ann&itemId=coin', ['i2', 'i3']],
        ['userId=bob&userSpaceId=ann-1', []],
        [`classifierOptionIds=${rare}`, ['i1', 'i5']],
        [`classifierOptionIds=${rare},${common}`, ['i1', 'i2', 'i3', 'i5', 'i6']],
        [`classifierOptionIds=${rare}&classifierOptionIds=${common}`, ['i1', 'i2', 'i3', 'i5', 'i6']],
        [`classifierOptionIds=${common}&userId=bob`, ['i6']],
        ['instanceIds=i6,i1', ['i1', 'i6']],
        ['instanceIds=i6&instanceIds=i1', ['i1', 'i6']],
        ['instanceIds=i6,i1&instanceIds=i2', ['i1', 'i2', 'i6']],
        ['instanceIds=i1,nothing,i1', ['i1']],
      ] as const)
        assert.deepEqual(await listed(query), ids, query);
    });

    test('nothing for unknown ids', async () => {
      const foreign = stocked.rare;
      for (const query of [
        'userId=nobody',
        'userId=',
        'userId=ann%00',
        'userSpaceId=%00',
        'itemId=nothing',
        'instanceIds=nothing,i1%00',
        `classifierOptionIds=nothing,${foreign}`,
      ])
        assert.deepEqual(await listed(query), [], query);
    });

    test('instances page by page, keeping the filter', async () => {
      const seen: string[] = [];
      let path: string | undefined = '/item-instances?instanceIds=i1,i3,i5&instanceIds=i6&limit=3';
      const pages: number[] = [];
      while (path !== undefined) {
        const { body, headers }: ApiResponse = await lister.get(path);
        seen.push(...idsOf(body));
        pages.push(body.length);
        path = next(headers.get('link'));
      }
      assert.deepEqual(seen, ['i1', 'i3', 'i5', 'i6']);
      assert.deepEqual(pages, [3, 1]);
    });

    test('placements of one or several user spaces, page by page', async () => {
      const placements = async (query: string) => (await lister.get(`/item-instance-spaces?${query}`)).body;
      const instances = async (query: string) =>
        (await placements(query)).map((row: { itemInstanceId: string }) => row.itemInstanceId).sort();
      assert.deepEqual(await instances(''), ['i1', 'i2', 'i3', 'i5']);
      assert.deepEqual(await instances('teamUserSpaceId=ann-1'), ['i1', 'i2']);
      assert.deepEqual(await instances('teamUserSpaceId=ann-1,bob-1'), ['i1', 'i2', 'i5']);
      assert.deepEqual(await instances('teamUserSpaceId=ann-2&teamUserSpaceId=bob-1'), ['i3', 'i5']);
      assert.deepEqual(await instances('teamUserSpaceId=nothing,%00'), []);
      const first = await lister.get('/item-instance-spaces?limit=3');
      assert.equal(first.body.length, 3);
      const second = await lister.get(next(first.headers.get('link')) as string);
      assert.equal(second.body.length, 1);
      assert.equal(second.headers.get('link'), null);
    });

    test('a thousand ids at most', async () => {
      const many = Array.from({ length: 1000 }, (_, n) => `i${n}`).join(',');
      assert.equal((await listed(`instanceIds=${many}`)).length, 6);
      const answer = await lister.get(`/item-instances?instanceIds=${many},i`);
      assert.deepEqual([answer.status, issuePaths(answer)], [400, ['/query/instanceIds']]);
    });

    test('nothing for invalid queries, reporting all issues at once', async () => {
      const long = 'x'.repeat(192);
      const answer = await lister.get(
        `/item-instances?limit=-1&owner=ann&userId=${long}&itemId=${long}&userSpaceId=${long}&instanceIds=a,${long}`,
      );
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), [
        '/query/instanceIds/1',
        '/query/itemId',
        '/query/limit',
        '/query/owner',
        '/query/userId',
        '/query/userSpaceId',
      ]);
      const spaces = await lister.get('/item-instance-spaces?teamUserSpaceId=&userSpaceId=a&limit=1001');
      assert.equal(spaces.status, 400);
      assert.deepEqual(issuePaths(spaces).sort(), ['/query/limit', '/query/teamUserSpaceId/0', '/query/userSpaceId']);
    });

    test('instances correctly after their item gained or lost attributes', async () => {
      const { body: item } = await lister.post('/items', {
        id: 'mutable',
        name: 'Before',
        itemAttributes: [{ attributeId: 'damage', min: 5, max: 5 }],
      });
      await lister.post('/item-instances', { id: 'old', itemId: 'mutable', userId: 'cyd' });
      await lister.put('/items/mutable', {
        name: 'After',
        itemAttributes: [
          { attributeId: 'weight', min: 1, max: 1 },
          { attributeId: 'damage', min: 4, max: 6 },
        ],
      });
      const { body } = await lister.get('/item-instances/old');
      assert.equal(body.item.name, 'After');
      assert.deepEqual(body.attributes, [
        { id: item.attributes[0].id, attributeId: 'damage', name: 'Damage', value: 5, min: 4, max: 6 },
      ]);
      await lister.put('/items/mutable', { itemAttributes: [] });
      assert.deepEqual((await lister.get('/item-instances/old')).body.attributes, []);
    });
  });

  const prepare = givesCoins();
  const create = async (client: Client, id: string) => {
    await prepare(client);
    return client.post('/item-instances', { id, itemId: 'coin', userId: 'ann' });
  };

  describe('create', () => {
    keepsTheRulesOfIds(service, '/item-instances', { itemId: 'coin', userId: 'ann' }, prepare);
    keepsTheRulesOfBodies(service, '/item-instances', { itemId: 'coin', userId: 'ann' });
  });

  describe('list', () => keepsTheRulesOfLists(service, '/item-instances', create));

  for (const [operation, call] of Object.entries<(client: Client, id: string) => Promise<ApiResponse>>({
    'GET /item-instances/{id}': (client, id) => client.get(`/item-instances/${id}`),
    'GET /item-instances/{id}/history': (client, id) => client.get(`/item-instances/${id}/history`),
    'POST /item-instances/{id}/transfer': (client, id) =>
      client.post(`/item-instances/${id}/transfer`, { userId: 'ann', toUserId: 'bob' }),
    'DELETE /item-instances/{id}': (client, id) => client.delete(`/item-instances/${id}`),
  }))
    keepsTheRulesOfRows(service, operation, call, create);

  test('keeps cells, placements and grid rows consistent', () => assertInventoriesHold(service()));
});
