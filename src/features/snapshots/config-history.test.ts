import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { longItems } from '../../../test/catalogs.ts';
import { recordAll } from '../../../test/chores.ts';
import { type Client, onEveryQuietDatabase } from '../../../test/harness.ts';
import { assertDone, assertInvalid, keepsTheRulesOfAccess } from '../../../test/rules.ts';
import { createCompute } from '../../compute/compute.ts';
import { digestOf } from '../../shared/digest.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createWholeCatalogs } from '../catalog/document.service.ts';
import { findUnrecorded, saveRecorded } from './config-history.service.ts';

interface Row {
  readonly version: number;
  readonly from: string;
  readonly to: string | null;
  readonly config: string | null;
  readonly tiers: { readonly name: string; readonly base: number }[] | null;
}

const START = Date.parse('2026-11-14T09:30:00.000Z');
const at = (ms: number): string => new Date(START + ms).toISOString();

const banner = (five = 1) => ({ baseRates: { five, four: 9 }, pityThreshold: 20 });
const DOCUMENT = {
  formatVersion: 1,
  attributes: [{ id: 'power', name: 'Power', min: 0, max: 10, step: 0.5 }],
  classifiers: [
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: ['five', 'four'].map((id) => ({ id, name: id, dropRateMultiplier: null })),
    },
  ],
  spaces: [],
  items: [
    {
      id: 'crown',
      name: 'Crown',
      classifierOptionIds: ['five'],
      itemAttributes: [{ id: 'crown-power', attributeId: 'power', min: 1, max: 2 }],
    },
    { id: 'axe', name: 'Axe', classifierOptionIds: ['four'] },
    { id: 'bow', name: 'Bow', classifierOptionIds: ['four'], rollNumerator: 50 },
  ],
  templates: [{ id: 'banner', name: 'Banner', type: 'gacha', config: banner() }],
};

onEveryQuietDatabase('recording what was configured', (service) => {
  /** A team with a catalog at version 1, published at the start. */
  const teamWithCatalog = async (): Promise<Client> => {
    const team = await service().anotherTeam();
    service().setClock(START);
    assertDone(await team.post('/catalog/publish', { ...DOCUMENT, baseVersion: 0 }));
    return team;
  };

  const history = async (team: Client, id = 'banner', query = ''): Promise<Row[]> => {
    await recordAll(service());
    return assertDone(await team.get(`/templates/${id}/odds/history${query}`)).body;
  };
  const versionsOf = (rows: readonly Row[]) => rows.map(({ version }) => version);

  const rowsOf = (team: Client) =>
    service().database.read(team.teamId, ({ queries }) =>
      queries
        .selectFrom('template_versions')
        .select(['template_id', 'version', 'config'])
        .where('team_id', '=', team.teamId)
        .orderBy('template_id')
        .orderBy('version')
        .execute(),
    );

  test('gives the hash that everything else gives, and texts that have it', async () => {
    const team = await teamWithCatalog();
    const [row] = await history(team);
    const { config } = assertDone(
      await team.post('/templates/simulate', { templateId: 'banner', players: 1, rolls: 1, seed: 'x' }),
    ).body;
    assert.equal(row?.config, config);
    const texts = await service().database.read(team.teamId, ({ queries }) =>
      queries.selectFrom('snapshots').select(['hash', 'text']).where('team_id', '=', team.teamId).execute(),
    );
    // The same pool, since all items are in the tiers, and a configuration of the template and of rolls without one.
    assert.equal(texts.length, 3);
    for (const { hash, text } of texts) assert.equal(digestOf(text), hash);
    const snapshot = JSON.parse(texts.find(({ hash }) => hash === config)?.text ?? '');
    assert.deepEqual([snapshot.templateId, snapshot.type, snapshot.config], ['banner', 'gacha', banner()]);
    const pool = JSON.parse(texts.find(({ hash }) => hash === snapshot.pool)?.text ?? '');
    assert.deepEqual(pool.items[2], {
      ...{ id: 'crown', name: 'Crown', rollNumerator: 100, optionIds: ['five'] },
      attributes: [{ id: 'crown-power', attributeId: 'power', min: 1, max: 2, step: 0.5 }],
    });
  });

  test('tells apart all versions within a second, each with its time', async () => {
    const team = await teamWithCatalog();
    for (const ms of [1, 2, 3, 250, 999]) {
      service().setClock(START + ms);
      assertDone(await team.put('/templates/banner', { config: banner(1 + ms) }));
    }
    const rows = await history(team);
    assert.deepEqual(
      rows.map(({ version, from, to }) => [version, from, to]),
      [
        [6, at(999), null],
        [5, at(250), at(999)],
        [4, at(3), at(250)],
        [3, at(2), at(3)],
        [2, at(1), at(2)],
        [1, at(0), at(1)],
      ],
    );
    assert.equal(new Set(rows.map(({ config }) => config)).size, 6);
    assert.deepEqual(
      rows.map(({ tiers }) => tiers?.map(({ name, base }) => [name, base])[0]),
      [1000, 251, 4, 3, 2, 1].map((five) => (five > 9 ? ['four', 9 / (five + 9)] : ['five', five / (five + 9)])),
    );
  });

  test('notes only what decides the odds', async () => {
    const team = await teamWithCatalog();
    assertDone(await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 2 }));
    assertDone(await team.put('/templates/banner', { name: 'The banner' }));
    assertDone(await team.put('/items/axe', { width: 2, thumbnail: 'axe.png' }));
    assertDone(await team.post('/templates', { id: 'other', name: 'Other', config: banner(3) }));
    assert.deepEqual(versionsOf(await history(team)), [1]);
    assert.deepEqual(versionsOf(await history(team, 'other')), [5]);
    assertDone(await team.put('/items/axe', { rollNumerator: 7 }));
    assertDone(await team.put('/attributes/power', { step: 1 }));
    assertDone(await team.put('/items/bow', { name: 'Long bow' }));
    assertDone(await team.post('/items', { id: 'rock', name: 'Rock' }));
    // The last item is in no tier, so only rolls without a template change.
    assert.deepEqual(versionsOf(await history(team)), [8, 7, 6, 1]);
    const plain = (await rowsOf(team)).filter(({ template_id }) => template_id === '');
    assert.deepEqual(
      plain.map(({ version }) => version),
      [1, 6, 7, 8, 9],
    );
  });

  test('recognizes a configuration that comes back', async () => {
    const team = await teamWithCatalog();
    assertDone(await team.put('/templates/banner', { config: banner(2) }));
    assertDone(await team.put('/templates/banner', { config: banner() }));
    const rows = await history(team);
    assert.deepEqual(versionsOf(rows), [3, 2, 1]);
    assert.equal(rows[0]?.config, rows[2]?.config);
    assert.notEqual(rows[0]?.config, rows[1]?.config);
    assert.deepEqual(rows[0]?.tiers, rows[2]?.tiers);
  });

  test('keeps the history of a template that is deleted, and goes on when its id is used again', async () => {
    const team = await teamWithCatalog();
    service().setClock(START + 5);
    assertDone(await team.delete('/templates/banner'));
    const gone = await history(team);
    assert.deepEqual(
      gone.map(({ version, to, config, tiers }) => [version, to, config === null, tiers?.length]),
      [
        [2, null, true, 0],
        [1, at(5), false, 2],
      ],
    );
    assert.equal((await team.get('/templates/banner/odds')).status, 404);
    assertDone(await team.get(`/templates/banner/odds?config=${gone[1]?.config}`));
    assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config: banner() }));
    const again = await history(team);
    assert.deepEqual(versionsOf(again), [3, 2, 1]);
    assert.equal(again[0]?.config, gone[1]?.config);
  });

  test('notes that nothing could be rolled', async () => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/items', { id: 'axe', name: 'Axe', rollNumerator: 0 }));
    await recordAll(service());
    assert.deepEqual(await rowsOf(team), []);
    for (const rollNumerator of [1, 0, 1]) assertDone(await team.put('/items/axe', { rollNumerator }));
    await recordAll(service());
    assert.deepEqual(
      (await rowsOf(team)).map(({ template_id, version, config }) => [template_id, version, config === null]),
      [
        ['', 2, false],
        ['', 3, true],
        ['', 4, false],
      ],
    );
  });

  test('keeps no pool that is too large', async () => {
    const team = await teamWithCatalog();
    const changes = longItems(230, (index) => (index < 190 ? ['four'] : []));
    assertDone(await team.post('/catalog/publish', { changes, baseVersion: 1 }));
    await recordAll(service());
    const rows = await rowsOf(team);
    assert.deepEqual(
      rows.map(({ template_id, version, config }) => [template_id, version, config === null]),
      [
        ['', 1, false],
        ['', 2, true],
        ['banner', 1, false],
        ['banner', 2, false],
      ],
    );
    const texts = await service().database.read(team.teamId, ({ queries }) =>
      queries.selectFrom('snapshots').select('text').where('team_id', '=', team.teamId).execute(),
    );
    const longest = Math.max(...texts.map(({ text }) => text.length));
    assert.ok(longest > 3_000_000 && longest <= LIMITS.snapshotLength, `${longest} characters`);
    const changed = { kind: 'template', id: 'banner', after: { ...DOCUMENT.templates[0], config: {} } };
    assertDone(await team.post('/catalog/publish', { changes: [changed], baseVersion: 2 }));
    const [row] = await history(team);
    assert.deepEqual([row?.version, row?.config, row?.tiers], [3, null, []]);
  });

  /** As if nothing but the first version was recorded, and the service was down since. */
  const forget = (team: Client) =>
    service().database.transaction(team.teamId, async ({ queries }) => {
      const later = queries.deleteFrom('template_versions').where('team_id', '=', team.teamId);
      await later.where('version', '>', 1).execute();
      await queries.deleteFrom('snapshots').where('team_id', '=', team.teamId).execute();
      await queries.updateTable('noted_versions').set({ version: 1 }).where('team_id', '=', team.teamId).execute();
    });

  test('skips versions if there are too many changes, and attributes nothing to them', async () => {
    const team = await teamWithCatalog();
    for (let five = 2; five <= 12; five += 1) assertDone(await team.put('/templates/banner', { config: banner(five) }));
    await recordAll(service());
    await service().database.transaction(team.teamId, async ({ queries }) => {
      const large = queries.updateTable('catalog_versions').set({ changes: LIMITS.changesPerRecording });
      await large.where('team_id', '=', team.teamId).where('version', '=', 9).execute();
    });
    await forget(team);
    await recordAll(service());
    const rows = (await rowsOf(team)).map(({ template_id, version, config }) => [
      template_id,
      version,
      config === null,
    ]);
    assert.deepEqual(rows, [
      ['', 1, false],
      ['', 2, true],
      ['', 10, false],
      ['banner', 1, false],
      ['banner', 2, true],
      ['banner', 10, false],
      ['banner', 11, false],
      ['banner', 12, false],
    ]);
  });

  test('keeps of many versions only those that were rolled on, and the last', async () => {
    const team = await teamWithCatalog();
    for (let five = 2; five <= 30; five += 1) {
      assertDone(await team.put('/templates/banner', { config: banner(five) }));
      if (five === 7) assertDone(await team.post('/templates/banner/roll', {}));
    }
    assertDone(await team.post('/items', { id: 'rock', name: 'Rock' }));
    await recordAll(service());
    await forget(team);
    const rows = await history(team);
    assert.deepEqual(
      versionsOf(rows),
      [30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11],
    );
    const older = await history(team, 'banner', `?cursor=${Buffer.from('[0,"11"]').toString('base64url')}`);
    assert.deepEqual(versionsOf(older), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    const kept = [...rows, ...older].filter(({ tiers }) => tiers !== null);
    assert.deepEqual(versionsOf(kept), [30, 7]);
    const brief = rows[5];
    assert.match(brief?.config ?? '', /^[0-9a-f]{64}$/);
    assert.equal((await team.get(`/templates/banner/odds?config=${brief?.config}`)).status, 404);
    // A configuration that comes back is kept.
    assertDone(await team.put('/templates/banner', { config: banner(25) }));
    const [again] = await history(team);
    assert.equal(again?.config, rows[5]?.config);
    assert.equal(again?.tiers?.length, 2);
  });

  test('is done once, whichever node comes first', async () => {
    const team = await teamWithCatalog();
    for (let five = 2; five < 12; five += 1) assertDone(await team.put('/templates/banner', { config: banner(five) }));
    await Promise.all(Array.from({ length: 3 }, () => recordAll(service())));
    assert.deepEqual(versionsOf(await history(team)), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('saves nothing that was found before a backup was restored', async () => {
    const team = await teamWithCatalog();
    await recordAll(service());
    const { database } = service();
    const claimed = (due_at: number) =>
      database.transaction('', async ({ queries }) => {
        await queries.updateTable('chores').set({ due_at }).where('name', '=', 'versions').execute();
      });
    // Nobody else notes anything meanwhile.
    await claimed(START + 60_000);
    assertDone(await team.put('/templates/banner', { config: banner(2) }));
    const deps = { read: database.read, compute: createCompute(), readWhole: createWholeCatalogs() };
    const found = await findUnrecorded(deps, team.teamId);
    assert.ok(found !== undefined);
    const before = await rowsOf(team);
    const stale = { ...found, known: { ...found.known, versionId: 'another' } };
    assert.equal(await database.transaction(team.teamId, (tx) => saveRecorded(tx, stale)), false);
    assert.equal(await database.transaction('nobody', (tx) => saveRecorded(tx, found)), false);
    assert.deepEqual(await rowsOf(team), before);
    assert.equal(await database.transaction(team.teamId, (tx) => saveRecorded(tx, found)), true);
    assert.equal(await database.transaction(team.teamId, (tx) => saveRecorded(tx, found)), false);
    assert.equal((await rowsOf(team)).length, before.length + 1);
    await deps.compute.close();
    await claimed(0);
  });

  describe('the history of odds', () => {
    let team: Client;
    const seen = new Map<string | null, unknown>();
    before(async () => {
      team = await teamWithCatalog();
      for (let five = 2; five <= 45; five += 1) {
        service().setClock(START + 1000 * five);
        assertDone(await team.put('/templates/banner', { config: banner(five) }));
        if (five % 15 !== 0) continue;
        await recordAll(service());
        const [row] = await history(team);
        seen.set(row?.config ?? null, assertDone(await team.get('/templates/banner/odds')).body);
      }
    });

    test('comes in pages that fit together', async () => {
      await recordAll(service());
      const all: Row[] = [];
      for (let path: string | undefined = '/templates/banner/odds/history?limit=1000'; path !== undefined; ) {
        const { body, headers } = assertDone(await team.get(path));
        assert.ok(body.length <= LIMITS.listedConfigs);
        all.push(...body);
        path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      }
      assert.deepEqual(
        versionsOf(all),
        Array.from({ length: 45 }, (_, index) => 45 - index),
      );
      for (const [index, { to }] of all.entries()) assert.equal(to, all[index - 1]?.from ?? null);
      const few = await team.get('/templates/banner/odds/history?limit=2');
      assert.deepEqual(few.body, all.slice(0, 2));
    });

    test('has odds that can be computed again', async () => {
      assert.equal(seen.size, 3);
      for (const [config, odds] of seen)
        assert.deepEqual(assertDone(await team.get(`/templates/banner/odds?config=${config}`)).body, odds);
    });

    test('knows only configurations of the template', async () => {
      const other = await teamWithCatalog();
      assertDone(await other.post('/templates', { id: 'mine', name: 'Mine', config: banner(77) }));
      const [row] = await history(other, 'mine');
      const notFound = async (caller: Client, path: string) => assert.equal((await caller.get(path)).status, 404, path);
      assertDone(await other.get(`/templates/mine/odds?config=${row?.config}`));
      await notFound(other, `/templates/banner/odds?config=${row?.config}`);
      await notFound(team, `/templates/mine/odds?config=${row?.config}`);
      await notFound(team, `/templates/banner/odds?config=${row?.config}`);
      const { pool } = await service().database.read(other.teamId, async ({ queries }) => {
        const { text } = await queries
          .selectFrom('snapshots')
          .select('text')
          .where('team_id', '=', other.teamId)
          .where('hash', '=', row?.config as string)
          .executeTakeFirstOrThrow();
        return JSON.parse(text);
      });
      await notFound(other, `/templates/mine/odds?config=${pool}`);
      for (const hash of ['0'.repeat(64), 'x', '%00', '0'.repeat(191), row?.config?.toUpperCase()])
        await notFound(other, `/templates/mine/odds?config=${hash}`);
      await notFound(team, '/templates/mine/odds/history');
      await notFound(team, '/templates/%00/odds/history');
      await notFound(team, '/templates/nothing/odds/history');
    });

    test('rejects what makes no sense', async () => {
      assertInvalid(await team.get('/templates/banner/odds?config='), '/query/config');
      assertInvalid(await team.get(`/templates/banner/odds?config=${'0'.repeat(192)}`), '/query/config');
      assertInvalid(
        await team.get('/templates/banner/odds/history?limit=0&version=3'),
        '/query/limit',
        '/query/version',
      );
      for (const id of ['x', '-1', '1e9', '99999999999'])
        assertInvalid(
          await team.get(
            `/templates/banner/odds/history?cursor=${Buffer.from(JSON.stringify([1, id])).toString('base64url')}`,
          ),
          '/query/cursor',
        );
      const [row] = await history(team);
      assertInvalid(await team.get(`/templates/banner/odds?config=${row?.config}&depth=1`), '/query/depth');
    });

    test('has the odds of offers at a depth', async () => {
      const config = { baseRates: { five: 1, four: 9 }, choices: 1, depthScaling: { five: 1.5 } };
      assertDone(await team.post('/templates', { id: 'offers', name: 'Offers', type: 'roguelike', config }));
      const [row] = await history(team, 'offers');
      for (const depth of [0, 3]) {
        const now = assertDone(await team.get(`/templates/offers/odds?depth=${depth}`)).body;
        const kept = await team.get(`/templates/offers/odds?depth=${depth}&config=${row?.config}`);
        assert.deepEqual(assertDone(kept).body, now);
      }
    });

    keepsTheRulesOfAccess(service, [{ method: 'GET', path: '/templates/banner/odds/history', changes: false }]);
  });
});
