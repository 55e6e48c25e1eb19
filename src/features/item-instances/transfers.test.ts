import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, inventoryState, openBag, pictureOf, stockShapes } from '../../../test/inventories.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const TIME = '2026-11-14T09:30:00.000Z';
const LATER = '2026-11-14T09:30:01.000Z';
const NOT_FOUND = { code: 'NOT_FOUND', message: 'Not found', issues: [] };

onEveryDatabase('transfers and batches', (service) => {
  let team: Client;
  let count = 0;
  before(async () => {
    service().setClock(MOMENT);
    team = await service().anotherTeam();
    await stockShapes(team);
  });

  const give = async (itemId: string, userId: string, more: object = {}) => {
    const { status, body } = await team.post('/item-instances', { itemId, userId, ...more });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const newUser = async (): Promise<string> => {
    const { body } = await team.post('/users', { id: `player-${++count}` });
    return body.id;
  };
  const unchangedBy = async (
    status: number,
    call: () => Promise<ApiResponse>,
    ...paths: string[]
  ): Promise<ApiResponse> => {
    const state = await inventoryState(service());
    const answer = await call();
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(issuePaths(answer).sort(), paths);
    assert.deepEqual(await inventoryState(service()), state);
    return answer;
  };

  describe('a transfer', () => {
    const transfer = (id: string, body: object) => team.post(`/item-instances/${id}/transfer`, body);

    test('gives an instance to another user, unplaced, and frees its cells', async () => {
      const [from, to] = [await newUser(), await newUser()];
      const bagId = await openBag(team, from, 2, 2);
      const given = await give('2x2', from, { userSpaceId: bagId });
      service().setClock(MOMENT + 1000);
      const { status, body } = await transfer(given.id, { userId: from, toUserId: to });
      service().setClock(MOMENT);
      assert.equal(status, 200);
      assert.deepEqual(body, { ...given, userId: to, updatedAt: LATER, itemInstanceSpace: null });
      assert.equal(await pictureOf(team, from, bagId), '..\n..');
      assert.deepEqual((await team.get(`/item-instances?userId=${from}`)).body, []);
      assert.equal((await team.get(`/item-instances?userId=${to}`)).body[0].id, given.id);
      assert.equal((await give('2x2', from, { userSpaceId: bagId })).itemInstanceSpace.spacePositionX, 0);
    });

    test('places it in a user space of the new owner: at a position, rotated, or at the first free position', async () => {
      const [from, to] = [await newUser(), await newUser()];
      const [fromBag, toBag] = [await openBag(team, from, 3, 3), await openBag(team, to, 3, 3)];
      const placeOf = ({ body }: ApiResponse) => {
        const { teamUserSpaceId, spacePositionX, spacePositionY, rotated } = body.itemInstanceSpace;
        return [teamUserSpaceId, spacePositionX, spacePositionY, rotated];
      };
      const one = await give('1x3', from, { userSpaceId: fromBag });
      const at = { toUserId: to, toUserSpaceId: toBag, spacePositionX: 0, spacePositionY: 2, rotated: true };
      const placed = await transfer(one.id, at);
      assert.deepEqual(placeOf(placed), [toBag, 0, 2, true]);
      assert.equal(placed.body.itemInstanceSpace.createdAt, TIME);
      const two = await give('2x1', from);
      assert.deepEqual(placeOf(await transfer(two.id, { toUserId: to, toUserSpaceId: toBag })), [toBag, 0, 0, false]);
      const three = await give('2x1', from, { userSpaceId: fromBag });
      const turned = await transfer(three.id, { toUserId: to, toUserSpaceId: toBag, rotated: true });
      assert.deepEqual(placeOf(turned), [toBag, 2, 0, true]);
      await assertInventoriesHold(service());
    });

    test('rejects occupied positions, positions outside the grid and full user spaces with 409', async () => {
      const [from, to] = [await newUser(), await newUser()];
      const toBag = await openBag(team, to, 2, 1);
      await give('1x1', to, { userSpaceId: toBag });
      for (const placed of [true, false]) {
        const fromBag = placed ? await openBag(team, from, 2, 2) : undefined;
        const { id } = await give('2x1', from, { userSpaceId: fromBag });
        const into = { toUserId: to, toUserSpaceId: toBag };
        await unchangedBy(409, () => transfer(id, into), '/body/toUserSpaceId');
        const on = { ...into, spacePositionX: 0, spacePositionY: 0 };
        await unchangedBy(409, () => transfer(id, on), '/body/spacePositionX');
        await unchangedBy(409, () => transfer(id, { ...on, spacePositionY: 1 }), '/body/spacePositionY');
      }
    });

    test('does not happen twice if the current owner is given, nor to the current owner', async () => {
      const [from, to] = [await newUser(), await newUser()];
      const { id } = await give('1x1', from);
      assert.equal((await transfer(id, { userId: from, toUserId: to })).status, 200);
      const again = await unchangedBy(404, () => transfer(id, { userId: from, toUserId: to }));
      assert.deepEqual(again.body, NOT_FOUND);
      await unchangedBy(409, () => transfer(id, { toUserId: to }), '/body/toUserId');
      await unchangedBy(409, () => transfer(id, { userId: to, toUserId: to }), '/body/toUserId');
    });

    test('rejects users and user spaces that do not exist, all at once', async () => {
      const [from, to] = [await newUser(), await newUser()];
      const { id } = await give('1x1', from);
      const fromBag = await openBag(team, from, 1, 1);
      const other = await service().anotherTeam();
      await other.post('/users', { id: 'foreigner' });
      await unchangedBy(400, () => transfer(id, { toUserId: 'nobody' }), '/body/toUserId');
      await unchangedBy(400, () => transfer(id, { toUserId: 'foreigner' }), '/body/toUserId');
      await unchangedBy(400, () => transfer(id, { toUserId: to, toUserSpaceId: fromBag }), '/body/toUserSpaceId');
      await unchangedBy(
        400,
        () => transfer(id, { toUserId: 'nobody', toUserSpaceId: 'nothing' }),
        '/body/toUserId',
        '/body/toUserSpaceId',
      );
      for (const call of [
        () => transfer('nothing', { toUserId: to }),
        () => transfer('%00', { toUserId: 'nobody' }),
        () => other.post(`/item-instances/${id}/transfer`, { toUserId: 'foreigner' }),
      ])
        assert.deepEqual((await unchangedBy(404, call)).body, NOT_FOUND);
    });

    test('rejects all invalid members at once', async () => {
      const { id } = await give('1x1', await newUser());
      await unchangedBy(
        400,
        () =>
          transfer(id, {
            userId: '',
            toUserSpaceId: 7,
            spacePositionX: 0.5,
            spacePositionY: '1',
            rotated: 1,
            price: 3,
          }),
        ...[
          '/body/price',
          '/body/rotated',
          '/body/spacePositionX',
          '/body/spacePositionY',
          '/body/toUserId',
          '/body/toUserSpaceId',
          '/body/userId',
        ],
      );
      await unchangedBy(
        400,
        () => transfer('nothing', { toUserId: 'nobody', spacePositionX: 0 }),
        '/body/spacePositionY',
        '/body/toUserSpaceId',
      );
    });
  });

  describe('a batch', () => {
    const batch = (...operations: unknown[]) => team.post('/item-instances/batch', { operations });

    test('runs its operations in order and returns what each returns on its own', async () => {
      const [one, two] = [await newUser(), await newUser()];
      const [bagOne, bagTwo] = [await openBag(team, one, 3, 1), await openBag(team, two, 3, 1)];
      const gone = await give('1x1', one, { userSpaceId: bagOne });
      const { status, body } = await batch(
        { type: 'delete', id: gone.id },
        { type: 'create', id: `new-${one}`, itemId: '2x1', userId: one, userSpaceId: bagOne },
        { type: 'move', id: `new-${one}`, userId: one, spacePositionX: 1, spacePositionY: 0 },
        { type: 'create', itemId: '1x1', userId: `made-by-${one}` },
        { type: 'transfer', id: `new-${one}`, userId: one, toUserId: two, toUserSpaceId: bagTwo },
      );
      assert.equal(status, 200, JSON.stringify(body));
      const [deleted, created, moved, unplaced, transferred] = body.results;
      assert.equal(body.results.length, 5);
      assert.deepEqual(deleted, {});
      assert.deepEqual(
        [created, moved, transferred].map(({ userId, itemInstanceSpace: { teamUserSpaceId, spacePositionX } }) => [
          userId,
          teamUserSpaceId,
          spacePositionX,
        ]),
        [
          [one, bagOne, 0],
          [one, bagOne, 1],
          [two, bagTwo, 0],
        ],
      );
      assert.equal(unplaced.itemInstanceSpace, null);
      assert.equal(await pictureOf(team, one, bagOne), '...');
      assert.deepEqual(
        (await team.get(`/item-instances?userId=${two}`)).body[0].itemInstanceSpace,
        transferred.itemInstanceSpace,
      );
      await assertInventoriesHold(service());
    });

    test('trades with two transfers, each naming the current owner', async () => {
      const [ann, bob] = [await newUser(), await newUser()];
      const [annBag, bobBag] = [await openBag(team, ann, 2, 2), await openBag(team, bob, 2, 2)];
      const sword = await give('2x2', ann, { userSpaceId: annBag });
      const shield = await give('2x2', bob, { userSpaceId: bobBag });
      // Both user spaces are full: each instance must leave before the other arrives, so one is unplaced in between.
      const trade = [
        { type: 'transfer', id: sword.id, userId: ann, toUserId: bob },
        { type: 'transfer', id: shield.id, userId: bob, toUserId: ann, toUserSpaceId: annBag },
        { type: 'move', id: sword.id, userId: bob, userSpaceId: bobBag, spacePositionX: 0, spacePositionY: 0 },
      ];
      assert.equal((await batch(...trade)).status, 200);
      const ownerOf = async (id: string) => (await team.get(`/item-instances/${id}`)).body.userId;
      assert.deepEqual([await ownerOf(sword.id), await ownerOf(shield.id)], [bob, ann]);
      await unchangedBy(409, () => batch(...trade), '/body/operations/0/userId');
      await assertInventoriesHold(service());
    });

    test('lets each operation see the changes of those before it', async () => {
      const [ann, bob] = [await newUser(), await newUser()];
      const [annBag, bobBag] = [await openBag(team, ann, 3, 2), await openBag(team, bob, 3, 2)];
      const [a, b, c] = [`${ann}-a`, `${ann}-b`, `${ann}-c`];
      await give('1x1', ann, { id: a, userSpaceId: annBag });
      await give('1x1', ann, { id: b, userSpaceId: annBag });
      const move = (id: string, userId: string, x: number, y: number, more: object = {}) => ({
        ...{ type: 'move', id, userId, spacePositionX: x, spacePositionY: y },
        ...more,
      });
      const { status, body } = await batch(
        // c takes the cell that a just left, makes room for b, is transferred and comes back.
        move(a, ann, 2, 1),
        { type: 'create', id: c, itemId: '1x1', userId: ann, userSpaceId: annBag },
        move(b, ann, 0, 0, { swap: true }),
        { type: 'transfer', id: c, userId: ann, toUserId: bob, toUserSpaceId: bobBag },
        { type: 'create', id: `${ann}-d`, itemId: '2x1', userId: ann, userSpaceId: annBag },
        { type: 'transfer', id: c, userId: bob, toUserId: ann, toUserSpaceId: annBag },
        // Two instances of the batch and an existing one rotate.
        move(c, ann, 2, 1, { swap: true }),
        move(a, ann, 0, 0, { swap: true }),
      );
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await pictureOf(team, ann, annBag), 'add\nb.c');
      assert.equal(await pictureOf(team, bob, bobBag), '...\n...');
      assert.deepEqual(
        (await team.get(`/item-instances/${c}/history`)).body.map(
          ({ event, fromUserId, toUserId }: Record<string, string | null>) => [event, fromUserId, toUserId],
        ),
        [
          ['created', null, ann],
          ['transferred', ann, bob],
          ['transferred', bob, ann],
        ],
      );
      const shown = (await team.get(`/item-instances/${c}`)).body.itemInstanceSpace;
      assert.deepEqual(shown, body.results[6].itemInstanceSpace);
      await assertInventoriesHold(service());
    });

    test('may create what it deletes, and delete what it creates', async () => {
      const user = await newUser();
      const bag = await openBag(team, user, 1, 1);
      const at = { itemId: '1x1', userId: user, userSpaceId: bag };
      const [kept, passing] = [`${user}-kept`, `${user}-passing`];
      await give('1x1', user, { id: kept, userSpaceId: bag });
      const answer = await batch(
        { type: 'delete', id: kept },
        { type: 'create', id: passing, ...at },
        { type: 'delete', id: passing },
        { type: 'create', id: kept, ...at },
      );
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal((await team.get(`/item-instances/${passing}`)).status, 404);
      const { body } = await team.get(`/item-instances?userId=${user}`);
      assert.deepEqual(
        body.map(({ id }: { id: string }) => id),
        [kept],
      );
      assert.deepEqual(body[0].itemInstanceSpace, answer.body.results[3].itemInstanceSpace);
      const toldOf = async (id: string) =>
        (await team.get(`/item-instances/${id}/history`)).body.map(
          ({ sequence, event, cause }: Record<string, unknown>) => `${sequence} ${event} ${cause}`,
        );
      assert.deepEqual(await toldOf(passing), ['1 created batch', '2 deleted batch']);
      assert.deepEqual(await toldOf(kept), ['1 created request', '2 deleted batch', '3 created batch']);
      await assertInventoriesHold(service());
    });

    test('changes nothing if one operation fails, and names that operation', async () => {
      const user = await newUser();
      const other = await newUser();
      const bag = await openBag(team, user, 2, 1);
      const { id } = await give('1x1', user, { userSpaceId: bag });
      const fine = { type: 'create', itemId: '1x1', userId: user, userSpaceId: bag };
      const move = { type: 'move', id, userId: user, spacePositionX: 0, spacePositionY: 0 };
      const rejected: [number, object, string][] = [
        [409, fine, 'userSpaceId'],
        [409, { ...move, spacePositionX: 1 }, 'spacePositionX'],
        [409, { ...move, spacePositionY: 1 }, 'spacePositionY'],
        [409, { ...move, userId: other }, 'userId'],
        [409, { type: 'transfer', id, userId: other, toUserId: user }, 'userId'],
        [409, { type: 'transfer', id, toUserId: user }, 'toUserId'],
        [400, { type: 'transfer', id, toUserId: 'nobody' }, 'toUserId'],
        [400, { type: 'transfer', id: 'nothing', toUserId: other }, 'id'],
        [400, { ...move, id: 'nothing' }, 'id'],
        [400, { type: 'delete', id: 'nothing' }, 'id'],
        [400, { ...move, userSpaceId: 'nothing' }, 'userSpaceId'],
        [400, { ...move, spaceId: 'nothing' }, 'spaceId'],
        [400, { ...fine, id }, 'id'],
        [400, { ...fine, itemId: 'nothing' }, 'itemId'],
      ];
      for (const [status, operation, member] of rejected) {
        const first = { type: 'create', itemId: '1x1', userId: `never-${count}` };
        await unchangedBy(status, () => batch(first, fine, operation, fine), `/body/operations/2/${member}`);
      }
      const twice = { type: 'delete', id };
      await unchangedBy(400, () => batch(twice, twice), '/body/operations/1/id');
      const swapped = await unchangedBy(
        409,
        () => batch({ type: 'create', itemId: '1x3', userId: user }, { ...fine, spacePositionX: 7, spacePositionY: 0 }),
        '/body/operations/1/spacePositionX',
      );
      assert.equal(swapped.headers.get('x-should-retry'), 'false');
    });

    test('rejects all invalid operations at once', async () => {
      await unchangedBy(
        400,
        () =>
          batch(
            { type: 'create', itemId: 7, userId: 'a\u0007', id: 'a b', spacePositionX: 0.5, toUserId: 'b' },
            { type: 'move', userId: 'a' },
            { type: 'transfer', id: 'a', toUserId: 'b', spacePositionX: 1 },
            { type: 'delete', id: 'a', userId: 'b' },
            { type: 'steal', id: 'a' },
            { id: 'a' },
            7,
            null,
            { type: 'create', itemId: 'a', userId: 'b', rotated: true },
          ),
        ...[
          '/body/operations/0/id',
          '/body/operations/0/itemId',
          '/body/operations/0/spacePositionX',
          '/body/operations/0/toUserId',
          '/body/operations/0/userId',
          '/body/operations/1/id',
          '/body/operations/1/spacePositionX',
          '/body/operations/1/spacePositionY',
          '/body/operations/2/spacePositionY',
          '/body/operations/2/toUserSpaceId',
          '/body/operations/3/userId',
          '/body/operations/4/type',
          '/body/operations/5/type',
          '/body/operations/6',
          '/body/operations/7',
          '/body/operations/8/userSpaceId',
        ],
      );
      const post = (body: object) => () => team.post('/item-instances/batch', body);
      await unchangedBy(400, post({}), '/body/operations');
      await unchangedBy(400, post({ operations: {} }), '/body/operations');
      await unchangedBy(400, post({ operations: [] }), '/body/operations');
      await unchangedBy(400, post({ operations: [{}], dryRun: true }), '/body/dryRun');
    });

    test('accepts a hundred operations at most', async () => {
      const user = await newUser();
      const bag = await openBag(team, user, 10, 10);
      const create = { type: 'create', itemId: '1x1', userId: user, userSpaceId: bag };
      assert.equal((await batch(...Array(100).fill(create))).status, 200);
      assert.ok(!(await pictureOf(team, user, bag)).includes('.'));
      await unchangedBy(400, () => batch(...Array(101).fill(create)), '/body/operations');
      await assertInventoriesHold(service());
    });
  });

  test('keep cells, placements, grid rows and history consistent', () => assertInventoriesHold(service()));
});
