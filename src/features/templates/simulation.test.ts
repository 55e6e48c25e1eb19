import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  basic,
  type Client,
  createEmptyDatabase,
  type EmptyDatabase,
  ENGINES,
  issuePaths,
  onEveryDatabase,
  type Service,
  startService,
} from '../../../test/harness.ts';
import { assertDone } from '../../../test/rules.ts';
import { LIMITS } from '../../shared/limits.ts';

const PATH = '/templates/simulate';

/** Four legendary items, four rare ones and eight common ones, and a template of each type. */
const fill = async (team: Client): Promise<void> => {
  const names = ['legendary', 'rare', 'common'];
  const { body } = assertDone(
    await team.post('/classifiers', {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: names.map((name) => ({ name })),
    }),
  );
  assertDone(await team.post('/attributes', { id: 'power', name: 'Power', min: 0, max: 100, step: 0.5 }));
  for (const [index, count] of [4, 4, 8].entries())
    for (let number = 1; number <= count; number += 1)
      assertDone(
        await team.post('/items', {
          id: `${names[index]}-${number}`,
          name: `${names[index]} ${number}`,
          classifierOptionIds: [body.classifierOptions[index].id],
          itemAttributes: number % 2 === 0 ? [] : [{ attributeId: 'power', min: 10, max: 20 }],
        }),
      );
  const templates = {
    banner: ['gacha', banner],
    pack: ['card_pack', pack],
    shrine: ['roguelike', shrine],
    chest: ['idle', chest],
  };
  for (const [id, [type, config]] of Object.entries(templates))
    assertDone(await team.post('/templates', { id, name: id, type, config }));
};

const rates = { legendary: 0.05, rare: 0.15, common: 0.8 };
const banner = {
  baseRates: rates,
  pityThreshold: 20,
  softPity: [{ from: 15, add: 0.06 }],
  featuredItemIds: ['legendary-1'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};
const pack = {
  baseRates: rates,
  slots: [{ count: 4 }, { count: 1, rates: { rare: 0.9, legendary: 0.1 } }],
  unique: true,
};
const shrine = { baseRates: rates, choices: 3, depthScaling: { legendary: 1.15 } };
const chest = { baseRates: rates, rollsPerHour: 4 };

const small = { players: 200, rolls: 60, seed: 'seed-1' };
/** As long as a simulation gets: on any machine, there is time for other requests meanwhile. */
const long = { players: 10_000, rolls: 1_000, seed: 'seed-1' };

const ask = (
  { address }: Service,
  { teamId, secret }: Client,
  body: object,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(`${address}${PATH}`, {
    method: 'POST',
    signal,
    headers: { authorization: basic(teamId, secret), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const LINES = { accept: 'application/x-ndjson' };

const linesOf = (text: string): Record<string, unknown>[] => {
  assert.ok(text.endsWith('\n'));
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
};

/** Reads a response until its first line, which says that the simulation was accepted; returns a function for the rest. */
const accepted = async (response: Response): Promise<() => Promise<string>> => {
  assert.equal(response.status, 200);
  assert.ok(response.body !== null);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  assert.match((await reader.read()).value ?? '', /^\{"progress":0\}\n/);
  return async () => {
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
  };
};

onEveryDatabase('a simulation', (service) => {
  let team: Client;
  before(async () => {
    team = await service().anotherTeam();
    await fill(team);
  });
  const simulate = (body: object) => team.post(PATH, body);
  const rejects = async (body: object, ...paths: string[]): Promise<void> => {
    const response = await simulate(body);
    assert.equal(response.status, 400, JSON.stringify(response.body).slice(0, 500));
    assert.deepEqual(issuePaths(response), paths);
  };

  test('reports tiers, featured items and the items asked for', async () => {
    const itemIds = ['common-2', 'legendary-1'];
    const { body } = assertDone(await simulate({ templateId: 'banner', ...small, pricePerRoll: 0.1, itemIds }));
    const tiers = (await team.get('/templates/banner/odds')).body.tiers.map(({ tier }: { tier: string }) => tier);
    assert.deepEqual(
      body.targets.map(({ kind, id }: { kind: string; id: string }) => [kind, id]),
      [...tiers.map((tier: string) => ['tier', tier]), ['featured', 'legendary-1'], ['item', 'common-2']],
    );
    assert.match(body.config, /^[0-9a-f]{64}$/);
    const [legendary, rare] = body.targets;
    assert.equal(legendary.never, 0);
    assert.ok(legendary.first.max <= 20);
    assert.equal(legendary.cost.max, legendary.first.max / 10);
    assert.equal(legendary.curve.length, 60);
    assert.deepEqual(legendary.curve.at(-1), { roll: 60, share: 1 });
    assert.equal(body.pity.top, Math.round(legendary.perPlayer.mean * 200));
    assert.ok(rare.perPlayer.mean > legendary.perPlayer.mean);
    assert.equal((await simulate({ templateId: 'banner', ...small })).body.targets[0].cost, null);
  });

  test('is possible for every type, and for a configuration that is not saved', async () => {
    for (const [templateId, type, config] of [
      ['banner', 'gacha', banner],
      ['pack', 'card_pack', pack],
      ['shrine', 'roguelike', shrine],
      ['chest', 'idle', chest],
    ]) {
      const saved = assertDone(await simulate({ templateId, ...small })).body;
      const unsaved = assertDone(await simulate({ type, config, ...small })).body;
      assert.deepEqual({ ...unsaved, config: '' }, { ...saved, config: '' });
      assert.notEqual(unsaved.config, saved.config, 'the id of the template is a part of what is hashed');
    }
    const plain = assertDone(await simulate({ config: {}, ...small })).body;
    assert.deepEqual([plain.targets.length, plain.targets[0].id, plain.targets[0].never], [1, null, 0]);
  });

  test('has the exact chances beside the shares, for every type, if it is asked to', async () => {
    for (const templateId of ['banner', 'pack', 'shrine', 'chest']) {
      const body = { templateId, ...small, itemIds: ['common-2'] };
      const { targets, ...rest } = assertDone(await simulate({ ...body, exact: true })).body;
      const points = targets.flatMap(({ curve }: { curve: { share: number; chance: number }[] }) => curve);
      // By the inequality of Dvoretzky, Kiefer and Wolfowitz, 200 players differ more on one curve in 100,000.
      for (const { share, chance } of points) assert.ok(Math.abs(share - chance) < 0.175, `${share}, ${chance}`);
      const { tiers, curve } = assertDone(await team.get(`/templates/${templateId}/odds`)).body;
      assert.equal(targets[0].id, tiers[0].tier);
      for (const { roll, chance } of curve) {
        const found = targets[0].curve.find((point: { roll: number }) => point.roll === roll);
        if (found !== undefined) assert.equal(found.chance, chance);
      }
      const plain = targets.map((target: { curve: { chance: number }[] }) => ({
        ...target,
        curve: target.curve.map(({ chance: _, ...point }) => point),
      }));
      assert.deepEqual(assertDone(await simulate(body)).body, { targets: plain, ...rest });
    }
    const depths = await Promise.all(
      [0, 5].map((depth) => simulate({ templateId: 'shrine', ...small, exact: true, depth })),
    );
    const [shallow, deep] = depths.map((response) => assertDone(response).body.targets[0].curve[0].chance);
    assert.ok(deep > shallow, `${deep}, ${shallow}`);
  });

  test('makes offers at a depth', async () => {
    const meanAt = async (depth?: number): Promise<number> =>
      assertDone(await simulate({ templateId: 'shrine', ...small, depth })).body.targets[0].perPlayer.mean;
    assert.equal(await meanAt(), await meanAt(0));
    assert.ok((await meanAt(20)) > 2 * (await meanAt(0)));
  });

  test('has the same response every time, byte for byte, as long as the configuration and its items are the same', async () => {
    const body = { templateId: 'pack', ...small, pricePerRoll: 4.99, itemIds: ['rare-1'] };
    const textOf = async (asked: object = body): Promise<string> => (await ask(service(), team, asked)).text();
    const text = await textOf();
    assert.equal(await textOf(), text);
    assert.notEqual(await textOf({ ...body, seed: 'seed-2' }), text);
    await team.post('/items', { id: 'unrelated', name: 'Unrelated' });
    assert.equal(await textOf(), text, 'an item that is not in the pool changes nothing');
    await team.put('/items/rare-2', { rollNumerator: 150 });
    assert.notEqual(JSON.parse(await textOf()).config, JSON.parse(text).config);
    await team.put('/items/rare-2', { rollNumerator: 100 });
    assert.equal(await textOf(), text);
  });

  test('reports its progress in lines, if it is asked to', async () => {
    const body = { templateId: 'banner', ...small };
    const response = await ask(service(), team, body, { headers: LINES });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
    const text = await response.text();
    const lines = linesOf(text);
    const progress = lines.slice(0, -1).map((line) => line.progress as number);
    assert.deepEqual(
      progress,
      Array.from({ length: 101 }, (_, percent) => percent / 100),
    );
    assert.deepEqual(lines.at(-1), { result: (await simulate(body)).body });
    assert.equal(await (await ask(service(), team, body, { headers: LINES })).text(), text);
  });

  test('rejects a bad request with a response of its own, also if lines are wanted', async () => {
    const response = await ask(service(), team, { templateId: 'banner', ...small, depth: 1 }, { headers: LINES });
    assert.equal(response.status, 400);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    const { issues } = (await response.json()) as { issues: unknown };
    assert.deepEqual(issues, [{ path: '/body/depth', message: 'is for roguelike templates only' }]);
  });

  test('rejects what it cannot do', async () => {
    await rejects(small, '/body/templateId');
    await rejects({ templateId: 'banner', config: banner, ...small }, '/body/config');
    await rejects({ templateId: 'banner', type: 'gacha', ...small }, '/body/type');
    await rejects({ templateId: 'nothing', ...small }, '/body/templateId');
    await rejects({ config: { baseRates: { mythic: 1 } }, ...small }, '/body/config/baseRates/mythic');
    await rejects({ config: { slots: [] }, ...small }, '/body/config/slots');
    await rejects({ templateId: 'banner', ...small, depth: 0 }, '/body/depth');
    await rejects(
      {
        type: 'roguelike',
        config: { ...shrine, choices: 5, depthScaling: { rare: 0, common: 0 } },
        ...small,
        depth: 1,
      },
      '/body/depth',
    );
    await rejects({ templateId: 'banner', ...small, itemIds: ['rare-1', 'nothing'] }, '/body/itemIds/1');
    const narrow = { ...banner, pool: { itemIds: ['legendary-1', 'legendary-2', 'rare-1', 'common-1'] } };
    await rejects({ config: narrow, ...small, itemIds: ['common-2'] }, '/body/itemIds/0');
  });

  test('has limits', async () => {
    const body = { templateId: 'banner', ...small };
    await rejects({ ...body, players: 0, rolls: 0, seed: '' }, '/body/players', '/body/rolls', '/body/seed');
    await rejects({ ...body, players: LIMITS.simulatedPlayers + 1 }, '/body/players');
    await rejects({ ...body, rolls: LIMITS.simulatedRolls + 1 }, '/body/rolls');
    await rejects({ ...body, pricePerRoll: -1, depth: 1001 }, '/body/depth', '/body/pricePerRoll');
    await rejects({ ...body, itemIds: Array.from({ length: 21 }, () => 'rare-1') }, '/body/itemIds');
    await rejects({ templateId: 'banner', seed: 's' }, '/body/players', '/body/rolls');
    await rejects({ ...body, players: 10_001, rolls: 1000 }, '/body/players');
    await rejects({ ...body, templateId: 'pack', players: 2_001, rolls: 1000 }, '/body/players');
    assertDone(await simulate({ ...body, itemIds: Array.from({ length: 20 }, () => 'rare-1') }));
  });

  test('stores its response for an Idempotency-Key, as JSON', async () => {
    const headers = { 'idempotency-key': 'simulated', ...LINES };
    const body = { templateId: 'banner', ...small };
    const first = await team.post(PATH, body, { headers });
    assert.equal(first.status, 200);
    assert.deepEqual(first.body, (await simulate(body)).body);
    const again = await team.post(PATH, body, { headers });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(again.body, first.body);
  });

  test('waits for another one, and does not keep other requests waiting', async () => {
    const left = new AbortController();
    const first = await ask(
      service(),
      team,
      { templateId: 'banner', ...long },
      { headers: LINES, signal: left.signal },
    );
    await accepted(first);
    let isSecondDone = false;
    const second = ask(service(), team, { templateId: 'banner', ...small }).then(async (response) => {
      isSecondDone = true;
      return { status: response.status, text: await response.text() };
    });
    for (let n = 0; n < 20; n += 1) {
      assert.equal((await team.post('/templates/banner/roll', { userId: 'player' })).status, 200);
      assert.equal((await team.get('/templates/banner/odds')).status, 200);
    }
    assert.equal(isSecondDone, false, 'the first is still running');
    left.abort();
    const { status, text } = await second;
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), (await simulate({ templateId: 'banner', ...small })).body);
  });
});

for (const engine of ENGINES) {
  describe(`simulations that never finish on ${engine}`, () => {
    /** A worker that hangs on every job. */
    const worker = new URL('../../../test/compute-worker.ts', import.meta.url);
    const body = { config: {}, ...small };
    let empty: EmptyDatabase;
    before(async () => {
      empty = await createEmptyDatabase(engine);
    });
    after(() => empty.drop());

    const withService = async (
      { timeLimitMs, requestTimeoutMs }: { timeLimitMs: number; requestTimeoutMs?: number },
      use: (service: Service) => Promise<void>,
    ): Promise<void> => {
      const options = { computeOptions: { worker, timeLimitMs }, requestTimeoutMs };
      const service = await startService(empty.url, {}, undefined, options);
      try {
        assertDone(await service.post('/items', { id: service.teamId, name: 'Item' }));
        await use(service);
      } finally {
        await service.stop();
      }
    };

    test('are stopped after the time limit, with 503 or a last line that says so', () =>
      // A simulation may take longer than other requests do: it is not swept away.
      withService({ timeLimitMs: 2000, requestTimeoutMs: 1000 }, async (service) => {
        const { status, headers, body: error } = await service.post(PATH, body);
        assert.equal(status, 503);
        assert.equal(headers.get('retry-after'), '1');
        const response = await ask(service, service, body, { headers: LINES });
        assert.equal(response.status, 200);
        assert.deepEqual(linesOf(await response.text()), [{ progress: 0 }, { error }]);
      }));

    test('have a place for another team, whatever one team asks for', () =>
      withService({ timeLimitMs: 60_000 }, async (service) => {
        const other = await service.anotherTeam();
        assertDone(await other.post('/items', { id: 'item', name: 'Item' }));
        const left = new AbortController();
        const statusFor = async (team: Client): Promise<number> => {
          const response = await ask(service, team, body, { headers: LINES, signal: left.signal });
          if (response.status === 200) await accepted(response);
          return response.status;
        };
        for (let sent = 0; (await statusFor(service)) === 200; sent += 1) assert.ok(sent < LIMITS.simulationPlaces);
        assert.equal(await statusFor(other), 200);
        assert.equal(await statusFor(service), 503);
        left.abort();
      }));

    test('are limited in number, and canceled when their callers disconnect or the service stops', async () => {
      let others: (() => Promise<string>)[] = [];
      await withService({ timeLimitMs: 60_000 }, async (service) => {
        const fillUp = async (signal?: AbortSignal): Promise<typeof others> => {
          const rests: typeof others = [];
          for (;;) {
            const response = await ask(service, service, body, { headers: LINES, signal });
            if (response.status === 503) return rests;
            rests.push(await accepted(response));
          }
        };
        const left = new AbortController();
        assert.equal((await fillUp(left.signal)).length, Math.ceil(LIMITS.simulationPlaces / 2));
        assert.equal((await service.get('/team')).status, 200);
        left.abort();
        // The service notices the disconnects a moment later.
        while (others.length === 0) others = await fillUp();
      });
      for (const rest of others) assert.match(await rest(), /^\{"error":\{"code":"SERVICE_UNAVAILABLE",.*\}\n$/);
    });
  });
}
