import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/postgres.ts';
import { freePort, run } from '../test/processes.ts';

/**
 * Rolls 100,000 times on one banner over HTTP, with fifty users and two callers each, on each database, against the
 * service as a process. Every response is checked: no counter off by one, no pity exceeded, every guarantee kept, and
 * statistics equal to the responses. For comparison, the same callers also call a trivial endpoint of the service.
 */
const USERS = 50;
const CALLERS_PER_USER = 2;
/** Per caller: the number of single rolls, and how many of them come before each ten-roll. */
const SINGLES = 200;
const SINGLES_PER_TEN = 2.5;
const TENS = SINGLES / SINGLES_PER_TEN;
const ROLLS = USERS * CALLERS_PER_USER * (SINGLES + 10 * TENS);
const BARE_MS = 2000;

const TOP_PITY = 90;
const SECOND_PITY = 10;
const BANNER = {
  baseRates: { five: 0.006, four: 0.051, three: 0.943 },
  pityThreshold: TOP_PITY,
  softPity: [{ from: 74, add: 0.06 }],
  pities: [{ tier: 'four', threshold: SECOND_PITY }],
  featuredItemIds: ['five-1'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
  sparkCurrency: 300,
};
const ITEMS = { five: 4, four: 8, three: 20 };
const TEAM = { ITEMWRIGHT_TEAM_ID: 'bench', ITEMWRIGHT_SECRET: 'a-secret-for-a-bench' };

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

interface Result {
  readonly tier: string;
  readonly pity: boolean;
  readonly featured: boolean;
  readonly item: { readonly id: string };
}

interface State {
  readonly rolls: number;
  readonly sinceTop: number;
  readonly losses: number;
  readonly sparkPoints: number;
  readonly pities: readonly { readonly tier: string; readonly since: number }[];
}

/** What a call rolled, and the state after it. */
interface Call {
  readonly rolls: readonly Result[];
  readonly state: State;
}

type Send = <T>(method: string, path: string, body?: unknown) => Promise<T>;

const clientOf = (port: number): { send: Send; close: () => void } => {
  const agent = new Agent({ keepAlive: true, maxSockets: USERS * CALLERS_PER_USER });
  const { ITEMWRIGHT_TEAM_ID: team, ITEMWRIGHT_SECRET: secret } = TEAM;
  const authorization = `Basic ${Buffer.from(`${team}:${secret}`).toString('base64')}`;
  const send = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      const headers = { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const sent = request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path} responded ${response.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { send, close: () => agent.destroy() };
};

/** Creates the catalog and the banner; returns the option of each tier. */
const prepare = async (send: Send): Promise<Record<string, string>> => {
  const classifierOptions = Object.keys(ITEMS).map((name) => ({ name }));
  const made = await send<{ classifierOptions: { id: string; name: string }[] }>('POST', '/classifiers', {
    name: 'Rarity',
    classifierOptions,
  });
  const options = Object.fromEntries(made.classifierOptions.map(({ id, name }) => [name, id]));
  for (const [tier, count] of Object.entries(ITEMS)) {
    for (let number = 1; number <= count; number += 1) {
      const id = `${tier}-${number}`;
      await send('POST', '/items', { id, name: id, classifierOptionIds: [options[tier]] });
    }
  }
  await send('POST', '/templates', { id: 'banner', name: 'Banner', config: BANNER });
  return options;
};

/** How many calls per second the same callers can make to an endpoint that does nothing. */
const bareCallsASecond = async (send: Send): Promise<number> => {
  const start = performance.now();
  let calls = 0;
  await Promise.all(
    Array.from({ length: USERS * CALLERS_PER_USER }, async () => {
      while (performance.now() - start < BARE_MS) {
        await send('GET', '/healthz');
        calls += 1;
      }
    }),
  );
  return (calls * 1000) / (performance.now() - start);
};

const rollAll = async (send: Send) => {
  const calls: Call[][] = Array.from({ length: USERS }, () => []);
  const latencies: number[] = [];
  const roll = async (user: number, count: number): Promise<void> => {
    const start = performance.now();
    const { rolls, state } = await send<Call>('POST', '/templates/banner/roll', { userId: `user-${user}`, count });
    latencies.push(performance.now() - start);
    assert.equal(rolls.length, count);
    calls[user]?.push({
      rolls: rolls.map(({ tier, pity, featured, item }) => ({ tier, pity, featured, item: { id: item.id } })),
      state,
    });
  };
  const start = performance.now();
  await Promise.all(
    Array.from({ length: USERS * CALLERS_PER_USER }, async (_, caller) => {
      let tens = 0;
      for (let single = 1; single <= SINGLES; single += 1) {
        await roll(caller % USERS, 1);
        for (; tens < Math.floor(single / SINGLES_PER_TEN); tens += 1) await roll(caller % USERS, 10);
      }
    }),
  );
  latencies.sort((left, right) => left - right);
  return { calls, latencies, elapsedMs: performance.now() - start };
};

/** Replays a user's rolls in the order in which the service made them, by the rules of the banner. */
const follow = (calls: readonly Call[], { five, four }: Record<string, string>) => {
  let rolls = 0;
  let sinceTop = 0;
  let sinceFour = 0;
  let losses = 0;
  let longest = 0;
  let guaranteed = 0;
  for (const call of calls.toSorted((left, right) => left.state.rolls - right.state.rolls)) {
    for (const { tier, pity, featured } of call.rolls) {
      const topIsDue = sinceTop + 1 >= TOP_PITY;
      const fourIsDue = sinceFour + 1 >= SECOND_PITY;
      if (topIsDue) assert.equal(tier, five, 'the pity of the top tier was exceeded');
      else if (fourIsDue) assert.ok(tier === five || tier === four, 'the pity of the second tier was exceeded');
      assert.equal(pity, (tier === five && topIsDue) || (tier === four && fourIsDue));
      if (tier === five) {
        longest = Math.max(longest, sinceTop + 1);
        if (losses === 1) {
          assert.ok(featured, 'a guarantee was not kept');
          guaranteed += 1;
        }
        losses = featured ? 0 : losses + 1;
      }
      rolls += 1;
      sinceTop = tier === five ? 0 : sinceTop + 1;
      sinceFour = tier === four ? 0 : sinceFour + 1;
    }
    const { state } = call;
    assert.deepEqual(
      [state.rolls, state.sinceTop, state.losses, state.sparkPoints, state.pities],
      [rolls, sinceTop, losses, rolls, [{ tier: four, since: sinceFour }]],
      'a counter is off',
    );
  }
  return { rolls, longest, guaranteed, last: calls.reduce((a, b) => (a.state.rolls > b.state.rolls ? a : b)).state };
};

interface Stats {
  readonly totalRolls: number;
  readonly uniqueItems: number;
  readonly rollsByTemplate: Readonly<Record<string, number>>;
  readonly rollsByDay: readonly { readonly date: string; readonly count: number }[];
}

/** Compares the statistics, with and without filters, with the responses. */
const checkStatistics = async (send: Send, byItem: ReadonlyMap<string, number>, days: readonly string[]) => {
  for (const query of ['', '?templateId=banner', `?from=${days[0]}&to=${days.at(-1)}`]) {
    const stats = await send<Stats>('GET', `/roll-events/stats${query}`);
    assert.equal(stats.totalRolls, ROLLS);
    assert.equal(stats.uniqueItems, byItem.size);
    assert.deepEqual(stats.rollsByTemplate, { banner: ROLLS });
    assert.ok(stats.rollsByDay.every(({ date }) => days.includes(date)));
    assert.equal(
      stats.rollsByDay.reduce((sum, { count }) => sum + count, 0),
      ROLLS,
    );
    const rates = await send<{ itemId: string; dropCount: number; dropRate: number }[]>(
      'GET',
      `/roll-events/drop-rates${query}`,
    );
    assert.deepEqual(new Map(rates.map(({ itemId, dropCount }) => [itemId, dropCount])), byItem);
    for (const { dropCount, dropRate } of rates) assert.ok(Math.abs(dropRate - dropCount / ROLLS) < 1e-12);
  }
};

const measure = async (engine: string, databaseUrl: string): Promise<void> => {
  const port = await freePort();
  const service = run('src/main.ts', [], {
    ...TEAM,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
  });
  const { send, close } = clientOf(port);
  try {
    await service.said('is ready at');
    const options = await prepare(send);
    const bare = await bareCallsASecond(send);
    const firstDay = new Date().toISOString().slice(0, 10);
    const { calls, latencies, elapsedMs } = await rollAll(send);
    const days = [...new Set([firstDay, new Date().toISOString().slice(0, 10)])];

    const followed = calls.map((ofUser) => follow(ofUser, options));
    const rolled = followed.reduce((sum, { rolls }) => sum + rolls, 0);
    assert.equal(rolled, ROLLS);
    for (const [user, { last }] of followed.entries())
      assert.deepEqual(await send('GET', `/users/user-${user}/templates/banner`), last);

    const byItem = new Map<string, number>();
    let tops = 0;
    for (const { tier, item } of calls.flat().flatMap(({ rolls }) => rolls)) {
      byItem.set(item.id, (byItem.get(item.id) ?? 0) + 1);
      if (tier === options.five) tops += 1;
    }
    await checkStatistics(send, byItem, days);
    const { tiers } = await send<{ tiers: { effective: number }[] }>('GET', '/templates/banner/odds');

    const seconds = elapsedMs / 1000;
    const at = (share: number): string => (latencies[Math.floor(share * (latencies.length - 1))] ?? 0).toFixed(1);
    const percent = (share: number): string => `${(100 * share).toFixed(3)} %`;
    const callsPerSecond = latencies.length / seconds;
    print(
      `${engine}: ${rolled} rolls in ${latencies.length} calls by ${USERS} users, ${CALLERS_PER_USER} callers each`,
    );
    print(`  ${seconds.toFixed(1)} s, ${(rolled / seconds).toFixed(0)} rolls/s, ${callsPerSecond.toFixed(0)} calls/s`);
    print(`  bare HTTP ${bare.toFixed(0)} calls/s: roll calls reach ${percent(callsPerSecond / bare)} of it`);
    print(`  latency ${at(0.5)} ms (median), ${at(0.99)} ms (p99), ${at(1)} ms (max)`);
    print(
      `  top tier ${tops} times, ${percent(tops / rolled)} (exact long-run odds: ${percent(tiers[0]?.effective ?? 0)})`,
    );
    print(
      `  longest streak without the top tier ${Math.max(...followed.map(({ longest }) => longest))} of at most ${TOP_PITY}`,
    );
    print(`  ${followed.reduce((sum, { guaranteed }) => sum + guaranteed, 0)} guarantees were due, all kept`);
    print('  every counter and every statistic matches the rules and the responses');
  } finally {
    close();
    service.child.kill('SIGTERM');
    await service.ended;
  }
};

const wanted = process.argv.slice(2);
const isWanted = (engine: string): boolean => wanted.length === 0 || wanted.includes(engine);

if (isWanted('sqlite')) {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-bench-'));
  try {
    await measure('sqlite', `sqlite:${join(folder, 'bench.db')}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
if (isWanted('postgres')) {
  const postgres = await startPostgres({ durable: true });
  try {
    await measure('postgres', postgres.url('postgres'));
  } finally {
    await postgres.stop();
  }
}
