import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, inventoryState, openBag, pictureOf, stockShapes } from '../../../test/inventories.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const TIME = '2026-11-14T09:30:00.000Z';
const LATER = '2026-11-14T09:30:01.000Z';
const NOT_FOUND = { code: 'NOT_FOUND', message: 'Not found', issues: [] };

/** Removes the indentation of a picture in a test. */
const picture = (text: string): string => text.trim().replaceAll(/\n\s+/g, '\n');

onEveryDatabase('user space contents', (service) => {
  let team: Client;
  let count = 0;
  before(async () => {
    service().setClock(MOMENT);
    team = await service().anotherTeam();
    await stockShapes(team);
  });

  /**
   * A user space with item instances placed in it, each `[letter, item, x, y, rotated]`; the ids end with the letter.
   */
  const fill = async (
    cols: number,
    rows: number,
    things: readonly (readonly [string, string, number, number, boolean?])[],
    userId = `user-${++count}`,
  ) => {
    const bagId = await openBag(team, userId, cols, rows);
    const idOf = (letter: string) => `${bagId}-${letter}`;
    for (const [letter, itemId, spacePositionX, spacePositionY, rotated = false] of things) {
      const given = await team.post('/item-instances', {
        ...{ id: idOf(letter), itemId, userId, userSpaceId: bagId, spacePositionX, spacePositionY, rotated },
      });
      assert.equal(given.status, 200, JSON.stringify(given.body));
    }
    return {
      userId,
      bagId,
      idOf,
      shows: async (expected: string) => assert.equal(await pictureOf(team, userId, bagId), picture(expected)),
      move: (letter: string, x: number, y: number, more: object = {}) =>
        team.post(`/item-instances/${idOf(letter)}/move`, { userId, spacePositionX: x, spacePositionY: y, ...more }),
      sort: () => team.post(`/users/${userId}/spaces/${bagId}/sort`),
    };
  };

  const unchangedBy = async (status: number, call: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    const state = await inventoryState(service());
    const answer = await call();
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(await inventoryState(service()), state);
    return answer;
  };

  describe('get', () => {
    test('returns a user space with its space and contents', async () => {
      const { userId, bagId, idOf } = await fill(3, 2, [
        ['b', '2x1', 1, 1],
        ['a', '1x1', 0, 0],
      ]);
      await team.post('/item-instances', { itemId: '1x1', userId });
      const { status, body } = await team.get(`/users/${userId}/spaces/${bagId}`);
      assert.equal(status, 200);
      const { itemInstances, moreItemInstances, ...shown } = body;
      assert.equal(moreItemInstances, null);
      assert.deepEqual([shown], (await team.get(`/users/${userId}/spaces`)).body);
      assert.deepEqual(itemInstances, (await team.get(`/item-instances?userSpaceId=${bagId}`)).body);
      assert.deepEqual(
        itemInstances.map(({ id }: { id: string }) => id),
        [idOf('a'), idOf('b')],
      );
      const empty = await fill(1, 1, []);
      assert.deepEqual((await team.get(`/users/${empty.userId}/spaces/${empty.bagId}`)).body.itemInstances, []);
    });

    test('rejects unknown ids and those of another user or team', async () => {
      const { userId, bagId } = await fill(1, 1, []);
      const other = await service().anotherTeam();
      for (const path of [
        `/users/${userId}/spaces/nothing`,
        `/users/nobody/spaces/${bagId}`,
        '/users/%00/spaces/%00',
      ]) {
        for (const answer of [await team.get(path), await team.post(`${path}/sort`)]) {
          assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
        }
      }
      const path = `/users/${userId}/spaces/${bagId}`;
      assert.equal((await other.get(path)).status, 404);
      assert.equal((await other.post(`${path}/sort`)).status, 404);
      const long = 'x'.repeat(192);
      for (const answer of [
        await team.get(`/users/${long}/spaces/${long}`),
        await team.post(`/users/${long}/spaces/${long}/sort`),
      ])
        assert.deepEqual([answer.status, issuePaths(answer).sort()], [400, ['/path/id', '/path/userId']]);
    });
  });

  describe('sort', () => {
    test('orders by size, then longer side, item and instance', async () => {
      const bag = await fill(5, 4, [
        ['z', '1x1', 4, 3],
        ['c', '2x2', 3, 0],
        ['s', '1x3', 0, 1],
        ['t', '3x2', 1, 2],
        ['y', '1x1', 0, 0],
        ['w', '2x1', 1, 0],
      ]);
      service().setClock(MOMENT + 1000);
      const { status, body } = await bag.sort();
      service().setClock(MOMENT);
      assert.equal(status, 200);
      await bag.shows(`
        tttcc
        tttcc
        sssww
        yz...`);
      assert.deepEqual(body, (await team.get(`/users/${bag.userId}/spaces/${bag.bagId}`)).body);
      for (const { id, itemInstanceSpace } of body.itemInstances)
        assert.equal(itemInstanceSpace.updatedAt, id === bag.idOf('c') ? TIME : LATER);
      await assertInventoriesHold(service());
    });

    test('keeps updatedAt of what does not move, and does nothing when already sorted', async () => {
      const bag = await fill(3, 2, [
        ['a', '2x1', 0, 0],
        ['b', '1x1', 2, 1],
      ]);
      service().setClock(MOMENT + 1000);
      const sorted = await team.post(`/users/${bag.userId}/spaces/${bag.bagId}/sort`, {});
      service().setClock(MOMENT + 2000);
      await bag.shows('aab\n...');
      assert.deepEqual(
        sorted.body.itemInstances.map(
          (instance: { itemInstanceSpace: { updatedAt: string } }) => instance.itemInstanceSpace.updatedAt,
        ),
        [TIME, LATER],
      );
      await unchangedBy(200, () => bag.sort());
      service().setClock(MOMENT);
    });

    test('fills empty rows and frees the rows it leaves', async () => {
      const bag = await fill(2, 3, [['a', '2x1', 0, 2]]);
      assert.equal((await bag.sort()).status, 200);
      await bag.shows(`
        aa
        ..
        ..`);
      await assertInventoriesHold(service());
    });

    test('sorts a completely full user space', async () => {
      const bag = await fill(4, 3, [
        ['a', '1x3', 0, 0],
        ['b', '2x2', 1, 1],
        ['c', '1x3', 3, 0],
        ['d', '2x1', 1, 0],
      ]);
      // Largest first leaves no room for one of the long items; another order does.
      assert.equal((await bag.sort()).status, 200);
      assert.ok(!(await pictureOf(team, bag.userId, bag.bagId)).includes('.'));
      await assertInventoriesHold(service());
    });

    test('returns 409 and changes nothing if no order fits everything', async () => {
      // A pinwheel around one free cell: every order starts in the corner with an item that only fits elsewhere.
      const bag = await fill(5, 5, [
        ['a', '3x2', 0, 0],
        ['b', '3x2', 3, 0, true],
        ['c', '3x2', 2, 3],
        ['d', '3x2', 0, 2, true],
        ['e', '1x1', 2, 2],
      ]);
      const answer = await unchangedBy(409, () => bag.sort());
      assert.deepEqual(issuePaths(answer), ['/path/id']);
    });

    test('does nothing to an empty user space', async () => {
      const bag = await fill(2, 2, []);
      assert.deepEqual((await bag.sort()).body.itemInstances, []);
    });

    test('rejects a body with members', async () => {
      const { userId, bagId } = await fill(1, 1, []);
      const answer = await team.post(`/users/${userId}/spaces/${bagId}/sort`, { by: 'size' });
      assert.deepEqual([answer.status, issuePaths(answer)], [400, ['/body/by']]);
    });
  });

  describe('swap', () => {
    test('exchanges two items of the same size', async () => {
      const bag = await fill(3, 1, [
        ['a', '1x1', 0, 0],
        ['b', '1x1', 2, 0],
      ]);
      service().setClock(MOMENT + 1000);
      const answer = await bag.move('a', 2, 0, { swap: true });
      service().setClock(MOMENT);
      assert.equal(answer.status, 200);
      assert.equal(answer.body.id, bag.idOf('a'));
      assert.equal(answer.body.itemInstanceSpace.spacePositionX, 2);
      await bag.shows('b.a');
      const { body } = await team.get(`/item-instances/${bag.idOf('b')}`);
      assert.deepEqual([body.itemInstanceSpace.createdAt, body.itemInstanceSpace.updatedAt], [TIME, LATER]);
      await assertInventoriesHold(service());
    });

    test('exchanges a large item with several small ones, which keep their arrangement', async () => {
      const bag = await fill(5, 2, [
        ['a', '2x2', 0, 0],
        ['b', '1x1', 3, 0],
        ['c', '1x1', 4, 1],
      ]);
      assert.equal((await bag.move('a', 3, 0, { swap: true })).status, 200);
      await bag.shows(`
        b..aa
        .c.aa`);
      await assertInventoriesHold(service());
    });

    test('exchanges a small item with a large one that it only overlaps, if there is room for it', async () => {
      const bag = await fill(5, 2, [
        ['a', '1x1', 0, 0],
        ['b', '2x2', 3, 0],
      ]);
      assert.equal((await bag.move('a', 4, 1, { swap: true })).status, 200);
      await bag.shows(`
        bb...
        bb..a`);
    });

    test('keeps the rotation of rotated items', async () => {
      const bag = await fill(4, 3, [
        ['a', '1x3', 0, 0],
        ['b', '1x3', 1, 2, true],
      ]);
      const answer = await bag.move('a', 1, 2, { swap: true, rotated: true });
      assert.equal(answer.status, 200);
      await bag.shows(`
        bbb.
        ....
        .aaa`);
    });

    test('is a plain move if the target is free', async () => {
      const bag = await fill(2, 1, [['a', '1x1', 0, 0]]);
      assert.equal((await bag.move('a', 1, 0, { swap: true })).status, 200);
      await bag.shows('.a');
      assert.equal((await bag.move('a', 1, 0, { swap: true })).status, 200, 'onto itself');
      await bag.shows('.a');
    });

    test('works between two user spaces of the owner', async () => {
      const one = await fill(3, 2, [
        ['a', '2x2', 1, 0],
        ['x', '1x1', 0, 0],
      ]);
      const two = await fill(
        3,
        2,
        [
          ['b', '1x1', 0, 0],
          ['c', '1x1', 1, 1],
          ['d', '1x1', 2, 0],
        ],
        one.userId,
      );
      const answer = await one.move('a', 0, 0, { swap: true, userSpaceId: two.bagId });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.itemInstanceSpace.teamUserSpaceId, two.bagId);
      await one.shows(`
        xb.
        ..c`);
      await two.shows(`
        aad
        aa.`);
      await assertInventoriesHold(service());
    });

    test('returns 409 and changes nothing if the displaced items do not fit', async () => {
      const outside = await fill(4, 2, [
        ['a', '1x1', 0, 1],
        ['b', '2x2', 2, 0],
      ]);
      const answer = await unchangedBy(409, () => outside.move('a', 2, 0, { swap: true }));
      assert.deepEqual(answer.body.issues, [
        { path: '/body/swap', message: `item instance ${outside.idOf('b')} would not fit at 0, 1` },
      ]);
      const taken = await fill(4, 2, [
        ['a', '1x1', 0, 0],
        ['b', '2x2', 2, 0],
        ['c', '1x1', 1, 1],
      ]);
      await unchangedBy(409, () => taken.move('a', 3, 0, { swap: true }));
      const onto = await fill(3, 2, [
        ['a', '1x1', 0, 0],
        ['b', '2x2', 1, 0],
      ]);
      // The displaced item would overlap the moved one.
      await unchangedBy(409, () => onto.move('a', 1, 1, { swap: true }));
      await unchangedBy(409, () => onto.move('b', 2, 0, { swap: true }));
      const without = await unchangedBy(409, () => onto.move('a', 1, 0));
      assert.deepEqual(issuePaths(without), ['/body/spacePositionX']);
    });

    test('rejects an unplaced item instance', async () => {
      const bag = await fill(1, 1, [['a', '1x1', 0, 0]]);
      const { body } = await team.post('/item-instances', { itemId: '1x1', userId: bag.userId });
      const at = { userId: bag.userId, userSpaceId: bag.bagId, spacePositionX: 0, spacePositionY: 0, swap: true };
      await unchangedBy(409, () => team.post(`/item-instances/${body.id}/move`, at));
    });
  });

  describe('footprint changes', () => {
    const newItem = async (width: number, height: number): Promise<string> => {
      const { body } = await team.post('/items', { name: 'Changing', width, height });
      return body.id;
    };

    test('apply to placed instances, from their top-left cell, keeping their rotation', async () => {
      const itemId = await newItem(1, 2);
      const bag = await fill(5, 4, [
        ['a', itemId, 0, 0],
        ['b', itemId, 2, 0, true],
        ['x', '1x1', 4, 3],
      ]);
      const second = await fill(3, 3, [['c', itemId, 1, 0]]);
      assert.equal((await team.put(`/items/${itemId}`, { width: 2, height: 3 })).status, 200);
      await bag.shows(`
        aabbb
        aabbb
        aa...
        ....x`);
      await second.shows(`
        .cc
        .cc
        .cc`);
      await assertInventoriesHold(service());
      assert.equal((await team.put(`/items/${itemId}`, { width: 1, height: 1 })).status, 200);
      await bag.shows(`
        a.b..
        .....
        .....
        ....x`);
      await assertInventoriesHold(service());
      assert.equal((await bag.move('a', 4, 0)).status, 200);
    });

    test('are rejected if an instance would leave the grid or overlap another, and name what is in the way', async () => {
      const itemId = await newItem(1, 1);
      const bag = await fill(3, 2, [
        ['a', itemId, 0, 0],
        ['b', '1x1', 1, 1],
        ['c', itemId, 2, 0],
      ]);
      const wide = await unchangedBy(409, () => team.put(`/items/${itemId}`, { width: 2 }));
      assert.deepEqual(wide.body.issues, [
        {
          path: '/body/width',
          message: `item instance ${bag.idOf('c')} at 2, 0 in user space ${bag.bagId} would reach outside the grid of 3 × 2 cells`,
        },
      ]);
      const both = await unchangedBy(409, () => team.put(`/items/${itemId}`, { width: 2, height: 2 }));
      assert.deepEqual(both.body.issues, [
        {
          path: '/body/width',
          message: `item instance ${bag.idOf('a')} at 0, 0 in user space ${bag.bagId} would overlap item instance ${bag.idOf('b')}`,
        },
        {
          path: '/body/width',
          message: `item instance ${bag.idOf('c')} at 2, 0 in user space ${bag.bagId} would reach outside the grid of 3 × 2 cells`,
        },
      ]);
      assert.equal((await team.put(`/items/${itemId}`, { height: 2 })).status, 200);
      await bag.shows(`
        a.c
        abc`);
    });

    test('are rejected if two instances of the item would overlap', async () => {
      const itemId = await newItem(1, 1);
      const bag = await fill(4, 1, [
        ['a', itemId, 0, 0],
        ['b', itemId, 1, 0],
      ]);
      const answer = await unchangedBy(409, () => team.put(`/items/${itemId}`, { width: 2 }));
      assert.deepEqual(answer.body.issues, [
        {
          path: '/body/width',
          message: `item instance ${bag.idOf('b')} at 1, 0 in user space ${bag.bagId} would overlap item instance ${bag.idOf('a')}`,
        },
      ]);
      assert.equal((await bag.move('b', 2, 0)).status, 200);
      assert.equal((await team.put(`/items/${itemId}`, { width: 2 })).status, 200);
      await bag.shows('aabb');
    });

    test('do not affect unplaced instances', async () => {
      const itemId = await newItem(1, 1);
      const { body } = await team.post('/item-instances', { itemId, userId: 'keeper' });
      assert.equal((await team.put(`/items/${itemId}`, { width: 20, height: 20 })).status, 200);
      const userSpaceId = await openBag(team, 'keeper', 20, 20);
      const at = { userId: 'keeper', userSpaceId, spacePositionX: 0, spacePositionY: 0 };
      assert.equal((await team.post(`/item-instances/${body.id}/move`, at)).status, 200);
      await assertInventoriesHold(service());
    });
  });

  test('keep cells, placements, grid rows and history consistent', () => assertInventoriesHold(service()));
});
