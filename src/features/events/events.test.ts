import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';

const read = async (caller: Client, query = ''): Promise<{ data: Event[]; cursor: string; hasMore: boolean }> => {
  const { status, body } = await caller.get(`/events?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

// biome-ignore lint/suspicious/noExplicitAny: the data of several types.
type Event = any;

const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => type);

/** What happens in a feed while something is done. */
const during = async (caller: Client, work: () => Promise<unknown>): Promise<Event[]> => {
  const { cursor } = await read(caller, 'after=now');
  await work();
  return (await read(caller, `after=${cursor}`)).data;
};

const must = async (response: Promise<{ status: number; body: Event }>): Promise<Event> => {
  const { status, body } = await response;
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

onEveryDatabase('the feed of events', (service) => {
  test('is empty at first, with a cursor to go on from', async () => {
    const caller = await service().anotherTeam();
    assert.deepEqual(await read(caller), { data: [], cursor: '0', hasMore: false });
    assert.deepEqual(await read(caller, 'after=0'), { data: [], cursor: '0', hasMore: false });
    assert.deepEqual(await read(caller, 'after=now'), { data: [], cursor: '0', hasMore: false });
    await must(caller.post('/users', { id: 'ann' }));
    assert.deepEqual(typesOf((await read(caller, 'after=0')).data), ['user.created']);
  });

  test('has what the API returns for every change', async () => {
    const caller = await service().anotherTeam();
    const { teamId } = caller;
    const user = await must(caller.post('/users', { id: 'ann', externalId: 'steam-1' }));
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    const space = await must(caller.post('/spaces', { name: 'Bag', cols: 4, rows: 4 }));
    const bag = await must(caller.post('/users/ann/spaces', { id: 'bag', spaceId: space.id, externalId: 'x' }));
    const given = await must(
      caller.post('/item-instances', { id: 'one', itemId: 'sword', userId: 'ann', userSpaceId: 'bag' }),
    );
    const [created, item, catalogOfSpace, ofBag, instance, ...rest] = (await read(caller)).data;
    assert.deepEqual(rest, []);
    assert.equal(created.type, 'user.created');
    assert.deepEqual(created.data, user);
    assert.equal(created.specversion, '1.0');
    assert.equal(created.source, `/teams/${teamId}`);
    assert.equal(created.subject, 'users/ann');
    assert.equal(created.datacontenttype, 'application/json');
    assert.match(created.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual([item.type, item.subject, item.catalogversion], ['catalog.published', 'catalog', 1]);
    assert.deepEqual(item.data, (await must(caller.get('/catalog/versions')))[1]);
    assert.equal(catalogOfSpace.catalogversion, 2);
    assert.equal(ofBag.type, 'user_space.created');
    const { externalId: _, ...shown } = bag;
    assert.deepEqual(ofBag.data, shown);
    assert.equal(instance.type, 'item_instance.created');
    assert.deepEqual(instance.data, { ...given, itemAttributeInstances: [] });
    assert.equal(instance.cause, 'request');
    assert.equal(instance.player, created.player);
  });

  test('follows an instance through all that happens to it', async () => {
    const caller = await service().anotherTeam();
    await must(
      caller.put('/team/events', {
        types: ['item_instance.moved', 'item_instance.transferred', 'item_instance.deleted'],
      }),
    );
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    const space = await must(caller.post('/spaces', { name: 'Bag', cols: 4, rows: 4 }));
    await must(caller.post('/users/ann/spaces', { id: 'bag', spaceId: space.id }));
    await must(caller.post('/users', { id: 'bob' }));
    await must(caller.post('/item-instances', { id: 'one', itemId: 'sword', userId: 'ann' }));
    const moves = await during(caller, async () => {
      await must(
        caller.post('/item-instances/one/move', {
          userId: 'ann',
          userSpaceId: 'bag',
          spacePositionX: 2,
          spacePositionY: 1,
        }),
      );
      await must(caller.post('/users/ann/spaces/bag/sort', {}));
      await must(
        caller.post('/item-instances/batch', { operations: [{ type: 'take-out', id: 'one', userId: 'ann' }] }),
      );
    });
    assert.deepEqual(
      moves.map(({ type, data }) => [
        type,
        data.userId,
        data.before.itemInstanceSpace?.spacePositionX,
        data.itemInstanceSpace?.spacePositionX,
      ]),
      [
        ['item_instance.moved', 'ann', undefined, 2],
        ['item_instance.moved', 'ann', 2, 0],
        ['item_instance.moved', 'ann', 0, undefined],
      ],
    );
    const [transferred, deleted] = await during(caller, async () => {
      await must(caller.post('/item-instances/one/transfer', { userId: 'ann', toUserId: 'bob' }));
      await must(caller.delete('/item-instances/one'));
    });
    assert.equal(transferred.type, 'item_instance.transferred');
    assert.equal(transferred.subject, 'users/bob');
    assert.equal(transferred.data.userId, 'bob');
    assert.deepEqual(transferred.data.before, { userId: 'ann', itemInstanceSpace: null });
    assert.deepEqual([deleted.type, deleted.data.userId], ['item_instance.deleted', 'bob']);
  });

  test('has rolls as the log has them, but no test rolls', async () => {
    const caller = await service().anotherTeam();
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    await must(caller.post('/templates', { id: 'banner', name: 'Banner', config: { pool: { itemIds: ['sword'] } } }));
    const events = await during(caller, async () => {
      await must(caller.post('/templates/banner/roll', { userId: 'ann', grant: true }));
      await must(caller.post('/templates/banner/roll', { test: true }));
      await must(caller.post('/items/roll', {}));
    });
    assert.deepEqual(typesOf(events), ['user.created', 'item_instance.created', 'roll.made', 'roll.made']);
    const [plain, onBanner] = await must(caller.get('/roll-events'));
    const { id: _, ...expected } = onBanner;
    assert.deepEqual(events[2].data, expected);
    assert.equal(events[2].subject, 'users/ann');
    assert.equal(events[1].cause, 'template:banner');
    assert.equal(events[3].subject, 'catalog');
    assert.deepEqual(events[3].data.results, plain.results);
    assert.equal(events[3].data.requestId, plain.requestId);
  });

  test('has nothing of a change that was rejected', async () => {
    const caller = await service().anotherTeam();
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    const events = await during(caller, async () => {
      const operations = [
        { type: 'create', id: 'one', itemId: 'sword', userId: 'ann' },
        { type: 'delete', id: 'no such instance' },
      ];
      assert.equal((await caller.post('/item-instances/batch', { operations })).status, 400);
    });
    assert.deepEqual(events, []);
  });

  test('loses a player who is deleted, at once, but no event', async () => {
    const caller = await service().anotherTeam();
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    await must(caller.post('/users', { id: 'ann-private', externalId: 'steam-private' }));
    await must(caller.post('/users', { id: 'bob' }));
    const space = await must(caller.post('/spaces', { name: 'Bag', cols: 4, rows: 4 }));
    await must(caller.post('/users/ann-private/spaces', { id: 'bag', spaceId: space.id, externalId: 'ext-private' }));
    await must(caller.post('/items/roll', { userId: 'ann-private' }));
    await must(caller.post('/item-instances', { id: 'one', itemId: 'sword', userId: 'ann-private' }));
    await must(caller.post('/item-instances/one/transfer', { userId: 'ann-private', toUserId: 'bob' }));
    const before = (await read(caller)).data;
    assert.equal(before.filter(({ subject }) => subject === 'users/ann-private').length, 5);
    await must(caller.delete('/users/ann-private'));
    const after = (await read(caller)).data;
    assert.deepEqual(
      after.slice(0, before.length).map(({ id, sequence }) => [id, sequence]),
      before.map(({ id, sequence }) => [id, sequence]),
    );
    assert.deepEqual(typesOf(after.slice(before.length)), [
      'user_space.deleted',
      'item_instance.deleted',
      'user.deleted',
    ]);
    const { rows } = await service().database.read(caller.teamId, async ({ queries, teamId }) => ({
      rows: await queries.selectFrom('events').select('events').where('team_id', '=', teamId).execute(),
    }));
    assert.doesNotMatch(JSON.stringify([after, rows]), /private/);
    // Whoever kept what they had read can tell whose events these are.
    const [created] = before.filter(({ type, subject }) => type === 'user.created' && subject === 'users/ann-private');
    assert.equal(after.at(-1).player, created.player);
    // The same id again is another player.
    await must(caller.post('/users', { id: 'ann-private' }));
    assert.deepEqual(typesOf((await read(caller, 'userId=ann-private')).data), ['user.created']);
  });

  test('is read in pages of any size, with the same events', async () => {
    const caller = await service().anotherTeam();
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    const operations = Array.from({ length: 25 }, () => ({ type: 'create', itemId: 'sword', userId: 'ann' }));
    await must(caller.post('/item-instances/batch', { operations }));
    await Promise.all(Array.from({ length: 20 }, (_, number) => caller.post('/users', { id: `user-${number}` })));
    const all = (await read(caller, 'limit=1000')).data;
    assert.equal(all.length, 1 + 1 + 25 + 20);
    for (const limit of [1, 2, 7, 26, 47]) {
      const events: Event[] = [];
      for (let cursor = '0', hasMore = true; hasMore; ) {
        const page = await read(caller, `after=${cursor}&limit=${limit}`);
        assert.ok(page.data.length <= limit);
        events.push(...page.data);
        ({ cursor, hasMore } = page);
      }
      assert.deepEqual(events, all);
    }
    const sequences = all.map(({ sequence }) => sequence);
    assert.deepEqual(sequences, [...new Set(sequences)].sort());
  });

  test('is filtered by type and by user', async () => {
    const caller = await service().anotherTeam();
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    await must(caller.post('/item-instances', { itemId: 'sword', userId: 'ann' }));
    await must(caller.post('/item-instances', { itemId: 'sword', userId: 'bob' }));
    assert.deepEqual(typesOf((await read(caller, 'types=user.created,catalog.published')).data), [
      'catalog.published',
      'user.created',
      'user.created',
    ]);
    const ofBob = await read(caller, 'userId=bob');
    assert.deepEqual(
      ofBob.data.map(({ data }) => data.userId ?? data.id),
      ['bob', 'bob'],
    );
    const nobody = await read(caller, 'userId=nobody');
    assert.deepEqual([nobody.data, nobody.cursor, nobody.hasMore], [[], ofBob.cursor, false]);
  });

  test('waits for the next event, and no longer than it was told', async () => {
    const caller = await service().anotherTeam();
    const { cursor } = await read(caller, 'after=now');
    const waiting = read(caller, `after=${cursor}&wait=20`);
    await delay(100);
    await must(caller.post('/users', { id: 'ann' }));
    assert.deepEqual(typesOf((await waiting).data), ['user.created']);
    const empty = await read(caller, 'after=now&wait=1');
    assert.deepEqual(empty.data, []);
    const forBob = read(caller, `after=${empty.cursor}&userId=bob&wait=20`);
    await must(caller.post('/users', { id: 'carl' }));
    await delay(50);
    await must(caller.post('/users', { id: 'bob' }));
    assert.deepEqual(
      (await forBob).data.map(({ data }) => data.id),
      ['bob'],
    );
  });

  test('is read while others write without a pause', async () => {
    const caller = await service().anotherTeam();
    let isOver = false;
    const writers = Array.from({ length: 8 }, async () => {
      while (!isOver) await must(caller.post('/users'));
    });
    // What was answered is there.
    await must(caller.post('/users'));
    const page = await Promise.race([read(caller), delay(20_000)]);
    isOver = true;
    await Promise.all(writers);
    assert.ok(page !== undefined && page.data.length > 0);
  });

  test('rejects what is no cursor, and says if one is not in the feed', async () => {
    const caller = await service().anotherTeam();
    for (const id of ['ann', 'bob']) await must(caller.post('/users', { id }));
    const { cursor } = await read(caller);
    for (const after of [
      'x',
      '1',
      '-1.00000000',
      '1.0000000g',
      '01.00000000',
      '1.00000000.',
      '1.00000000.9999999',
      `${cursor} `,
    ]) {
      const response = await caller.get(`/events?after=${encodeURIComponent(after)}`);
      assert.equal(response.status, 400, after);
      assert.deepEqual(issuePaths(response), ['/query/after']);
    }
    const other = await service().anotherTeam();
    await must(other.post('/users', { id: 'eve' }));
    for (const [who, after] of [
      [caller, '1.00000000'],
      [caller, '999999.00000000'],
      [other, cursor],
      [await service().anotherTeam(), cursor],
    ] as const) {
      const response = await who.get(`/events?after=${after}`);
      assert.equal(response.status, 410, after);
      assert.deepEqual(issuePaths(response), ['/query/after']);
      const oldest = /oldest cursor is (\S+)$/.exec(response.body.issues[0].message)?.[1];
      const page = await read(who, `after=${oldest}`);
      assert.deepEqual(page, await read(who));
    }
    for (const query of [
      'types=no.such',
      'limit=0',
      'limit=1001',
      'wait=26',
      'wait=-1',
      'limit=x',
      'userId=',
      'other=1',
    ])
      assert.equal((await caller.get(`/events?${query}`)).status, 400, query);
  });

  test('says so if the events after a cursor are no longer kept', async () => {
    const caller = await service().anotherTeam();
    await must(caller.post('/users', { id: 'ann' }));
    const { cursor } = await read(caller);
    for (const id of ['bob', 'carl']) await must(caller.post('/users', { id }));
    const end = (await read(caller)).cursor;
    const remove = (position: number) =>
      service().database.transaction(caller.teamId, ({ queries, teamId }) =>
        queries.deleteFrom('events').where('team_id', '=', teamId).where('position', '<=', position).execute(),
      );
    await remove(2);
    assert.equal((await caller.get(`/events?after=${cursor}`)).status, 410);
    assert.equal((await caller.get('/events?after=0')).status, 410);
    assert.deepEqual(
      (await read(caller)).data.map(({ data }) => data.id),
      ['carl'],
    );
    await remove(3);
    assert.deepEqual(await read(caller, `after=${end}`), { data: [], cursor: end, hasMore: false });
    assert.deepEqual(await read(caller), { data: [], cursor: end, hasMore: false });
    await must(caller.post('/users', { id: 'dora' }));
    assert.deepEqual(
      (await read(caller)).data.map(({ data }) => data.id),
      ['dora'],
    );
    // Nobody knows whether the cursor is that of the event before: it is gone.
    assert.equal((await caller.get(`/events?after=${end}`)).status, 410);
  });

  test('says so if a restore has put other events in place of those that were read', async () => {
    const caller = await service().anotherTeam();
    for (const id of ['ann', 'bob']) await must(caller.post('/users', { id }));
    const { cursor } = await read(caller);
    await service().database.transaction(caller.teamId, async ({ queries, teamId }) => {
      await queries.deleteFrom('events').where('team_id', '=', teamId).where('position', '=', 2).execute();
      const first = await queries
        .selectFrom('events')
        .select('id')
        .where('team_id', '=', teamId)
        .executeTakeFirstOrThrow();
      await queries
        .updateTable('event_feeds')
        .set({ position: 1, last_id: first.id })
        .where('team_id', '=', teamId)
        .execute();
    });
    assert.equal((await caller.get(`/events?after=${cursor}`)).status, 410);
    await must(caller.post('/users', { id: 'carl' }));
    assert.equal((await caller.get(`/events?after=${cursor}`)).status, 410);
  });

  test('keeps only the types that the team wants', async () => {
    const caller = await service().anotherTeam();
    const usual = await must(caller.get('/team/events'));
    assert.ok(usual.types.includes('roll.made') && !usual.types.includes('item_instance.moved'));
    assert.deepEqual(await must(caller.put('/team/events', { types: ['user.deleted', 'user.deleted'] })), {
      types: ['user.deleted'],
    });
    const events = await during(caller, async () => {
      await must(caller.post('/users', { id: 'ann' }));
      await must(caller.delete('/users/ann'));
    });
    assert.deepEqual(typesOf(events), ['user.deleted']);
    await must(caller.put('/team/events', { types: [] }));
    assert.deepEqual(await during(caller, () => must(caller.post('/users', { id: 'bob' }))), []);
    assert.deepEqual(await must(caller.put('/team/events', { types: null })), usual);
    assert.deepEqual(typesOf(await during(caller, () => must(caller.post('/users', { id: 'carl' })))), [
      'user.created',
    ]);
    for (const body of [{}, { types: 'roll.made' }, { types: ['no.such'] }, { types: [1] }, { types: [], more: 1 }])
      assert.equal((await caller.put('/team/events', body)).status, 400);
    assert.equal((await (await service().as('write')).put('/team/events', { types: [] })).status, 403);
    assert.equal((await (await service().as('read')).get('/events')).status, 200);
  });

  test('is a stream of server-sent events for those who want one', async () => {
    const caller = await service().anotherTeam();
    await must(caller.post('/users', { id: 'ann' }));
    const headers = {
      authorization: `Basic ${btoa(`${caller.teamId}:${caller.secret}`)}`,
      accept: 'text/event-stream',
    };
    const open = async (lastEventId?: string) => {
      const ending = new AbortController();
      const response = await fetch(`${service().address}/events?types=user.created`, {
        headers: { ...headers, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
        signal: ending.signal,
      });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      const decoder = new TextDecoder();
      const chunks = (response.body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      let text = '';
      const next = async () => {
        for (;;) {
          const [message, ...others] = text.split('\n\n');
          if (others.length > 0) {
            text = others.join('\n\n');
            const data = /^data: (.*)$/m.exec(message as string)?.[1];
            if (data !== undefined)
              return { id: /^id: (.*)$/m.exec(message as string)?.[1] as string, event: JSON.parse(data) as Event };
          } else text += decoder.decode((await chunks.next()).value, { stream: true });
        }
      };
      return { next, end: () => ending.abort() };
    };
    const stream = await open();
    const first = await stream.next();
    assert.equal(first.event.data.id, 'ann');
    const upcoming = stream.next();
    await must(caller.post('/items', { id: 'sword', name: 'Sword' }));
    await must(caller.post('/users', { id: 'bob' }));
    assert.equal((await upcoming).event.data.id, 'bob');
    stream.end();
    await must(caller.post('/users', { id: 'carl' }));
    const again = await open((await upcoming).id);
    assert.equal((await again.next()).event.data.id, 'carl');
    again.end();
    for (const [path, id, status] of [
      ['/events?after=x', '', 400],
      ['/events?limit=5', '', 400],
      ['/events', '1.00000000', 410],
      ['/events', 'x', 400],
    ] as const) {
      const response = await fetch(`${service().address}${path}`, { headers: { ...headers, 'last-event-id': id } });
      assert.equal(response.status, status, `${path} ${id}`);
      assert.match((await response.json()).code, /^(BAD_REQUEST|GONE)$/);
    }
  });
});
