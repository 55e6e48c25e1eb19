import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Client, onEveryDatabase, type Service } from '../harness.ts';
import { assertInventoriesHold, openBag, pictureOf, stockShapes } from '../inventories.ts';
import { Model, type Operation, operations, outcomeOf, perform, resolve, sameOutcome } from '../inventory-model.ts';

const ITEMS = { dot: [1, 1], bar: [1, 3], slab: [2, 1], block: [2, 2] } as const;
const SPACES = { small: [3, 3], large: [5, 4] } as const;
const USERS = ['ann', 'bob', 'cyd'];
const NAMES = {
  users: USERS,
  items: Object.keys(ITEMS),
  spaces: Object.keys(SPACES),
  bags: USERS.flatMap((userId) => [1, 2].map((n) => ({ userId, bagId: `${userId}-${n}` }))),
  things: Array.from({ length: 12 }, (_, n) => `i${n}`),
};

/** A team, and a model of it, with three users who have two user spaces each and an item instance in each of them. */
const begin = async (service: Service): Promise<{ team: Client; model: Model }> => {
  const team = await service.anotherTeam();
  const model = new Model();
  for (const [id, [width, height]] of Object.entries(ITEMS)) {
    await team.post('/items', { id, name: id, width, height });
    model.items.set(id, { width, height });
  }
  for (const [id, [cols, rows]] of Object.entries(SPACES)) {
    await team.post('/spaces', { id, name: id, cols, rows });
    model.spaces.set(id, { cols, rows });
  }
  for (const [index, { userId, bagId }] of NAMES.bags.entries()) {
    const open: Operation = { type: 'openBag', userId, bagId, spaceId: index % 2 === 0 ? 'small' : 'large' };
    assert.equal((await perform(team, open)).status, 200);
    model.apply(open);
  }
  for (const [index, { userId, bagId }] of NAMES.bags.entries()) {
    const give: Operation = {
      type: 'create',
      id: `i${index}`,
      itemId: NAMES.items[index % 4] as string,
      userId,
      bagId,
    };
    assert.equal((await perform(team, give)).status, 200);
    model.apply(give);
  }
  return { team, model };
};

/** The state of the service, in the form of the model. */
const observe = async (service: Service, team: Client, model: Model): Promise<string> => {
  const seen = model.clone();
  const { rows, users, bags, events } = await service.database.read('', async ({ queries: reader }) => ({
    rows: await reader
      .selectFrom('item_instances')
      .leftJoin('item_instance_spaces as placement', (join) =>
        join
          .onRef('placement.team_id', '=', 'item_instances.team_id')
          .onRef('placement.item_instance_id', '=', 'item_instances.id')
          .on('placement.part', '=', 0),
      )
      .select(['item_instances.id', 'item_id', 'user_id', 'cause', 'placement.user_space_id', 'x', 'y', 'rotated'])
      .where('item_instances.team_id', '=', team.teamId)
      .execute(),
    users: await reader.selectFrom('users').select('id').where('team_id', '=', team.teamId).execute(),
    bags: await reader
      .selectFrom('user_spaces')
      .select(['id', 'user_id', 'space_id'])
      .where('team_id', '=', team.teamId)
      .execute(),
    events: await reader
      .selectFrom('item_instance_history')
      .select((eb) => ['item_instance_id', eb.fn.countAll<number>().as('count')])
      .where('team_id', '=', team.teamId)
      .groupBy('item_instance_id')
      .execute(),
  }));
  seen.users = new Set(users.map(({ id }) => id));
  seen.bags = new Map(bags.map(({ id, user_id, space_id }) => [id, { userId: user_id, spaceId: space_id }]));
  seen.events = new Map(events.map(({ item_instance_id, count }) => [item_instance_id, Number(count)]));
  // The creation of an existing instance is recorded by the instance itself.
  for (const { id, cause } of rows) if (cause !== null) seen.events.set(id, (seen.events.get(id) ?? 0) + 1);
  seen.things = new Map(
    rows.map(({ id, item_id, user_id, user_space_id, x, y, rotated }) => [
      id,
      {
        itemId: item_id,
        userId: user_id,
        at:
          user_space_id === null ? null : { bagId: user_space_id, x: Number(x), y: Number(y), rotated: rotated === 1 },
      },
    ]),
  );
  return seen.describe();
};

const permutations = <T>(list: readonly T[]): T[][] =>
  list.length <= 1
    ? [[...list]]
    : list.flatMap((first, index) => permutations(list.toSpliced(index, 1)).map((rest) => [first, ...rest]));

onEveryDatabase('inventories', (service, engine) => {
  test('behave like a simple model, one by one and concurrently', async () => {
    const statuses = new Map<string, number>();
    let swaps = 0;
    // One operation, or several concurrent ones: then there must be an order in which the model does the same.
    const step = fc.oneof(
      { weight: 3, arbitrary: operations(NAMES).map((operation) => [operation]) },
      { weight: 2, arbitrary: fc.array(operations(NAMES), { minLength: 2, maxLength: 4 }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 60, size: 'max' }), async (steps) => {
        const { team, model } = await begin(service());
        for (const [index, chosen] of steps.entries()) {
          const together = chosen.map((operation) => resolve(model, operation, NAMES));
          const responses = await Promise.all(together.map((operation) => perform(team, operation)));
          const outcomes = together.map((operation, index) => {
            const answer = responses[index];
            assert.ok(answer);
            const name = `${operation.type} ${answer.status}`;
            statuses.set(name, (statuses.get(name) ?? 0) + 1);
            return { operation, outcome: outcomeOf(operation, answer), body: answer.body };
          });
          const seen = await observe(service(), team, model);
          const explained = permutations(outcomes).find((order) => {
            const tried = model.clone();
            return (
              order.every(({ operation, outcome }) => sameOutcome(tried.apply(operation), outcome)) &&
              tried.describe() === seen
            );
          });
          assert.ok(
            explained,
            `no order explains ${JSON.stringify(outcomes, null, 1)}\nbefore:\n${model.describe()}\nafter:\n${seen}`,
          );
          for (const { operation } of explained) model.apply(operation);
          if (index % 3 === 2) await assertInventoriesHold(service(), team.teamId);
        }
        swaps += model.swaps;
      }),
      engine === 'sqlite' ? { seed: 41, numRuns: 6, endOnFailure: true } : { seed: 44, numRuns: 7, endOnFailure: true },
    );
    // The sequences must be effective: every operation both succeeded and failed.
    assert.ok(swaps > 2, `only ${swaps} swaps: ${JSON.stringify([...statuses].sort())}`);
    for (const type of [
      'create',
      'move',
      'take-out',
      'update',
      'transfer',
      'delete',
      'batch',
      'sort',
      'resize',
      'refit',
      'closeBag',
      'deleteUser',
    ])
      assert.ok((statuses.get(`${type} 200`) ?? 0) > 0, `no ${type} succeeded: ${JSON.stringify([...statuses])}`);
    for (const name of [
      'create 400',
      'create 409',
      'move 404',
      'move 409',
      'transfer 404',
      'transfer 409',
      'batch 409',
      'resize 409',
      'refit 409',
    ])
      assert.ok((statuses.get(name) ?? 0) > 0, `no ${name}: ${JSON.stringify([...statuses])}`);
  });

  test('stay consistent under many concurrent callers, and nothing is lost or duplicated', async () => {
    const { team, model } = await begin(service());
    // User spaces and users are not deleted, so that everything created and not deleted must exist in the end.
    const sequences = fc.sample(
      fc.array(operations(NAMES, { deletions: false }), { minLength: 30, maxLength: 30, size: 'max' }),
      {
        seed: 7,
        numRuns: 8,
      },
    );
    const balance = new Map([...model.things.keys()].map((id) => [id, 1]));
    const count = (operation: Operation): void => {
      if (operation.type === 'batch') for (const one of operation.operations) count(one);
      if (operation.type === 'create') balance.set(operation.id, (balance.get(operation.id) ?? 0) + 1);
      if (operation.type === 'delete') balance.set(operation.id, (balance.get(operation.id) ?? 0) - 1);
    };
    const answered = new Map<number, number>();
    const call = async (sequence: readonly Operation[]): Promise<void> => {
      for (const chosen of sequence) {
        // Operations are generated from an earlier state, which may have changed by the time of the call.
        const known = model.clone();
        for (const { id, userId, item } of (await team.get('/item-instances')).body)
          known.things.set(id, { itemId: item.id, userId, at: null });
        const operation = resolve(known, chosen, NAMES);
        const { status } = await perform(team, operation);
        answered.set(status, (answered.get(status) ?? 0) + 1);
        if (status === 200) count(operation);
      }
    };
    await Promise.all(sequences.map(call));
    assert.deepEqual(
      [...answered.keys()].filter((status) => ![200, 400, 404, 409].includes(status)),
      [],
    );
    assert.ok((answered.get(200) ?? 0) > 50, JSON.stringify([...answered]));
    await assertInventoriesHold(service(), team.teamId);
    const { body } = await team.get('/item-instances');
    const there = body.map(({ id }: { id: string }) => id).sort();
    assert.deepEqual(
      there,
      [...balance].flatMap(([id, times]) => (times > 0 ? [id] : [])).sort(),
      'what was created and not deleted is there, once',
    );
    for (const times of balance.values()) assert.ok(times === 0 || times === 1);
    for (const userId of model.users) {
      const { body: bags } = await team.get(`/users/${userId}/spaces`);
      for (const { id } of bags) await pictureOf(team, userId, id);
    }
  });

  test('stay consistent when several operations use the same thing at once', async () => {
    const team = await service().anotherTeam();
    await stockShapes(team);
    const users = ['ann', 'bob'] as const;
    const bagOf: Record<string, string[]> = {};
    for (const userId of users) bagOf[userId] = [await openBag(team, userId, 4, 4), await openBag(team, userId, 4, 4)];
    const [annOne, annTwo] = bagOf.ann as [string, string];
    const [bobOne] = bagOf.bob as [string];
    const { body: opened } = await team.get('/users/ann/spaces');
    const { spaceId } = opened.find(({ id }: { id: string }) => id === annOne);
    const at = (x: number, y: number) => ({ spacePositionX: x, spacePositionY: y });
    for (let round = 0; round < 10; round += 1) {
      const [placed, other, loose] = [`placed-${round}`, `other-${round}`, `loose-${round}`];
      await team.post('/item-instances/batch', {
        operations: [
          { type: 'create', id: placed, itemId: '1x1', userId: 'ann', userSpaceId: annOne, ...at(0, 0) },
          { type: 'create', id: other, itemId: '1x1', userId: 'ann', userSpaceId: annTwo, ...at(0, 0) },
          { type: 'create', id: loose, itemId: '2x1', userId: 'ann' },
        ],
      });
      const move =
        (id: string, userSpaceId: string, x: number, y: number, swap = false) =>
        () =>
          team.post(`/item-instances/${id}/move`, { userId: 'ann', userSpaceId, ...at(x, y), swap });
      const transfer = (id: string, toUserSpaceId?: string) => () =>
        team.post(`/item-instances/${id}/transfer`, { userId: 'ann', toUserId: 'bob', toUserSpaceId });
      const calls = [
        // One instance moves into another user space and swaps with one that is being transferred at the same time.
        move(placed, annTwo, 0, 0, true),
        transfer(other, bobOne),
        move(other, annTwo, 3, 3),
        // An unplaced instance is placed and transferred.
        move(loose, annOne, 1, 1),
        transfer(loose),
        () => team.delete(`/item-instances/${round % 2 === 0 ? placed : loose}`),
        () => team.put('/items/2x1', { width: 1 + (round % 3) }),
        () => team.post('/item-instances', { itemId: '2x1', userId: 'ann', userSpaceId: annOne, ...at(1, 2) }),
        () => team.post(`/users/ann/spaces/${annTwo}/sort`),
        // A user is deleted while being given something.
        ...Array.from({ length: 3 }, () => () => team.post('/item-instances', { itemId: '1x1', userId: 'cyd' })),
        () => team.delete('/users/cyd'),
        // A column is removed while something is placed into it.
        () => team.put(`/spaces/${spaceId}`, { cols: 3 }),
        () => team.post('/item-instances', { itemId: '1x1', userId: 'ann', userSpaceId: annOne, ...at(3, 0) }),
      ];
      const responses = await Promise.all(calls.map((call) => call()));
      for (const { status, body } of responses) assert.ok([200, 404, 409].includes(status), JSON.stringify(body));
      await assertInventoriesHold(service(), team.teamId);
      await team.put(`/spaces/${spaceId}`, { cols: 4 });
      const { body } = await team.get('/item-instances');
      const ids = body.map(({ id }: { id: string }) => id);
      for (let start = 0; start < ids.length; start += 100)
        await team.post('/item-instances/batch', {
          operations: ids.slice(start, start + 100).map((id: string) => ({ type: 'delete', id })),
        });
    }
  });

  test('place seventeen of sixty concurrent item instances into seventeen free cells', async () => {
    const team = await service().anotherTeam();
    await stockShapes(team);
    const bag = await openBag(team, 'ann', 5, 4);
    const fill = {
      type: 'create',
      itemId: '1x3',
      userId: 'ann',
      userSpaceId: bag,
      spacePositionX: 2,
      spacePositionY: 1,
    };
    assert.equal((await team.post('/item-instances/batch', { operations: [fill] })).status, 200);
    const gift = { itemId: '1x1', userId: 'ann', userSpaceId: bag };
    const responses = await Promise.all(Array.from({ length: 60 }, () => team.post('/item-instances', gift)));
    const statuses = Object.groupBy(responses, ({ status }) => String(status));
    assert.deepEqual([statuses['200']?.length, statuses['409']?.length], [17, 43]);
    assert.ok(!(await pictureOf(team, 'ann', bag)).includes('.'));
    await assertInventoriesHold(service(), team.teamId);
  });

  test('let a trade that is attempted fifty times at once happen once', async () => {
    const team = await service().anotherTeam();
    await stockShapes(team);
    const [annBag, bobBag] = [await openBag(team, 'ann', 3, 2), await openBag(team, 'bob', 3, 2)];
    const give = async (id: string, itemId: string, userId: string, userSpaceId: string) =>
      assert.equal((await team.post('/item-instances', { id, itemId, userId, userSpaceId })).status, 200);
    await give('sword', '1x1', 'ann', annBag);
    await give('shield', '2x2', 'bob', bobBag);
    const transfers = [
      { type: 'transfer', id: 'sword', userId: 'ann', toUserId: 'bob', toUserSpaceId: bobBag },
      { type: 'transfer', id: 'shield', userId: 'bob', toUserId: 'ann', toUserSpaceId: annBag },
    ];
    // Half of them list the two transfers in the opposite order, so that lock order cannot depend on the caller.
    const attempts = Array.from({ length: 50 }, (_, n) =>
      team.post('/item-instances/batch', { operations: n % 2 === 0 ? transfers : transfers.toReversed() }),
    );
    const responses = await Promise.all(attempts);
    const statuses = Object.groupBy(responses, ({ status }) => String(status));
    assert.deepEqual([statuses['200']?.length, statuses['409']?.length], [1, 49]);
    for (const { body } of statuses['409'] ?? [])
      assert.deepEqual(body.issues, [{ path: '/body/operations/0/userId', message: 'is not the current owner' }]);
    const [annHas, bobHas] = [await pictureOf(team, 'ann', annBag), await pictureOf(team, 'bob', bobBag)];
    assert.deepEqual(
      (await team.get('/item-instances')).body
        .map(({ id, userId }: Record<string, string>) => `${id} of ${userId}`)
        .sort(),
      ['shield of ann', 'sword of bob'],
    );
    assert.equal([...bobHas].filter((cell) => cell !== '.' && cell !== '\n').length, 1);
    assert.equal([...annHas].filter((cell) => cell !== '.' && cell !== '\n').length, 4);
    assert.equal((await team.get('/item-instances/sword/history')).body.length, 2);
    await assertInventoriesHold(service(), team.teamId);
  });
});
