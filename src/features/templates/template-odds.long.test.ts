import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  basic,
  createEmptyDatabase,
  type EmptyDatabase,
  ENGINES,
  onEveryDatabase,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { watchTurns } from '../../../test/turns.ts';
import { LIMITS } from '../../shared/limits.ts';

const TIERS = 30;
const tier = (index: number): string => `tier-${String(index).padStart(2, '0')}`;
const tiers = Array.from({ length: TIERS }, (_, index) => tier(index));
const baseRates = Object.fromEntries(tiers.map((id, index) => [id, (1 + index) ** 1.5]));

/** A catalog of thirty tiers and the given number of items, each with a different weight. The first tiers have one item each. */
const fill = async (service: Service, items: number, single = 0): Promise<ReadonlyMap<unknown, unknown>> => {
  const classifierOptions = tiers.map((name) => ({ name }));
  const { body: classifier } = await service.post('/classifiers', { name: 'Rarity', classifierOptions });
  const optionIds = new Map(
    classifier.classifierOptions.map(({ id, name }: { id: string; name: string }) => [name, id]),
  );
  const create = (index: number) =>
    service.post('/items', {
      id: `item-${String(index).padStart(4, '0')}`,
      name: 'Item',
      rollNumerator: 1 + index / 7,
      classifierOptionIds: [optionIds.get(tier(index < single ? index : single + (index % (TIERS - single))))],
    });
  for (let from = 0; from < items; from += 8) {
    const made = await Promise.all(
      Array.from({ length: Math.min(8, items - from) }, (_, index) => create(from + index)),
    );
    for (const { status, body } of made) assert.equal(status, 200, JSON.stringify(body));
  }
  return optionIds;
};

const withPities = (...[top, ...others]: number[]) => ({
  baseRates,
  pityThreshold: top,
  pities: others.map((threshold, index) => ({ tier: tier(index + 1), threshold })),
});

/** The longest turn of the event loop during some work, in CPU time. */
const longestTurn = async (work: () => Promise<void>): Promise<number> => {
  const turns = watchTurns();
  await work();
  const { turnMs } = turns.longest();
  turns.stop();
  return turnMs;
};
/** The test sends its requests on the same event loop. A regression takes more than ten seconds. */
const LONGEST_TURN_MS = 200;

onEveryDatabase('odds that take too long', (service, engine) => {
  before(async () => {
    await fill(service(), 150, 12);
  });

  const assertTooLong = ({ status, body }: Awaited<ReturnType<Service['post']>>, path: string): void => {
    assert.equal(status, 400, JSON.stringify(body).slice(0, 300));
    assert.equal(body.issues.length, 1);
    assert.equal(body.issues[0].path, path);
    assert.match(
      body.issues[0].message,
      /^needs about [\d,]+ million steps to compute its exact odds, more than the 700 million allowed: lower /,
    );
  };

  test('are rejected on request and when a template is saved or changed', async () => {
    const config = withPities(63, 63);
    assertTooLong(await service().post('/templates/odds', { config }), '/body/config');
    assertTooLong(await service().post('/templates', { name: 'long', config }), '/body/config');
    assert.equal(
      (await service().post('/templates', { id: 'short', name: 'short', config: { baseRates } })).status,
      200,
    );
    assertTooLong(await service().put('/templates/short', { config }), '/body/config');
    assert.deepEqual((await service().get('/templates/short')).body.config, { baseRates });
  });

  test('do not block other requests', async (context) => {
    // One-time costs of the test itself must not be measured.
    await service().get('/team');
    await service().post('/templates/odds', { config: { baseRates } });
    const longestMs = await longestTurn(async () => {
      let isDone = false;
      const odds = service()
        .post('/templates/odds', { config: withPities(40, 15) })
        .finally(() => {
          isDone = true;
        });
      let others = 0;
      while (!isDone) {
        assert.equal((await service().get('/team')).status, 200);
        others += 1;
      }
      const { status, body } = await odds;
      assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
      assert.equal(body.items.length, 150);
      assert.ok(others > 3, `${others} requests passed`);
    });
    context.diagnostic(`the longest turn of the event loop took ${longestMs.toFixed(0)} ms (${engine})`);
    assert.ok(longestMs < LONGEST_TURN_MS, `${longestMs} ms`);
  });

  test('are rejected once a change to the catalog makes them too long, while rolls still work', async () => {
    const team = await service().anotherTeam();
    const own: Service = { ...service(), ...team };
    const optionIds = await fill(own, TIERS);
    const config = { ...withPities(63, 63), baseRates: { [tier(0)]: 0.01, [tier(1)]: 0.1, [tier(29)]: 99 } };
    assert.equal((await own.post('/templates', { id: 'grows', name: 'grows', config })).status, 200);
    assert.equal((await own.get('/templates/grows/odds')).status, 200);
    for (let index = 0; index < 40; index += 1) {
      const more = { name: 'More', rollNumerator: 1 + index / 9, classifierOptionIds: [optionIds.get(tier(29))] };
      assert.equal((await own.post('/items', more)).status, 200);
    }
    assertTooLong(await own.get('/templates/grows/odds'), '/template/config');
    assert.equal((await own.post('/templates/grows/roll', { userId: 'ann' })).status, 200);
    assert.equal((await own.get('/users/ann/templates/grows')).status, 200);
  });

  test('of packs are computed outside of transactions, and the chances of the next pack agree with them', async () => {
    const config = { baseRates, slots: [{ count: 6 }], unique: true };
    assert.equal(
      (await service().post('/templates', { id: 'pack', name: 'pack', type: 'card_pack', config })).status,
      200,
    );
    const longestMs = await longestTurn(async () => {
      const rolled = await service().post('/templates/pack/roll', { userId: 'bob' });
      assert.equal(rolled.status, 200, JSON.stringify(rolled.body).slice(0, 300));
      const { next } = (await service().get('/users/bob/templates/pack')).body;
      assert.deepEqual(rolled.body.state.next, next);
      const odds = (await service().get('/templates/pack/odds')).body.tiers;
      assert.equal(next.length, TIERS);
      for (const [index, { tier: id, rate }] of next.entries()) {
        assert.equal(odds[index].tier, id);
        assert.ok(Math.abs(rate * odds[index].expectedRolls - 1) < 1e-9);
      }
    });
    assert.ok(longestMs < LONGEST_TURN_MS, `${longestMs} ms`);
  });

  test('are stored under an idempotency key like any other response', async () => {
    const headers = { 'idempotency-key': 'odds-1' };
    const body = { config: withPities(30, 10) };
    const first = await service().post('/templates/odds', body, { headers });
    assert.equal(first.status, 200);
    const again = await service().post('/templates/odds', body, { headers });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(again.body, first.body);
  });
});

for (const engine of ENGINES) {
  describe(`odds that never finish on ${engine}`, () => {
    /** A worker that hangs on every job. */
    const worker = new URL('../../../test/compute-worker.ts', import.meta.url);
    let empty: EmptyDatabase;
    before(async () => {
      empty = await createEmptyDatabase(engine);
    });
    after(() => empty.drop());

    const started = async (timeLimitMs: number): Promise<Service> => {
      const service = await startService(empty.url, {}, undefined, { computeOptions: { worker, timeLimitMs } });
      try {
        await fill(service, 30);
      } catch (error) {
        await service.stop();
        throw error;
      }
      return service;
    };
    const config = withPities(20, 10);
    const busy = { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable', issues: [] };

    test('are stopped after the time limit, with 503 and Retry-After', async () => {
      const service = await started(500);
      try {
        const { status, body, headers } = await service.post('/templates/odds', { config });
        assert.equal(status, 503);
        assert.deepEqual(body, busy);
        assert.equal(headers.get('retry-after'), '1');
        assert.equal((await service.get('/team')).status, 200);
      } finally {
        await service.stop();
      }
    });

    test("are stopped when their callers disconnect, which frees the team's share, and do not delay a shutdown", async () => {
      const service = await started(60_000);
      let isStopped = false;
      try {
        const ask = (left: AbortController, threshold: number) =>
          fetch(`${service.address}/templates/odds`, {
            method: 'POST',
            signal: left.signal,
            headers: { authorization: basic(service.teamId, service.secret), 'content-type': 'application/json' },
            body: JSON.stringify({ config: withPities(threshold, 10) }),
          });
        /** Sends requests until so many of the team's jobs are running that one more is rejected; returns the others. */
        const fillUp = async (left: AbortController): Promise<Promise<Response>[]> => {
          const running = new Set<Promise<Response>>();
          const rejected: Response[] = [];
          for (let threshold = 20; rejected.length === 0; threshold += 1) {
            const one = ask(left, threshold);
            running.add(one);
            const noteRejection = (response: Response): void => {
              if (running.delete(one)) rejected.push(response);
            };
            one.then(noteRejection, () => {});
            await delay(300);
          }
          // On a busy machine, a response takes longer than that.
          while (running.size > LIMITS.computeJobsPerTeam) await delay(20);
          for (const { status, headers } of rejected)
            assert.deepEqual([status, headers.get('retry-after')], [429, '1']);
          return [...running];
        };
        const left = new AbortController();
        const first = await fillUp(left);
        assert.equal(first.length, LIMITS.computeJobsPerTeam);
        left.abort();
        await Promise.allSettled(first);
        // The service notices the disconnects a moment later.
        let others: Promise<Response>[] = [];
        while (others.length === 0) others = await fillUp(new AbortController());

        const began = performance.now();
        isStopped = true;
        await service.stop();
        assert.ok(performance.now() - began < 10_000);
        for (const { status } of await Promise.all(others)) assert.equal(status, 503);
      } finally {
        if (!isStopped) await service.stop();
      }
    });
  });
}

onEveryDatabase('odds at a depth', (service) => {
  const config = {
    baseRates: { Common: 0.9, Rare: 0.1 },
    choices: 1,
    depthScaling: { Rare: 1.5, Common: 0.5 },
  };
  before(async () => {
    const classifierOptions = ['Common', 'Rare'].map((name) => ({ name }));
    const { body } = await service().post('/classifiers', { name: 'Rarity', classifierOptions });
    for (const { id, name } of body.classifierOptions as { id: string; name: string }[])
      for (const index of [1, 2])
        await service().post('/items', { id: `${name}-${index}`, name, classifierOptionIds: [id] });
    await service().post('/templates', { id: 'depths', name: 'Depths', type: 'roguelike', config });
    await service().post('/templates', { id: 'banner', name: 'Banner', config: {} });
  });

  test('are those of the rates at that depth, saved or not', async () => {
    for (const depth of [0, 1, 7]) {
      const { status, body } = await service().get(`/templates/depths/odds?depth=${depth}`);
      assert.equal(status, 200, JSON.stringify(body));
      const [rare, common] = [0.1 * 1.5 ** depth, 0.9 * 0.5 ** depth];
      const row = body.tiers.find(({ name }: { name: string }) => name === 'Rare');
      assert.ok(Math.abs(row.effective - rare / (rare + common)) < 1e-12);
      const preview = await service().post('/templates/odds', { type: 'roguelike', config, depth });
      assert.deepEqual(preview.body.tiers, body.tiers);
      assert.deepEqual(preview.body.items, body.items);
    }
    const { body: without } = await service().get('/templates/depths/odds');
    assert.deepEqual(without, (await service().get('/templates/depths/odds?depth=0')).body);
  });

  test('are for offers only, and for depths that exist', async () => {
    const pathsOf = ({ body }: { body: { issues: { path: string }[] } }) => body.issues.map(({ path }) => path);
    assert.deepEqual(pathsOf(await service().get('/templates/banner/odds?depth=1')), ['/query/depth']);
    assert.deepEqual(pathsOf(await service().get('/templates/depths/odds?depth=1001')), ['/query/depth']);
    assert.deepEqual(pathsOf(await service().get('/templates/depths/odds?depth=x')), ['/query/depth']);
    assert.deepEqual(pathsOf(await service().post('/templates/odds', { config: {}, depth: 1 })), ['/body/depth']);
    const vanishing = { ...config, depthScaling: { Rare: 0, Common: 0 } };
    const gone = await service().post('/templates/odds', { type: 'roguelike', config: vanishing, depth: 1 });
    assert.deepEqual(pathsOf(gone), ['/body/depth']);
  });
});
