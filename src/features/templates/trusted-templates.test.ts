import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone, assertInvalid } from '../../../test/rules.ts';
import { LIMITS } from '../../shared/limits.ts';

onEveryDatabase('verifiable and public templates', (service) => {
  const teamWithItem = async (): Promise<Client> => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'coin', name: 'Coin' }));
    return team;
  };
  const create = (team: Client, id: string, more: object, config: object = {}) =>
    team.post('/templates', { id, name: id, config, ...more });

  test('are saved, shown, changed and listed', async () => {
    const team = await teamWithItem();
    const created = assertDone(await create(team, 'a', { verifiable: true, disclosure: 'public' }));
    assert.deepEqual([created.body.verifiable, created.body.disclosure], [true, 'public']);
    assert.deepEqual((await team.get('/templates')).body, [created.body]);
    const renamed = assertDone(await team.put('/templates/a', { name: 'A' }));
    assert.deepEqual([renamed.body.verifiable, renamed.body.disclosure], [true, 'public']);
    const changed = assertDone(await team.put('/templates/a', { verifiable: false, disclosure: 'private' }));
    assert.deepEqual([changed.body.verifiable, changed.body.disclosure], [false, 'private']);
    assert.notEqual(changed.headers.get('etag'), renamed.headers.get('etag'));
  });

  test('are recorded in the history of the catalog, and left out where they are not', async () => {
    const team = await teamWithItem();
    assertDone(await create(team, 'a', {}));
    assertDone(await team.put('/templates/a', { verifiable: true, disclosure: 'public' }));
    const before = (await team.get('/catalog?version=2')).body.templates;
    assert.deepEqual(before, [{ id: 'a', name: 'a', type: 'gacha', config: {}, bindings: {} }]);
    const [now] = (await team.get('/catalog')).body.templates;
    assert.deepEqual([now.verifiable, now.disclosure], [true, 'public']);
  });

  test('are published with the rest of a catalog, and rolled back', async () => {
    const team = await teamWithItem();
    const template = { id: 'a', name: 'a', type: 'gacha', config: {} };
    const publish = (after: object, baseVersion: number) =>
      team.post('/catalog/publish', { baseVersion, changes: [{ kind: 'template', id: 'a', after }] });
    assertDone(await publish({ ...template, verifiable: true, disclosure: 'public' }, 1));
    const { body } = await team.get('/templates/a');
    assert.deepEqual([body.verifiable, body.disclosure], [true, 'public']);
    assertDone(await publish({ ...template, verifiable: false, disclosure: 'private' }, 2));
    assert.deepEqual((await team.get('/catalog')).body.templates, [{ ...template, bindings: {} }]);
    assertDone(await team.post('/catalog/publish', { baseVersion: 3, rollbackTo: 2 }));
    assert.equal((await team.get('/templates/a')).body.verifiable, true);
  });

  test('are alike within a pity group', async () => {
    const team = await teamWithItem();
    const shared = { pityGroup: '50% "off"_' };
    assertDone(await create(team, 'a', { verifiable: true }, shared));
    assertInvalid(await create(team, 'b', {}, shared), '/body/verifiable');
    assertDone(await create(team, 'b', { verifiable: true }, shared));
    assertInvalid(await team.put('/templates/b', { verifiable: false }), '/body/verifiable');
    assertDone(await create(team, 'c', {}, { pityGroup: '50% "OFF"_' }));
    assertInvalid(await team.put('/templates/c', { config: shared }), '/body/verifiable');
    const { body } = await team.post('/catalog/plan', {
      changes: [
        { kind: 'template', id: 'b', after: { id: 'b', name: 'b', type: 'gacha', config: shared, verifiable: false } },
      ],
    });
    assert.deepEqual(
      body.faults.map(({ path, message }: { path: string; message: string }) => [path, message]),
      [['/verifiable', 'must be the same as for a, which is in the same pity group']],
    );
  });

  test('are a bounded number per team', async () => {
    const team = await teamWithItem();
    const all = Array.from({ length: LIMITS.verifiableTemplates + 1 }, (_, index) => `t-${index}`);
    const changes = all.map((id) => ({
      kind: 'template',
      id,
      after: { id, name: id, type: 'gacha', config: {}, verifiable: true },
    }));
    const planned = await team.post('/catalog/plan', { changes });
    assert.match(planned.body.faults[0].message, /^at most 100 templates of a team can be verifiable$/);
    assertDone(await team.post('/catalog/publish', { baseVersion: 1, changes: changes.slice(1) }));
    assertInvalid(await create(team, 't-0', { verifiable: true }), '/body/verifiable');
    assertDone(await create(team, 't-0', {}));
    assertInvalid(await team.put('/templates/t-0', { verifiable: true }), '/body/verifiable');
  });

  test('reject other values', async () => {
    const team = await teamWithItem();
    assertInvalid(
      await create(team, 'a', { verifiable: 'yes', disclosure: 'everyone' }),
      '/body/verifiable',
      '/body/disclosure',
    );
    assertInvalid(await create(team, 'a', { verifiable: null }), '/body/verifiable');
  });
});
