import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import {
  type ApiResponse,
  type Client,
  createEmptyDatabase,
  issuePaths,
  onEveryDatabase,
  startService,
} from '../harness.ts';
import { assertInventoriesHold } from '../inventories.ts';

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

const countStatuses = (responses: readonly ApiResponse[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const openBag = async (team: Client, cols: number, rows: number): Promise<void> => {
  await team.post('/items', { id: 'coin', name: 'Coin' });
  await team.post('/items', { id: 'plank', name: 'Plank', width: 2, height: 1 });
  await team.post('/spaces', { id: 'bag', name: 'Bag', cols, rows });
  assert.equal((await team.post('/users/ann/spaces', { id: 'anns', spaceId: 'bag' })).status, 200);
};

onEveryDatabase('concurrent requests', (service) => {
  for (const [what, path, body] of [
    ['items', '/items', { id: 'same', name: 'Same' }],
    ['users', '/users', { id: 'same' }],
    ['spaces', '/spaces', { id: 'same', name: 'Same', cols: 1, rows: 1 }],
    ['attributes', '/attributes', { id: 'same', name: 'Same' }],
    ['classifiers', '/classifiers', { id: 'same', name: 'Same', classifierOptions: [] }],
    ['templates', '/templates', { id: 'same', name: 'Same', config: {} }],
    ['user spaces', '/users/ann/spaces', { id: 'same', spaceId: 'bag' }],
    ['item instances', '/item-instances', { id: 'same', itemId: 'coin', userId: 'new' }],
  ] as const) {
    test(`thirty creations of ${what} with one id create one`, async () => {
      const team = await service().anotherTeam();
      await openBag(team, 1, 1);
      const responses = await times(30, () => team.post(path, body));
      assert.deepEqual(countStatuses(responses), { 200: 1, 400: 29 });
      for (const answer of responses) if (answer.status === 400) assert.deepEqual(issuePaths(answer), ['/body/id']);
    });
  }

  test('thirty users with one external id create one', async () => {
    const team = await service().anotherTeam();
    const responses = await times(30, () => team.post('/users', { externalId: 'same' }));
    assert.deepEqual(countStatuses(responses), { 200: 1, 409: 29 });
    assert.equal((await team.get('/users')).body.length, 1);
  });

  test('thirty spaces for an unknown user create the user once', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 1, 1);
    const responses = await times(30, () => team.post('/users/newcomer/spaces', { spaceId: 'bag' }));
    assert.deepEqual(countStatuses(responses), { 200: 30 });
    assert.equal((await team.get('/users/newcomer/spaces')).body.length, 30);
    assert.deepEqual(
      (await team.get('/users')).body.map(({ id }: { id: string }) => id),
      ['ann', 'newcomer'],
    );
  });

  test('thirty item instances for one cell: one is created', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 3, 3);
    const at = { itemId: 'coin', userId: 'ann', userSpaceId: 'anns', spacePositionX: 1, spacePositionY: 1 };
    const responses = await times(30, () => team.post('/item-instances', at));
    assert.deepEqual(countStatuses(responses), { 200: 1, 409: 29 });
    assert.equal((await team.get('/item-instances')).body.length, 1);
    await assertInventoriesHold(service());
  });

  test('sixty item instances for seventeen free cells: seventeen are placed', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 5, 4);
    for (const [x, y] of [
      [0, 0],
      [2, 1],
      [4, 3],
    ])
      await team.post('/item-instances', {
        itemId: 'coin',
        userId: 'ann',
        userSpaceId: 'anns',
        spacePositionX: x,
        spacePositionY: y,
      });
    const responses = await times(60, () =>
      team.post('/item-instances', { itemId: 'coin', userId: 'ann', userSpaceId: 'anns' }),
    );
    assert.deepEqual(countStatuses(responses), { 200: 17, 409: 43 });
    const { body: places } = await team.get('/item-instance-spaces');
    const cells = places.map((place: Record<string, number>) => `${place.spacePositionX} ${place.spacePositionY}`);
    assert.equal(new Set(cells).size, 20);
    assert.equal((await team.get('/item-instances')).body.length, 20, 'what found no place was not given');
    await assertInventoriesHold(service());
  });

  test('rolls and creations for the same cells never overlap', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 4, 4);
    await team.put('/items/coin', { rollNumerator: 0 });
    const responses = await times(20, (n) =>
      n % 2 === 0
        ? team.post('/items/roll', { userId: 'ann', userSpaceId: 'anns' })
        : team.post('/item-instances', { itemId: 'plank', userId: 'ann', userSpaceId: 'anns' }),
    );
    assert.deepEqual(countStatuses(responses), { 200: 8, 409: 12 });
    const rolled = responses.filter(({ status }, n) => status === 200 && n % 2 === 0).length;
    assert.equal((await team.get('/roll-events/stats')).body.totalRolls, rolled, 'a rejected roll does not count');
    await assertInventoriesHold(service());
  });

  test('moves of many items onto one cell: one succeeds, the others stay', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 5, 2);
    const { body: other } = await team.post('/users/ann/spaces', { spaceId: 'bag' });
    for (let n = 0; n < 8; n += 1)
      await team.post('/item-instances', {
        id: `coin-${n}`,
        itemId: 'coin',
        userId: 'ann',
        userSpaceId: n < 4 ? 'anns' : other.id,
      });
    for (const target of ['anns', other.id]) {
      const responses = await times(8, (n) =>
        team.post(`/item-instances/coin-${n}/move`, {
          userId: 'ann',
          userSpaceId: target,
          spacePositionX: 4,
          spacePositionY: 1,
        }),
      );
      assert.deepEqual(countStatuses(responses), { 200: 1, 409: 7 });
      await assertInventoriesHold(service());
    }
    assert.equal((await team.get('/item-instance-spaces')).body.length, 8);
  });

  test('two items that move between two spaces in opposite directions both arrive', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 2, 1);
    await team.post('/users/ann/spaces', { id: 'other', spaceId: 'bag' });
    const give = (id: string, userSpaceId: string) =>
      team.post('/item-instances', { id, itemId: 'coin', userId: 'ann', userSpaceId });
    await give('east', 'anns');
    await give('west', 'other');
    const move = (id: string, userSpaceId: string, x: number) =>
      team.post(`/item-instances/${id}/move`, { userId: 'ann', userSpaceId, spacePositionX: x, spacePositionY: 0 });
    for (let round = 0; round < 10; round += 1) {
      const [there, back] = round % 2 === 0 ? ['other', 'anns'] : ['anns', 'other'];
      const x = round % 2 === 0 ? 1 : 0;
      const responses = await Promise.all([move('east', there as string, x), move('west', back as string, x)]);
      assert.deepEqual(countStatuses(responses), { 200: 2 });
    }
    await assertInventoriesHold(service());
  });

  test('an item that is moved and deleted at once is gone, with its cells', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 6, 1);
    for (let round = 0; round < 10; round += 1) {
      await team.post('/item-instances', { id: 'plank', itemId: 'plank', userId: 'ann', userSpaceId: 'anns' });
      const [moved, removed] = await Promise.all([
        team.post('/item-instances/plank/move', { userId: 'ann', spacePositionX: 1 + (round % 4), spacePositionY: 0 }),
        team.delete('/item-instances/plank'),
      ]);
      assert.ok([200, 404].includes(moved.status));
      assert.equal(removed.status, 200);
    }
    assert.deepEqual((await team.get('/item-instance-spaces')).body, []);
    await assertInventoriesHold(service());
  });

  test('a user who is deleted while items are given keeps nothing from before', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 10, 10);
    for (let round = 0; round < 5; round += 1) {
      const gifts = times(12, (n) =>
        n % 3 === 0
          ? team.post('/item-instances', { itemId: 'coin', userId: 'ann' })
          : team.post('/item-instances', { itemId: 'coin', userId: 'ann', userSpaceId: 'anns' }),
      );
      const [responses, removed] = await Promise.all([gifts, team.delete('/users/ann')]);
      assert.equal(removed.status, 200);
      for (const { status, body } of responses) assert.ok(status === 200 || status === 400, JSON.stringify(body));
      // An item given after the deletion creates the user again; the space is gone in any case.
      const spaces = await team.get('/users/ann/spaces');
      assert.ok(spaces.status === 404 || spaces.body.length === 0);
      assert.deepEqual((await team.get('/item-instance-spaces')).body, []);
      await assertInventoriesHold(service());
      assert.equal((await team.post('/users/ann/spaces', { id: 'anns', spaceId: 'bag' })).status, 200);
    }
  });

  test('a space that shrinks while it is filled cuts nothing off', async () => {
    const team = await service().anotherTeam();
    await openBag(team, 6, 6);
    const [responses, shrunk] = await Promise.all([
      times(20, (n) =>
        team.post('/item-instances', {
          itemId: 'coin',
          userId: 'ann',
          userSpaceId: 'anns',
          spacePositionX: n % 6,
          spacePositionY: Math.floor(n / 6),
        }),
      ),
      team.put('/spaces/bag', { cols: 3 }),
    ]);
    for (const { status } of responses) assert.ok(status === 200 || status === 409);
    assert.ok(shrunk.status === 200 || shrunk.status === 409);
    await assertInventoriesHold(service());
  });

  test('a space that is deleted while it is given either stays or is not given', async () => {
    const team = await service().anotherTeam();
    for (let round = 0; round < 5; round += 1) {
      await team.post('/spaces', { id: 'fleeting', name: 'Fleeting', cols: 1, rows: 1 });
      const [responses, removed] = await Promise.all([
        times(4, () => team.post('/users/ann/spaces', { spaceId: 'fleeting' })),
        team.delete('/spaces/fleeting'),
      ]);
      const given = responses.filter(({ status }) => status === 200).length;
      for (const { status } of responses) assert.ok(status === 200 || status === 400);
      assert.equal(removed.status, given > 0 ? 409 : 200);
      for (const { body, status } of responses)
        if (status === 200) assert.equal((await team.delete(`/users/ann/spaces/${body.id}`)).status, 200);
      await team.delete('/spaces/fleeting');
    }
  });

  test('an item that is deleted while it is given either stays or is not given', async () => {
    const team = await service().anotherTeam();
    for (let round = 0; round < 5; round += 1) {
      await team.post('/items', { id: 'fleeting', name: 'Fleeting' });
      const [responses, removed] = await Promise.all([
        times(4, () => team.post('/item-instances', { itemId: 'fleeting', userId: 'ann' })),
        team.delete('/items/fleeting'),
      ]);
      const given = responses.filter(({ status }) => status === 200).length;
      for (const { status } of responses) assert.ok(status === 200 || status === 400);
      assert.equal(removed.status, given > 0 ? 400 : 200);
      for (const { body, status } of responses)
        if (status === 200) assert.equal((await team.delete(`/item-instances/${body.id}`)).status, 200);
      await team.delete('/items/fleeting');
    }
  });
});

describe('two nodes on one PostgreSQL', () => {
  test('roll on one what was created or changed on the other just before', async () => {
    const empty = await createEmptyDatabase('postgres');
    const one = await startService(empty.url);
    const two = await startService(empty.url);
    try {
      const here = one;
      const there = two.anyone(`Basic ${Buffer.from(`${one.teamId}:${one.secret}`).toString('base64')}`);
      let previous: string | undefined;
      for (let round = 0; round < 10; round += 1) {
        const id = `item-${round}`;
        if (previous !== undefined)
          assert.equal((await here.put(`/items/${previous}`, { rollNumerator: 0 })).status, 200);
        assert.equal((await here.post('/items', { id, name: 'New' })).status, 200);
        assert.equal((await there.post('/items/roll')).body.item.id, id);
        assert.equal((await here.put(`/items/${id}`, { name: 'Renamed' })).status, 200);
        assert.equal((await there.post('/items/roll')).body.item.name, 'Renamed');
        previous = id;
      }
      await here.put(`/items/${previous}`, { rollNumerator: 0 });
      assert.equal((await there.post('/items/roll')).status, 500);
      assert.equal((await here.get('/roll-events/stats')).body.totalRolls, 20);
    } finally {
      await one.stop();
      await two.stop();
      await empty.drop();
    }
  });

  test('use one cell once, and one id once', async () => {
    const empty = await createEmptyDatabase('postgres');
    const one = await startService(empty.url);
    const two = await startService(empty.url);
    try {
      await openBag(one, 3, 3);
      const other = two.anyone(`Basic ${Buffer.from(`${one.teamId}:${one.secret}`).toString('base64')}`);
      const at = { itemId: 'coin', userId: 'ann', userSpaceId: 'anns', spacePositionX: 1, spacePositionY: 1 };
      const gifts = await times(30, (n) => (n % 2 === 0 ? one : other).post('/item-instances', at));
      assert.deepEqual(countStatuses(gifts), { 200: 1, 409: 29 });
      const items = await times(30, (n) => (n % 2 === 0 ? one : other).post('/items', { id: 'same', name: 'Same' }));
      assert.deepEqual(countStatuses(items), { 200: 1, 400: 29 });
      await assertInventoriesHold(one);
    } finally {
      await one.stop();
      await two.stop();
      await empty.drop();
    }
  });
});

test('another process writes to the same SQLite file while the service writes', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url);
  try {
    let running = true;
    const writing = (async () => {
      let written = 0;
      for (; running; written += 1) assert.equal((await service.post('/users', {})).status, 200);
      return written;
    })();
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const child = spawn(process.execPath, ['src/cli.ts', 'team', 'create', `Team ${n}`], {
        env: { ...process.env, DATABASE_URL: empty.url },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      const [code] = await once(child, 'close');
      assert.equal(code, 0);
      made.push(JSON.parse(output).teamId);
    }
    running = false;
    const written = await writing;
    const { users, teams } = await service.database.read('', async ({ queries: reader }) => ({
      users: await reader.selectFrom('users').select('id').execute(),
      teams: await reader.selectFrom('teams').select('id').execute(),
    }));
    assert.equal(users.length, written);
    for (const id of made) assert.ok(teams.some((team) => team.id === id));
  } finally {
    await service.stop();
    await empty.drop();
  }
});
