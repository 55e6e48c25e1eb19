import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, openBag, stockShapes } from '../../../test/inventories.ts';
import { LIMITS } from '../../shared/limits.ts';

onEveryDatabase('instances that change', (service) => {
  let team: Client;
  let count = 0;
  before(async () => {
    team = await service().anotherTeam();
    await stockShapes(team);
    for (const id of ['ann', 'bob']) await team.post('/users', { id });
  });

  const done = (response: ApiResponse) => {
    assert.equal(response.status, 200, JSON.stringify(response.body));
    return response.body;
  };
  const create = async (given: object = {}): Promise<string> => {
    count += 1;
    const id = `sword-${count}`;
    done(await team.post('/item-instances', { id, itemId: '1x1', userId: 'ann', ...given }));
    return id;
  };
  const path = (id: string) => `/item-instances/${id}`;
  const update = (id: string, body: object, options = {}) => team.patch(path(id), body, options);
  const read = async (id: string) => done(await team.get(path(id)));
  const issueOf = ({ body }: ApiResponse) => body.issues[0];

  test('merges data, and increments numbers after that', async () => {
    const id = await create({ data: { durability: 10, rune: { name: 'fire', level: 1 }, cursed: true } });
    const changed = done(
      await update(id, {
        data: { rune: { level: 2 }, cursed: null },
        increment: { durability: -3, kills: 1 },
        min: { durability: 0 },
        max: { kills: 1 },
      }),
    );
    const data = { durability: 7, rune: { name: 'fire', level: 2 }, kills: 1 };
    assert.deepEqual(changed.data, data);
    assert.deepEqual((await read(id)).data, data);
    const [listed] = done(await team.get(`/item-instances?instanceIds=${id}`));
    assert.deepEqual(listed.data, data);
    assert.equal(done(await update(id, { data: null })).data, undefined);
    assert.deepEqual(done(await update(id, { increment: { kills: 0.5 } })).data, { kills: 0.5 });
  });

  test('an instance that has neither data nor a lock looks as ever', async () => {
    const id = await create();
    const shown = Object.keys(await read(id));
    assert.deepEqual(shown, ['id', 'userId', 'item', 'itemInstanceSpace', 'classifiers', 'attributes']);
    done(await update(id, { locked: true }));
    done(await update(id, { locked: false }));
    assert.deepEqual(Object.keys(await read(id)), shown);
    const { data, locked } = done(await team.post(`${path(id)}/take-out`, { userId: 'ann' }));
    assert.deepEqual([data, locked], [undefined, undefined]);
  });

  test('the history has what changed, before and after', async () => {
    const id = await create({ data: { a: 1, b: { c: 1 }, d: 1 } });
    done(await update(id, { data: { b: { c: 2 }, d: null, e: 5 }, increment: { a: 1 }, locked: true }));
    done(await update(id, { data: { a: 2 }, locked: true }));
    done(await update(id, { locked: false, data: null }));
    const events = done(await team.get(`${path(id)}/history`));
    const said = events.map(({ event, fromUserId, toUserId, before, after }: Record<string, unknown>) => [
      ...[event, fromUserId, toUserId],
      ...[before, after],
    ]);
    assert.deepEqual(said, [
      ['created', null, 'ann', undefined, undefined],
      [
        ...['changed', 'ann', 'ann'],
        { data: { a: 1, b: { c: 1 }, d: 1 }, locked: false },
        { data: { a: 2, b: { c: 2 }, e: 5 }, locked: true },
      ],
      ['changed', 'ann', 'ann', { data: { a: 2, b: { c: 2 }, e: 5 }, locked: true }, { locked: false }],
    ]);
    done(await team.post(`${path(id)}/transfer`, { toUserId: 'bob' }));
    done(await team.delete(path(id)));
    assert.equal(done(await team.post(`${path(id)}/restore`)).data, undefined);
    const [first] = done(await team.get(`${path(id)}/history`));
    assert.equal(first.toUserId, 'ann');
    await assertInventoriesHold(service(), team.teamId);
  });

  test('the data of an instance comes back when it is restored, and reasons are kept', async () => {
    const id = await create({ data: { a: 1 } });
    const headers = { 'itemwright-reason': 'repaired' };
    done(await update(id, { increment: { a: 1 } }, { headers }));
    done(await team.delete(path(id)));
    assert.deepEqual(done(await team.post(`${path(id)}/restore`)).data, { a: 2 });
    assert.deepEqual((await read(id)).data, { a: 2 });
    assert.equal(done(await team.get(`${path(id)}/history`))[1].reason, 'repaired');
  });

  test('nothing changes if nothing is different', async () => {
    service().setClock(Date.parse('2026-11-14T09:30:00.000Z'));
    const id = await create({ data: { a: 0 } });
    service().setClock(Date.parse('2026-11-14T09:31:00.000Z'));
    for (const body of [{ data: {} }, { data: { a: 0, b: null } }, { increment: { a: 0 } }, { locked: false }])
      assert.equal(done(await update(id, body)).updatedAt, '2026-11-14T09:30:00.000Z');
    assert.equal(done(await update(id, { increment: { a: 1 } })).updatedAt, '2026-11-14T09:31:00.000Z');
    service().setClock(Date.now());
    assert.equal(done(await team.get(`${path(id)}/history`)).length, 2);
  });

  test('an increment beyond its bounds is rejected, and changes nothing', async () => {
    const id = await create({ data: { durability: 1, name: 'Excalibur', none: null, huge: Number.MAX_SAFE_INTEGER } });
    const before = await read(id);
    for (const [body, name, message] of [
      [{ increment: { durability: -2 }, min: { durability: 0 } }, 'durability', 'would be -1, less than 0'],
      [{ increment: { durability: 2 }, max: { durability: 2 } }, 'durability', 'would be 3, more than 2'],
      [{ increment: { durability: 1, name: 1 } }, 'name', 'is not a number'],
      [{ increment: { none: 1 } }, 'none', 'is not a number'],
      [{ increment: { durability: 1, huge: 1 } }, 'huge', 'would be too large to be exact'],
      [{ increment: { 'a/b': 1 }, max: { 'a/b': 0 }, data: { durability: 5 } }, 'a~1b', 'would be 1, more than 0'],
    ] as const) {
      const response = await update(id, body);
      assert.equal(response.status, 409);
      assert.deepEqual(issueOf(response), { path: `/body/increment/${name}`, message });
    }
    assert.deepEqual(await read(id), before);
    assert.equal(done(await team.get(`${path(id)}/history`)).length, 1);
  });

  test('what no instance could have is rejected', async () => {
    const id = await create({ data: { text: 'x'.repeat(4000) } });
    const deep = (levels: number): object => (levels === 1 ? {} : { in: deep(levels - 1) });
    const long = { text: 'x'.repeat(LIMITS.instanceDataBytes) };
    for (const [body, at] of [
      [{}, '/body'],
      [{ userId: 'ann' }, '/body'],
      [{ data: [] }, '/body/data'],
      [{ data: 'text' }, '/body/data'],
      [{ data: long }, '/body/data'],
      [{ data: deep(9) }, '/body/data'],
      [{ increment: { a: '1' } }, '/body/increment/a'],
      [{ increment: { a: null } }, '/body/increment/a'],
      [{ increment: [] }, '/body/increment'],
      [{ increment: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`n${i}`, 1])) }, '/body/increment'],
      [{ increment: { a: 1 }, min: { b: 1 } }, '/body/min/b'],
      [{ locked: true, max: { b: 1 } }, '/body/max/b'],
      [{ locked: 1 }, '/body/locked'],
      [{ locked: null }, '/body/locked'],
      [{ quantity: 2 }, '/body/quantity'],
    ] as const) {
      const response = await update(id, body);
      assert.equal(response.status, 400, JSON.stringify(body).slice(0, 80));
      assert.deepEqual(issuePaths(response), [at]);
    }
    for (const data of [long, deep(9)]) {
      const given = { itemId: '1x1', userId: 'ann', data };
      assert.deepEqual(issuePaths(await team.post('/item-instances', given)), ['/body/data']);
    }
    // Neither the patch nor the data is too long, but both together are.
    const full = await update(id, { data: { more: 'x'.repeat(100) } });
    assert.deepEqual([full.status, issueOf(full).path], [409, '/body/data']);
    assert.deepEqual(done(await update(id, { data: { text: null, ...deep(8) } })).data, deep(8));
    assert.equal((await update('nobody-has-it', { locked: true })).status, 404);
    assert.equal((await update(id, { locked: true, userId: 'bob' })).status, 404);
    const other = await service().anotherTeam();
    assert.equal((await other.patch(path(id), { locked: true })).status, 404);
    assert.equal((await read(id)).locked, undefined);
  });

  test('If-Match rejects a change of what was changed in the meantime', async () => {
    const id = await create();
    const { headers } = await team.get(path(id));
    const etag = headers.get('etag') as string;
    assert.match(etag, /^"[\w-]{22}"$/);
    const first = await update(id, { data: { a: 'é ☘' } }, { headers: { 'if-match': etag } });
    assert.equal(first.status, 200);
    assert.equal(first.headers.get('etag'), (await team.get(path(id))).headers.get('etag'));
    const late = await update(id, { data: { a: 2 } }, { headers: { 'if-match': etag } });
    assert.equal(late.status, 412);
    assert.equal((await read(id)).data.a, 'é ☘');
    const current = first.headers.get('etag') as string;
    done(await update(id, { locked: true }, { headers: { 'if-match': current } }));
    assert.equal((await update(id, { data: { a: 3 } }, { headers: { 'if-match': current } })).status, 412);
  });

  test('the same key changes it once', async () => {
    const id = await create();
    const headers = { 'idempotency-key': `increment-${id}` };
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => update(id, { increment: { hits: 1 } }, { headers })),
    );
    for (const response of sent) assert.deepEqual(done(response).data, { hits: 1 });
    assert.deepEqual((await read(id)).data, { hits: 1 });
    assert.equal(new Set(sent.map((response) => response.headers.get('etag'))).size, 1);
  });

  test('a locked instance stays where it is, with its owner', async () => {
    const bag = await openBag(team, 'ann', 4, 2);
    const others = await openBag(team, 'bob', 4, 2);
    const at = (x: number, y: number) => ({ userSpaceId: bag, spacePositionX: x, spacePositionY: y });
    const id = await create(at(2, 0));
    const free = await create(at(0, 0));
    assert.equal(done(await update(id, { locked: true })).locked, true);
    const before = await read(id);
    assert.equal(before.locked, true);
    const refused = [
      team.post(`${path(id)}/move`, { userId: 'ann', spacePositionX: 1, spacePositionY: 1 }),
      team.post(`${path(id)}/take-out`, { userId: 'ann' }),
      team.post(`${path(id)}/transfer`, { userId: 'ann', toUserId: 'bob', toUserSpaceId: others }),
      team.delete(path(id)),
    ];
    for (const response of await Promise.all(refused)) {
      assert.equal(response.status, 409);
      assert.deepEqual(issueOf(response), { path: '/path/id', message: 'is locked' });
    }
    const swap = { userId: 'ann', spacePositionX: 2, spacePositionY: 0, swap: true };
    const swapped = await team.post(`${path(free)}/move`, swap);
    assert.equal(swapped.status, 409);
    assert.deepEqual(issueOf(swapped), { path: '/body/swap', message: `item instance ${id} is locked` });
    const trade = [
      { type: 'transfer', id: free, toUserId: 'bob' },
      { type: 'transfer', id, toUserId: 'bob' },
    ];
    const traded = await team.post('/item-instances/batch', { operations: trade });
    assert.deepEqual([traded.status, issueOf(traded).path], [409, '/body/operations/1/id']);
    assert.deepEqual(await read(id), before);
    assert.equal((await read(free)).userId, 'ann');
    // In its own batch, the lock is given up for a moment, and nobody else sees it.
    const hand = [
      { type: 'update', id, locked: false },
      { type: 'move', id: free, ...swap },
      { type: 'transfer', id, toUserId: 'bob', toUserSpaceId: others },
      { type: 'update', id, locked: true, increment: { trades: 1 } },
    ];
    done(await team.post('/item-instances/batch', { operations: hand }));
    const { userId, locked, data } = await read(id);
    assert.deepEqual([userId, locked, data], ['bob', true, { trades: 1 }]);
    // What an earlier operation of the batch locks is locked for the later ones.
    const late = [
      { type: 'update', id: free, locked: true },
      { type: 'delete', id: free },
    ];
    assert.equal((await team.post('/item-instances/batch', { operations: late })).status, 409);
    assert.equal((await read(free)).locked, undefined);
    await assertInventoriesHold(service(), team.teamId);
  });

  test('sorting goes around what is locked', async () => {
    const bag = await openBag(team, 'ann', 3, 3);
    const at = (itemId: string, x: number, y: number) =>
      create({ itemId, userSpaceId: bag, spacePositionX: x, spacePositionY: y });
    const locked = await at('1x1', 1, 1);
    const small = [await at('1x1', 2, 2), await at('1x1', 0, 2)];
    done(await update(locked, { locked: true }));
    done(await team.post(`/users/ann/spaces/${bag}/sort`, {}));
    const cells = await Promise.all(
      [locked, ...small].map(async (id) => {
        const { spacePositionX, spacePositionY } = (await read(id)).itemInstanceSpace;
        return `${spacePositionX},${spacePositionY}`;
      }),
    );
    assert.equal(cells[0], '1,1');
    assert.deepEqual(cells.slice(1).sort(), ['0,0', '1,0']);
    for (let more = 0; more < 6; more += 1) await create({ userSpaceId: bag });
    done(await team.post(`/users/ann/spaces/${bag}/sort`, {}));
    assert.equal((await read(locked)).itemInstanceSpace.spacePositionX, 1);
    await assertInventoriesHold(service(), team.teamId);
  });

  test('the data of an instance goes with its owner, and its user is removed from its history', async () => {
    await team.post('/users', { id: 'eve' });
    const id = await create({ data: { a: 1 }, userId: 'eve' });
    const lost = await create({ userId: 'eve' });
    for (const one of [id, lost]) done(await update(one, { increment: { a: 1 }, locked: true }));
    done(await update(id, { locked: false }));
    assert.deepEqual(done(await team.post(`${path(id)}/transfer`, { toUserId: 'bob' })).data, { a: 2 });
    done(await team.delete('/users/eve'));
    assert.equal((await team.get(path(lost))).status, 404);
    for (const one of [id, lost])
      assert.ok(!JSON.stringify(done(await team.get(`${path(one)}/history`))).includes('"eve"'));
    await assertInventoriesHold(service(), team.teamId);
  });

  test('increments, patches and locks of 64 callers at once are all kept', async () => {
    const bag = await openBag(team, 'ann', 4, 4);
    const id = await create({ data: { hits: 0 }, userSpaceId: bag });
    const sent = await Promise.all(
      Array.from({ length: 64 }, (_, caller) =>
        update(id, { increment: { hits: 1, [`by-${caller % 8}`]: 1 }, data: { [`mark-${caller}`]: true } }),
      ),
    );
    const seen = sent.map((response) => done(response).data.hits);
    assert.deepEqual(
      seen.sort((a, b) => a - b),
      Array.from({ length: 64 }, (_, index) => index + 1),
    );
    const { data } = await read(id);
    assert.equal(data.hits, 64);
    for (let caller = 0; caller < 8; caller += 1) assert.equal(data[`by-${caller}`], 8);
    for (let caller = 0; caller < 64; caller += 1) assert.equal(data[`mark-${caller}`], true);
    assert.equal(done(await team.get(`${path(id)}/history`)).length, 65);
    // The last hundred points are spent by whoever comes first, never more than there are.
    const spent = await Promise.all(
      Array.from({ length: 96 }, () => update(id, { increment: { hits: -1 }, min: { hits: 0 } })),
    );
    assert.equal(spent.filter(({ status }) => status === 200).length, 64);
    assert.equal(spent.filter(({ status }) => status === 409).length, 32);
    assert.equal((await read(id)).data.hits, 0);
    await assertInventoriesHold(service(), team.teamId);
  });

  test('locks and moves at once never leave a locked instance moved', async () => {
    const bag = await openBag(team, 'ann', 4, 4);
    for (let round = 0; round < 10; round += 1) {
      const id = await create({ userSpaceId: bag });
      const [lock, ...moves] = await Promise.all([
        update(id, { locked: true }),
        ...[1, 2, 3].map((y) => team.post(`${path(id)}/move`, { userId: 'ann', spacePositionX: 3, spacePositionY: y })),
      ]);
      const where = ({ itemInstanceSpace: { spacePositionX: x, spacePositionY: y } }: ApiResponse['body']) => [x, y];
      assert.deepEqual(where(await read(id)), where(done(lock as ApiResponse)));
      for (const { status } of moves) assert.ok(status === 200 || status === 409);
      done(await update(id, { locked: false }));
      done(await team.delete(path(id)));
    }
    await assertInventoriesHold(service(), team.teamId);
  });
});
