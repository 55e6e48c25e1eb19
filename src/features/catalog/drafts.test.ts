import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiResponse, type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone, assertInvalid } from '../../../test/rules.ts';
import { LIMITS } from '../../shared/limits.ts';

const item = (id: string, rollNumerator = 100) => ({ id, name: id, rollNumerator });
const wants = (id: string, rollNumerator?: number) => ({ kind: 'item', id, after: item(id, rollNumerator) });

const draftOf = async (team: Client, body: object = {}) =>
  assertDone(await team.post('/catalog/drafts', { name: 'Winter', ...body })).body;

const itemIds = async (team: Client): Promise<string[]> =>
  assertDone(await team.get('/catalog')).body.items.map(({ id }: { id: string }) => id);

const ifMatch = (etag: string | null) => ({ headers: { 'if-match': etag ?? '' } });

/** Repeats until it returns something else than undefined. */
const eventually = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (let turn = 0; turn < 600; turn += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(50);
  }
  assert.fail('it did not happen in time');
};

onEveryDatabase('drafts of the catalog', (service) => {
  test('are created, listed, read, changed and deleted', async () => {
    const team = await service().anotherTeam();
    const created = await team.post('/catalog/drafts', { name: 'Winter', changes: [wants('axe')] });
    const draft = assertDone(created).body;
    assert.equal(draft.baseVersion, 0);
    assert.equal(draft.count, 1);
    assert.deepEqual(draft.changes, [wants('axe')]);
    const read = assertDone(await team.get(`/catalog/drafts/${draft.id}`));
    assert.deepEqual(read.body, draft);
    assert.equal(read.headers.get('etag'), created.headers.get('etag'));
    const { changes, ...summary } = draft;
    assert.deepEqual(assertDone(await team.get('/catalog/drafts')).body, [summary]);

    const changed = assertDone(await team.put(`/catalog/drafts/${draft.id}`, { name: 'Spring', changes: [] }));
    assert.equal(changed.body.name, 'Spring');
    assert.deepEqual(changed.body.changes, []);
    assert.notEqual(changed.headers.get('etag'), created.headers.get('etag'));
    assert.deepEqual(await itemIds(team), []);
    assert.deepEqual(assertDone(await team.delete(`/catalog/drafts/${draft.id}`)).body, {});
    assert.equal((await team.get(`/catalog/drafts/${draft.id}`)).status, 404);
  });

  test('are not shown to another team', async () => {
    const [team, other] = [await service().anotherTeam(), await service().anotherTeam()];
    const { id } = await draftOf(team);
    assert.deepEqual(assertDone(await other.get('/catalog/drafts')).body, []);
    const responses: ApiResponse[] = [
      await other.get(`/catalog/drafts/${id}`),
      await other.put(`/catalog/drafts/${id}`, { name: 'Mine' }),
      await other.delete(`/catalog/drafts/${id}`),
      await other.post(`/catalog/drafts/${id}/publish`, {}),
    ];
    for (const { status } of responses) assert.equal(status, 404);
  });

  test('of somebody else who was faster are not overwritten', async () => {
    const team = await service().anotherTeam();
    const created = await team.post('/catalog/drafts', { name: 'Winter' });
    const path = `/catalog/drafts/${created.body.id}`;
    const etag = created.headers.get('etag');
    const responses = await Promise.all(
      ['axe', 'bow'].map((id) => team.put(path, { changes: [wants(id)] }, ifMatch(etag))),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412]);
    assert.equal((await team.delete(path, ifMatch(etag))).status, 412);
    const current = await team.get(path);
    assertDone(await team.put(path, { changes: [wants('cup')] }, ifMatch(current.headers.get('etag'))));
  });

  test('reject what is not one', async () => {
    const team = await service().anotherTeam();
    const create = (body: object) => team.post('/catalog/drafts', body);
    assertInvalid(await create({}), '/body/name');
    assertInvalid(await create({ name: '' }), '/body/name');
    assertInvalid(await create({ name: 'x', changes: [wants('axe'), wants('axe')] }), '/body/changes/1/id');
    assertInvalid(await create({ name: 'x', changes: [{ kind: 'item', id: 'axe' }] }), '/body/changes/0/after');
    assertInvalid(await create({ name: 'x', baseVersion: 1 }), '/body/baseVersion');
    assertInvalid(await create({ name: 'x', more: 1 }), '/body/more');
    const { id } = await draftOf(team);
    assertInvalid(await team.put(`/catalog/drafts/${id}`, { changes: 'all' }), '/body/changes');
    const publish = (body: object) => team.post(`/catalog/drafts/${id}/publish`, body);
    assertInvalid(await publish({ at: 'tomorrow' }), '/body/at');
    assertInvalid(await publish({ at: '2001-01-01T00:00:00Z' }), '/body/at');
    assertInvalid(await publish({ rebase: 1 }), '/body/rebase');
  });

  test(`are at most ${LIMITS.draftsPerTeam} per team, also if many are created at once`, async () => {
    const team = await service().anotherTeam();
    const responses = await Promise.all(
      Array.from({ length: LIMITS.draftsPerTeam + 3 }, () => team.post('/catalog/drafts', { name: 'One of many' })),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, LIMITS.draftsPerTeam);
    assertInvalid(responses.find(({ status }) => status !== 200) as ApiResponse, '/body');
  });

  test('hold as many changes as a request may have', async () => {
    const team = await service().anotherTeam();
    const changes = Array.from({ length: LIMITS.changesPerRequest }, (_, index) => wants(`item-${index}`));
    const draft = await draftOf(team, { changes });
    assert.equal(draft.count, LIMITS.changesPerRequest);
    assertInvalid(
      await team.put(`/catalog/drafts/${draft.id}`, { changes: [...changes, wants('more')] }),
      '/body/changes',
    );
    assertDone(await team.post(`/catalog/drafts/${draft.id}/publish`));
    assert.equal((await itemIds(team)).length, LIMITS.changesPerRequest);
  });

  describe('when published', () => {
    test('become a version with their name, and are gone', async () => {
      const team = await service().anotherTeam();
      const draft = await draftOf(team, { changes: [wants('axe')] });
      const { version, draft: left } = assertDone(await team.post(`/catalog/drafts/${draft.id}/publish`)).body;
      assert.deepEqual([version.version, version.source, version.message], [1, 'publish', 'Winter']);
      assert.equal(left, null);
      assert.deepEqual(await itemIds(team), ['axe']);
      assert.equal((await team.get(`/catalog/drafts/${draft.id}`)).status, 404);
    });

    test('twice at once become one version', async () => {
      const team = await service().anotherTeam();
      const { id } = await draftOf(team, { changes: [wants('axe')] });
      const responses = await Promise.all([1, 2, 3].map(() => team.post(`/catalog/drafts/${id}/publish`)));
      assert.equal(responses.filter(({ status }) => status === 200).length, 1);
      assert.equal(assertDone(await team.get('/catalog/versions')).body.length, 1);
    });

    test('are rejected if the catalog has moved on, unless they are rebased', async () => {
      const team = await service().anotherTeam();
      const { id } = await draftOf(team, { changes: [wants('axe')] });
      assertDone(await team.post('/items', item('bow')));
      const stale = await team.post(`/catalog/drafts/${id}/publish`);
      assert.equal(stale.status, 409);
      assert.equal(stale.body.issues[0].message, 'the catalog is at version 1, this was made at 0');
      assertDone(await team.post(`/catalog/drafts/${id}/publish`, { rebase: true, message: 'Both' }));
      assert.deepEqual(await itemIds(team), ['axe', 'bow']);
    });

    test('are rejected with the entities that both sides changed', async () => {
      const team = await service().anotherTeam();
      assertDone(await team.post('/items', item('axe')));
      const { id } = await draftOf(team, { changes: [wants('axe', 5), wants('bow')] });
      assertDone(await team.put('/items/axe', { rollNumerator: 7 }));
      const clash = await team.post(`/catalog/drafts/${id}/publish`, { rebase: true });
      assert.equal(clash.status, 409);
      assert.deepEqual(clash.body.issues, [{ path: '/item/axe', message: 'was also changed by version 2' }]);
      assert.equal(assertDone(await team.get('/items/axe')).body.rollNumerator, 7);
      assert.equal(assertDone(await team.get(`/catalog/drafts/${id}`)).body.count, 2);
    });

    test('are rejected with all faults, and stay', async () => {
      const team = await service().anotherTeam();
      const { id } = await draftOf(team, { changes: [{ kind: 'space', id: 'bag', after: { id: 'bag' } }] });
      const response = await team.post(`/catalog/drafts/${id}/publish`);
      assert.equal(response.status, 409);
      assert.deepEqual(response.body.issues.map(({ path }: { path: string }) => path).sort(), [
        '/space/bag/cols',
        '/space/bag/name',
        '/space/bag/rows',
      ]);
      assertDone(await team.get(`/catalog/drafts/${id}`));
    });
  });

  describe('that are scheduled', () => {
    const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

    test('are published at their time, with the author who scheduled them', async () => {
      const team = await service().anotherTeam();
      const { id } = await draftOf(team, { changes: [wants('axe')] });
      const at = soon(700);
      const { version, draft } = assertDone(
        await team.post(`/catalog/drafts/${id}/publish`, { at, message: 'At night' }),
      ).body;
      assert.equal(version, null);
      assert.deepEqual([draft.publishAt, draft.message], [at, 'At night']);
      assert.deepEqual(await itemIds(team), []);
      const made = await eventually(async () => assertDone(await team.get('/catalog/versions')).body[0]);
      assert.deepEqual([made.message, made.source, made.author.name], ['At night', 'publish', 'first']);
      assert.ok(made.createdAt >= at);
      assert.deepEqual(assertDone(await team.get('/catalog/drafts')).body, []);
    });

    test('say why they could not be published', async () => {
      const team = await service().anotherTeam();
      const { id } = await draftOf(team, { changes: [wants('axe')] });
      assertDone(await team.post('/items', item('bow')));
      assertDone(await team.post(`/catalog/drafts/${id}/publish`, { at: soon(500) }));
      const failed = await eventually(async () => {
        const draft = assertDone(await team.get(`/catalog/drafts/${id}`)).body;
        return draft.failure === null ? undefined : draft;
      });
      assert.equal(failed.failure, 'the catalog is at version 1, this was made at 0');
      assert.equal(failed.publishAt, null);
      const [event, ...others] = assertDone(await team.get('/events?types=draft.failed')).body.data;
      const { changes: _, ...shown } = failed;
      assert.deepEqual([event.subject, event.data, others], [`drafts/${id}`, shown, []]);
      assert.equal(assertDone(await team.put(`/catalog/drafts/${id}`, { baseVersion: 1 })).body.failure, null);
      assertDone(await team.post(`/catalog/drafts/${id}/publish`));
    });

    test('can be taken off the schedule', async () => {
      const team = await service().anotherTeam();
      const { id } = await draftOf(team, { changes: [wants('axe')] });
      assertDone(await team.post(`/catalog/drafts/${id}/publish`, { at: soon(1500) }));
      const { draft } = assertDone(await team.post(`/catalog/drafts/${id}/publish`, { at: null })).body;
      assert.equal(draft.publishAt, null);
      await delay(2500);
      assert.deepEqual(await itemIds(team), []);
    });
  });

  test('are rebased again if the catalog changes while they are being published', async () => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', item('axe')));
    const changes = Array.from({ length: 2000 }, (_, index) => wants(`item-${index}`));
    const { id } = await draftOf(team, { changes });
    let isOver = false;
    const published = team.post(`/catalog/drafts/${id}/publish`, { rebase: true }).finally(() => {
      isOver = true;
    });
    let changed = 0;
    for (; !isOver && changed < 5; changed += 1) {
      assertDone(await team.put('/items/axe', { rollNumerator: 1 + changed }));
      await delay(20);
    }
    assertDone(await published);
    const [last] = assertDone(await team.get('/catalog/versions')).body;
    assert.equal(last.version, 2 + changed);
  });

  test('that are due are published in turn, whatever another team has to publish, and never wait for a rest', async () => {
    const [busy, other] = [await service().anotherTeam(), await service().anotherTeam()];
    const nowMs = Date.now();
    service().setClock(nowMs);
    const scheduleOn = async (team: Client, number: number, count: number, atMs: number): Promise<void> => {
      const changes = Array.from({ length: count }, (_, index) => wants(`item-${number}-${index}`));
      const { id } = await draftOf(team, { changes });
      const at = new Date(atMs).toISOString();
      assertDone(await team.post(`/catalog/drafts/${id}/publish`, { at, rebase: true }));
    };
    const draftsOf = async (team: Client): Promise<number> => assertDone(await team.get('/catalog/drafts')).body.length;
    const isPublished = (team: Client) => async (): Promise<true | undefined> =>
      (await draftsOf(team)) === 0 || undefined;
    for (let number = 0; number < 6; number += 1) await scheduleOn(busy, number, 1000, nowMs + 1000);
    await scheduleOn(other, 0, 1, nowMs + 2000);
    service().setClock(nowMs + 3000);
    await eventually(isPublished(other));
    assert.ok((await draftsOf(busy)) >= 2, 'it waits for a few of them, not for all');
    await eventually(isPublished(busy));
    await scheduleOn(other, 1, 1, nowMs + 4000);
    service().setClock(nowMs + 5000);
    // Seconds of work would have made a rest of a minute or more.
    await eventually(isPublished(other));
    service().setClock(Date.now());
  });
});
