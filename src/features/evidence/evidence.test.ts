import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { pino } from 'pino';
import { longItems } from '../../../test/catalogs.ts';
import { freezeAll, lookAtAll, recordAll } from '../../../test/chores.ts';
import { type Client, onEveryQuietDatabase, type Service, startService } from '../../../test/harness.ts';
import { assertDone, assertInvalid, keepsTheRulesOfAccess } from '../../../test/rules.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { createCompute } from '../../compute/compute.ts';
import type { Observe } from '../../engine/evidence/observation.ts';
import { createObserver } from '../../engine/evidence/observation.ts';
import { logOfStreams } from '../../engine/evidence/starts.ts';
import { type ConfigSnapshot, templateFromSnapshot } from '../../engine/fairness/snapshots.ts';
import type { Draws } from '../../engine/random.ts';
import { rollTemplate } from '../../engine/systems/rolling.ts';
import { initialState, type TemplateState } from '../../engine/systems/state.ts';
import { LIMITS } from '../../shared/limits.ts';
import { countRolls, foldCounts } from '../statistics/roll-counts.service.ts';
import { findFreeze, findOldDays, saveFreeze } from './freezing.service.ts';
import type { Stream } from './observed-streams.service.ts';
import { type DueStream, findDueStreams, saveLook } from './streams.service.ts';

interface Row {
  readonly kind: string;
  readonly id: string | null;
  readonly rolls: number;
  readonly hits: number;
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  readonly evidence: number;
}
interface Evidence {
  readonly templateId: string | null;
  readonly config: string;
  readonly since: string;
  readonly rolls: number;
  readonly evidence: number;
  readonly greatest: number;
  readonly threshold: number;
  readonly alarmedAt: string | null;
  readonly templateEvidence: number;
  readonly teamEvidence: number;
  readonly rows: Row[];
}

const NOON = Date.parse('2026-11-14T12:00:00.000Z');
const DAY = 86_400_000;

const baseRates = { five: 1, four: 9, three: 90 };
const CONFIGS = {
  banner: { type: 'gacha', config: { baseRates, pityThreshold: 30, softPity: [{ from: 20, add: 0.08 }] } },
  guarantee: {
    type: 'gacha',
    config: {
      ...{ baseRates, pityThreshold: 20, pities: [{ tier: 'four', threshold: 8 }] },
      ...{ featuredItemIds: ['five-1'], featuredShare: 0.5, guaranteeAfterLosses: 1 },
    },
  },
  pack: {
    type: 'card_pack',
    config: {
      baseRates,
      slots: [{ count: 3 }, { count: 1, rates: { five: 1, four: 4 } }],
      unique: true,
      pityThreshold: 5,
    },
  },
  offers: { type: 'roguelike', config: { baseRates, choices: 3, depthScaling: { five: 1.2 }, pityThreshold: 6 } },
  hours: { type: 'idle', config: { baseRates, rollsPerHour: 60, maxHours: 24, pityThreshold: 30 } },
};
type Id = keyof typeof CONFIGS;

const item = (tier: string, index: number) => ({
  ...{ id: `${tier}-${index}`, name: `${tier} ${index}`, classifierOptionIds: [tier], rollNumerator: 10 * index },
});
const documentWith = (...ids: Id[]) => ({
  formatVersion: 1,
  attributes: [],
  classifiers: [
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: Object.keys(baseRates).map((id) => ({ id, name: id, dropRateMultiplier: null })),
    },
  ],
  spaces: [],
  items: Object.keys(baseRates).flatMap((tier) => [1, 2, 3].map((index) => item(tier, index))),
  templates: ids.map((id) => ({ id, name: id, ...CONFIGS[id] })),
});

/** Draws that are a little too low, so that rarer tiers, which come first, are too frequent. */
const rigged = (seed: number, power = 1.15): Draws => {
  const draws = cheapDraws(seed);
  return () => draws() ** power;
};

/** What the tests do with a running service. */
const toolsOf = (service: () => Service) => {
  const teamWith = async (...ids: Id[]): Promise<Client> => {
    const team = await service().anotherTeam();
    service().setClock(NOON);
    assertDone(await team.post('/catalog/publish', { ...documentWith(...ids), baseVersion: 0 }));
    await recordAll(service());
    return team;
  };

  const evidenceOf = async (team: Client, query = ''): Promise<Evidence[]> =>
    assertDone(await team.get(`/roll-events/evidence${query}`)).body;

  /** What is recorded of a team, pending or not, as sums by template, version, class and outcome. */
  const recorded = (team: Client) =>
    service().database.read(team.teamId, async ({ queries }) => {
      const added = await queries.selectFrom('roll_evidence').selectAll().where('team_id', '=', team.teamId).execute();
      const waiting = await queries.selectFrom('roll_pending').selectAll().where('team_id', '=', team.teamId).execute();
      const sums: Record<string, number> = {};
      for (const { template_id, version, evidence } of [
        ...added.map(({ counts, ...row }) => ({ ...row, evidence: counts })),
        ...waiting,
      ]) {
        const list: (string | number)[] = JSON.parse(evidence ?? '[]');
        for (let index = 0; index < list.length; index += 3) {
          const key = `${template_id} ${version} ${list[index]} ${list[index + 1]}`;
          sums[key] = (sums[key] ?? 0) + (list[index + 2] as number);
        }
      }
      return sums;
    });

  const withDraws = async <T>(draws: Draws, work: () => Promise<T>): Promise<T> => {
    service().setDraws(draws);
    try {
      return await work();
    } finally {
      service().setDraws();
    }
  };

  const roll = async (team: Client, id: Id, body: object = {}) =>
    assertDone(await team.post(`/templates/${id}/roll`, body)).body;

  const templateOf = async (team: Client, id: Id) => {
    const [{ config } = { config: '' }] = await evidenceOf(team, `?templateId=${id}`);
    return service().database.read(team.teamId, async ({ queries }) => {
      const textOf = async (hash: string): Promise<string> => {
        const rows = queries.selectFrom('snapshots').select('text').where('team_id', '=', team.teamId);
        return (await rows.where('hash', '=', hash).executeTakeFirstOrThrow()).text;
      };
      const snapshot = JSON.parse(await textOf(config)) as ConfigSnapshot;
      return { template: templateFromSnapshot(snapshot, await textOf(snapshot.pool)), config };
    });
  };
  return { teamWith, evidenceOf, recorded, withDraws, roll, templateOf };
};

onEveryQuietDatabase('evidence', (service) => {
  const { teamWith, evidenceOf, recorded, withDraws, roll, templateOf } = toolsOf(service);

  describe('that is recorded', () => {
    const CALLS: [id: Id, users: readonly (string | undefined)[], body: object, depth: number][] = [
      ['banner', ['ann', 'bob', undefined], { count: 10 }, 0],
      ['guarantee', ['ann', undefined], { count: 25 }, 0],
      ['pack', ['ann', 'bob', undefined], { count: 3 }, 0],
      ['offers', ['ann', undefined], { count: 4, depth: 12 }, 12],
      ['hours', ['ann'], {}, 0],
    ];
    for (const [id, users, body, depth] of CALLS)
      test(`is what a replay observes: ${id}`, async () => {
        const team = await teamWith(id);
        const { template } = await templateOf(team, id);
        const observer = createObserver(template);
        const expected: Record<string, number> = {};
        const observe: Observe = (kind, outcome) => {
          const key = `${id} 1 ${kind} ${outcome}`;
          expected[key] = (expected[key] ?? 0) + 1;
        };
        const states = new Map<string | undefined, TemplateState | null>();
        const [there, here] = [cheapDraws(7), cheapDraws(7)];
        await withDraws(there, async () => {
          for (let call = 0; call < 12; call += 1)
            for (const userId of users) {
              const nowMs = NOON + call * 1_800_000;
              service().setClock(nowMs);
              const given = await roll(team, id, userId === undefined ? body : { ...body, userId });
              const before = userId === undefined ? null : (states.get(userId) ?? initialState());
              const request = { count: (body as { count?: number }).count ?? 1, depth, drawsOf: () => here, nowMs };
              const { results, state } = rollTemplate(template, before, request);
              states.set(userId, state);
              assert.deepEqual(
                given.rolls.map((one: { item: { id: string } }) => one.item.id),
                results.map((one) => one.item.id),
              );
              observer(before?.pity ?? null, results, depth, observe);
            }
        });
        assert.ok(Object.keys(expected).length > 5);
        assert.deepEqual(await recorded(team), expected);
        await service().database.transaction(team.teamId, (tx) => foldCounts(tx, 1000));
        assert.deepEqual(await recorded(team), expected);
      });

    test('includes rolls on all items, but not on some of them', async () => {
      const team = await teamWith();
      await withDraws(cheapDraws(3), async () => {
        for (let call = 0; call < 5; call += 1) {
          assertDone(await team.post('/items/roll'));
          assertDone(await team.post('/items/roll', { userId: 'ann', classifierOptionIds: [] }));
          assertDone(await team.post('/items/roll', { classifierOptionIds: ['five'] }));
        }
      });
      const sums = await recorded(team);
      for (const key of Object.keys(sums)) assert.match(key, /^ 1 i (five|four|three)-[123]$/);
      assert.equal(
        Object.values(sums).reduce((sum, count) => sum + count, 0),
        10,
      );
      const [plain, ...others] = await evidenceOf(team, '?templateId=');
      assert.deepEqual([plain?.templateId, plain?.rolls, others], [null, 10, []]);
      assert.equal((await team.get('/roll-events/stats')).body.totalRolls, 15);
    });

    test('does not include offers of a seeded run, nor test rolls', async () => {
      const team = await teamWith('offers');
      await roll(team, 'offers', { test: true });
      assertDone(await team.post('/items/roll', { test: true }));
      await roll(team, 'offers', { seed: 'run', depth: 2, count: 3 });
      await roll(team, 'offers', { seed: 'run', userId: 'ann' });
      assert.deepEqual(await recorded(team), {});
      await roll(team, 'offers', { userId: 'ann', depth: 1 });
      const [offers] = await evidenceOf(team, '?templateId=offers');
      assert.equal(offers?.rolls, 3);
    });

    test('is added up like the counts, whatever happens at the same time', async () => {
      const team = await teamWith('banner');
      const calls = Array.from({ length: 60 }, (_, index) => index);
      await Promise.all([
        ...calls.map((index) => roll(team, 'banner', { userId: `user-${index % 7}`, count: 2 })),
        ...calls.map(() => team.post('/items/roll')),
        ...Array.from({ length: 20 }, () => service().database.transaction(team.teamId, (tx) => foldCounts(tx, 3))),
      ]);
      await assert.rejects(
        service().database.transaction(team.teamId, async (tx) => {
          await foldCounts(tx, 1000);
          throw new Error('and then it fails');
        }),
        /and then it fails/,
      );
      const check = async () => {
        const listed = await evidenceOf(team);
        assert.deepEqual(Object.fromEntries(listed.map(({ templateId, rolls }) => [`${templateId}`, rolls])), {
          banner: 120,
          null: 60,
        });
        for (const { rows, rolls } of listed)
          for (const kind of ['tier', 'item'])
            assert.equal(
              rows.filter((row) => row.kind === kind).reduce((sum, { hits }) => sum + hits, 0),
              kind === 'tier' && rows.every((row) => row.kind !== 'tier') ? 0 : rolls,
            );
        return listed;
      };
      const before = await check();
      while ((await service().database.transaction(team.teamId, (tx) => foldCounts(tx, 50))) > 0);
      assert.deepEqual(await check(), before);
    });
  });

  describe('against odds that are kept', () => {
    test('is weak, however often one looks', async () => {
      const team = await teamWith('banner', 'guarantee');
      await withDraws(cheapDraws(11), async () => {
        for (let call = 0; call < 40; call += 1) {
          await roll(team, 'banner', { userId: `user-${call % 3}`, count: 50 });
          await roll(team, 'guarantee', { userId: `user-${call % 3}`, count: 50 });
          if (call % 10 === 9) await lookAtAll(service());
        }
      });
      const listed = await evidenceOf(team);
      assert.deepEqual(
        listed.map(({ templateId, rolls }) => [templateId, rolls]),
        [
          [null, 0],
          ['banner', 2000],
          ['guarantee', 2000],
        ],
      );
      for (const { evidence, greatest, threshold, alarmedAt } of listed) {
        assert.equal(threshold, 60);
        assert.ok(evidence < 20 && greatest < 20 && greatest >= Math.max(1, evidence), `${evidence} ${greatest}`);
        assert.equal(alarmedAt, null);
      }
    });

    test('is weak against 600 offers at depth 12', async () => {
      const team = await teamWith('offers');
      await withDraws(cheapDraws(12), async () => {
        for (let call = 0; call < 24; call += 1)
          await roll(team, 'offers', { userId: `user-${call % 2}`, depth: 12, count: 25 });
      });
      await lookAtAll(service());
      const [offers] = await evidenceOf(team, '?templateId=offers');
      assert.equal(offers?.rolls, 1800);
      assert.ok((offers?.evidence ?? 99) < 5, `${offers?.evidence}`);
      assert.equal(offers?.alarmedAt, null);
    });
  });

  describe('against odds that are not kept', () => {
    test('is found although it began on a later day', async () => {
      const team = await teamWith('banner');
      const observed = async (draws: Draws, day: number) => {
        service().setClock(NOON + day * DAY);
        await withDraws(draws, async () => {
          for (let call = 0; call < 10; call += 1)
            await roll(team, 'banner', { userId: `user-${call % 4}`, count: 100 });
        });
      };
      for (const day of [0, 1, 2]) await observed(cheapDraws(day + 20), day);
      const [sound] = await evidenceOf(team, '?templateId=banner');
      assert.ok((sound?.evidence ?? 99) < 20);
      for (const day of [3, 4, 5]) await observed(rigged(day), day);
      await lookAtAll(service(), { clock: () => NOON + 5 * DAY });
      const [banner] = await evidenceOf(team, '?templateId=banner');
      assert.equal(banner?.rolls, 6000);
      assert.ok((banner?.evidence ?? 0) > 1000, `${banner?.evidence}`);
      assert.equal(banner?.since, '2026-11-14T12:00:00.000Z');
    });
  });

  describe('of a stream', () => {
    const put = async (team: Client, five: number) =>
      assertDone(
        await team.put('/templates/banner', {
          config: { ...CONFIGS.banner.config, baseRates: { ...baseRates, five } },
        }),
      );

    test('begins anew with another configuration, and goes on when it comes back', async () => {
      const team = await teamWith('banner');
      await roll(team, 'banner', { count: 10 });
      await put(team, 2);
      await roll(team, 'banner', { count: 20 });
      await put(team, 1);
      await roll(team, 'banner', { count: 30 });
      await lookAtAll(service());
      const listed = await evidenceOf(team, '?templateId=banner');
      assert.deepEqual(
        listed.map(({ rolls }) => rolls),
        [40, 20],
      );
      const { body } = await team.get('/templates/banner/odds/history');
      assert.deepEqual(
        body.map(({ config }: { config: string }) => config),
        [listed[0]?.config, listed[1]?.config, listed[0]?.config],
      );
    });

    test('has one row per day, however many versions there are', async () => {
      const team = await teamWith('banner');
      const rowsOf = () =>
        service().database.read(team.teamId, ({ queries }) =>
          queries
            .selectFrom('roll_evidence')
            .select(['template_id', 'version', 'day', 'rolls'])
            .where('team_id', '=', team.teamId)
            .orderBy('version')
            .orderBy('day')
            .execute(),
        );
      for (const day of [0, 1])
        for (let index = 0; index < 4; index += 1) {
          service().setClock(NOON + day * DAY);
          await roll(team, 'banner', { count: 5 });
          assertDone(await team.post('/spaces', { name: 'Bag', cols: 1, rows: 1 }));
        }
      while ((await service().database.transaction(team.teamId, (tx) => foldCounts(tx, 50))) > 0);
      assert.equal((await rowsOf()).length, 8);
      const before = await recorded(team);
      await recordAll(service());
      const listed = await evidenceOf(team);
      await lookAtAll(service(), { clock: () => NOON + DAY });
      assert.deepEqual(
        (await rowsOf()).map((row) => ({ ...row })),
        [
          { template_id: 'banner', version: 1, day: '2026-11-14', rolls: 20 },
          { template_id: 'banner', version: 1, day: '2026-11-15', rolls: 20 },
        ],
      );
      const total = (sums: Record<string, number>) => Object.values(sums).reduce((sum, count) => sum + count, 0);
      assert.equal(total(await recorded(team)), total(before));
      // What combines configurations is as of the last look.
      const alone = (all: Evidence[]) => all.map((one) => ({ ...one, templateEvidence: 0, teamEvidence: 0 }));
      assert.deepEqual(alone(await evidenceOf(team)), alone(listed));
    });

    test('has no rolls on versions that are not noted yet, and all of them afterwards', async () => {
      const team = await teamWith('banner');
      /** Until then, nobody notes anything. */
      const claimed = (due_at: number) =>
        service().database.transaction('', async ({ queries }) => {
          await queries.updateTable('chores').set({ due_at }).where('name', '=', 'versions').execute();
        });
      const rolls = async () => (await evidenceOf(team, '?templateId=banner')).map((one) => one.rolls);
      await claimed(NOON + 60_000);
      await roll(team, 'banner', { count: 10 });
      await put(team, 2);
      await roll(team, 'banner', { count: 20 });
      assert.deepEqual(await rolls(), [10]);
      await claimed(0);
      await recordAll(service());
      assert.deepEqual(await rolls(), [20, 10]);
    });

    test('is kept when its template is deleted', async () => {
      const team = await teamWith('banner');
      await roll(team, 'banner', { count: 10 });
      assertDone(await team.delete('/templates/banner'));
      await lookAtAll(service());
      const [banner, ...others] = await evidenceOf(team, '?templateId=banner');
      assert.deepEqual([banner?.rolls, others], [10, []]);
      // The threshold is that of the streams that are still watched, or were when it was looked at.
      assert.equal(banner?.threshold, 20);
      assert.deepEqual(
        (await evidenceOf(team)).map(({ templateId }) => templateId),
        [null, 'banner'],
      );
    });

    test('has a threshold that rises with the number of streams, and never falls', async () => {
      const team = await teamWith('banner', 'pack', 'hours');
      const thresholds = async () => (await evidenceOf(team)).map(({ threshold }) => threshold);
      assert.deepEqual(await thresholds(), [80, 80, 80, 80]);
      await roll(team, 'banner', { count: 10 });
      await lookAtAll(service());
      for (const id of ['pack', 'hours']) assertDone(await team.delete(`/templates/${id}`));
      await recordAll(service());
      assert.deepEqual(
        (await evidenceOf(team)).map(({ templateId, threshold }) => [templateId, threshold]),
        [
          [null, 40],
          ['banner', 80],
        ],
      );
    });

    test('is not computed if its pool is too large to be kept', async () => {
      const team = await teamWith('banner');
      const changes = longItems(230);
      assertDone(await team.post('/catalog/publish', { changes, baseVersion: 1 }));
      for (let call = 0; call < 5; call += 1) assertDone(await team.post('/items/roll'));
      await lookAtAll(service());
      assert.deepEqual(await evidenceOf(team, '?templateId='), []);
      const due = await service().database.read(team.teamId, ({ queries }) =>
        queries.selectFrom('evidence_due').selectAll().where('team_id', '=', team.teamId).execute(),
      );
      assert.deepEqual(due, []);
    });
  });

  describe('for ever', () => {
    /** The time at which a day of the test is kept no longer. */
    const whenOld = (day: number): number => NOON + (LIMITS.evidenceDays + 1 + day) * DAY;

    const rollOnDay = async (team: Client, day: number, count: number): Promise<void> => {
      service().setClock(NOON + day * DAY);
      await withDraws(cheapDraws(day + 40), async () => {
        for (let left = count; left > 0; left -= 100)
          await roll(team, 'banner', { userId: `user-${day % 3}`, count: Math.min(100, left) });
      });
    };

    const frozenOf = (team: Client) =>
      service().database.read(team.teamId, ({ queries }) =>
        queries.selectFrom('evidence_frozen').selectAll().where('team_id', '=', team.teamId).execute(),
      );

    const daysOf = async (team: Client): Promise<string[]> => {
      const rows = await service().database.read(team.teamId, ({ queries }) =>
        queries.selectFrom('roll_evidence').select('day').where('team_id', '=', team.teamId).orderBy('day').execute(),
      );
      return rows.map(({ day }) => day);
    };

    const assertSame = (actual: Evidence | undefined, expected: Evidence | undefined): void => {
      const apart = Math.abs(Math.log((actual?.evidence ?? 0) / (expected?.evidence ?? 0)));
      assert.ok(apart < 1e-9, `${actual?.evidence} ${expected?.evidence}`);
      assert.deepEqual({ ...actual, evidence: 0 }, { ...expected, evidence: 0 });
    };

    const bannerOf = async (team: Client): Promise<Evidence | undefined> =>
      (await evidenceOf(team, '?templateId=banner'))[0];

    test('keeps the same evidence while its days are added up, one by one or together', async () => {
      const team = await teamWith('banner');
      for (const day of [0, 1, 2, 5]) await rollOnDay(team, day, 300);
      await lookAtAll(service(), { clock: () => NOON + 5 * DAY });
      const before = await bannerOf(team);
      assert.deepEqual([before?.rolls, before?.since], [1200, '2026-11-14T12:00:00.000Z']);
      for (const [lastOld, days, left] of [
        [0, 1, ['2026-11-15', '2026-11-16', '2026-11-19']],
        [2, 3, ['2026-11-19']],
        [9, 4, []],
      ] as const) {
        service().setClock(whenOld(lastOld));
        assertSame(await bannerOf(team), before);
        await freezeAll(service(), whenOld(lastOld));
        assert.deepEqual(await daysOf(team), left);
        const [frozen, ...others] = await frozenOf(team);
        assert.deepEqual([frozen?.days, frozen?.rolls, frozen?.since, others], [days, 300 * days, '2026-11-14', []]);
        assertSame(await bannerOf(team), before);
      }
      // Rolls go on, and everything counts.
      await rollOnDay(team, LIMITS.evidenceDays + 20, 200);
      const after = await bannerOf(team);
      assert.deepEqual([after?.rolls, after?.since], [1400, before?.since]);
    });

    test('counts what comes in late for a day that was added up', async () => {
      const team = await teamWith('banner');
      await rollOnDay(team, 0, 100);
      await rollOnDay(team, 3, 100);
      await lookAtAll(service());
      await freezeAll(service(), whenOld(0));
      await rollOnDay(team, -5, 50);
      const before = await bannerOf(team);
      assert.equal(before?.rolls, 250);
      await lookAtAll(service());
      await freezeAll(service(), whenOld(0));
      assert.deepEqual(await daysOf(team), ['2026-11-17']);
      const [frozen] = await frozenOf(team);
      assert.deepEqual([frozen?.days, frozen?.rolls], [1, 150]);
      // The rest is as of the last look.
      const ofLook = { greatest: 0, templateEvidence: 0, teamEvidence: 0 };
      assertSame({ ...before, ...(await bannerOf(team)), ...ofLook } as Evidence, { ...before, ...ofLook } as Evidence);
    });

    test('adds up days of one configuration under several versions, and not those that are not noted', async () => {
      const team = await teamWith('banner');
      await rollOnDay(team, 0, 100);
      assertDone(await team.post('/spaces', { name: 'Bag', cols: 1, rows: 1 }));
      await rollOnDay(team, 0, 100);
      while ((await service().database.transaction(team.teamId, (tx) => foldCounts(tx, 50))) > 0);
      await recordAll(service());
      const before = await bannerOf(team);
      await freezeAll(service(), whenOld(0));
      const [frozen] = await frozenOf(team);
      assert.deepEqual([frozen?.rolls, frozen?.days, frozen?.evidence], [200, 1, null]);
      assertSame(await bannerOf(team), before);
    });

    test('removes old days of configurations that are not kept', async () => {
      const team = await teamWith('banner');
      assertDone(await team.post('/catalog/publish', { changes: longItems(230), baseVersion: 1 }));
      service().setClock(NOON);
      assertDone(await team.post('/items/roll'));
      await lookAtAll(service());
      assert.deepEqual(await daysOf(team), ['2026-11-14']);
      await freezeAll(service(), whenOld(0));
      assert.deepEqual([await daysOf(team), await frozenOf(team)], [[], []]);
    });

    test('is saved by one of several that froze at the same time', async () => {
      const team = await teamWith('banner');
      for (const day of [0, 1]) await rollOnDay(team, day, 100);
      await lookAtAll(service());
      const { database } = service();
      const nowMs = whenOld(1);
      const deps = { read: database.read, compute: createCompute() };
      const { streams } = await database.read(team.teamId, (reader) => findOldDays(reader, nowMs));
      const [stream] = streams as [Stream];
      const found = await findFreeze(deps, team.teamId, stream, nowMs);
      assert.ok(found !== undefined);
      const save = () => database.transaction(team.teamId, (tx) => saveFreeze(tx, stream, found));
      await Promise.all([save(), save(), save()]);
      const [frozen, ...others] = await frozenOf(team);
      assert.deepEqual([frozen?.rolls, frozen?.days, others, await daysOf(team)], [200, 2, [], []]);
    });

    test('combines the configurations of a template, and those of a team', async () => {
      const team = await teamWith('banner', 'pack');
      await withDraws(rigged(9, 1.3), async () => {
        for (let five = 1; five <= 6; five += 1) {
          const config = { ...CONFIGS.banner.config, baseRates: { ...baseRates, five: five / 2 } };
          assertDone(await team.put('/templates/banner', { config }));
          await recordAll(service());
          for (let call = 0; call < 4; call += 1) await roll(team, 'banner', { userId: `user-${call}`, count: 100 });
          await lookAtAll(service(), { clock: () => NOON + five * 60_000 });
        }
      });
      await roll(team, 'pack', { count: 3 });
      await lookAtAll(service(), { clock: () => NOON + 3_600_000 });
      const listed = await evidenceOf(team);
      const logs = new Map(
        listed.map(({ templateId, config, evidence }) => [`${templateId} ${config}`, Math.log(evidence)]),
      );
      // In the order in which they were first looked at, which two may have been at once.
      const streams = await service().database.read(team.teamId, ({ queries }) =>
        queries
          .selectFrom('evidence_streams')
          .select(['template_id', 'config'])
          .where('team_id', '=', team.teamId)
          .orderBy('began_at')
          .orderBy('template_id')
          .orderBy('config')
          .execute(),
      );
      const logsOf = (...ids: string[]): number[] =>
        streams
          .filter(({ template_id }) => ids.includes(template_id))
          .map(({ template_id, config }) => logs.get(`${template_id} ${config}`) as number);
      assert.equal(logsOf('banner').length, 6);
      const close = (actual: number, log: number): void =>
        assert.ok(Math.abs(Math.log(actual) - log) < 1e-9, `${actual} ${Math.exp(log)}`);
      for (const { templateId, templateEvidence, teamEvidence } of listed) {
        close(templateEvidence, templateId === null ? 0 : logOfStreams(logsOf(templateId)));
        close(teamEvidence, logOfStreams(logsOf('banner', 'pack')));
      }
      const [banner] = await evidenceOf(team, '?templateId=banner');
      assert.ok(
        (banner?.templateEvidence ?? 0) > 10 * Math.max(...logsOf('banner').map(Math.exp)),
        JSON.stringify(logsOf('banner')),
      );
    });
  });

  describe('the list', () => {
    let team: Client;
    before(async () => {
      team = await teamWith('banner');
      await roll(team, 'banner', { count: 10 });
    });

    test('is empty for templates that do not exist, or belong to others', async () => {
      const other = await service().anotherTeam();
      assert.deepEqual(await evidenceOf(other), []);
      for (const id of ['banner', 'nothing', '%00', 'x'.repeat(191)])
        assert.deepEqual(await evidenceOf(other, `?templateId=${id}`), [], id);
    });

    test('rejects what makes no sense', async () => {
      assertInvalid(await team.get(`/roll-events/evidence?templateId=${'x'.repeat(192)}`), '/query/templateId');
      assertInvalid(await team.get('/roll-events/evidence?limit=1'), '/query/limit');
    });

    keepsTheRulesOfAccess(service, [{ method: 'GET', path: '/roll-events/evidence', changes: false }]);
  });
});

// With a service of its own, which has not looked at anything yet.
onEveryQuietDatabase('alarms', (service, engine) => {
  const { teamWith, evidenceOf, withDraws, roll } = toolsOf(service);

  test('grows until there is one alarm, whichever of several nodes notices', async () => {
    const team = await teamWith('banner');
    const node = await startService(service().databaseUrl);
    const lines: Record<string, unknown>[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    let alarms = 0;
    const alarmed = () => {
      alarms += 1;
    };
    const clock = () => NOON + 90_000;
    // Within one process, SQLite cannot wait for another connection.
    const nodes = engine === 'postgres' ? [service(), node, service()] : [service(), service()];
    try {
      await withDraws(rigged(5), async () => {
        for (let call = 0; call < 40; call += 1) {
          await roll(team, 'banner', { userId: `user-${call % 4}`, count: 100 });
          if (call % 8 === 7) await Promise.all(nodes.map((one) => lookAtAll(one, { logger, alarmed, clock })));
        }
      });
    } finally {
      await node.stop();
    }
    const [banner] = await evidenceOf(team, '?templateId=banner');
    assert.equal(alarms, 1);
    const { data: told } = (await team.get('/events?types=evidence.alarmed')).body;
    assert.deepEqual(
      told.map(({ subject, data }: { subject: string; data: { config: string } }) => [subject, data.config]),
      [['templates/banner', (await evidenceOf(team, '?templateId=banner'))[0]?.config]],
    );
    const [line, ...others] = lines.filter(({ teamId }) => teamId === team.teamId);
    assert.deepEqual(others, []);
    assert.deepEqual([line?.templateId, line?.config, line?.level], ['banner', banner?.config, 50]);
    assert.match(String(line?.evidence), /^1 : \d+$/);
    assert.equal(banner?.alarmedAt, '2026-11-14T12:01:30.000Z');
    assert.equal(banner?.threshold, 40);
    assert.ok((banner?.greatest ?? 0) >= 40);
    // The rows tell what is wrong: too many of the top tier.
    const worst = banner?.rows.toSorted((a, b) => b.evidence - a.evidence)[0];
    assert.ok((worst?.evidence ?? 0) > 20 && (worst?.hits ?? 0) !== worst?.expected, JSON.stringify(worst));
    assert.ok(
      (worst?.low ?? 0) > (worst?.expected ?? 0) / (worst?.rolls ?? 1) ||
        (worst?.high ?? 1) < (worst?.expected ?? 0) / (worst?.rolls ?? 1),
    );
  });

  test('is an alarm at once if something happened that cannot', async () => {
    const team = await teamWith('banner');
    await roll(team, 'banner', { userId: 'ann', count: 10 });
    await service().database.write(team.teamId, async (work) =>
      countRolls(work, {
        ...{ version: 1, templateId: 'banner', nowMs: NOON },
        rolled: [{ item: { id: 'stray' } }],
        observe: (observe) => {
          observe('t0', '2');
          observe('i2', 'stray');
        },
      }),
    );
    let alarms = 0;
    await lookAtAll(service(), {
      alarmed: () => {
        alarms += 1;
      },
    });
    assert.equal(alarms, 1);
    const [banner] = await evidenceOf(team, '?templateId=banner');
    assert.deepEqual([banner?.evidence, banner?.greatest], [LIMITS.evidence, LIMITS.evidence]);
    assert.notEqual(banner?.alarmedAt, null);
    // It stays an alarm; it is told once.
    await roll(team, 'banner', { userId: 'ann' });
    await lookAtAll(service(), { alarmed: () => assert.fail('told twice') });
    assert.equal((await evidenceOf(team, '?templateId=banner'))[0]?.alarmedAt, banner?.alarmedAt);
  });

  test('is saved by one of several that looked at the same time', async () => {
    const team = await teamWith('banner');
    await roll(team, 'banner', { count: 10 });
    const { database } = service();
    await database.transaction(team.teamId, (tx) => foldCounts(tx, 10));
    const { streams } = await database.read(team.teamId, findDueStreams);
    const [stream] = streams as [DueStream];
    const save = (logEvidence: number) =>
      database.transaction(team.teamId, (tx) =>
        saveLook(tx, stream, { observed: { firstDay: undefined, rolls: 0 }, rows: [], logEvidence }, NOON),
      );
    const alarms = await Promise.all([3.6, 3.7, 3.8, 3.9, Number.POSITIVE_INFINITY].map(save));
    assert.equal(alarms.filter((alarm) => alarm !== undefined).length, 1);
    assert.equal(await save(5), undefined);
    const [banner] = await evidenceOf(team, '?templateId=banner');
    assert.equal(banner?.alarmedAt, '2026-11-14T12:00:00.000Z');
    assert.equal(banner?.greatest, LIMITS.evidence);
  });
});
