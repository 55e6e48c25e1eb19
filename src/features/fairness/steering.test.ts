import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiResponse, type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertConflict, assertDone, assertNotFound } from '../../../test/rules.ts';
import { verified } from '../../../test/verified.ts';
import { bytesOfHex } from '../../engine/fairness/bytes.ts';
import { verifiableDraws } from '../../engine/fairness/draws.ts';
import { LIMITS } from '../../shared/limits.ts';

/** Characters that nobody sees, as many as it takes to make one of these numbers. */
const invisible = (number: number): string =>
  [...number.toString(2)].map((digit) => (digit === '0' ? '\u200b' : '\u200c')).join('');

onEveryDatabase('whoever runs the service', (service) => {
  const RATES = { five: 0.003, three: 0.997 };
  const config = { baseRates: RATES, pityTier: 'five', pityThreshold: 90 };

  const teamWith = async (...templates: string[]): Promise<Client> => {
    const team = await service().anotherTeam();
    const classifierOptions = Object.keys(RATES).map((name) => ({ id: name, name }));
    const after = { id: 'stars', name: 'Stars', classifierOptions };
    assertDone(
      await team.post('/catalog/publish', { baseVersion: 0, changes: [{ kind: 'classifier', id: 'stars', after }] }),
    );
    for (const [id, option] of [
      ['blade', 'five'],
      ['club', 'three'],
      ['cap', 'three'],
    ])
      assertDone(await team.post('/items', { id, name: id, classifierOptionIds: [option] }));
    for (const id of templates) assertDone(await team.post('/templates', { id, name: id, config, verifiable: true }));
    return team;
  };
  const shown = async (team: Client) => {
    const { nextCommitment, nextManifest } = assertDone(await team.post('/users/p/fairness')).body;
    return { commitment: nextCommitment, manifest: nextManifest };
  };
  const rotate = (team: Client, clientSeed: string, seen: object): Promise<ApiResponse> =>
    team.post('/users/p/fairness/rotate', { clientSeed, ...seen });
  const roll = async (team: Client, template: string): Promise<ApiResponse['body']> =>
    assertDone(await team.post(`/templates/${template}/roll`, { userId: 'p' })).body;
  /** What whoever runs the service can always read. */
  const secretsOf = (team: Client) =>
    service().database.read(team.teamId, ({ queries }) =>
      queries.selectFrom('player_seeds').selectAll().where('team_id', '=', team.teamId).executeTakeFirstOrThrow(),
    );
  const firstDraw = (team: Client, serverSeed: string, clientSeed: string, nonce: number): number =>
    verifiableDraws({
      serverSeed: bytesOfHex(serverSeed),
      teamId: team.teamId,
      userId: 'p',
      clientSeed,
      nonce,
    }).draws();

  test('cannot try names of an item until a draw suits, once the client seed is known', async () => {
    const team = await teamWith('banner');
    const seen = await shown(team);
    // The player's request arrives. It is held back, and names are tried offline.
    const clientSeed = 'lucky';
    const { next_seed: serverSeed } = await secretsOf(team);
    const foreseen = firstDraw(team, serverSeed, clientSeed, 0);
    for (let number = 0; number < 500; number += 1) {
      const name = `club${invisible(number)}`;
      assert.equal(firstDraw(team, serverSeed, clientSeed, 0), foreseen, `${name.length} characters change nothing`);
    }
    assertDone(await team.put('/items/club', { name: `club${invisible(326)}` }));
    // Nor can anything be changed between what the player saw and their seed.
    assertConflict(await rotate(team, clientSeed, seen), '/body/manifest');
    assertDone(await rotate(team, 'another, since the first is known', await shown(team)));
  });

  for (const [what, change] of [
    ['weights', (team: Client) => team.put('/items/blade', { rollNumerator: 7 })],
    [
      'the order of items',
      (team: Client) => team.post('/items', { id: '0', name: '0', classifierOptionIds: ['three'] }),
    ],
    ['names', (team: Client) => team.put('/items/cap', { name: 'Cap' })],
    ['odds', (team: Client) => team.put('/templates/banner', { config: { ...config, pityThreshold: 80 } })],
    [
      'a template of another name',
      (team: Client) => team.post('/templates', { id: 'banner-2', name: '2', config, verifiable: true }),
    ],
  ] as const)
    test(`cannot change ${what} after the player saw what they would be`, async () => {
      const team = await teamWith('banner');
      const seen = await shown(team);
      assertDone(await change(team));
      assertConflict(await rotate(team, 'seed', seen), '/body/manifest');
    });

  test('cannot change attributes after the player saw what they would be', async () => {
    const team = await teamWith('banner');
    assertDone(await team.post('/attributes', { id: 'power', name: 'Power', min: 0, max: 100 }));
    const seen = await shown(team);
    const itemAttributes = [{ attributeId: 'power', min: 1, max: 2 }];
    assertDone(await team.put('/items/blade', { itemAttributes }));
    assertConflict(await rotate(team, 'seed', seen), '/body/manifest');
  });

  test('gains nothing by sending a player to one of two banners that look alike, and the verifier names them', async () => {
    const team = await teamWith('banner', 'lookalike');
    assertDone(await rotate(team, 'seed', await shown(team)));
    for (const template of ['banner', 'lookalike', 'lookalike', 'banner', 'lookalike']) {
      const { seed } = await secretsOf(team);
      const { nonce } = (await team.get('/users/p/fairness')).body;
      const foreseen = firstDraw(team, seed as string, 'seed', nonce);
      // The best tier comes first: the same draw gives the same tier, whatever the template is called.
      const { rolls } = await roll(team, template);
      assert.equal(rolls[0].tier === 'five', foreseen < RATES.five);
    }
    assertDone(await rotate(team, 'next', await shown(team)));
    const { lookalikes, isSound } = verified((await team.get('/users/p/proof?epoch=0')).body);
    assert.equal(isSound, true);
    assert.deepEqual(lookalikes, [['banner', 'lookalike']]);
  });

  test('is found out if counters are cleared between epochs', async () => {
    const team = await teamWith('banner', 'other');
    assertDone(await rotate(team, 'one', await shown(team)));
    for (const template of ['banner', 'banner', 'other']) await roll(team, template);
    assertDone(await rotate(team, 'two', await shown(team)));
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries.deleteFrom('user_states').where('team_id', '=', team.teamId).where('scope', '<>', 'receipts').execute(),
    );
    await roll(team, 'banner');
    assertDone(await rotate(team, 'three', await shown(team)));
    for (const epoch of ['1', 'all']) {
      const { receipts, isSound } = verified((await team.get(`/users/p/proof?epoch=${epoch}`)).body);
      assert.equal(isSound, false);
      const reasons = receipts.flatMap((one) => one.reasons);
      assert.match(reasons.join(), /the counters were not what the last roll had left/);
    }
  });

  test('is found out by what the player kept if the server seed is exchanged once the client seed is known', async () => {
    const team = await teamWith('banner');
    assertDone(await rotate(team, 'one', await shown(team)));
    const { commitment, manifest } = await shown(team);
    // The client seed is known, the seed is exchanged, and so is the promise in the rotation before.
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries
        .updateTable('player_seeds')
        .set({ next_seed: 'ab'.repeat(32) })
        .where('team_id', '=', team.teamId)
        .execute(),
    );
    assertConflict(await rotate(team, 'two', { commitment, manifest }), '/body/commitment');
    assertDone(await rotate(team, 'two', await shown(team)));
    await roll(team, 'banner');
    assertDone(await rotate(team, 'three', await shown(team)));
    const { body: proof } = await team.get('/users/p/proof?epoch=all');
    const kept = verified(proof, { seeds: [{ commitment, clientSeed: 'two' }] }).kept;
    assert.deepEqual(
      kept.map(({ isFound }) => isFound),
      // It was promised, but the client seed met another one.
      [true, false],
    );
    // Even without it, unless the rotation before is rewritten as well.
    assert.equal(verified(proof).isSound, false);
  });

  test('cannot leave out the first part of a long chain unnoticed', async () => {
    const team = await teamWith('banner');
    assertDone(await rotate(team, 'one', await shown(team)));
    for (let number = 0; number < 6; number += 1) await roll(team, 'banner');
    assertDone(await rotate(team, 'two', await shown(team)));
    const { body: part } = await team.get('/users/p/proof?epoch=0&from=4');
    const { isSound, notes } = verified(part);
    assert.equal(isSound, true);
    assert.ok(
      notes.some((note) => note === 'Of epoch 0, #0 to #3 are not shown here.'),
      notes.join(),
    );
    assert.equal(verified({ ...part, from: 0 }).isSound, false);
  });

  test('shows nobody what is being prepared', async () => {
    const team = await teamWith('banner');
    const later = { ...config, startsAt: '2037-01-01T00:00:00.000Z' };
    assertDone(await team.post('/items', { id: 'surprise', name: 'Surprise', classifierOptionIds: ['five'] }));
    const pool = { itemIds: ['surprise', 'cap'] };
    assertDone(
      await team.post('/templates', { id: 'next-year', name: 'Next', config: { ...later, pool }, verifiable: true }),
    );
    assertDone(await rotate(team, 'one', await shown(team)));
    await roll(team, 'banner');
    const { body: proof } = await team.get('/users/p/proof?epoch=all');
    assert.doesNotMatch(JSON.stringify({ ...proof, snapshots: {} }), /next-year|Next/);
    for (const text of Object.values(proof.snapshots)) assert.doesNotMatch(text as string, /next-year/);
    const hidden = await service().database.read(team.teamId, ({ queries }) =>
      queries.selectFrom('snapshots').select(['hash', 'text']).where('team_id', '=', team.teamId).execute(),
    );
    const prepared = hidden.filter(({ text }) => text.includes('next-year') || text.includes('"templates"'));
    assert.ok(prepared.length >= 2);
    for (const { hash } of prepared)
      assertNotFound(await service().anyone().get(`/public/${team.teamId}/snapshots/${hash}`));
    for (const path of ['', '/odds', '/history'])
      assertNotFound(await service().anyone().get(`/public/${team.teamId}/templates/next-year${path}`));
    // At its time it is there, before anyone has rolled.
    const open = prepared.find(({ text }) => text.includes('"templateId":"next-year"'));
    service().setClock(Date.parse('2037-01-01T00:00:01.000Z'));
    await delay(LIMITS.rememberedAbsenceMs + 100);
    const { status } = await service().anyone().get(`/public/${team.teamId}/snapshots/${open?.hash}`);
    assert.equal(status, 200);
  });
});
