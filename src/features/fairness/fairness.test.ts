import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { logAll } from '../../../test/chores.ts';
import {
  type ApiResponse,
  type Client,
  createEmptyDatabase,
  onEveryDatabase,
  startService,
} from '../../../test/harness.ts';
import { assertConflict, assertDone, assertInvalid, assertNotFound } from '../../../test/rules.ts';
import { verified } from '../../../test/verified.ts';
import { holdAll } from '../../database/work.ts';
import { bytesOfHex } from '../../engine/fairness/bytes.ts';
import { canonicalText } from '../../engine/fairness/canonical.ts';
import { verifiableDraws } from '../../engine/fairness/draws.ts';
import { createCatalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { createIdentities } from '../receipts/identities.service.ts';
import { beginRoll, createManifests, createRecentSeeds, holdEpoch } from '../receipts/receipts.service.ts';
import { createSalts } from '../receipts/salts.service.ts';
import { createTeamKeys } from '../team-keys/team-keys.service.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const RATES = { five: 0.05, three: 0.95 };

onEveryDatabase('verifiable rolls', (service, engine) => {
  /** A team with a banner, a second one of the same pity group, and the other game systems, all verifiable. */
  const teamWithTemplates = async (node = service()): Promise<Client> => {
    const team = await node.anotherTeam();
    const classifierOptions = ['five', 'three'].map((name) => ({ id: name, name, dropRateMultiplier: 1 }));
    const after = { id: 'stars', name: 'Stars', classifierOptions };
    const changes = [{ kind: 'classifier', id: 'stars', after }];
    assertDone(await team.post('/catalog/publish', { baseVersion: 0, changes }));
    assertDone(await team.post('/attributes', { id: 'power', name: 'Power', min: 0, max: 100, step: 1 }));
    for (const [id, option] of [
      ['sword', 'five'],
      ['axe', 'five'],
      ['club', 'three'],
      ['cap', 'three'],
      ['torch', 'three'],
    ] as const) {
      const itemAttributes = id === 'sword' ? [{ attributeId: 'power', min: 40, max: 50 }] : [];
      assertDone(await team.post('/items', { id, name: id, classifierOptionIds: [option], itemAttributes }));
    }
    const featured = { featuredItemIds: ['sword'], featuredShare: 0.5, guaranteeAfterLosses: 1, sparkCurrency: 5 };
    const gacha = { baseRates: RATES, pityTier: 'five', pityThreshold: 10, pityGroup: 'g' };
    for (const [id, type, config] of [
      ['banner', 'gacha', { ...gacha, ...featured }],
      ['second', 'gacha', gacha],
      ['pack', 'card_pack', { baseRates: RATES, slots: [{ count: 3 }], unique: true }],
      ['shrine', 'roguelike', { baseRates: RATES, choices: 2, depthScaling: { five: 1.2 } }],
      ['chest', 'idle', { baseRates: RATES, rollsPerHour: 10 }],
    ] as const)
      assertDone(await team.post('/templates', { id, name: id, type, config, verifiable: true }));
    assertDone(await team.put('/team', { verifiableRolls: true }));
    return team;
  };

  const rotate = async (team: Client, userId: string, clientSeed: string) => {
    const { nextCommitment: commitment, nextManifest: manifest } = assertDone(
      await team.post(`/users/${userId}/fairness`),
    ).body;
    const path = `/users/${userId}/fairness/rotate`;
    return assertDone(await team.post(path, { clientSeed, commitment, manifest })).body;
  };
  const roll = (team: Client, template: string, userId: string, more: object = {}): Promise<ApiResponse> =>
    team.post(`/templates/${template}/roll`, { userId, ...more });
  const receiptsOf = async (team: Client, userId: string, query = '') =>
    assertDone(await team.get(`/users/${userId}/receipts${query}`)).body as {
      hash: string;
      receipt: ApiResponse['body'];
    }[];

  test('start with a commitment, which the first client seed must name', async () => {
    const team = await teamWithTemplates();
    assertNotFound(await team.get('/users/p/fairness'));
    const started = assertDone(await team.post('/users/p/fairness')).body;
    const { nextCommitment, nextManifest } = started;
    for (const hash of [nextCommitment, nextManifest]) assert.match(hash, /^[0-9a-f]{64}$/);
    assert.deepEqual(started, {
      ...{ userId: 'p', epoch: null, commitment: null, clientSeed: null, manifest: null },
      ...{ nextCommitment, nextManifest, rotation: null, nonce: null, head: null, mustRotate: true },
    });
    assert.deepEqual(assertDone(await team.post('/users/p/fairness')).body, started, 'it is made once');
    assert.deepEqual(assertDone(await team.get('/users/p/fairness')).body, started);
    const path = '/users/p/fairness/rotate';
    const shown = { commitment: nextCommitment, manifest: nextManifest };
    for (const member of ['commitment', 'manifest'])
      assertConflict(await team.post(path, { clientSeed: 'x', ...shown, [member]: '0'.repeat(64) }), `/body/${member}`);
    const { receipt, ...rotated } = assertDone(await team.post(path, { clientSeed: 'lucky ☘', ...shown })).body;
    assert.deepEqual([rotated.epoch, rotated.commitment, rotated.clientSeed], [0, nextCommitment, 'lucky ☘']);
    assert.deepEqual([rotated.mustRotate, rotated.nonce, rotated.head], [false, 0, rotated.rotation]);
    assert.deepEqual([receipt.count, receipt.head, receipt.manifest], [0, '0'.repeat(64), nextManifest]);
    assert.equal(rotated.rotation, hashOf(canonicalText(receipt)));
    assert.equal(receipt.revealed, null);
    assert.deepEqual(assertDone(await team.get('/users/p/fairness')).body, rotated);
  });

  test('reveal the old seed at a rotation, and every draw can be computed again', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'first');
    for (const [template, more] of [
      ['banner', { count: 10 }],
      ['second', {}],
      ['pack', { count: 2 }],
      ['shrine', { count: 2, depth: 3 }],
      ['chest', {}],
    ] as const)
      assertDone(await roll(team, template, 'p', more));
    assertDone(await team.post('/items/roll', { userId: 'p' }));
    assertDone(await team.post('/items/roll', { userId: 'p', classifierOptionIds: ['three'] }));
    assertDone(await team.post('/templates/banner/spark', { userId: 'p', itemId: 'sword' }));
    const { receipt: last } = await rotate(team, 'p', 'second');
    const listed = await receiptsOf(team, 'p', '?epoch=0');
    for (const { hash, receipt } of listed) assert.equal(hash, hashOf(canonicalText(receipt)));
    const [rotation, ...rolls] = listed as [(typeof listed)[0], ...typeof listed];
    assert.equal(createHash('sha256').update(last.revealed, 'hex').digest('hex'), rotation.receipt.commitment);
    assert.deepEqual(
      rolls.map(({ receipt }) => [receipt.nonce, receipt.scope, receipt.kind]),
      [
        [0, 'group:g', 'roll'],
        [1, 'group:g', 'roll'],
        [2, 'template:pack', 'roll'],
        [3, 'template:shrine', 'roll'],
        [4, 'template:chest', 'roll'],
        [5, 'plain', 'roll'],
        [6, 'plain', 'roll'],
        [7, 'group:g', 'spark'],
      ],
    );
    assert.deepEqual([last.count, last.head], [8, rolls.at(-1)?.hash]);
    // The third draw picks the item: here one of three with equal weights.
    const filtered = rolls[6]?.receipt;
    const { draws } = verifiableDraws({
      ...{ serverSeed: bytesOfHex(last.revealed), teamId: team.teamId, userId: 'p' },
      ...{ clientSeed: 'first', nonce: 6 },
    });
    const [, , third] = [draws(), draws(), draws()];
    const picked = ['cap', 'club', 'torch'][Math.floor((third as number) * 3)];
    assert.equal(filtered.results[0][0], picked);
  });

  test('of every game system are verified from nothing but their proof', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'first');
    const kept = [];
    for (let n = 0; n < 5; n += 1)
      for (const [template, more] of [
        ['banner', { count: 10 }],
        ['second', {}],
        ['pack', { count: 2 }],
        ['shrine', { count: 2, depth: 3 * n }],
        ['chest', {}],
      ] as const) {
        service().setClock(Date.parse('2027-03-01T10:00:00Z') + n * 3_600_000);
        kept.push(assertDone(await roll(team, template, 'p', more)).body.fairness.receipt);
      }
    for (const body of [{ userId: 'p' }, { userId: 'p', classifierOptionIds: ['three'] }])
      kept.push(assertDone(await team.post('/items/roll', body)).body.fairness.receipt);
    const spark = { userId: 'p', itemId: 'sword' };
    kept.push(assertDone(await team.post('/templates/banner/spark', spark)).body.fairness.receipt);
    const sealed = verified((await team.get('/users/p/proof')).body, { receipts: kept });
    assert.deepEqual(sealed.counts, { verified: 1, sealed: 28, failed: 0 });
    await rotate(team, 'p', 'second');
    await logAll(service());
    const { body: proof } = await team.get('/users/p/proof?epoch=0');
    const { counts, isSound, notes } = verified(proof, { receipts: kept });
    assert.deepEqual(
      { counts, isSound, notes },
      { counts: { verified: 30, sealed: 0, failed: 0 }, isSound: true, notes: [] },
    );
    // An item that was exchanged for another is noticed, and so is a receipt that is missing.
    const tampered = structuredClone(proof);
    const victim = tampered.receipts.find(({ results }: { results?: string[][] }) => results?.[0]?.[0] === 'club');
    victim.results[0][0] = 'cap';
    assert.equal(verified(tampered, { receipts: kept }).isSound, false);
    proof.receipts.splice(5, 1);
    assert.equal(verified(proof).isSound, false);
  });

  test('are verified part by part if there are many', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'first');
    for (let n = 0; n < 21; n += 1)
      await Promise.all(Array.from({ length: 50 }, async () => assertDone(await roll(team, 'pack', 'p'))));
    await rotate(team, 'p', 'second');
    const parts = [];
    for (let path: string | undefined = '/users/p/proof?epoch=0'; path !== undefined; ) {
      const part: ApiResponse = assertDone(await team.get(path));
      parts.push(part.body);
      path = /<([^>]+)>/.exec(part.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(
      parts.map(({ receipts }) => receipts.length),
      // Beginning with the rotation and the receipt before.
      [1001, 54],
    );
    for (const part of parts) assert.equal(verified(part).isSound, true);
    const { body: whole } = assertDone(await team.get('/users/p/proof?epoch=all'));
    assert.deepEqual(verified(whole).counts, { verified: 1052, sealed: 0, failed: 0 });
    assertInvalid(await team.get('/users/p/proof?epoch=all&from=1'), '/query/from');
  });

  test('name the receipt in the response, and link it to the one before', async () => {
    const team = await teamWithTemplates();
    const { rotation } = await rotate(team, 'p', 'seed');
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(assertDone(await roll(team, 'banner', 'p')).body.fairness);
    const [, ...listed] = await receiptsOf(team, 'p');
    assert.deepEqual(
      answers,
      listed.map(({ hash, receipt }) => ({ epoch: 0, nonce: receipt.nonce, receipt: hash })),
    );
    assert.deepEqual(
      listed.map(({ receipt }) => receipt.previous),
      [rotation, ...listed.map(({ hash }) => hash)].slice(0, 3),
    );
    const { nonce, head } = (await team.get('/users/p/fairness')).body;
    assert.deepEqual([nonce, head], [3, listed[2]?.hash]);
  });

  test('give a proof with everything that is needed, and snapshots that anyone can read', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    for (const template of ['banner', 'pack']) assertDone(await roll(team, template, 'p'));
    await rotate(team, 'p', 'two');
    const { body: proof } = assertDone(await team.get('/users/p/proof?epoch=0'));
    assert.deepEqual(
      proof.receipts.map(({ kind, scope }: { kind: string; scope?: string }) => [kind, scope]),
      [
        ['rotate', undefined],
        ['roll', 'group:g'],
        ['roll', 'template:pack'],
        ['rotate', undefined],
      ],
    );
    for (const [hash, text] of Object.entries(proof.snapshots as Record<string, string>)) {
      assert.equal(hashOf(text), hash);
      const open = await service().anyone().get(`/public/${team.teamId}/snapshots/${hash}`);
      // A manifest is for the player alone.
      assert.equal(open.status, text.includes('"templates"') ? 404 : 200);
      if (open.status === 200) assert.equal(JSON.stringify(open.body), text);
      assertNotFound(await service().anyone().get(`/public/${service().teamId}/snapshots/${hash}`));
    }
    assertNotFound(
      await service()
        .anyone()
        .get(`/public/${team.teamId}/snapshots/${'0'.repeat(64)}`),
    );
    const { body: part } = await team.get('/users/p/proof?epoch=0&from=1');
    assert.equal(part.receipts.length, 4, 'both rotations, the roll, and the one before it');
    assertNotFound(await team.get('/users/p/proof?epoch=2'));
    assertNotFound(await team.get('/users/nobody/proof'));
  });

  describe('are refused', () => {
    test('without a client seed, without a user, and with a seed', async () => {
      const team = await teamWithTemplates();
      assertConflict(await roll(team, 'banner', 'p'), '/body/userId');
      assertConflict(await team.post('/items/roll', { userId: 'p' }), '/body/userId');
      assertDone(await team.post('/users/p/fairness'));
      assertConflict(await roll(team, 'banner', 'p'), '/body/userId');
      assertInvalid(await team.post('/templates/banner/roll', {}), '/body/userId');
      assertInvalid(await roll(team, 'shrine', 'p', { seed: 'mine' }), '/body/seed');
      assertDone(await team.post('/items/roll'));
      assertDone(await team.post('/templates/banner/roll', { test: true }));
      assert.deepEqual(await receiptsOf(team, 'p'), []);
    });

    test('after a change, until the player rotates', async () => {
      const team = await teamWithTemplates();
      await rotate(team, 'p', 'one');
      assertDone(await roll(team, 'banner', 'p'));
      assertDone(await team.put('/items/club', { rollNumerator: 2 }));
      assert.equal((await team.get('/users/p/fairness')).body.mustRotate, true);
      assertConflict(await roll(team, 'banner', 'p'), '/body/userId');
      assertConflict(await team.post('/items/roll', { userId: 'p' }), '/body/userId');
      const before = (await team.get('/users/p/fairness')).body;
      await rotate(team, 'p', 'two');
      assertDone(await roll(team, 'banner', 'p'));
      assertDone(await team.put('/items/club', { rollNumerator: 1 }));
      assertConflict(await roll(team, 'banner', 'p'), '/body/userId');
      assert.equal(before.nonce, 1);
      // What changes nothing about a roll needs no rotation.
      await rotate(team, 'p', 'three');
      assertDone(await team.put('/items/club', { thumbnail: 'club.png', width: 2 }));
      assertDone(await team.put('/templates/banner', { name: 'Another name' }));
      assertDone(await roll(team, 'banner', 'p'));
    });

    test('never because a bag is full after the draw', async () => {
      const team = await teamWithTemplates();
      assertDone(await team.post('/spaces', { id: 'pouch', name: 'Pouch', cols: 1, rows: 1 }));
      await rotate(team, 'p', 'one');
      const { id: pouch } = assertDone(await team.post('/users/p/spaces', { spaceId: 'pouch' })).body;
      const rolled = await roll(team, 'banner', 'p', { count: 3, userSpaceId: pouch, onFull: 'unplaced' });
      assert.deepEqual(
        assertDone(rolled).body.rolls.map(({ placed }: { placed?: boolean }) => placed),
        [undefined, false, false],
      );
      assertConflict(await roll(team, 'banner', 'p', { userSpaceId: pouch }), '/body/userSpaceId');
      assert.equal((await team.get('/users/p/fairness')).body.nonce, 1, 'a refusal leaves nothing');
    });
  });

  test('reject client seeds that are old, empty, too long or not characters', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    const { nextCommitment: commitment, nextManifest: manifest } = (await team.get('/users/p/fairness')).body;
    const send = (clientSeed: unknown) => team.post('/users/p/fairness/rotate', { clientSeed, commitment, manifest });
    for (const seed of ['one', '', 'x'.repeat(192), 'a\u0007', 7, null, '\ud800'])
      assertInvalid(await send(seed), '/body/clientSeed');
    assertInvalid(
      await team.post('/users/p/fairness/rotate', { clientSeed: 'x', commitment: 'A', manifest }),
      '/body/commitment',
    );
    assertNotFound(await team.post('/users/nobody/fairness/rotate', { clientSeed: 'x', commitment, manifest }));
    assertDone(await send('☘'.repeat(191)));
  });

  test('of two rotations at once with the same commitment, one is done', async () => {
    const team = await teamWithTemplates();
    const { nextCommitment: commitment, nextManifest: manifest } = (await team.post('/users/p/fairness')).body;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        team.post('/users/p/fairness/rotate', { clientSeed: `s${n}`, commitment, manifest }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(409)]);
    assert.equal((await receiptsOf(team, 'p')).length, 1);
  });

  test('of one player from two nodes at once have every nonce once, also while the player rotates', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'start');
    // Two connections of one process to an SQLite file would wait for each other.
    const node = engine === 'postgres' ? await startService(service().databaseUrl) : service();
    try {
      const there = node.anyone(`Basic ${btoa(`${team.teamId}:${team.secret}`)}`);
      const callers = Array.from({ length: 64 }, (_, n) => (n % 2 === 0 ? team : there));
      const rolls = callers.map((caller, n) => roll(caller as Client, n % 4 < 2 ? 'banner' : 'pack', 'p'));
      const answers = await Promise.all([...rolls, rotate(team, 'p', 'meanwhile').then(() => null)]);
      for (const answer of answers) if (answer !== null) assertDone(answer);
    } finally {
      if (engine === 'postgres') await node.stop();
    }
    const { receipt } = await rotate(team, 'p', 'end');
    const listed = await receiptsOf(team, 'p');
    const rolled = listed.filter((one) => one.receipt.kind === 'roll');
    assert.equal(rolled.length, 64);
    for (const epoch of [0, 1]) {
      const chain = rolled.filter((one) => one.receipt.epoch === epoch);
      assert.deepEqual(
        chain.map((one) => one.receipt.nonce),
        chain.map((_, index) => index),
      );
      const [opening, closing] = [epoch, epoch + 1].map((number) =>
        listed.find((one) => one.receipt.kind === 'rotate' && one.receipt.epoch === number),
      );
      assert.deepEqual(
        [closing?.receipt.count, closing?.receipt.head],
        [chain.length, (chain.at(-1) ?? opening)?.hash],
      );
    }
    assert.equal(receipt.epoch, 2);
  });

  test('that are repeated with the same key have one receipt', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    const send = () =>
      team.request('POST', '/templates/banner/roll', { userId: 'p' }, { headers: { 'idempotency-key': 'k' } });
    const [first, again] = [await send(), await send()];
    assert.deepEqual(again.body, assertDone(first).body);
    assert.equal((await team.get('/users/p/fairness')).body.nonce, 1);
  });

  test('of a deleted player are gone, and a new player with the same id starts from scratch', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    assertDone(await roll(team, 'banner', 'p'));
    const stats = (await team.get('/roll-events/stats')).body;
    assertDone(await team.delete('/users/p'));
    for (const path of ['fairness', 'receipts', 'proof']) assertNotFound(await team.get(`/users/p/${path}`));
    assert.deepEqual((await team.get('/roll-events/stats')).body, stats);
    assert.equal((await rotate(team, 'p', 'one')).epoch, 0);
    assert.equal(assertDone(await roll(team, 'banner', 'p')).body.fairness.nonce, 0);
  });

  test('use the seeds in force, whatever another node has done since the last roll', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    const other = await startService(service().databaseUrl);
    try {
      const there = other.anyone(`Basic ${btoa(`${team.teamId}:${team.secret}`)}`) as Client;
      const positionOf = async (caller: Client) => {
        const { epoch, nonce } = assertDone(await roll(caller, 'banner', 'p')).body.fairness;
        return [epoch, nonce];
      };
      assert.deepEqual(
        [await positionOf(team), await positionOf(there), await positionOf(team)].flat(),
        [0, 0, 0, 1, 0, 2],
      );
      await rotate(there, 'p', 'two');
      assert.deepEqual([await positionOf(team), await positionOf(there)].flat(), [1, 0, 1, 1]);
      // The same id, and the same epoch, but other seeds.
      assertDone(await there.delete('/users/p'));
      await rotate(there, 'p', 'three');
      await rotate(there, 'p', 'four');
      assert.deepEqual([await positionOf(there), await positionOf(team)].flat(), [1, 0, 1, 1]);
      for (let n = 0; n < 20; n += 1) await positionOf(team);
      await rotate(team, 'p', 'five');
      await logAll(service());
      const { counts } = verified(assertDone(await team.get('/users/p/proof?epoch=1')).body);
      assert.deepEqual(counts, { verified: 25, sealed: 0, failed: 0 });
      // All rolls since then are those of the new player.
      const rolls = await service().database.read(team.teamId, ({ queries, teamId }) =>
        queries
          .selectFrom('users')
          .innerJoin('roll_events', (join) =>
            join
              .onRef('users.team_id', '=', 'roll_events.team_id')
              .onRef('users.roller_id', '=', 'roll_events.roller_id'),
          )
          .where('users.team_id', '=', teamId)
          .where('users.id', '=', 'p')
          .select('roll_events.id')
          .execute(),
      );
      assert.equal(rolls.length, 22);
    } finally {
      await other.stop();
    }
  });

  test('continue their chain when a template is deleted and created again', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    assertDone(await roll(team, 'pack', 'p'));
    const { id, name, type, config, verifiable } = (await team.get('/templates/pack')).body;
    assertDone(await team.delete('/templates/pack'));
    assertDone(await team.post('/templates', { id, name, type, config, verifiable }));
    assert.equal(assertDone(await roll(team, 'pack', 'p')).body.fairness.nonce, 1);
  });

  test('begin once, also after one that was rejected', async () => {
    const empty = await createEmptyDatabase(engine);
    const node = await startService(empty.url, { METRICS: 'on' });
    try {
      const team = await teamWithTemplates(node);
      const collisions = async (): Promise<string | undefined> =>
        /reason="collision"\} (\d+)/.exec(await (await fetch(`${node.address}/metrics`)).text())?.[1];
      await rotate(team, 'p', 'one');
      assertDone(await team.put('/items/club', { rollNumerator: 7 }));
      assertConflict(await roll(team, 'pack', 'p'), '/body/userId');
      const before = await collisions();
      assertConflict(await roll(team, 'pack', 'p'), '/body/userId');
      assert.equal(await collisions(), before);
    } finally {
      await node.stop();
      await empty.drop();
    }
  });

  test('make public what they are made on, even if the first one was rolled back', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'first');
    const { database } = service();
    const catalogs = createCatalogs(database.read);
    const salts = createSalts(createIdentities(), createTeamKeys(database.write));
    const deps = { salts, manifests: createManifests(), recentSeeds: createRecentSeeds() };
    const begin = (isRolledBack: boolean) =>
      database.write(team.teamId, async (work) => {
        const on = salts.of(work, await catalogs.current(work));
        const [epoch] = await holdAll(work, holdEpoch(work, 'p', on, deps));
        beginRoll(work, { teamId: team.teamId, nowMs: Date.now() }, epoch);
        if (isRolledBack) throw new Error('rolled back');
        return { hidden: epoch.hidden.length, wasPublished: on.isPublished };
      });
    await assert.rejects(begin(true), /rolled back/);
    assert.deepEqual(await begin(false), { hidden: 2, wasPublished: false });
    assert.deepEqual(await begin(false), { hidden: 0, wasPublished: false });
    assert.deepEqual(await begin(false), { hidden: 0, wasPublished: true });
  });

  test('are listed page by page, and by epoch', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    for (const template of ['banner', 'pack', 'banner']) assertDone(await roll(team, template, 'p'));
    await rotate(team, 'p', 'two');
    const all = await receiptsOf(team, 'p');
    assert.equal(all.length, 5);
    const paged = [];
    for (let path: string | undefined = '/users/p/receipts?limit=2'; path !== undefined; ) {
      const page: ApiResponse = assertDone(await team.get(path));
      paged.push(...page.body);
      path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(paged, all);
    assert.equal((await receiptsOf(team, 'p', '?epoch=1')).length, 1);
    const cursor = Buffer.from(JSON.stringify([0, 'x'])).toString('base64url');
    assertInvalid(await team.get(`/users/p/receipts?cursor=${cursor}`), '/query/cursor');
  });

  test('are not seen by another team', async () => {
    const team = await teamWithTemplates();
    await rotate(team, 'p', 'one');
    const other = await service().anotherTeam();
    for (const path of ['fairness', 'receipts', 'proof']) assertNotFound(await other.get(`/users/p/${path}`));
  });
});
