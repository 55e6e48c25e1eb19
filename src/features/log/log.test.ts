import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logAll } from '../../../test/chores.ts';
import { type Client, onEveryQuietDatabase, startService } from '../../../test/harness.ts';
import { assertDone, assertInvalid, assertNotFound } from '../../../test/rules.ts';
import { verified } from '../../../test/verified.ts';
import { utf8 } from '../../engine/fairness/bytes.ts';
import { headText, leafOf } from '../../engine/fairness/log.ts';
import { grow, isConsistent, isIncluded, joinedHash, leafHash } from '../../engine/fairness/merkle.ts';
import { isSigned } from '../../shared/signatures.ts';
import { createTeamKeys } from '../team-keys/team-keys.service.ts';
import { growLog } from './log.service.ts';

onEveryQuietDatabase('the public log', (service) => {
  const start = async (): Promise<Client> => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'club', name: 'Club' }));
    assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config: {}, verifiable: true }));
    return team;
  };
  const rotate = async (team: Client, userId: string, clientSeed: string): Promise<string> => {
    const { nextCommitment, nextManifest } = assertDone(await team.post(`/users/${userId}/fairness`)).body;
    const body = { clientSeed, commitment: nextCommitment, manifest: nextManifest };
    return assertDone(await team.post(`/users/${userId}/fairness/rotate`, body)).body.rotation;
  };
  const visit = (team: Client, path = '') => service().anyone().get(`/public/${team.teamId}/log${path}`);
  const headOf = async (team: Client) => assertDone(await visit(team)).body;
  const leavesOf = async (team: Client): Promise<string[]> => {
    const { size, leaves } = assertDone(await visit(team, '/leaves?limit=1000')).body;
    assert.deepEqual(
      leaves.map(({ index }: { index: number }) => index),
      Array.from({ length: size }, (_, index) => index),
    );
    for (const { hash, data } of leaves) assert.equal(hash, leafHash(utf8(data)));
    return leaves.map(({ hash }: { hash: string }) => hash);
  };
  /** Every rotation once, the manifest once, and the head is theirs. */
  const assertLogged = async (team: Client, rotations: readonly string[], manifests: number): Promise<void> => {
    const leaves = await leavesOf(team);
    const { head, signature, publicKey } = await headOf(team);
    assert.equal(new Set(leaves).size, leaves.length);
    assert.equal(leaves.length, rotations.length + manifests);
    for (const subject of rotations) assert.ok(leaves.includes(leafOf({ kind: 'rotation', subject })));
    assert.deepEqual([head.size, head.root], [leaves.length, joinedHash(grow(0, [], leaves).peaks)]);
    assert.ok(isSigned({ text: headText(head), signature, publicKey }));
  };

  test('has each rotation and each manifest once, and only grows', async () => {
    const team = await start();
    const rotations = [await rotate(team, 'ann', '1'), await rotate(team, 'bob', '1')];
    await logAll(service());
    await assertLogged(team, rotations, 1);
    const before = await headOf(team);
    assertDone(await team.put('/items/club', { rollNumerator: 7 }));
    for (let n = 2; n < 9; n += 1) {
      rotations.push(await rotate(team, 'ann', `${n}`));
      await logAll(service());
    }
    await assertLogged(team, rotations, 2);
    const after = await headOf(team);
    assert.equal(after.publicKey, before.publicKey);
    const { from, to, path } = assertDone(await visit(team, `/consistency?from=${before.head.size}`)).body;
    assert.deepEqual([from, to], [3, 11]);
    assert.ok(isConsistent(before.head, after.head, path));
    const leaves = await leavesOf(team);
    for (const leaf of leaves)
      assert.ok(isIncluded(assertDone(await visit(team, `/inclusion?leaf=${leaf}`)).body, after.head));
    const early = assertDone(await visit(team, `/inclusion?leaf=${leaves[0]}&size=3`)).body;
    assert.ok(isIncluded(early, before.head));
    assertNotFound(await visit(team, `/inclusion?leaf=${leaves[5]}&size=3`));
    assert.deepEqual(
      assertDone(await visit(team, '/leaves?from=4&limit=2')).body.leaves.map(({ hash }: { hash: string }) => hash),
      leaves.slice(4, 6),
    );
    assert.deepEqual(assertDone(await visit(team, '/leaves?from=11')).body, { size: 11, leaves: [] });
  });

  test('refuses what makes no sense', async () => {
    // Another team, since what is missing is remembered for a moment.
    assertNotFound(await visit(await start()));
    const team = await start();
    assertNotFound(await service().anyone().get('/public/nobody/log'));
    await rotate(team, 'ann', '1');
    await logAll(service());
    const { head } = await headOf(team);
    assert.equal(head.size, 2);
    for (const [path, member] of [
      ['/consistency', '/query/from'],
      ['/consistency?from=0', '/query/from'],
      ['/consistency?from=x', '/query/from'],
      ['/consistency?from=2&to=1', '/query/from'],
      ['/consistency?from=1&to=3', '/query/to'],
      ['/inclusion?leaf=x', '/query/leaf'],
      [`/inclusion?leaf=${head.root}&size=3`, '/query/size'],
      ['/leaves?from=3', '/query/from'],
      ['/leaves?limit=1001', '/query/limit'],
    ] as const)
      assertInvalid(await visit(team, path), member);
    assertNotFound(await visit(team, `/inclusion?leaf=${head.root}`));
    assertInvalid(await team.get('/users/ann/proof?logFrom=3'), '/query/logFrom');
    assertInvalid(await team.get('/users/ann/proof?epoch=all&logFrom=3'), '/query/logFrom');
  });

  test('is part of the proof of a player, and the head that the player kept is compared', async () => {
    const team = await start();
    await rotate(team, 'bob', '1');
    await logAll(service());
    const kept = await headOf(team);
    const heads = [{ size: kept.head.size, root: kept.head.root, signed: kept }];
    for (let n = 0; n < 5; n += 1) {
      await rotate(team, 'ann', `${n}`);
      assertDone(await team.post('/templates/banner/roll', { userId: 'ann' }));
    }
    await logAll(service());
    for (const query of ['epoch=2', 'epoch=all', 'epoch=4']) {
      const proof = assertDone(await team.get(`/users/ann/proof?${query}&logFrom=${kept.head.size}`)).body;
      const { isSound, log } = verified(proof, { heads });
      assert.deepEqual([isSound, log?.pending, log?.reasons], [true, 0, []], query);
      assert.ok((log?.included ?? 0) >= 3);
      const forked = [{ size: kept.head.size, root: kept.head.root.replace(/^./, 'f').replace(/.$/, '0') }];
      assert.match(verified(proof, { heads: forked }).log?.reasons.join() ?? '', /^The log forks/);
    }
  });

  test('says that a rotation is pending, and nothing fails', async () => {
    const team = await start();
    const node = service();
    // The service adds it within about a second; a proof that is faster says so.
    await rotate(team, 'ann', '1');
    const { log } = assertDone(await team.get('/users/ann/proof')).body;
    const { isSound } = verified(assertDone(await team.get('/users/ann/proof?epoch=all')).body);
    assert.equal(isSound, true);
    assert.equal(log.inclusions.length + log.pending.length, 2);
    await logAll(node);
    const later = assertDone(await team.get('/users/ann/proof')).body.log;
    assert.deepEqual([later.inclusions.length, later.pending], [2, []]);
  });

  test('keeps the leaves of a deleted player', async () => {
    const team = await start();
    const first = await rotate(team, 'ann', '1');
    assertDone(await team.delete('/users/ann'));
    await logAll(service());
    await assertLogged(team, [first], 1);
  });

  test('has each leaf once, with many rotations at once on two nodes', async () => {
    const team = await start();
    const other = await startService(service().databaseUrl);
    try {
      const there = other.anyone(`Basic ${btoa(`${team.teamId}:${team.secret}`)}`) as Client;
      const players = Array.from({ length: 24 }, (_, n) => `player-${n}`);
      const rotations = await Promise.all(
        players.map(async (player, n) => {
          const node = n % 2 === 0 ? team : there;
          return [await rotate(node, player, '1'), await rotate(node, player, '2')];
        }),
      );
      await Promise.all([logAll(service()), logAll(other), logAll(service()), logAll(other)]);
      await assertLogged(team, rotations.flat(), 1);
    } finally {
      await other.stop();
    }
  });

  test('is whole after an attempt that was ended in the middle', async () => {
    const team = await start();
    const { database } = service();
    const keys = createTeamKeys(database.write);
    const rotations: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      rotations.push(await rotate(team, 'ann', `${n}`));
      // All of it is rolled back, as if the process had been killed before the commit.
      const ended = database.transaction(team.teamId, async (tx) => {
        await growLog(tx, keys, Date.now(), 1);
        throw new Error('killed');
      });
      await assert.rejects(ended, /killed/);
      // One leaf at a time, so that there is a middle.
      await database.transaction(team.teamId, (tx) => growLog(tx, keys, Date.now(), 1));
    }
    await logAll(service());
    await assertLogged(team, rotations, 1);
  });
});
