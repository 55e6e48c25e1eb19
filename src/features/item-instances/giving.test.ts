import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, inventoryState, openBag, pictureOf } from '../../../test/inventories.ts';
import { holdAll, type Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { ServiceError } from '../../shared/errors.ts';
import { createCatalogs, type TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { type GiveResult, holdReceiver, type Receiver } from './giving.service.ts';
import type { InstanceResult } from './item-instances.contract.ts';

/** Does not compile: sizes in such a catalog may change before the instances are placed. */
export const misuse = (work: Work, context: Context, to: Receiver, catalog: TeamCatalog) =>
  // @ts-expect-error
  holdReceiver(work, context, to, catalog);

/** Nothing here is a currency. */
type GivenInstance = GiveResult & { readonly itemInstance: InstanceResult };

onEveryDatabase('giving items', (service) => {
  let team: Client;
  before(async () => {
    team = await service().anotherTeam();
    // The large item is drawn nearly always; the small one is the prize.
    for (const [id, width, height, rollNumerator] of [
      ['armor', 2, 2, 1000],
      ['pole', 1, 3, 1000],
      ['ring', 1, 1, 1],
    ] as const)
      await team.post('/items', { id, name: id, width, height, rollNumerator });
  });

  const LARGEST = { width: 2, height: 2 };

  /** Creates instances like a roll that requires room for a number of items of the largest footprint. */
  const give = async (
    to: Omit<Receiver, 'cause'>,
    itemIds: readonly string[],
    expected = itemIds.length,
  ): Promise<GivenInstance[]> => {
    const catalogs = createCatalogs(service().database.read);
    const context: Context = {
      teamId: team.teamId,
      role: 'write',
      author: { secretId: null, name: 'test' },
      source: 'api',
      nowMs: Date.now(),
      requestId: 'test',
      reason: null,
    };
    return service().database.write(team.teamId, async (work) => {
      const catalog = await catalogs.currentForPlacing(work);
      const [receiver] = await holdAll(work, holdReceiver(work, context, { ...to, cause: 'roll' }, catalog));
      const room = receiver.requireRoom(expected, { largest: LARGEST, currencyIds: [] });
      const given = room.give(itemIds.map((itemId) => ({ itemId, values: [] })));
      return given as GivenInstance[];
    });
  };

  const rejected = (status: string, path: string) => (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.code, error.issues.map((issue) => issue.path)], [status, [path]]);
    return true;
  };

  test('places instances one after another, and creates an unknown user', async () => {
    const given = await give({ userId: 'newcomer' }, ['ring', 'armor']);
    assert.deepEqual(
      given.map(({ itemInstance, placed }) => [itemInstance.itemId, itemInstance.itemInstanceSpace, placed]),
      [
        ['ring', null, null],
        ['armor', null, null],
      ],
    );
    assert.equal((await team.get('/users/newcomer')).status, 200);
    const userSpaceId = await openBag(team, 'ann', 4, 4);
    const placed = await give({ userId: 'ann', userSpaceId }, ['armor', 'ring', 'pole']);
    assert.deepEqual(
      placed.map((one) => [
        one.placed,
        one.itemInstance.itemInstanceSpace?.spacePositionX,
        one.itemInstance.itemInstanceSpace?.spacePositionY,
      ]),
      [
        [true, 0, 0],
        [true, 2, 0],
        [true, 3, 0],
      ],
    );
    const { body } = await team.get('/item-instances?userId=ann');
    assert.deepEqual(
      body.map(({ itemInstanceSpace }: { itemInstanceSpace: object }) => itemInstanceSpace),
      placed.map(({ itemInstance }) => itemInstance.itemInstanceSpace),
    );
    await assertInventoriesHold(service());
  });

  test('rejects before any draw what might not fit, and nothing afterwards', async () => {
    const userSpaceId = await openBag(team, 'bob', 3, 4);
    const to = { userId: 'bob', userSpaceId };
    const before = await inventoryState(service());
    // Three rings would fit, but three of the largest footprint would not.
    await assert.rejects(give(to, ['ring', 'ring', 'ring']), rejected('CONFLICT', '/body/userSpaceId'));
    assert.deepEqual(await inventoryState(service()), before);
    // Two of the largest footprint fit; everything drawn then is kept, even a pole that has no position.
    const given = await give(to, ['armor', 'pole', 'armor', 'armor'], 2);
    assert.deepEqual(
      given.map(({ placed }) => placed),
      [true, true, true, false],
    );
    assert.equal(given[3]?.itemInstance.itemInstanceSpace, null);
    assert.equal((await pictureOf(team, 'bob', userSpaceId)).replaceAll(/[^.\n]/g, 'x'), 'xxx\nxxx\nxxx\nxx.');
    await assertInventoriesHold(service());
  });

  test('leaves unplaced what does not fit, if requested', async () => {
    const userSpaceId = await openBag(team, 'cyd', 2, 2);
    const given = await give({ userId: 'cyd', userSpaceId, onFull: 'unplaced' }, ['ring', 'armor', 'ring']);
    assert.deepEqual(
      given.map(({ placed }) => placed),
      [true, false, true],
    );
    await assertInventoriesHold(service());
  });

  test('rejects a user space of another user', async () => {
    const userSpaceId = await openBag(team, 'dee', 2, 2);
    for (const to of [
      { userId: 'ann', userSpaceId },
      { userId: 'nobody-yet', userSpaceId },
      { userId: 'dee', userSpaceId: 'nothing' },
    ])
      await assert.rejects(give(to, ['ring']), rejected('BAD_REQUEST', '/body/userSpaceId'));
    assert.equal((await team.get('/users/nobody-yet')).status, 404);
  });

  test('creates a thousand instances at once, and knows that a thousand more do not fit', async () => {
    const userSpaceId = await openBag(team, 'eve', 200, 200);
    const to = { userId: 'eve', userSpaceId };
    const given = await give(to, Array(1000).fill('pole'), 2000);
    assert.ok(given.every(({ placed }) => placed));
    await assert.rejects(give(to, [], 10_000), rejected('CONFLICT', '/body/userSpaceId'));
    await assertInventoriesHold(service(), team.teamId);
  });

  test('never lets luck decide whether a roll is rejected', async () => {
    const userSpaceId = await openBag(team, 'fay', 2, 2);
    const roll = () => team.post('/items/roll', { userId: 'fay', userSpaceId });
    await team.post('/item-instances', { itemId: 'ring', userId: 'fay', userSpaceId });
    for (const u of [0, 0.25, 0.5, 0.75, 1 - 2 ** -53]) {
      service().setDraws(() => u);
      const answer = await roll();
      service().setDraws();
      assert.deepEqual([answer.status, issuePaths(answer)], [409, ['/body/userSpaceId']], `with draws of ${u}`);
    }
    assert.equal((await team.get('/roll-events/stats')).body.totalRolls, 0);
  });
});
