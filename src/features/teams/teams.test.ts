import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { basic, issuePaths, onEveryDatabase, startService } from '../../../test/harness.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const TIME = '2026-11-14T09:30:00.000Z';

onEveryDatabase('team and secrets', (service) => {
  test('returns the team and the role of the caller', async () => {
    for (const role of ['read', 'write', 'admin'] as const) {
      const caller = await service().as(role);
      const { status, body } = await caller.get('/team');
      assert.equal(status, 200);
      assert.deepEqual(body, {
        id: service().teamId,
        name: 'Team',
        role,
        verifiableRolls: false,
        createdAt: body.createdAt,
        updatedAt: body.updatedAt,
      });
      assert.match(body.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(body.updatedAt, body.createdAt);
    }
  });

  test('creates a secret, returns it once, and accepts it immediately', async () => {
    const team = await service().anotherTeam();
    service().setClock(MOMENT);
    const { status, body } = await team.post('/secrets', { name: 'game server', role: 'write' });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      id: body.id,
      name: 'game server',
      role: 'write',
      createdAt: TIME,
      secret: body.secret,
    });
    assert.ok(Buffer.from(body.secret, 'base64url').length >= 32, 'it has at least 256 bits');
    const caller = service().anyone(basic(team.teamId, body.secret));
    assert.equal((await caller.get('/team')).body.role, 'write');

    const listed = await team.get('/secrets');
    assert.equal(listed.status, 200);
    assert.deepEqual(
      listed.body.find(({ id }: { id: string }) => id === body.id),
      { id: body.id, name: 'game server', role: 'write', createdAt: TIME },
    );
    assert.equal(listed.body.length, 2);
    assert.ok(!JSON.stringify(listed.body).includes(body.secret));
  });

  test('creates a different secret every time', async () => {
    const team = await service().anotherTeam();
    const made = new Set<string>();
    for (let n = 0; n < 5; n += 1) made.add((await team.post('/secrets', { name: 'n', role: 'read' })).body.secret);
    assert.equal(made.size, 5);
  });

  test('stores secrets as digests only', async () => {
    const team = await service().anotherTeam();
    const { body } = await team.post('/secrets', { name: 'stored', role: 'admin' });
    const rows = await service().database.read('', ({ queries: reader }) =>
      reader.selectFrom('secrets').selectAll().where('team_id', '=', team.teamId).execute(),
    );
    assert.equal(rows.length, 2);
    const stored = JSON.stringify(rows);
    for (const secret of [team.secret, body.secret]) {
      assert.ok(!stored.includes(secret));
      assert.ok(stored.includes(createHash('sha256').update(secret).digest('hex')));
    }
  });

  test('rejects a revoked secret immediately', async () => {
    const team = await service().anotherTeam();
    const { body } = await team.post('/secrets', { name: 'short-lived', role: 'admin' });
    const caller = service().anyone(basic(team.teamId, body.secret));
    assert.equal((await caller.get('/team')).status, 200);
    const answer = await team.delete(`/secrets/${body.id}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {});
    const rejected = await caller.get('/team');
    assert.equal(rejected.status, 401);
    assert.equal(rejected.body.code, 'UNAUTHORIZED');
    assert.equal((await team.get('/team')).status, 200, 'the other secrets hold');
    assert.equal((await team.delete(`/secrets/${body.id}`)).status, 404);
  });

  test('can revoke the secret that authorized the request', async () => {
    const team = await service().anotherTeam();
    const { body } = await team.post('/secrets', { name: 'own', role: 'admin' });
    const caller = service().anyone(basic(team.teamId, body.secret));
    assert.equal((await caller.delete(`/secrets/${body.id}`)).status, 200);
    assert.equal((await caller.get('/secrets')).status, 401);
  });

  test('accepts a new secret immediately on another node, and rejects a revoked one within a second', async () => {
    const node = await startService(service().databaseUrl);
    try {
      const team = await service().anotherTeam();
      const { body } = await team.post('/secrets', { name: 'roaming', role: 'read' });
      const caller = node.anyone(basic(team.teamId, body.secret));
      assert.equal((await caller.get('/team')).status, 200);
      await team.delete(`/secrets/${body.id}`);
      await wait(1000);
      assert.equal((await caller.get('/team')).status, 401);
    } finally {
      await node.stop();
    }
  });

  describe('rejects', () => {
    test('revoking the last admin secret', async () => {
      const team = await service().anotherTeam();
      for (const role of ['read', 'write']) await team.post('/secrets', { name: role, role });
      const first = (await team.get('/secrets')).body.find(({ role }: { role: string }) => role === 'admin');
      const { status, body } = await team.delete(`/secrets/${first.id}`);
      assert.equal(status, 409);
      assert.deepEqual(body, {
        code: 'CONFLICT',
        message: 'Conflict',
        issues: [{ path: '/path/id', message: 'is the last admin secret of the team' }],
      });
      const { body: second } = await team.post('/secrets', { name: 'second', role: 'admin' });
      assert.equal((await team.delete(`/secrets/${first.id}`)).status, 200);
      const successor = service().anyone(basic(team.teamId, second.secret));
      assert.equal((await successor.delete(`/secrets/${second.id}`)).status, 409);
    });

    test('one of two concurrent revocations of the last two admin secrets', async () => {
      const team = await service().anotherTeam();
      const { body: second } = await team.post('/secrets', { name: 'second', role: 'admin' });
      const first = (await team.get('/secrets')).body.find(({ id }: { id: string }) => id !== second.id);
      const other = service().anyone(basic(team.teamId, second.secret));
      const responses = await Promise.all([team.delete(`/secrets/${second.id}`), other.delete(`/secrets/${first.id}`)]);
      const statuses = responses.map(({ status }) => status).sort();
      assert.equal(statuses[0], 200);
      assert.ok([401, 409].includes(statuses[1] as number), `one is rejected, not ${statuses}`);
      const rows = await service().database.read('', ({ queries: reader }) =>
        reader.selectFrom('secrets').select('role').where('team_id', '=', team.teamId).execute(),
      );
      assert.deepEqual(
        rows.map(({ role }) => role),
        ['admin'],
      );
    });

    test('all invalid members of a new secret at once, each with its path', async () => {
      const answer = await service().post('/secrets', { name: '', role: 'owner', secret: 'mine' });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/body/name', '/body/role', '/body/secret']);
      for (const [body, paths] of [
        [{}, ['/body/name', '/body/role']],
        [{ name: 'x'.repeat(192), role: null }, ['/body/name', '/body/role', '/body/role']],
        [{ name: 7, role: ['admin'] }, ['/body/name', '/body/role', '/body/role']],
        [{ name: 'n', role: 'Admin' }, ['/body/role']],
        [{ name: 'a\0', role: 'read' }, ['/body/name']],
      ] as const) {
        const rejected = await service().post('/secrets', body);
        assert.equal(rejected.status, 400);
        assert.deepEqual(issuePaths(rejected).sort(), paths);
      }
    });

    test('secrets that are unknown or of another team, with 404', async () => {
      const other = await service().anotherTeam();
      const { body: foreign } = await other.post('/secrets', { name: 'foreign', role: 'read' });
      for (const id of ['nothing', foreign.id, '%00'])
        assert.equal((await service().delete(`/secrets/${id}`)).status, 404);
      assert.equal((await other.get('/secrets')).body.length, 2);
      const long = await service().delete(`/secrets/${'x'.repeat(192)}`);
      assert.deepEqual([long.status, issuePaths(long)], [400, ['/path/id']]);
    });

    test('more than a hundred secrets per team', async () => {
      const team = await service().anotherTeam();
      const responses = await Promise.all(
        Array.from({ length: 101 }, () => team.post('/secrets', { name: 'many', role: 'read' })),
      );
      const statuses = responses.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 99);
      assert.equal(statuses.filter((status) => status === 409).length, 2);
    });
  });
});
