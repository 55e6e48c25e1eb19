/**
 * Two nodes on PostgreSQL are replaced one after the other by those of the next version, and back, while players roll and
 * the catalog changes. Callers retry as the documentation says; nothing else may be noticed.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../src/database/open.ts';
import { EDITION } from '../../src/engine/fairness/receipts.ts';
import { checkAll } from '../../src/maintenance/check/check.ts';
import { basic, createEmptyDatabase, type EmptyDatabase } from '../harness.ts';
import { freePort, type Running, run, runToEnd } from '../processes.ts';
import { RELEASES, readRecording } from '../releases/release.ts';
import { openService, type ReleasedService } from '../releases/service.ts';
import { verified } from '../verified.ts';

/** How often the nodes are upgraded and downgraded before the last upgrade. */
const ROUNDS = Number(process.env.ROLLING_ROUNDS ?? 1);
const PLAYERS = 6;
/** What callers do when a request fails for a moment. */
const MOST_TRIES = 60;
const PAUSE_MS = 100;
/** How long a node serves on after it was told to stop, and how often it is asked whether it is ready. */
const STOP_DELAY_MS = 600;
const PROBE_MS = 150;

const TEAM = 'rolling';
const SECRET = 'a-secret-for-rolling-upgrades';
const headers = { authorization: basic(TEAM, SECRET), 'content-type': 'application/json' };

interface Node {
  readonly address: string;
  readonly running: Running;
  isReady: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: what a test expects is what it asserts.
type Body = any;

/** Nodes behind a balancer that asks them whether they are ready. */
const createCluster = (databaseUrl: string) => {
  const nodes: Node[] = [];
  const counts = { requests: 0, retries: 0, replayed: 0, longestMs: 0 };
  let turn = 0;
  const probe = async (node: Node): Promise<void> => {
    const response = await fetch(`${node.address}/readyz`).catch(() => undefined);
    node.isReady = response?.status === 200;
  };
  const prober = setInterval(() => nodes.forEach(probe), PROBE_MS);

  const start = async (script: string): Promise<void> => {
    const port = await freePort();
    const running = run(script, [], {
      ...{ DATABASE_URL: databaseUrl, PORT: String(port), DATABASE_CONNECTIONS: '12', LOG_LEVEL: 'warn' },
      ...{ ITEMWRIGHT_TEAM_ID: TEAM, ITEMWRIGHT_SECRET: SECRET, MIGRATE: 'expand' },
      STOP_DELAY_MS: String(STOP_DELAY_MS),
    });
    const node = { address: `http://127.0.0.1:${port}`, running, isReady: false };
    while (!node.isReady && running.child.exitCode === null) {
      await probe(node);
      await delay(PROBE_MS);
    }
    assert.ok(node.isReady, running.stderr());
    nodes.push(node);
  };
  const stopOldest = async (): Promise<void> => {
    const node = nodes[0] as Node;
    node.running.child.kill('SIGTERM');
    const { code, stdout, stderr } = await node.running.ended;
    nodes.shift();
    assert.equal(code, 0, stdout + stderr);
    assert.doesNotMatch(stdout, /"level":50/);
  };

  const sendOnce = async (node: Node, method: string, path: string, body: object | undefined, key?: string) => {
    const response = await fetch(`${node.address}${path}`, {
      method,
      headers: key === undefined ? headers : { ...headers, 'idempotency-key': key },
      body: body && JSON.stringify(body),
    });
    const isReplayed = response.headers.get('idempotency-replayed') === 'true';
    const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    return { status: response.status, text: await response.text(), isReplayed, next };
  };

  /** Sends a request to a node that is ready, and again if it fails for a moment. */
  const send = async (method: string, path: string, body?: object, key?: string) => {
    const startedMs = performance.now();
    counts.requests += 1;
    for (let tries = 1; ; tries += 1) {
      const ready = nodes.filter(({ isReady }) => isReady);
      turn += 1;
      const node = ready[turn % Math.max(1, ready.length)];
      const response = node && (await sendOnce(node, method, path, body, key).catch(() => undefined));
      if (response !== undefined && response.status !== 503) {
        assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
        counts.longestMs = Math.max(counts.longestMs, performance.now() - startedMs);
        return response;
      }
      assert.ok(tries < MOST_TRIES, `${method} ${path} failed ${tries} times: ${response?.text}`);
      counts.retries += 1;
      await delay(PAUSE_MS);
    }
  };
  return {
    nodes,
    counts,
    start,
    stopOldest,
    send,
    read: async (path: string): Promise<Body> => JSON.parse((await send('GET', path)).text),
    /** A POST that happens once. Now and then it is sent again with its key, which must not be noticed. */
    post: async (path: string, body: object): Promise<Body> => {
      const key = randomUUID();
      const response = await send('POST', path, body, key);
      if (counts.requests % 3 === 0) {
        const again = await send('POST', path, body, key);
        assert.deepEqual([again.isReplayed, again.text], [true, response.text]);
        counts.replayed += 1;
      }
      return JSON.parse(response.text);
    },
    close: async (): Promise<void> => {
      clearInterval(prober);
      for (const { running } of nodes) running.child.kill('SIGKILL');
      await Promise.all(nodes.map(({ running }) => running.ended));
    },
  };
};

type Cluster = ReturnType<typeof createCluster>;

const prepareGame = async ({ post }: Cluster): Promise<void> => {
  const { classifierOptions } = await post('/classifiers', {
    name: 'Tier',
    classifierOptions: [{ name: 'rare' }, { name: 'common' }],
  });
  const [rare, common] = classifierOptions.map(({ id }: { id: string }) => id);
  for (const [id, optionId] of [
    ['sword', rare],
    ['coin', common],
    ['ticker', common],
  ])
    await post('/items', { id, name: id, rollNumerator: 1, classifierOptionIds: [optionId] });
  await post('/templates', {
    id: 'banner',
    name: 'Banner',
    config: { baseRates: { rare: 0.1, common: 0.9 }, pityThreshold: 10 },
  });
  await post('/templates', {
    id: 'fair',
    name: 'Fair',
    verifiable: true,
    config: { pool: { itemIds: ['sword', 'coin'] } },
  });
};

interface Fairness {
  readonly epoch: number;
  readonly receipt: string;
}

/** What the responses say that must be in the database. */
interface Known {
  plain: number;
  versions: number;
  isOver: boolean;
  /** Whether all nodes make verifiable rolls in the same way. */
  isFair: boolean;
  readonly players: { readonly userId: string; banner: number; kept: string[]; fair: number; receipts: Fairness[] }[];
}

const playAs = async ({ post, read }: Cluster, known: Known, player: Known['players'][number]): Promise<void> => {
  const { userId } = player;
  const rotate = async (): Promise<void> => {
    const { nextCommitment: commitment, nextManifest: manifest } = await read(`/users/${userId}/fairness`);
    await post(`/users/${userId}/fairness/rotate`, { clientSeed: randomUUID(), commitment, manifest });
  };
  const rollFairly = async (): Promise<void> => {
    if (player.fair === 0) {
      await post(`/users/${userId}/fairness`, {});
      await rotate();
    }
    const { fairness } = await post('/templates/fair/roll', { userId });
    player.fair += 1;
    player.receipts.push(fairness);
    if (player.fair % 20 === 0) await rotate();
  };
  while (!known.isOver) {
    const rolled = await post('/templates/banner/roll', { userId, grant: true });
    player.banner += 1;
    player.kept.push(rolled.rolls[0].itemInstance.id);
    assert.equal(rolled.state.rolls, player.banner);
    await post('/items/roll', {});
    known.plain += 1;
    if (known.isFair) await rollFairly();
  }
};

/** While nodes of another edition run, nobody can begin with this one. */
const assertNotFairYet = async ({ nodes }: Cluster): Promise<void> => {
  for (const { address } of nodes) {
    const response = await fetch(`${address}/users/early/fairness`, { method: 'POST', headers, body: '{}' });
    assert.equal(response.status, 503);
    assert.match(await response.text(), /verifiable rolls begin when the upgrade is completed/);
  }
};

/** Changes an item that every banner roll may meet. */
const changeCatalog = async ({ send, read }: Cluster, known: Known): Promise<void> => {
  const { classifiers } = await read('/items/ticker');
  const classifierOptionIds = classifiers.map((one: Body) => one.classifierOption.id);
  for (let time = 1; !known.isOver; time += 1) {
    await send('PUT', '/items/ticker', { name: `tick ${time}`, rollNumerator: 1, classifierOptionIds });
    known.versions += 1;
    await delay(PAUSE_MS);
  }
};

/** How many items the log says were rolled, whichever version wrote its entries. */
const countLogged = async ({ send }: Cluster, list: string): Promise<number> => {
  let logged = 0;
  for (let path: string | undefined = list; path !== undefined; ) {
    const page: Awaited<ReturnType<Cluster['send']>> = await send('GET', path);
    for (const { results } of JSON.parse(page.text)) logged += results.length;
    path = page.next;
  }
  return logged;
};

const compare = async (cluster: Cluster, known: Known, databaseUrl: string): Promise<void> => {
  const { read, send, counts } = cluster;
  const rolls = known.players.reduce((sum, { banner, fair }) => sum + banner + fair, known.plain);
  assert.equal((await read('/roll-events/stats')).totalRolls, rolls);
  assert.equal(await countLogged(cluster, '/roll-events?limit=100'), rolls);
  for (const { userId, banner, kept, receipts } of known.players) {
    assert.equal((await read(`/users/${userId}/templates/banner`)).rolls, banner);
    assert.equal(await countLogged(cluster, `/users/${userId}/rolls?templateId=banner&limit=50`), banner);
    const found: string[] = [];
    for (let path: string | undefined = `/item-instances?userId=${userId}&limit=1000`; path !== undefined; ) {
      const page: Awaited<ReturnType<Cluster['send']>> = await send('GET', path);
      found.push(...JSON.parse(page.text).map(({ id }: { id: string }) => id));
      path = page.next;
    }
    assert.deepEqual(found.sort(), kept.sort());
    const { epoch } = await read(`/users/${userId}/fairness`);
    for (let number = 0; number <= epoch; number += 1) {
      const proof = await read(`/users/${userId}/proof?epoch=${number}`);
      const own = receipts.filter((one) => one.epoch === number).map(({ receipt }) => receipt);
      const { isSound, counts: found } = verified(proof, { receipts: own });
      assert.deepEqual([isSound, found.failed], [true, 0]);
    }
  }
  const versions = await read('/catalog/versions?limit=1');
  // A change whose response was lost may have been made twice.
  assert.ok(versions[0].version >= known.versions && versions[0].version <= known.versions + counts.retries);
  const findings: string[] = [];
  const database = openDatabase(databaseUrl);
  await database.snapshot((snapshot) => checkAll(snapshot, (_, finding) => findings.push(finding)));
  await database.close();
  assert.deepEqual(findings, []);
};

interface Pair {
  readonly older: string;
  readonly newer: string;
  /** Whether both make verifiable rolls in the same way. */
  readonly areOfOneEdition: boolean;
  migrate(step: 'expand' | 'contract', databaseUrl: string): Promise<void>;
}

/** Whether the last release makes verifiable rolls in the same way as this version. */
const isOfThisEdition = async (): Promise<boolean> => {
  const { memory } = await readRecording(RELEASES.at(-1) as string, 'postgres');
  return memory.fair?.edition === EDITION;
};

const ran = async (script: string, args: readonly string[], databaseUrl: string): Promise<void> => {
  const { code, stderr } = await runToEnd(script, args, { DATABASE_URL: databaseUrl });
  assert.deepEqual([code, stderr], [0, '']);
};

const rollThrough = async ({ older, newer, areOfOneEdition, migrate }: Pair, databaseUrl: string): Promise<string> => {
  const cluster = createCluster(databaseUrl);
  const { start, stopOldest, counts } = cluster;
  const known: Known = {
    plain: 0,
    versions: 6,
    isOver: false,
    isFair: areOfOneEdition,
    players: Array.from({ length: PLAYERS }, (_, index) => ({
      userId: `player-${index}`,
      ...{ banner: 0, kept: [], fair: 0, receipts: [] },
    })),
  };
  const replaceBoth = async (script: string): Promise<void> => {
    for (let count = 0; count < 2; count += 1) {
      await start(script);
      await stopOldest();
    }
  };
  try {
    await start(older);
    await start(older);
    await prepareGame(cluster);
    const playing = [...known.players.map((player) => playAs(cluster, known, player)), changeCatalog(cluster, known)];
    // A failed request shows at the end; until then the others go on.
    const all = Promise.allSettled(playing);
    try {
      await delay(1000);
      await migrate('expand', databaseUrl);
      for (let round = 0; round < ROUNDS; round += 1) {
        await replaceBoth(newer);
        await replaceBoth(older);
      }
      await replaceBoth(newer);
      if (!areOfOneEdition) await assertNotFairYet(cluster);
      await migrate('contract', databaseUrl);
      known.isFair = true;
      for (let left = 600; left > 0 && known.players.some(({ fair }) => fair === 0); left -= 1) await delay(PAUSE_MS);
      await delay(1000);
    } finally {
      known.isOver = true;
      for (const outcome of await all) if (outcome.status === 'rejected') assert.fail(outcome.reason);
    }
    await compare(cluster, known, databaseUrl);
    const again = await runToEnd(older, [], { DATABASE_URL: databaseUrl, PORT: '0', MIGRATE: 'expand' });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^itemwright: cannot start: /);
    await stopOldest();
    await stopOldest();
    const { requests, retries, replayed, longestMs } = counts;
    const kept = known.players.reduce((sum, player) => sum + player.kept.length, 0);
    const fair = known.players.reduce((sum, player) => sum + player.fair, 0);
    return `${4 * ROUNDS + 2} nodes replaced; ${requests} requests, ${retries} sent again, none refused; ${replayed} repeated with their key; ${known.plain} plain, ${kept} kept and ${fair} verifiable rolls, ${known.versions} catalog versions; the longest request took ${Math.round(longestMs)} ms`;
  } finally {
    await cluster.close();
  }
};

describe('two nodes under load are upgraded one after the other, and back, and lose nothing', () => {
  let empty: EmptyDatabase;
  let released: ReleasedService;
  before(async () => {
    released = await openService();
  });
  after(() => released.remove());

  const through = async (pair: Pair): Promise<string> => {
    empty = await createEmptyDatabase('postgres');
    try {
      return await rollThrough(pair, empty.url);
    } finally {
      await empty.drop();
    }
  };

  test('from the last release to this version', async (t) => {
    const told = await through({
      older: released.script,
      newer: 'src/main.ts',
      areOfOneEdition: await isOfThisEdition(),
      migrate: (step, databaseUrl) => ran('src/cli.ts', ['migrate', `--${step}`], databaseUrl),
    });
    t.diagnostic(told);
  });

  test('from this version to one with another migration', async (t) => {
    const told = await through({
      older: 'src/main.ts',
      newer: 'test/releases/next-version.ts',
      areOfOneEdition: true,
      migrate: (step, databaseUrl) => ran('test/releases/next-version.ts', [step], databaseUrl),
    });
    t.diagnostic(told);
  });
});
