import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basic, type Client, onEveryDatabase, type Service } from '../../../test/harness.ts';
import { assertDone, assertInvalid } from '../../../test/rules.ts';

const versionsOf = async (client: Client, query = '') =>
  assertDone(await client.get(`/catalog/versions${query}`)).body as {
    version: number;
    author: { secretId: string | null; name: string };
    source: string;
    changes: number;
  }[];

const numbersOf = async (client: Client, query = ''): Promise<number[]> =>
  (await versionsOf(client, query)).map(({ version }) => version);

const changesOf = async (client: Client, version: number) =>
  assertDone(await client.get(`/catalog/versions/${version}`)).body.changes as {
    kind: string;
    id: string;
    action: string;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
  }[];

/** The versions that the recorded rolls were made on, in order. */
const rolledOn = (service: Service, teamId: string): Promise<(number | null)[]> =>
  service.database.read(teamId, async ({ queries }) => {
    const rows = await queries
      .selectFrom('roll_events')
      .select('catalog_version')
      .where('team_id', '=', teamId)
      .orderBy('id')
      .execute();
    return rows.map(({ catalog_version }) => catalog_version);
  });

const ONE_OF_EACH: readonly { path: string; kind: string; body: object; change: object }[] = [
  { path: '/attributes', kind: 'attribute', body: { id: 'one', name: 'One' }, change: { max: 50 } },
  {
    path: '/classifiers',
    kind: 'classifier',
    body: { id: 'one', name: 'One', classifierOptions: [{ name: 'Common' }] },
    change: { name: 'Rarity' },
  },
  { path: '/spaces', kind: 'space', body: { id: 'one', name: 'One', cols: 2, rows: 3 }, change: { cols: 4 } },
  { path: '/items', kind: 'item', body: { id: 'one', name: 'One' }, change: { rollNumerator: 7 } },
  { path: '/templates', kind: 'template', body: { id: 'one', name: 'One', config: {} }, change: { name: 'Banner' } },
];

onEveryDatabase('versions of the catalog', (service) => {
  test('start at none', async () => {
    const team = await service().anotherTeam();
    assert.deepEqual(await versionsOf(team), []);
    assert.equal((await team.get('/catalog/versions/1')).status, 404);
  });

  test('are made by every change of every kind, one each, with the entity before and after', async () => {
    const team = await service().anotherTeam();
    let version = 0;
    const expectChange = async (expected: object) => {
      version += 1;
      const [{ before, after, ...change } = assert.fail(), ...others] = await changesOf(team, version);
      assert.deepEqual(others, []);
      assert.deepEqual(change, expected);
      return { before, after };
    };
    // Templates need an item, so entities are deleted in reverse order.
    for (const { path, kind, body, change } of ONE_OF_EACH) {
      assertDone(await team.post(path, body));
      const created = await expectChange({ kind, id: 'one', action: 'create' });
      assert.equal(created.before, null);
      assert.equal(created.after?.name, 'One');
      assertDone(await team.put(`${path}/one`, change));
      const updated = await expectChange({ kind, id: 'one', action: 'update' });
      assert.deepEqual(updated.before, created.after);
      assert.deepEqual(updated.after, { ...created.after, ...change });
      for (const absent of ['teamId', 'createdAt', 'updatedAt'])
        assert.ok(!(absent in (updated.after ?? {})), `${kind} has ${absent}`);
    }
    for (const { path, kind } of ONE_OF_EACH.toReversed()) {
      const { after: last } = (await changesOf(team, numberOfLastChange(kind)))[0] ?? assert.fail();
      assertDone(await team.delete(`${path}/one`));
      const deleted = await expectChange({ kind, id: 'one', action: 'delete' });
      assert.deepEqual(deleted, { before: last, after: null });
    }
    assert.deepEqual(
      await numbersOf(team),
      Array.from({ length: version }, (_, index) => version - index),
    );
  });

  /** Each kind was created and then updated, in order. */
  const numberOfLastChange = (kind: string): number => 2 * ONE_OF_EACH.findIndex((each) => each.kind === kind) + 2;

  test('are not made by requests that fail', async () => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'sword', name: 'Sword' }));
    await team.post('/items', { id: 'sword', name: 'Again' });
    await team.post('/items', { name: 'No option', classifierOptionIds: ['none'] });
    await team.put('/items/nothing', { name: 'Nothing' });
    await team.delete('/attributes/nothing');
    await team.post('/templates', { name: 'Wrong', config: { baseRates: { none: 1 } } });
    assert.deepEqual(await numbersOf(team), [1]);
  });

  test('name their author and source', async () => {
    const team = await service().anotherTeam();
    const { body: secret } = assertDone(await team.post('/secrets', { name: 'Designer', role: 'write' }));
    const designer = service().anyone(basic(team.teamId, secret.secret));
    assertDone(
      await designer.post('/items', { id: 'a', name: 'A' }, { headers: { 'x-itemwright-source': 'console' } }),
    );
    assertDone(
      await designer.post('/items', { id: 'b', name: 'B' }, { headers: { 'x-itemwright-source': 'rollback' } }),
    );
    assertDone(await team.post('/items', { id: 'c', name: 'C' }));
    const [third, second, first] = await versionsOf(team);
    const author = { secretId: secret.id, name: 'Designer' };
    assert.deepEqual([first?.author, first?.source], [author, 'console']);
    assert.deepEqual([second?.author, second?.source], [author, 'api']);
    assert.notEqual(third?.author.secretId, secret.id);
    assert.deepEqual(await numbersOf(team, `?author=${secret.id}`), [2, 1]);
    assertDone(await team.delete(`/secrets/${secret.id}`));
    assert.deepEqual((await versionsOf(team, `?author=${secret.id}`))[0]?.author, author);
  });

  test('have no gaps when many are made at once', async () => {
    const team = await service().anotherTeam();
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 3 === 0
          ? team.post('/spaces', { name: `${index}`, cols: 1, rows: 1 })
          : team.post('/items', { id: `item-${index % 10}`, name: `${index}` }),
      ),
    );
    const made = all.filter(({ status }) => status === 200).length;
    assert.ok(made >= 10 && made < 30, `${made}`);
    assert.deepEqual(
      await numbersOf(team),
      Array.from({ length: made }, (_, index) => made - index),
    );
  });

  test('list the items that lose an option', async () => {
    const team = await service().anotherTeam();
    const { body } = assertDone(
      await team.post('/classifiers', {
        id: 'rarity',
        name: 'Rarity',
        classifierOptions: [{ name: 'Common' }, { name: 'Rare' }, { name: 'Epic' }],
      }),
    );
    const [common, rare, epic] = body.classifierOptions.map(({ id }: { id: string }) => id);
    assertDone(await team.post('/items', { id: 'both', name: 'Both', classifierOptionIds: [rare, common, epic] }));
    assertDone(await team.post('/items', { id: 'none', name: 'None' }));
    assertDone(await team.put('/classifiers/rarity', { classifierOptions: [{ id: epic }] }));
    const update = await changesOf(team, 4);
    assert.deepEqual(
      update.map(({ kind, id }) => `${kind} ${id}`),
      ['classifier rarity', 'item both'],
    );
    assert.deepEqual(update[1]?.before?.classifierOptionIds, [rare, common, epic]);
    assert.deepEqual(update[1]?.after?.classifierOptionIds, [epic]);
    assertDone(await team.delete('/classifiers/rarity'));
    const deletion = await changesOf(team, 5);
    assert.deepEqual(deletion[1]?.after?.classifierOptionIds, []);
    assert.equal(deletion[0]?.after, null);
    assert.equal((await versionsOf(team))[0]?.changes, 2);
  });

  describe('can be listed', () => {
    const stock = async () => {
      const team = await service().anotherTeam();
      for (const [index, id] of ['a', 'b', 'a2', 'b2'].entries()) {
        service().setClock(Date.UTC(2026, 0, 1 + index));
        assertDone(
          id.startsWith('a')
            ? await team.post('/items', { id, name: id })
            : await team.post('/attributes', { id, name: id }),
        );
      }
      service().setClock(Date.now());
      return team;
    };

    test('by kind, by entity and by time', async () => {
      const team = await stock();
      assert.deepEqual(await numbersOf(team, '?kind=item'), [3, 1]);
      assert.deepEqual(await numbersOf(team, '?kind=item&id=a2'), [3]);
      assert.deepEqual(await numbersOf(team, '?id=b'), [2]);
      assert.deepEqual(await numbersOf(team, '?kind=attribute&id=a'), []);
      assert.deepEqual(await numbersOf(team, '?from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00Z'), [3, 2]);
      assertInvalid(await team.get('/catalog/versions?kind=weapon'), '/query/kind');
      assertInvalid(await team.get('/catalog/versions?from=yesterday'), '/query/from');
    });

    test('in pages, newest first', async () => {
      const team = await stock();
      const seen: number[] = [];
      for (let path: string | undefined = '/catalog/versions?limit=1&kind=item'; path !== undefined; ) {
        const { body, headers } = assertDone(await team.get(path));
        seen.push(...body.map(({ version }: { version: number }) => version));
        path = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
      }
      assert.deepEqual(seen, [3, 1]);
    });
  });

  test('are looked up by number', async () => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'a', name: 'A' }));
    for (const number of ['0', '2', '-1', '1.0', '01', 'latest', '99999999999999'])
      assert.equal((await team.get(`/catalog/versions/${number}`)).status, 404, number);
  });

  test('are recorded with every roll', async () => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'a', name: 'A' }));
    assertDone(await team.post('/items/roll'));
    assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config: {} }));
    assertDone(await team.post('/templates/banner/roll', { userId: 'ann' }));
    assertDone(await team.post('/items/roll', { userId: 'ann' }));
    assertDone(await team.put('/items/a', { rollNumerator: 5 }));
    assertDone(await team.post('/templates/banner/roll', {}));
    assert.deepEqual(await rolledOn(service(), team.teamId), [1, 2, 2, 3]);
  });

  test('of templates leave the compiled items as they are, and are rolled on at once', async () => {
    const team = await service().anotherTeam();
    for (const id of ['a', 'b']) assertDone(await team.post('/items', { id, name: id }));
    const only = (id: string) => ({ pool: { itemIds: [id] } });
    assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config: only('a') }));
    for (const id of ['b', 'a', 'b']) {
      assertDone(await team.put('/templates/banner', { config: only(id) }));
      const { body } = assertDone(await team.post('/templates/banner/roll', {}));
      assert.equal(body.rolls[0].item.id, id);
      assertDone(await team.put(`/items/${id}`, { name: `${id} at ${body.rolls[0].item.name}` }));
    }
  });

  describe('an ETag', () => {
    for (const { path, kind, body, change } of ONE_OF_EACH) {
      test(`protects a colleague's change of a ${kind}`, async () => {
        const team = await service().anotherTeam();
        if (kind === 'template') assertDone(await team.post('/items', { id: 'any', name: 'Any' }));
        const created = assertDone(await team.post(path, body, { headers: { 'idempotency-key': 'create' } }));
        const known = created.headers.get('etag') ?? '';
        assert.match(known, /^"[\w-]{22}"$/);
        const replayed = assertDone(await team.post(path, body, { headers: { 'idempotency-key': 'create' } }));
        assert.equal(replayed.headers.get('etag'), known);
        assert.equal(assertDone(await team.get(`${path}/one`)).headers.get('etag'), known);

        const updated = assertDone(await team.put(`${path}/one`, change, { headers: { 'if-match': known } }));
        const current = updated.headers.get('etag') ?? '';
        assert.notEqual(current, known);
        const versions = await numbersOf(team);
        for (const stale of [
          await team.put(`${path}/one`, { name: 'Mine' }, { headers: { 'if-match': known } }),
          await team.delete(`${path}/one`, { headers: { 'if-match': `"x", ${known}` } }),
        ]) {
          assert.equal(stale.status, 412);
          assert.equal(stale.body.code, 'PRECONDITION_FAILED');
          assert.match(stale.body.issues[0].message, new RegExp(current));
          assert.equal(stale.headers.get('x-should-retry'), 'false');
        }
        assert.deepEqual(await numbersOf(team), versions);
        assert.deepEqual(assertDone(await team.get(`${path}/one`)).body, updated.body);

        assertDone(await team.put(`${path}/one`, { name: 'Any' }, { headers: { 'if-match': '*' } }));
        const { headers } = assertDone(await team.get(`${path}/one`));
        const last = headers.get('etag') ?? '';
        assertDone(await team.delete(`${path}/one`, { headers: { 'if-match': `"x", ${last}` } }));
        assert.equal((await team.put(`${path}/one`, {}, { headers: { 'if-match': last } })).status, 404);
      });
    }

    test("of an item does not change with its options' multipliers", async () => {
      const team = await service().anotherTeam();
      const { body } = assertDone(
        await team.post('/classifiers', { id: 'rarity', name: 'Rarity', classifierOptions: [{ name: 'Rare' }] }),
      );
      const [{ id }] = body.classifierOptions;
      const { headers } = assertDone(await team.post('/items', { id: 'a', name: 'A', classifierOptionIds: [id] }));
      assertDone(await team.put('/classifiers/rarity', { classifierOptions: [{ id, dropRateMultiplier: 3 }] }));
      assert.equal(assertDone(await team.get('/items/a')).headers.get('etag'), headers.get('etag'));
    });
  });
});
