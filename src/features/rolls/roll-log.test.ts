import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiResponse, type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone, assertInvalid, assertNotFound, keepsTheRulesOfAccess, pagesOf } from '../../../test/rules.ts';
import { encodeCursor } from '../../database/paging.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';

type RollEvent = ApiResponse['body'];

onEveryDatabase('the log of rolls', (service) => {
  /** A team with two tiers, of which the upper one only comes by pity. */
  const teamWithBanner = async (): Promise<Client> => {
    const team = await service().anotherTeam();
    const classifierOptions = ['five', 'three'].map((id) => ({ id, name: `Tier ${id}`, dropRateMultiplier: 1 }));
    const changes = [{ kind: 'classifier', id: 'stars', after: { id: 'stars', name: 'Stars', classifierOptions } }];
    assertDone(await team.post('/catalog/publish', { baseVersion: 0, changes }));
    assertDone(await team.post('/attributes', { id: 'power', name: 'Power', min: 7, max: 7 }));
    const itemAttributes = [{ attributeId: 'power', min: 7, max: 7 }];
    assertDone(
      await team.post('/items', { id: 'sword', name: 'Sword', classifierOptionIds: ['five'], itemAttributes }),
    );
    assertDone(await team.post('/items', { id: 'club', name: 'Club', classifierOptionIds: ['three'] }));
    const config = { baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: 3, sparkCurrency: 9 };
    for (const id of ['banner', 'second'])
      assertDone(await team.post('/templates', { id, name: id, type: 'gacha', config }));
    return team;
  };
  const roll = async (
    team: Client,
    userId: string | undefined,
    { on = 'banner', count = 1, requestId = newId() } = {},
  ) =>
    assertDone(await team.post(`/templates/${on}/roll`, { userId, count }, { headers: { 'x-request-id': requestId } }))
      .body;
  const list = async (team: Client, query = ''): Promise<RollEvent[]> =>
    assertDone(await team.get(`/roll-events${query}`)).body;
  const itemsOf = (events: RollEvent[]): string[][] =>
    events.map(({ results }) => results.map(({ itemId }: { itemId: string }) => itemId));

  test('has who rolled, on what, by which request, with which result, and the counters before and after', async () => {
    const team = await teamWithBanner();
    const { version } = assertDone(await team.get('/catalog/versions')).body[0];
    const fromMs = Date.now();
    await roll(team, 'ann', { count: 2, requestId: 'first' });
    await roll(team, 'ann', { count: 2, requestId: 'second' });
    const [second, first, ...others] = await list(team);
    assert.deepEqual(others, []);
    const club = { itemId: 'club', itemName: 'Club', values: [], tier: 'three', tierName: 'Tier three' };
    const sword = { itemId: 'sword', itemName: 'Sword', values: [7], tier: 'five', tierName: 'Tier five' };
    const drawn = { pity: false, featured: false };
    const common = { userId: 'ann', templateId: 'banner', version };
    const counters = (rolls: number, since: number | null) => ({
      ...{ rolls, sparkPoints: rolls, losses: 0 },
      pities: since === null ? [] : [{ tier: 'five', tierName: 'Tier five', since }],
    });
    assert.deepEqual(first, {
      ...{ id: first.id, rolledAt: first.rolledAt, ...common, requestId: 'first' },
      results: [
        { ...club, ...drawn },
        { ...club, ...drawn },
      ],
      before: counters(0, null),
      after: counters(2, 2),
    });
    assert.deepEqual(second, {
      ...{ id: second.id, rolledAt: second.rolledAt, ...common, requestId: 'second' },
      results: [
        { ...sword, ...drawn, pity: true },
        { ...club, ...drawn },
      ],
      before: counters(2, 2),
      after: counters(4, 1),
    });
    for (const { rolledAt } of [first, second])
      assert.ok(Date.parse(rolledAt) >= fromMs && Date.parse(rolledAt) <= Date.now(), rolledAt);
  });

  test('has rolls without a template, and of nobody', async () => {
    const team = await teamWithBanner();
    const headers = { 'x-request-id': 'plain' };
    assertDone(await team.post('/items/roll', undefined, { headers }));
    assertDone(await team.post('/items/roll', { userId: 'ann', classifierOptionIds: ['five'] }, { headers }));
    await roll(team, undefined, { requestId: 'nobody' });
    const [onBanner, forAnn, plain] = await list(team);
    assert.deepEqual(
      [onBanner, forAnn, plain].map(({ userId, templateId, requestId, before, after }) => [
        ...[userId, templateId, requestId],
        ...[before, after],
      ]),
      [
        [null, 'banner', 'nobody', null, null],
        ['ann', null, 'plain', null, null],
        [null, null, 'plain', null, null],
      ],
    );
    assert.equal(onBanner.results[0].tier, 'three');
    assert.deepEqual(forAnn.results, [
      { itemId: 'sword', itemName: 'Sword', values: [7], tier: null, tierName: null, pity: null, featured: null },
    ]);
  });

  test('has test rolls and exchanges of points nowhere', async () => {
    const team = await teamWithBanner();
    assertDone(await team.post('/items/roll', { test: true }));
    assertDone(await team.post('/templates/banner/roll', { test: true }));
    assert.deepEqual(await list(team), []);
  });

  test('has the request of each roll, even of those that share an entry', async () => {
    const team = await teamWithBanner();
    const requestIds = Array.from({ length: 30 }, () => newId());
    await Promise.all(
      requestIds.map((requestId) => team.post('/items/roll', undefined, { headers: { 'x-request-id': requestId } })),
    );
    const events = await list(team);
    const found = events.flatMap(({ requestId, results }: RollEvent) =>
      results.map((result: { requestId?: string }) => result.requestId ?? requestId),
    );
    assert.deepEqual(found.sort(), requestIds.sort());
    for (const { requestId, results } of events) assert.equal(requestId === null, results.length > 1);
  });

  test('can be filtered by user, template, item and tier', async () => {
    const team = await teamWithBanner();
    for (const userId of ['ann', 'bob']) for (let count = 0; count < 3; count += 1) await roll(team, userId);
    await roll(team, 'ann', { on: 'second' });
    assert.deepEqual(itemsOf(await list(team, '?userId=ann')), [['club'], ['sword'], ['club'], ['club']]);
    assert.deepEqual(itemsOf(await list(team, '?userId=ann&templateId=banner')), [['sword'], ['club'], ['club']]);
    for (const query of ['itemId=sword', 'tier=five'])
      assert.deepEqual(
        (await list(team, `?${query}`)).map(({ userId }) => userId),
        ['bob', 'ann'],
      );
    assert.equal((await list(team, '?itemId=sword&userId=bob')).length, 1);
    // Part of an id is not the id.
    for (const query of ['userId=nobody', 'templateId=ban', 'itemId=swor', 'tier=fiv', 'itemId=sword&tier=three'])
      assert.deepEqual(await list(team, `?${query}`), [], query);
  });

  test('can be filtered by time, to the millisecond', async () => {
    const team = await teamWithBanner();
    const startMs = Date.now();
    try {
      for (const afterMs of [0, 1, 2]) {
        service().setClock(startMs + afterMs);
        await roll(team, 'ann', { requestId: `at-${afterMs}` });
      }
    } finally {
      service().setClock(Date.now());
    }
    const at = (afterMs: number) => new Date(startMs + afterMs).toISOString();
    const found = async (query: string) => (await list(team, `?${query}`)).map(({ requestId }) => requestId);
    assert.deepEqual(await found(`from=${at(1)}`), ['at-2', 'at-1']);
    assert.deepEqual(await found(`to=${at(1)}`), ['at-0']);
    assert.deepEqual(await found(`from=${at(1)}&to=${at(2)}&userId=ann`), ['at-1']);
    assert.deepEqual(await found(`from=${at(1)}&to=${at(1)}`), []);
    assertInvalid(await team.get(`/roll-events?from=${at(2)}&to=${at(1)}`), '/query/from');
  });

  test('keeps the names of what was deleted, but not the user', async () => {
    const team = await teamWithBanner();
    await roll(team, 'ann');
    assertDone(await team.post('/items/roll', { userId: 'ann', classifierOptionIds: ['five'] }));
    assertDone(await team.delete('/users/ann'));
    for (const id of ['banner', 'second']) assertDone(await team.delete(`/templates/${id}`));
    for (const path of ['/items/sword', '/items/club', '/classifiers/stars']) assertDone(await team.delete(path));
    const [plain, onBanner] = await list(team);
    assert.deepEqual([plain.userId, plain.results[0].itemName], [null, 'Sword']);
    assert.deepEqual([onBanner.userId, onBanner.templateId], [null, 'banner']);
    assert.deepEqual([onBanner.results[0].itemName, onBanner.results[0].tierName], ['Club', null]);
    assertNotFound(await team.get('/users/ann/rolls'));
    // A new user with the same id has not rolled.
    assertDone(await team.post('/users', { id: 'ann' }));
    assert.deepEqual(assertDone(await team.get('/users/ann/rolls')).body, []);
  });

  test('has the receipts of verifiable rolls', async () => {
    const team = await teamWithBanner();
    assertDone(await team.put('/templates/banner', { verifiable: true }));
    assertDone(await team.put('/team', { verifiableRolls: true }));
    const { nextCommitment: commitment, nextManifest: manifest } = (await team.post('/users/ann/fairness')).body;
    assertDone(await team.post('/users/ann/fairness/rotate', { clientSeed: 'mine', commitment, manifest }));
    const onBanner = await roll(team, 'ann');
    const plain = assertDone(await team.post('/items/roll', { userId: 'ann' })).body;
    assert.equal(typeof onBanner.fairness.receipt, 'string');
    assert.deepEqual(
      (await list(team)).map(({ fairness }) => fairness),
      [plain.fairness, onBanner.fairness],
    );
    assertDone(await team.delete('/users/ann'));
    for (const event of await list(team)) assert.ok(!('fairness' in event));
  });

  /** Writes events as earlier versions did, each a moment after the one before. */
  const write = (team: Client, events: readonly { templateId?: string; results?: string }[]) =>
    service().database.transaction(team.teamId, async ({ queries, teamId }) => {
      for (let start = 0; start < events.length; start += 1000)
        await queries
          .insertInto('roll_events')
          .values(
            events.slice(start, start + 1000).map(({ templateId = 'other', results = '[["club"]]' }) => ({
              ...{ team_id: teamId, id: newId(), template_id: templateId, roller_id: null },
              ...{ rolled_at: Date.now(), results },
            })),
          )
          .execute();
    });

  test('has rolls from before details were recorded', async () => {
    const team = await teamWithBanner();
    await write(team, [{ templateId: 'banner', results: '[["sword",7],["club"]]' }]);
    const unknown = { tier: null, tierName: null, pity: null, featured: null };
    const [{ id, rolledAt, ...event }] = (await list(team, '?itemId=sword')) as [RollEvent];
    assert.ok(id && rolledAt);
    assert.deepEqual(event, {
      ...{ userId: null, templateId: 'banner', version: null, requestId: null },
      results: [
        { itemId: 'sword', itemName: 'Sword', values: [7], ...unknown },
        { itemId: 'club', itemName: 'Club', values: [], ...unknown },
      ],
      ...{ before: null, after: null },
    });
  });

  test('looks at a limited number of entries for a page, which may then be empty, and goes on with the next', async () => {
    const team = await teamWithBanner();
    const others = Array.from({ length: LIMITS.rollEventsScanned - 1 }, () => ({}));
    await write(team, [{ templateId: 'banner' }, ...others, {}, { templateId: 'banner' }]);
    const pages = await pagesOf(team, '/roll-events?templateId=banner');
    assert.deepEqual(
      pages.map(({ length }) => length),
      [1, 1],
    );
    assert.deepEqual(
      (await pagesOf(team, '/roll-events?itemId=sword')).map(({ length }) => length),
      [0, 0],
    );
    // What ends exactly at the limit has no empty page after it but that one.
    const { headers } = assertDone(await team.get('/roll-events?templateId=other&limit=10'));
    assert.match(headers.get('link') ?? '', /cursor=.*rel="next"/);
  });

  test('is read page by page, and none that was there before is left out or repeated, whatever is rolled', async () => {
    const team = await teamWithBanner();
    const users = ['ann', 'bob', 'cid'];
    const rollAll = () => Promise.all(users.flatMap((userId) => [roll(team, userId), roll(team, userId)]));
    for (let count = 0; count < 4; count += 1) await rollAll();
    for (const [path, limit] of [
      ['/roll-events?x', 5],
      ['/roll-events?templateId=banner', 7],
      ['/users/bob/rolls?x', 3],
    ] as const) {
      const base = path.replace('?x', '?');
      const before = assertDone(await team.get(base)).body.map(({ id }: RollEvent) => id);
      const seen: string[] = [];
      let next: string | undefined = `${base}&limit=${limit}`.replace('?&', '?');
      while (next !== undefined) {
        const [page] = (await Promise.all([team.get(next), rollAll()])) as [ApiResponse, unknown];
        assert.ok(assertDone(page).body.length <= limit);
        seen.push(...page.body.map(({ id }: RollEvent) => id));
        next = /^<([^>]*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      }
      assert.equal(new Set(seen).size, seen.length, 'repeated');
      const known = new Set(before);
      assert.deepEqual(
        seen.filter((id) => known.has(id)),
        before,
      );
      assert.deepEqual(seen, [...seen].sort().reverse(), 'newest first');
    }
  });

  test('has the counters of a player without gaps, however many rolls come at once', async () => {
    const team = await teamWithBanner();
    await Promise.all(Array.from({ length: 25 }, () => roll(team, 'ann', { count: 2 })));
    const events: RollEvent[] = assertDone(await team.get('/users/ann/rolls')).body;
    assert.equal(events.length, 25);
    for (const [index, { before, after }] of events.entries()) {
      assert.equal(after.rolls, before.rolls + 2);
      if (index > 0) assert.deepEqual(after, events[index - 1].before);
    }
  });

  test('of a user is that of the filter, and 404 for one who does not exist', async () => {
    const team = await teamWithBanner();
    for (const userId of ['ann', 'bob', 'ann']) await roll(team, userId);
    const rolls = assertDone(await team.get('/users/ann/rolls')).body;
    assert.equal(rolls.length, 2);
    assert.deepEqual(rolls, await list(team, '?userId=ann'));
    assert.deepEqual(assertDone(await team.get('/users/ann/rolls?templateId=second')).body, []);
    assertNotFound(await team.get('/users/nobody/rolls'));
    assertInvalid(await team.get('/users/ann/rolls?userId=bob'), '/query/userId');
  });

  test('belongs to one team', async () => {
    const [team, other] = [await teamWithBanner(), await teamWithBanner()];
    await roll(team, 'ann');
    await roll(other, 'bob');
    const [theirs] = await list(team);
    assert.deepEqual(
      (await list(other)).map(({ userId }) => userId),
      ['bob'],
    );
    assertNotFound(await other.get('/users/ann/rolls'));
    assert.deepEqual(await list(other, '?userId=ann'), []);
    // Wherever a cursor comes from, it leads to nothing of another team.
    const cursor = encodeCursor({ createdAtMs: Date.now(), id: `${theirs.id}z` });
    assert.deepEqual(await list(other, `?cursor=${cursor}`), []);
    assert.equal((await list(team, `?cursor=${cursor}`)).length, 1);
  });

  test('rejects what is no cursor, time, limit or filter', async () => {
    const team = await teamWithBanner();
    for (const path of ['/roll-events', '/users/ann/rolls']) {
      await roll(team, 'ann');
      for (const cursor of ['', 'x', 'W10', encodeCursor({ createdAtMs: 1, id: 'a\0b' }), 'e30='])
        assertInvalid(await team.get(`${path}?cursor=${cursor}`), '/query/cursor');
      for (const time of ['yesterday', '2026-11-14', '1', ''])
        assertInvalid(await team.get(`${path}?from=${time}&to=${time}`), '/query/from', '/query/to');
      for (const limit of [0, 1001, 'x']) assertInvalid(await team.get(`${path}?limit=${limit}`), '/query/limit');
      for (const member of ['templateId', 'itemId', 'tier'])
        assertInvalid(await team.get(`${path}?${member}=${'x'.repeat(192)}`), `/query/${member}`);
      assertInvalid(await team.get(`${path}?colour=red`), '/query/colour');
    }
  });

  describe('access', () => {
    keepsTheRulesOfAccess(service, [
      { method: 'GET', path: '/roll-events', changes: false },
      { method: 'GET', path: '/users/x/rolls', changes: false },
    ]);
  });
});
