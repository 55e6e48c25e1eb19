/** Every operation makes the events of what it changes: whoever replays the feed has what the tables have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, onEveryDatabase, type Service } from '../../../test/harness.ts';
import { OPERATIONS, operationOf, walkThroughInterface } from '../../../test/walk.ts';
import { EVENT_TYPES } from '../../shared/event-types.ts';

// biome-ignore lint/suspicious/noExplicitAny: the data of several types.
type Body = any;

const CATALOG = ['catalog.published'];
const ROLL = ['balance.changed', 'item_instance.created', 'roll.made', 'user.created'];

/** Which events an operation can make; those that are not here make none. */
const MADE_BY: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['attributes', 'classifiers', 'items', 'templates', 'spaces'].flatMap((kind) => [
      [`POST /${kind}`, CATALOG],
      [`PUT /${kind}/{id}`, CATALOG],
      [`DELETE /${kind}/{id}`, CATALOG],
    ]),
  ),
  'POST /catalog/publish': CATALOG,
  'POST /catalog/drafts/{id}/publish': CATALOG,
  'POST /users': ['user.created'],
  'POST /users/{userId}/balances': ['balance.changed', 'user.created'],
  'POST /users/{userId}/grants': ['balance.changed', 'item_instance.created', 'user.created'],
  'POST /grants/{reference}/revoke': ['balance.changed', 'item_instance.deleted'],
  'POST /users/{userId}/consume': ['balance.changed'],
  'DELETE /users': ['balance.changed', 'item_instance.deleted', 'user.deleted', 'user_space.deleted'],
  'DELETE /users/{userId}': ['balance.changed', 'item_instance.deleted', 'user.deleted', 'user_space.deleted'],
  'POST /users/{userId}/spaces': ['user.created', 'user_space.created'],
  'DELETE /users/{userId}/spaces/{id}': ['user_space.deleted'],
  'POST /users/{userId}/spaces/{id}/sort': ['item_instance.moved'],
  'POST /items/roll': ROLL,
  'POST /templates/{id}/roll': ROLL,
  'POST /templates/{id}/spark': ['balance.changed', 'item_instance.created'],
  'POST /users/{userId}/fairness': ['user.created'],
  'POST /item-instances': ['item_instance.created', 'user.created'],
  'PATCH /item-instances/{id}': ['item_instance.changed'],
  'DELETE /item-instances/{id}': ['item_instance.deleted'],
  'POST /item-instances/{id}/restore': ['item_instance.created'],
  'POST /item-instances/{id}/move': ['item_instance.moved'],
  'POST /item-instances/{id}/take-out': ['item_instance.moved'],
  'POST /item-instances/{id}/transfer': ['item_instance.transferred'],
  'POST /item-instances/batch': EVENT_TYPES.filter((type) => type.startsWith('item_instance.')).concat('user.created'),
};

/** Those that the walk gives nothing to make an event of. */
const NOT_MADE = new Set(['POST /users/{userId}/fairness']);

const must = async (response: Promise<{ status: number; body: Body }>): Promise<Body> => {
  const { status, body } = await response;
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

const feedOf = async (caller: Client): Promise<Body[]> => {
  const events: Body[] = [];
  for (let cursor = '0', hasMore = true; hasMore; ) {
    const page = await must(caller.get(`/events?after=${cursor}&limit=100`));
    events.push(...page.data);
    ({ cursor, hasMore } = page);
  }
  return events;
};

/** What is there after everything in the feed has happened. */
const replay = (events: readonly Body[]) => {
  const users = new Map<string, Body>();
  const userSpaces = new Map<string, Body>();
  const instances = new Map<string, Body>();
  /** What each user has of each currency, and how often that changed. */
  const balances: Record<string, readonly [units: number, sequence: number]> = {};
  let version = 0;
  let rolls = 0;
  const insert = (into: Map<string, Body>, key: string, value: Body): void => {
    assert.ok(!into.has(key), `${key} is created twice`);
    into.set(key, value);
  };
  const known = (of: Map<string, Body>, key: string): Body => {
    assert.ok(of.has(key), `${key} is known`);
    return of.get(key);
  };
  for (const { type, data, player, catalogversion } of events) {
    const { before, ...now } = data;
    switch (type) {
      case 'user.created':
        insert(users, player, now);
        break;
      case 'user.deleted':
        known(users, player);
        users.delete(player);
        break;
      case 'balance.changed': {
        const key = `${player} ${now.itemId}`;
        const [units, sequence] = balances[key] ?? [0, 0];
        assert.deepEqual([before, now.sequence, now.after], [units, sequence + 1, units + now.change], key);
        balances[key] = [now.after, now.sequence];
        break;
      }
      case 'user_space.created':
        insert(userSpaces, now.id, now);
        break;
      case 'user_space.deleted':
        known(userSpaces, now.id);
        userSpaces.delete(now.id);
        for (const one of instances.values())
          if (one.itemInstanceSpace?.teamUserSpaceId === now.id) one.itemInstanceSpace = null;
        break;
      case 'item_instance.created':
        insert(instances, now.id, now);
        break;
      case 'item_instance.changed': {
        const was = known(instances, now.id);
        for (const [name, value] of Object.entries(before.data ?? {})) assert.deepEqual(was.data[name], value);
        if ('locked' in before) assert.equal(was.locked ?? false, before.locked);
        instances.set(now.id, now);
        break;
      }
      case 'item_instance.moved':
        assert.deepEqual(known(instances, now.id).itemInstanceSpace, before.itemInstanceSpace, 'moved from there');
        known(instances, now.id).itemInstanceSpace = now.itemInstanceSpace;
        break;
      case 'item_instance.transferred':
        assert.equal(known(instances, now.id).userId, before.userId, 'transferred from them');
        instances.set(now.id, now);
        break;
      case 'item_instance.deleted':
        known(instances, now.id);
        instances.delete(now.id);
        break;
      case 'catalog.published':
        assert.equal(catalogversion, version + 1, 'versions follow each other');
        version = catalogversion;
        break;
      case 'roll.made':
        rolls += now.results.length;
        break;
      default:
        assert.fail(`nothing is expected of ${type}`);
    }
  }
  return {
    users: [...users.values()],
    userSpaces: [...userSpaces.values()],
    instances: [...instances.values()],
    balances,
    version,
    rolls,
  };
};

/** Of a placement, what is not about something else. */
const placeIn = (place: Body | null): Body =>
  place && {
    ...{ userSpaceId: place.teamUserSpaceId, x: place.spacePositionX, y: place.spacePositionY, rotated: place.rotated },
  };

/** The same from the tables. */
const stored = async ({ database }: Pick<Service, 'database'>, caller: Client) => {
  const { teamId } = caller;
  const [users = [], userSpaces = [], instances = [], rolls = [], entries = []] = await database.read(
    teamId,
    ({ queries }) => {
      const of = (table: 'users' | 'user_spaces' | 'item_instances' | 'roll_events') =>
        queries.selectFrom(table).selectAll().where('team_id', '=', teamId).orderBy('id').execute();
      const ledger = queries
        .selectFrom('balance_entries')
        .selectAll()
        .where('team_id', '=', teamId)
        .orderBy('sequence')
        .execute();
      return Promise.all([of('users'), of('user_spaces'), of('item_instances'), of('roll_events'), ledger] as Promise<
        Body[]
      >[]);
    },
  );
  const ofAll = userSpaces.map(({ id }) => id).join();
  const placed = await must(caller.get(`/item-instance-spaces?limit=1000&teamUserSpaceId=${ofAll}`));
  const times = (row: Body) => ({
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  });
  return {
    users: users.map((row) => ({ id: row.id, externalId: row.external_id, teamId, ...times(row) })),
    userSpaces: userSpaces.map((row) => ({
      ...{ id: row.id, userId: row.user_id, spaceId: row.space_id, teamId },
      ...times(row),
    })),
    instances: instances.map((row) => ({
      ...{ id: row.id, itemId: row.item_id, userId: row.user_id, teamId, ...times(row) },
      itemInstanceSpace: placeIn(placed.find(({ itemInstanceId }: Body) => itemInstanceId === row.id) ?? null),
      itemAttributeInstances: Object.entries(JSON.parse(row.attribute_values)).map(([itemAttributeId, value]) => ({
        itemAttributeId,
        value,
      })),
      ...(row.data !== null && { data: JSON.parse(row.data) }),
      ...(row.locked !== null && { locked: true }),
    })),
    balances: Object.fromEntries(entries.map((row) => [`${row.roller_id} ${row.item_id}`, [row.total, row.sequence]])),
    version: (await must(caller.get('/catalog/versions')))[0].version,
    rolls: rolls.flatMap(({ results }) => JSON.parse(results)).length,
  };
};

const byId = (a: Body, b: Body): number => (a.id < b.id ? -1 : 1);

const agrees = async (service: Service, caller: Client, events: readonly Body[]): Promise<void> => {
  const { users, userSpaces, instances, ...others } = replay(events);
  assert.deepEqual(
    {
      ...{ users: users.sort(byId), userSpaces: userSpaces.sort(byId) },
      instances: instances.map((one) => ({ ...one, itemInstanceSpace: placeIn(one.itemInstanceSpace) })).sort(byId),
      ...others,
    },
    await stored(service, caller),
  );
};

onEveryDatabase('events of all operations', (service) => {
  test('are those that each of them is known for, and give the tables when they are replayed', async () => {
    const team = await service().anotherTeam();
    await must(team.put('/team/events', { types: EVENT_TYPES }));
    let calls = 0;
    // Says in the id of each request which operation it is for.
    const naming: Client = {
      ...team,
      request: (method, path, body, options) => {
        calls += 1;
        const name = `${calls}-${OPERATIONS.indexOf(operationOf(method, path))}`;
        return team.request(method, path, body, {
          ...options,
          headers: { ...options?.headers, 'x-request-id': name },
        });
      },
    };
    await walkThroughInterface(naming);
    const events = await feedOf(team);
    const made = new Map<string, Set<string>>();
    for (const { type, requestid } of events) {
      const operation = OPERATIONS[Number(requestid?.split('-')[1])] as string;
      assert.ok(operation in MADE_BY && MADE_BY[operation]?.includes(type), `${operation} made ${type}`);
      made.set(operation, (made.get(operation) ?? new Set()).add(type));
    }
    assert.deepEqual(
      Object.keys(MADE_BY).filter((operation) => !OPERATIONS.includes(operation)),
      [],
    );
    assert.deepEqual(
      Object.keys(MADE_BY).filter((operation) => !made.has(operation) && !NOT_MADE.has(operation)),
      [],
      'operations without an event',
    );
    await agrees(service(), team, events);
  });

  test('follow each other within a batch as its operations do', async () => {
    const team = await service().anotherTeam();
    await must(team.put('/team/events', { types: EVENT_TYPES }));
    await must(team.post('/items', { id: 'sword', name: 'Sword' }));
    await must(team.post('/spaces', { id: 'bag', name: 'Bag', cols: 4, rows: 4 }));
    for (const id of ['ann', 'bob']) await must(team.post(`/users/${id}/spaces`, { id: `of-${id}`, spaceId: 'bag' }));
    const at = (x: number) => ({ spacePositionX: x, spacePositionY: 0 });
    const ofAnn = { userId: 'ann', userSpaceId: 'of-ann' };
    const batch = (...operations: object[]) => must(team.post('/item-instances/batch', { operations }));
    await batch(
      { type: 'create', id: 'moved', itemId: 'sword', ...ofAnn, ...at(0) },
      { type: 'move', id: 'moved', ...ofAnn, ...at(1) },
      { type: 'update', id: 'moved', data: { wear: 1 }, locked: true },
      { type: 'create', id: 'given', itemId: 'sword', ...ofAnn, ...at(2), data: { name: 'Durendal' } },
      { type: 'transfer', id: 'given', userId: 'ann', toUserId: 'bob', toUserSpaceId: 'of-bob', ...at(0) },
      { type: 'create', id: 'short', itemId: 'sword', ...ofAnn, ...at(2) },
      { type: 'delete', id: 'short' },
    );
    await batch(
      { type: 'update', id: 'moved', increment: { wear: 2 }, locked: false },
      { type: 'move', id: 'moved', ...ofAnn, ...at(3) },
      { type: 'transfer', id: 'given', userId: 'bob', toUserId: 'ann', toUserSpaceId: 'of-ann', ...at(0) },
      { type: 'move', id: 'given', userId: 'ann', swap: true, ...at(3) },
      // Changes nothing.
      { type: 'update', id: 'given', locked: false },
    );
    await batch({ type: 'delete', id: 'given' }, { type: 'create', id: 'given', itemId: 'sword', userId: 'bob' });
    await must(team.delete('/item-instances/moved', {}));
    await must(team.post('/item-instances/moved/restore', {}));
    const events = await feedOf(team);
    assert.deepEqual(
      events.filter(({ data }) => data.id === 'moved').map(({ type, cause }) => [type, cause]),
      [
        ['item_instance.created', 'batch'],
        ['item_instance.moved', undefined],
        ['item_instance.changed', 'batch'],
        ['item_instance.changed', 'batch'],
        ['item_instance.moved', undefined],
        ['item_instance.deleted', 'request'],
        ['item_instance.created', 'restored'],
      ],
    );
    assert.deepEqual(
      events
        .filter(({ type }) => type === 'item_instance.changed')
        .map(({ data }) => [data.data, data.locked, data.before]),
      [
        [{ wear: 1 }, true, { locked: false }],
        [{ wear: 3 }, undefined, { data: { wear: 1 }, locked: true }],
      ],
    );
    await agrees(service(), team, events);
  });
});
