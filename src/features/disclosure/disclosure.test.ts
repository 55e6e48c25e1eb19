import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { lookAtAll, recordAll } from '../../../test/chores.ts';
import { type ApiResponse, type Client, onEveryDatabase, startService } from '../../../test/harness.ts';
import { assertDone, assertInvalid, assertNotFound, NOT_FOUND } from '../../../test/rules.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { type Compute, createCompute } from '../../compute/compute.ts';
import { createPublicReads } from '../../database/public-reads.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createWholeCatalogs } from '../catalog/document.service.ts';
import { createCatalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { createIdentities } from '../receipts/identities.service.ts';
import { doesTeamExist } from '../teams/teams.service.ts';
import { createReadyTemplates } from '../templates/compiled-templates.service.ts';
import { createKeptOdds } from '../templates/kept-odds.service.ts';
import { createDisclosures } from './disclosure.service.ts';

interface Odds {
  readonly config: string;
  readonly from: string;
  readonly tiers: { tier: string; name: string; base: number; effective: number }[];
  readonly items: { itemId: string; base: number }[];
  readonly pity: { tier: string; threshold: number; byRoll: { from: number; to: number; rate: number }[] }[];
  readonly pack: { contains: { tier: string; rate: number }[] } & Record<string, unknown>;
  readonly results: {
    rolls: number;
    tiers: { tier: string; share: number; expected: number }[];
    evidence: number;
    templateEvidence: number;
  };
}

const NOON = Date.parse('2026-11-14T12:00:00.000Z');
const MINUTE = 60_000;
const at = (ms: number): string => new Date(NOON + ms).toISOString();

const baseRates = { five: 0.006, four: 0.051, three: 0.943 };
const soft = { pityThreshold: 90, softPity: [{ from: 74, add: 0.06 }] };
const packRates = { five: 0.05, four: 0.15, three: 0.8 };
const CONFIGS = {
  banner: {
    type: 'gacha',
    config: {
      ...{ baseRates, ...soft, pities: [{ tier: 'four', threshold: 10, softPity: [{ from: 9, add: 0.51 }] }] },
      ...{ featuredItemIds: ['five-1'], featuredShare: 0.5, guaranteeAfterLosses: 1, sparkCurrency: 300 },
      ...{ startsAt: '2026-11-01T00:00:00+01:00', endsAt: '2030-01-01T00:00:00Z' },
    },
  },
  pack: {
    type: 'card_pack',
    config: {
      ...{ baseRates: packRates, unique: true, pityThreshold: 10 },
      slots: [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }],
    },
  },
  offers: {
    type: 'roguelike',
    config: { baseRates: { five: 0.05, four: 0.25, three: 0.7 }, depthScaling: { five: 1.1 }, pityThreshold: 8 },
  },
  hours: { type: 'idle', config: { baseRates: { five: 1, three: 9 }, rollsPerHour: 60, featuredItemIds: ['three-1'] } },
};
type Id = keyof typeof CONFIGS;

const COUNTS = { five: 4, four: 4, three: 8 };
const option = (id: string) => ({ id, name: id, dropRateMultiplier: null as number | null });
const DOCUMENT = {
  formatVersion: 1,
  attributes: [],
  classifiers: [{ id: 'rarity', name: 'Rarity', classifierOptions: Object.keys(COUNTS).map(option) }],
  spaces: [],
  items: Object.entries(COUNTS).flatMap(([tier, count]) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ id: `${tier}-${index + 1}`, name: `${tier} no. ${index + 1}`, classifierOptionIds: [tier] },
    })),
  ),
  templates: Object.entries(CONFIGS).map(([id, template]) => ({
    id,
    name: `The ${id}`,
    disclosure: 'public',
    ...template,
  })),
};

const NOTHING = { attributes: [], spaces: [], items: [], templates: [] };

const withoutHash = (policy: string): string => policy.replace(/'sha256-[^']+'/, "'sha256-…'");

onEveryDatabase('disclosure', (service) => {
  const teamWithTemplates = async (): Promise<Client> => {
    const team = await service().anotherTeam();
    service().setClock(NOON);
    assertDone(await team.post('/catalog/publish', { ...DOCUMENT, baseVersion: 0 }));
    await recordAll(service());
    return team;
  };
  const pathOf = ({ teamId }: Pick<Client, 'teamId'>, id: string, rest = ''): string =>
    `/public/${teamId}/templates/${id}${rest}`;
  /** As anyone reads it, without a secret. */
  const read = (team: Pick<Client, 'teamId'>, id: string, rest = '', headers: Record<string, string> = {}) =>
    service()
      .anyone()
      .get(pathOf(team, id, rest), { headers });
  const oddsOf = async (team: Client, id: string): Promise<Odds> => assertDone(await read(team, id, '/odds')).body;
  const pageOf = async (team: Client, id: string): Promise<string> => assertDone(await read(team, id)).body;
  const allOf = (team: Pick<Client, 'teamId'>, id: string): Promise<ApiResponse[]> =>
    Promise.all(['/odds', '/history', ''].map((rest) => read(team, id, rest)));

  test('gives the odds of all four game systems to anyone, as their owner gets them', async () => {
    const team = await teamWithTemplates();
    for (const id of Object.keys(CONFIGS) as Id[]) {
      const { templateId, name, type, config, from, startsAt, endsAt, tiers, items, ...rules } = (await oddsOf(
        team,
        id,
      )) as Odds & Record<string, unknown>;
      const { curve: _, ...own } = assertDone(await team.get(`/templates/${id}/odds`)).body;
      const [{ config: hash }] = assertDone(await team.get(`/templates/${id}/odds/history`)).body;
      assert.deepEqual({ templateId, tiers, items }, own, id);
      assert.deepEqual([name, type, config, from], [`The ${id}`, CONFIGS[id].type, hash, at(0)]);
      const period = id === 'banner' ? ['2026-10-31T23:00:00.000Z', '2030-01-01T00:00:00.000Z'] : [null, null];
      assert.deepEqual([startsAt, endsAt], period, id);
      assert.deepEqual(Object.keys(rules), [
        ...['pity', 'featured', 'sparkCurrency', 'pack', 'depths', 'idle', 'attributes'],
        ...['attributeNames', 'pityGroup', 'announced', 'results'],
      ]);
    }
  });

  test('tells featured items, the guarantee and the price of spark', async () => {
    const team = await teamWithTemplates();
    const rulesOf = async (id: Id) => {
      const { featured, sparkCurrency } = assertDone(await read(team, id, '/odds')).body;
      return [featured, sparkCurrency];
    };
    assert.deepEqual(await rulesOf('banner'), [{ itemIds: ['five-1'], share: 0.5, guaranteeAfterLosses: 1 }, 300]);
    assert.deepEqual(await rulesOf('pack'), [null, null]);
    // Featured items of a lower tier have no share of the top tier.
    assert.deepEqual(await rulesOf('hours'), [{ itemIds: ['three-1'], share: null, guaranteeAfterLosses: null }, null]);
    const config = { baseRates, featuredItemIds: ['five-2', 'five-1'], rateUpMultiplier: 3 };
    assertDone(await team.post('/templates', { id: 'up', name: 'Up', config, disclosure: 'public' }));
    await recordAll(service());
    const [featured] = await rulesOf('up' as Id);
    assert.deepEqual(featured, { itemIds: ['five-1', 'five-2'], share: 6 / 8, guaranteeAfterLosses: null });
  });

  test('tells the rate of a tier on each roll exactly as players find it', async () => {
    const team = await teamWithTemplates();
    const { pity } = await oddsOf(team, 'banner');
    assert.deepEqual(
      pity.map(({ tier, threshold, byRoll }) => [tier, threshold, byRoll.length, byRoll.at(-1)?.to]),
      [
        ['five', 90, 18, 90],
        ['four', 10, 3, 10],
      ],
    );
    assert.deepEqual(pity[0]?.byRoll[0], { from: 1, to: 73, rate: 0.006 });
    assert.equal(pity[0]?.byRoll.at(-1)?.rate, 1);
    const rateOf = (tier: string, roll: number): number | undefined =>
      pity.find((one) => one.tier === tier)?.byRoll.find(({ from, to }) => from <= roll && roll <= to)?.rate;
    // Draws near 1 give the last tier as long as it can come up.
    service().setDraws(() => 1 - 2 ** -53);
    const nextOf = async (): Promise<Record<string, number>> => {
      const { next } = assertDone(await team.get('/users/ann/templates/banner')).body;
      return Object.fromEntries(next.map(({ tier, rate }: { tier: string; rate: number }) => [tier, rate]));
    };
    assertDone(await team.post('/users', { id: 'ann' }));
    for (let roll = 1; roll <= 90; roll += 1) {
      const next = await nextOf();
      assert.equal(next.five, rateOf('five', roll), `five on roll ${roll}`);
      // The second pity then gives a four on every tenth roll.
      const since = ((roll - 1) % 10) + 1;
      if (roll <= 73) assert.equal(next.four, rateOf('four', since), `four on roll ${roll}`);
      assertDone(await team.post('/templates/banner/roll', { userId: 'ann' }));
    }
    service().setDraws();
  });

  test('tells what one card and one pack give', async () => {
    const team = await teamWithTemplates();
    const near = (value: number | undefined, expected: number): void =>
      assert.ok(Math.abs((value as number) - expected) < 1e-4, `${value} is not ${expected}`);
    const { pack, pity } = await oddsOf(team, 'pack');
    assert.deepEqual(pack, {
      ...{ cards: 5, unique: true, contains: pack.contains, depthScaling: [] },
      slots: [
        { count: 4, tiers: ['five', 'four', 'three'].map((tier) => ({ tier, rate: packRates[tier as 'five'] })) },
        {
          count: 1,
          tiers: [
            { tier: 'five', rate: 0.1 },
            { tier: 'four', rate: 0.9 },
            { tier: 'three', rate: 0 },
          ],
        },
      ],
    });
    // Known answers: 73.26 % of fresh packs have no card of the top tier.
    near(pack.contains[0]?.rate, 1 - 0.7326);
    assert.deepEqual(pity, [
      {
        ...{ tier: 'five', threshold: 10, higherResets: false },
        byRoll: [
          { from: 1, to: 9, rate: pack.contains[0]?.rate },
          { from: 10, to: 10, rate: 1 },
        ],
      },
    ]);
    const offers = await oddsOf(team, 'offers');
    near(offers.pack.contains[0]?.rate, 0.142625);
    assert.deepEqual(offers.pity[0]?.byRoll.at(-1), { from: 8, to: 8, rate: 1 });
    assert.deepEqual(offers.pack.depthScaling, [{ tier: 'five', factor: 1.1 }]);
    assert.equal((await oddsOf(team, 'hours')).pack, null);
  });

  test('does not tell templates that are not public from those that do not exist', async () => {
    const team = await teamWithTemplates();
    const other = await service().anotherTeam();
    assertDone(await team.put('/templates/pack', { disclosure: 'private' }));
    assertDone(await team.post('/templates', { id: 'secret', name: 'Secret', config: {} }));
    assertDone(await team.delete('/templates/offers'));
    await recordAll(service());
    const nobody = { teamId: 'nobody' };
    for (const [owner, id] of [
      [team, 'pack'],
      [team, 'secret'],
      [team, 'offers'],
      [team, 'unknown'],
      [other, 'banner'],
      [nobody, 'banner'],
      [nobody, '%00'],
    ] as const)
      for (const response of await allOf(owner, id)) {
        assertNotFound(response);
        assert.deepEqual(response.body, NOT_FOUND, `${owner.teamId} ${id}`);
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.equal(response.headers.get('etag'), null);
      }
    // Whoever has a secret gets no more here.
    assertNotFound(await team.get(pathOf(team, 'pack', '/odds')));
    assertDone(await team.put('/templates/pack', { disclosure: 'public' }));
    await delay(LIMITS.rememberedAbsenceMs);
    for (const response of await allOf(team, 'pack')) assertDone(response);
  });

  test('rejects unknown query parameters and ids that are too long', async () => {
    const team = await teamWithTemplates();
    for (const rest of ['/odds', '/history', '']) {
      assertInvalid(await read(team, 'banner', `${rest}?depth=1`), '/query/depth');
      assertInvalid(await read(team, 'x'.repeat(192), rest), '/path/id');
    }
  });

  /** Keeps the service from recording anything, as long as another node would do it. */
  const withoutRecording = async (use: () => Promise<void>): Promise<void> => {
    const setDue = (due_at: number): Promise<unknown> =>
      service().database.transaction('', ({ queries }) =>
        queries
          .insertInto('chores')
          .values({ name: 'versions', due_at, position: '' })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ due_at }))
          .execute(),
      );
    await setDue(NOON + LIMITS.removalPassMs);
    try {
      await use();
    } finally {
      await setDue(0);
    }
  };

  test('has the odds that rolls use at once, however late they are recorded', async () => {
    const team = await teamWithTemplates();
    const checkAll = async (): Promise<void> => {
      for (const id of ['banner', 'pack', 'new']) {
        const own = await team.get(`/templates/${id}/odds`);
        const [odds, history, page] = (await allOf(team, id)) as [ApiResponse, ApiResponse, ApiResponse];
        if (own.status !== 200) {
          for (const response of [odds, page]) assertNotFound(response);
          continue;
        }
        const { templateId, tiers, items, config, from } = assertDone(odds).body;
        const { curve: _, ...published } = own.body;
        assert.deepEqual({ templateId, tiers, items }, published);
        const [last, before] = assertDone(history).body;
        assert.deepEqual([last.config, last.from, last.to, last.tiers], [config, from, null, tiers]);
        assert.ok(before === undefined || (before.to === from && before.config !== config));
        assertDone(page);
      }
    };
    const steps: (() => Promise<ApiResponse>)[] = [
      () => team.post('/templates', { id: 'new', name: 'New', config: {}, disclosure: 'public' }),
      () => team.put('/items/five-2', { rollNumerator: 900 }),
      () => team.put('/templates/banner', { config: { baseRates: { five: 0.9, three: 0.1 } } }),
      () => team.post('/items', { id: 'another', name: 'Another', classifierOptionIds: ['three'] }),
      () => team.put('/items/five-2', { rollNumerator: 100 }),
    ];
    await withoutRecording(async () => {
      for (const [index, step] of steps.entries()) {
        service().setClock(NOON + (index + 1) * MINUTE);
        assertDone(await step());
        await checkAll();
      }
      const { length } = assertDone(await team.get('/templates/banner/odds/history')).body;
      assert.equal(length, 1, 'nothing was recorded');
    });
    const before = await oddsOf(team, 'banner');
    await recordAll(service());
    await checkAll();
    assert.equal((await oddsOf(team, 'banner')).config, before.config);
    assert.equal(assertDone(await read(team, 'banner', '/history')).body.length, 5);
  });

  test('has no odds, but a history, while a template cannot be rolled on', async () => {
    const team = await teamWithTemplates();
    const row = { team_id: team.teamId, template_id: 'pack', version: 1, config: null };
    await service().database.transaction(team.teamId, async ({ queries }) => {
      await queries
        .deleteFrom('template_versions')
        .where('team_id', '=', row.team_id)
        .where('template_id', '=', 'pack')
        .execute();
      await queries.insertInto('template_versions').values(row).execute();
    });
    const [odds, history, page] = (await allOf(team, 'pack')) as [ApiResponse, ApiResponse, ApiResponse];
    assertNotFound(odds);
    assertNotFound(page);
    assert.deepEqual(assertDone(history).body, [{ version: 1, from: at(0), to: null, config: null, tiers: [] }]);
  });

  test('keeps the odds that there were, with their dates and the names of then', async () => {
    const team = await teamWithTemplates();
    const before = await oddsOf(team, 'banner');
    service().setClock(NOON + 5000);
    const config = { ...CONFIGS.banner.config, baseRates: { five: 0.02, four: 0.08, three: 0.9 } };
    assertDone(await team.put('/templates/banner', { config }));
    const renamed = DOCUMENT.classifiers[0]?.classifierOptions.map(({ id }) => ({ id, name: `${id} stars` }));
    service().setClock(NOON + 9000);
    assertDone(await team.put('/classifiers/rarity', { classifierOptions: renamed }));
    await recordAll(service());
    const after = await oddsOf(team, 'banner');
    assert.notEqual(after.config, before.config);
    assert.equal(after.from, at(9000));
    const { body } = assertDone(await read(team, 'banner', '/history'));
    assert.deepEqual(body, assertDone(await team.get('/templates/banner/odds/history')).body);
    type Row = { version: number; from: string; to: string | null; config: string; tiers: Odds['tiers'] };
    assert.deepEqual(
      body.map((row: Row) => [row.version, row.from, row.to, row.tiers[0]?.name, row.tiers[0]?.base]),
      [
        [3, at(9000), null, 'five stars', 0.02],
        [2, at(5000), at(9000), 'five', 0.02],
        [1, at(0), at(5000), 'five', 0.006],
      ],
    );
    assert.deepEqual([body[0].config, body[2].config], [after.config, before.config]);
    assert.deepEqual(body[2].tiers, before.tiers);
    const page = await pageOf(team, 'banner');
    for (const text of ['14 Nov 2026, 12:00', 'five</bdi> 0.6 %', 'five stars</bdi> 2 %', after.config])
      assert.ok(page.includes(text), text);
  });

  test('lists only the newest versions of a long history, and says so on the page', async () => {
    const team = await teamWithTemplates();
    for (let version = 0; version < LIMITS.disclosedVersions + 2; version += 1)
      assertDone(
        await team.put('/templates/hours', { config: { ...CONFIGS.hours.config, rollsPerHour: version + 1 } }),
      );
    await recordAll(service());
    const { body } = assertDone(await read(team, 'hours', '/history'));
    assert.equal(body.length, LIMITS.disclosedVersions);
    assert.equal(body[0].version, LIMITS.disclosedVersions + 3);
    assert.match(await pageOf(team, 'hours'), /Earlier versions are not listed/);
    assert.doesNotMatch(await pageOf(team, 'pack'), /Earlier versions are not listed/);
  });

  test('may be cached for a minute, and is not sent again to those who have it', async () => {
    const team = await teamWithTemplates();
    for (const rest of ['/odds', '/history', '']) {
      const first = assertDone(await read(team, 'banner', rest));
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"[0-9a-f]{32}(?:-gzip)?"$/);
      assert.equal(first.headers.get('cache-control'), 'public, max-age=60');
      for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await read(team, 'banner', rest, { 'if-none-match': tags });
        assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', etag], `${rest} ${tags}`);
        assert.equal(again.headers.get('cache-control'), 'public, max-age=60');
      }
      assert.equal((await read(team, 'banner', rest, { 'if-none-match': '"other"' })).status, 200);
    }
    const tagsOf = async () => (await allOf(team, 'banner')).map(({ headers }) => headers.get('etag'));
    const before = await tagsOf();
    assert.deepEqual(await tagsOf(), before);
    assertDone(await team.put('/templates/banner', { name: 'Renamed' }));
    const [odds, history, page] = await tagsOf();
    assert.deepEqual([odds === before[0], history === before[1], page === before[2]], [false, true, false]);
    assert.equal((await read(team, 'banner', '/odds')).body.name, 'Renamed');
    assertDone(await team.put('/templates/banner', { config: { ...CONFIGS.banner.config, sparkCurrency: 200 } }));
    await recordAll(service());
    for (const [index, tag] of (await tagsOf()).entries()) assert.notEqual(tag, [odds, history, page][index]);
  });

  test('counts results once a minute, and tells roughly how many there are', async () => {
    const team = await teamWithTemplates();
    assert.deepEqual((await oddsOf(team, 'banner')).results, { rolls: 0, tiers: [], evidence: 1, templateEvidence: 1 });
    assert.match(await pageOf(team, 'banner'), /Nothing has been rolled with these odds yet/);
    service().setDraws(cheapDraws(7));
    for (const [userId, count] of [
      ['ann', 100],
      ['bob', 34],
    ] as const)
      assertDone(await team.post('/templates/banner/roll', { userId, count }));
    service().setDraws();
    assert.equal((await oddsOf(team, 'banner')).results.rolls, 0, 'nothing is counted again yet');
    await lookAtAll(service(), { clock: () => NOON });
    service().setClock(NOON + MINUTE);
    const { results } = await oddsOf(team, 'banner');
    assert.equal(results.rolls, 130);
    const [{ rows, evidence, rolls }] = assertDone(await team.get('/roll-events/evidence?templateId=banner')).body;
    assert.equal(rolls, 134);
    const shares = rows
      .filter(({ kind }: { kind: string }) => kind === 'tier')
      .map(({ id, hits, expected }: { id: string; hits: number; expected: number }) => ({
        tier: id,
        share: Number((hits / 134).toPrecision(4)),
        // What was promised for these rolls, given the counters that they met.
        expected: Number((expected / 134).toPrecision(4)),
      }));
    assert.deepEqual(results.tiers, shares);
    const promised = results.tiers.reduce((sum, { expected }) => sum + expected, 0);
    assert.ok(Math.abs(promised - 1) < 1e-3);
    assert.equal(results.evidence, Number(evidence.toPrecision(2)));
    assert.match(
      await pageOf(team, 'banner'),
      /These odds have applied to about 130 rolls so far[\s\S]*No evidence against the published odds/,
    );
    // Other odds have results of their own.
    assertDone(await team.put('/templates/banner', { config: { ...CONFIGS.banner.config, sparkCurrency: 200 } }));
    await recordAll(service());
    assert.equal((await oddsOf(team, 'banner')).results.rolls, 0);
  });

  test('tells when results speak against the odds', async () => {
    const team = await teamWithTemplates();
    service().setDraws(() => 0);
    assertDone(await team.post('/templates/hours/roll', { userId: 'ann' }));
    service().setClock(NOON + 60 * MINUTE);
    assertDone(await team.post('/templates/hours/roll', { userId: 'ann' }));
    service().setDraws();
    await lookAtAll(service(), { clock: () => NOON + 60 * MINUTE });
    const { results } = await oddsOf(team, 'hours');
    assert.deepEqual([results.rolls, results.tiers[0]], [60, { tier: 'five', share: 1, expected: 0.1 }]);
    assert.ok(results.evidence > 1e6);
    const page = await pageOf(team, 'hours');
    assert.match(
      page,
      /class="verdict bad">Evidence 1 : [\w,. ]+ against the published odds\. The alarm was raised on/,
    );
  });

  test('computes everything once, whoever asks at the same time', async () => {
    const team = await teamWithTemplates();
    const real = createCompute();
    const jobs: string[] = [];
    const compute: Compute = {
      ...real,
      run: (teamId, name, ...rest) => {
        jobs.push(name);
        return real.run(teamId, name, ...rest);
      },
    };
    let nowMs = NOON;
    const reads = createPublicReads(service().database.read, doesTeamExist, () => performance.now());
    const disclosures = createDisclosures({
      ...{ reads, compute, readWhole: createWholeCatalogs(), clock: () => nowMs },
      keptOdds: createKeptOdds(compute),
      readyTemplates: createReadyTemplates(createCatalogs(service().database.read), compute),
      identities: createIdentities(),
    });
    const { signal } = new AbortController();
    const pageIn =
      (language: 'en' | 'de'): typeof disclosures.odds =>
      (teamId, id, aborted) =>
        disclosures.page(teamId, id, language, aborted);
    const askAll = (): Promise<unknown> =>
      Promise.all(
        Array.from({ length: 10 }, () => [pageIn('en'), pageIn('de'), disclosures.odds, disclosures.history])
          .flat()
          .map((ask) => ask(team.teamId, 'banner', signal)),
      );
    await askAll();
    await askAll();
    assert.deepEqual(jobs.toSorted(), ['disclosure', 'snapshotOdds']);
    assertDone(await team.post('/templates/banner/roll', { count: 3 }));
    await askAll();
    assert.equal(jobs.length, 2, 'results are as of a minute ago');
    nowMs += MINUTE;
    await askAll();
    assert.deepEqual(jobs.slice(2), ['tierResults']);
    for (const id of ['unknown', 'x'.repeat(191)]) await assert.rejects(pageIn('en')(team.teamId, id, signal));
    assert.equal(jobs.length, 3, 'nothing is computed for others');
    await real.close();
  });

  test('has a page without scripts that loads nothing and may be shown in a frame', async () => {
    const team = await teamWithTemplates();
    for (const id of Object.keys(CONFIGS)) {
      const { body: page, headers } = assertDone(await read(team, id));
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('x-frame-options'), null);
      const policy = headers.get('content-security-policy') ?? '';
      assert.equal(
        withoutHash(policy),
        "default-src 'none'; style-src 'sha256-…'; base-uri 'none'; form-action 'none'",
      );
      const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
      assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`));
      assert.match(page, /^<!doctype html>\n<html lang="en">/);
      assert.ok(page.includes(`<title>Odds of The ${id}</title>`));
      const markup = page.replace(/<style>[\s\S]*?<\/style>/, '');
      assert.doesNotMatch(markup, /<script|\ssrc=|\son\w+=|\sstyle=|<link|<iframe|<img|javascript:/i);
      const links = [...markup.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
      const others = ['ja', 'ko', 'zh', 'de'].map((language) => `${id}?lang=${language}`);
      assert.deepEqual(links, [...others, `${id}/odds`, `${id}/history`]);
    }
  });

  test('says on the page what the numbers say', async () => {
    const team = await teamWithTemplates();
    const said = async (id: Id): Promise<string> =>
      (await pageOf(team, id))
        .replace(/<style>[\s\S]*?<\/style>/, '')
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ');
    const banner = await said('banner');
    for (const text of [
      '31 October 2026 at 23:00 UTC to 1 January 2030 at 00:00 UTC',
      'five 0.6 % 1.605 % 62.3 76 rolls 90',
      'After 89 rolls in a row without five , the next roll is certain to give five .',
      'From the 74th roll on, the chance is higher than usual.',
      'After 9 rolls in a row without four , the next roll is certain to give four or a rarer tier.',
      'A result of five is featured with a chance of 50 % .',
      'After one result of five that was not featured, the next one is certain to be.',
      'For 300 points , players can choose a featured item',
      'five no. 1 featured 0.3 %',
      'Version 1 of the catalog, configuration',
    ])
      assert.ok(banner.includes(text), `${text} in ${banner}`);
    const pack = await said('pack');
    for (const text of [
      'One pack 5 different cards',
      'After 9 packs in a row without five , the next pack is certain to contain five .',
      '1–4 5 % 15 % 80 %',
      '5 10 % 90 % 0 %',
    ])
      assert.ok(pack.includes(text), `${text} in ${pack}`);
    assert.ok((await said('offers')).includes('multiplies rates: that of five by 1.1'));
    assert.doesNotMatch(await said('hours'), /pity|Pity/);
  });

  test('escapes whatever names contain', async () => {
    const team = await service().anotherTeam();
    const evil = `<script>alert("1")</script>'&amp;<b>`;
    const shown = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;amp;&lt;b&gt;';
    const classifierOptions = [{ ...option('five'), name: evil }, option('three')];
    const classifiers = [{ id: 'rarity', name: 'Rarity', classifierOptions }];
    assertDone(
      await team.post('/catalog/publish', { ...{ formatVersion: 1, classifiers, baseVersion: 0 }, ...NOTHING }),
    );
    const items = [
      ['a', 'five', `${evil}!`],
      ['b', 'three', 'B'],
    ] as const;
    for (const [id, tier, name] of items)
      assertDone(await team.post('/items', { id, name, classifierOptionIds: [tier] }));
    const config = { baseRates: { five: 1, three: 9 }, pityThreshold: 20, featuredItemIds: ['a'], sparkCurrency: 9 };
    const id = 'a:b.c';
    assertDone(await team.post('/templates', { id, name: evil, config, disclosure: 'public' }));
    await recordAll(service());
    const page = await pageOf(team, id);
    assert.doesNotMatch(page.replace(/<style>[\s\S]*?<\/style>/, ''), /<script|<b>|"1"|\)<\/script/);
    assert.ok(page.includes(`<title>Odds of ${shown}</title>`));
    assert.ok(page.includes(`<h1 dir="auto">${shown}</h1>`));
    assert.ok(page.includes(`<bdi>${shown}!</bdi>`));
    assert.ok(page.includes(`aria-label="Chance of ${shown}"`));
    assert.ok(page.includes('href="a%3Ab.c/odds"'));
    assert.equal((await read(team, 'a%3Ab.c', '/odds')).body.name, evil);
  });

  test('lists a thousand items on the page, those of rare tiers first, and all of them as JSON', async () => {
    const team = await service().anotherTeam();
    const items = Array.from({ length: LIMITS.disclosedItems + 200 }, (_, index) => ({
      ...{ id: `i${index}`, name: `Item ${index}`, classifierOptionIds: [index % 10 === 0 ? 'five' : 'three'] },
    }));
    const templates = [
      { id: 'many', name: 'Many', type: 'gacha', config: { baseRates: { five: 1, three: 9 } }, disclosure: 'public' },
    ];
    assertDone(await team.post('/catalog/publish', { ...DOCUMENT, items, templates, baseVersion: 0 }));
    await recordAll(service());
    assert.equal((await oddsOf(team, 'many')).items.length, 1200);
    const page = await pageOf(team, 'many');
    const listed = [...page.matchAll(/<bdi>Item (\d+)<\/bdi>/g)].map(([, number]) => Number(number));
    assert.equal(listed.length, 1000);
    assert.ok(listed.slice(0, 120).every((number) => number % 10 === 0));
    assert.match(
      page,
      /The 1,000 items of the rarest tiers are listed here\. <a href="many\/odds"[^>]*>All 1,200 items as JSON/,
    );
  });

  test('stays under the path prefix of the service, and may be read from other origins', async () => {
    const behind = await startService(service().databaseUrl, { PATH_PREFIX: '/game', CORS_ORIGINS: '*' });
    try {
      const team = await teamWithTemplates();
      const address = `${behind.address}/game${pathOf(team, 'banner')}`;
      const response = await fetch(address, { headers: { origin: 'https://game.example' } });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      for (const [, href] of (await response.text()).matchAll(/href="([^"]*)"/g)) {
        const linked = new URL(href as string, address);
        assert.match(linked.pathname, /^\/game\/public\//);
        assert.equal((await fetch(linked)).status, 200);
      }
    } finally {
      await behind.stop();
    }
  });
});
