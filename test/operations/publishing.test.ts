import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../src/database/open.ts';
import { basic, createEmptyDatabase, ENGINES, type Engine } from '../harness.ts';
import { freePort, type Running, run } from '../processes.ts';
import { cheapDraws } from '../statistics.ts';

/** Publications while users roll: 200 by hand, with PUBLICATIONS=200. */
const PUBLICATIONS = Number(process.env.PUBLICATIONS ?? 30);
const ROLLERS = 16;
/** Rolls per call on the banner. */
const COUNT = 10;
/** Between publications, so that rolls have time as well. */
const PAUSE_MS = 40;
/** How often a service is killed while it publishes; PUBLISHING_KILLS=50 by hand. */
const KILLS = Number(process.env.PUBLISHING_KILLS ?? 3);

const TEAM = 'publishing';
const SECRET = 'a-secret-for-publishing';
const headers = { authorization: basic(TEAM, SECRET), 'content-type': 'application/json' };

interface Node {
  readonly address: string;
  readonly running: Running;
}

const startNode = async (databaseUrl: string): Promise<Node> => {
  const port = await freePort();
  const running = run('src/main.ts', [], {
    ...{ DATABASE_URL: databaseUrl, PORT: String(port), LOG_LEVEL: 'info' },
    ...{ ITEMWRIGHT_TEAM_ID: TEAM, ITEMWRIGHT_SECRET: SECRET },
  });
  await running.said(`"msg":"listening"`);
  return { address: `http://127.0.0.1:${port}`, running };
};

const stopNode = async ({ running }: Node): Promise<void> => {
  running.child.kill('SIGTERM');
  assert.equal((await running.ended).code, 0);
};

const send = async ({ address }: Node, method: string, path: string, body?: object) => {
  const response = await fetch(`${address}${path}`, { method, headers, body: body && JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects is what it asserts.
  return { status: response.status, body: (await response.json()) as any };
};

const done = async (node: Node, method: string, path: string, body?: object) => {
  const response = await send(node, method, path, body);
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(response.body)}`);
  return response.body;
};

/** One node on SQLite, which only one process may use; two on PostgreSQL. */
const withNodes = async (engine: Engine, work: (nodes: Node[], databaseUrl: string) => Promise<void>) => {
  const empty = await createEmptyDatabase(engine);
  const nodes = [await startNode(empty.url)];
  if (engine === 'postgres') nodes.push(await startNode(empty.url));
  try {
    await work(nodes, empty.url);
    for (const node of nodes) await stopNode(node);
  } finally {
    for (const { running } of nodes) running.child.kill('SIGKILL');
    await empty.drop();
  }
};

const PREFIX = 'generation-';
const TIERS = ['common', 'rare'];

/** A catalog whose items all belong to one version. */
const generation = (version: number) => ({
  formatVersion: 1,
  attributes: [],
  classifiers: [
    { id: 'rarity', name: 'Rarity', classifierOptions: TIERS.map((id) => ({ id, name: id, dropRateMultiplier: 1 })) },
  ],
  spaces: [],
  items: Array.from({ length: 20 }, (_, index) => ({
    id: `${PREFIX}${version}-${index}`,
    name: `Item ${index}`,
    classifierOptionIds: [TIERS[index % 2]],
  })),
  templates: [{ id: 'banner', name: 'Banner', type: 'gacha', config: { baseRates: { common: version, rare: 1 } } }],
});

const itemsOf = (results: string): string[] => results.match(new RegExp(`${PREFIX}\\d+-\\d+`, 'g')) ?? [];

/** Every roll of a team: the items it gave, and the version it was made on. */
const recordedRolls = async (databaseUrl: string) => {
  const database = openDatabase(databaseUrl);
  try {
    return await database.read(TEAM, ({ queries }) =>
      queries.selectFrom('roll_events').select(['catalog_version', 'results']).where('team_id', '=', TEAM).execute(),
    );
  } finally {
    await database.close();
  }
};

const publish = (node: Node, version: number) =>
  send(node, 'POST', '/catalog/publish', {
    ...generation(version),
    baseVersion: version - 1,
    message: `Number ${version}`,
  });

for (const engine of ENGINES) {
  describe(`publishing on ${engine}`, () => {
    test(`${PUBLICATIONS} times while users roll: every roll is made wholly on the version it is recorded with`, (t) =>
      withNodes(engine, async (nodes, databaseUrl) => {
        const nodeOf = (index: number): Node => nodes[index % nodes.length] as Node;
        assert.equal((await publish(nodeOf(0), 1)).status, 200);
        let published = 1;
        let isOver = false;
        let rolls = 0;
        const roller = async (index: number): Promise<void> => {
          const isPlain = index % 4 === 0;
          const path = isPlain ? '/items/roll' : '/templates/banner/roll';
          while (!isOver) {
            const atLeast = published;
            const { rolls: given = [null], ...body } = await done(
              nodeOf(index + rolls),
              'POST',
              path,
              isPlain ? {} : { count: COUNT },
            );
            const ids = new Set(itemsOf(JSON.stringify([given, body])).map((id) => Number(id.split('-')[1])));
            assert.equal(ids.size, 1, 'all rolls of a call are made on one version');
            for (const version of ids)
              assert.ok(version >= atLeast, `version ${version} was rolled on after ${atLeast}`);
            rolls += given.length;
          }
        };
        const startedMs = performance.now();
        const rollers = Array.from({ length: ROLLERS }, (_, index) => roller(index));
        for (let version = 2; version <= PUBLICATIONS; version += 1) {
          const { status, body } = await publish(nodeOf(version), version);
          assert.equal(status, 200, JSON.stringify(body));
          published = version;
          await pause(PAUSE_MS);
        }
        isOver = true;
        await Promise.all(rollers);
        const perSecond = (rolls * 1000) / (performance.now() - startedMs);
        const recorded = await recordedRolls(databaseUrl);
        let found = 0;
        for (const { catalog_version, results } of recorded)
          for (const id of itemsOf(results)) {
            assert.equal(id.split('-')[1], String(catalog_version));
            found += 1;
          }
        assert.equal(found, rolls);
        t.diagnostic(`${rolls} rolls, ${perSecond.toFixed(0)} per second, on ${nodes.length} nodes`);
      }));

    test(`survives ${KILLS} kills: a version is there as a whole or not at all, and none is missing`, async () => {
      const empty = await createEmptyDatabase(engine);
      const draws = cheapDraws(7);
      try {
        let acknowledged = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          const node = await startNode(empty.url);
          const versions = (await done(node, 'GET', '/catalog/versions?limit=1')) as { version: number }[];
          let current = versions[0]?.version ?? 0;
          assert.ok(current >= acknowledged, `version ${acknowledged} was answered, but ${current} is the last`);
          setTimeout(() => node.running.child.kill('SIGKILL'), 150 + 700 * draws());
          try {
            for (;;) {
              const { status, body } = await publish(node, current + 1);
              assert.equal(status, 200, JSON.stringify(body));
              current += 1;
              acknowledged = current;
            }
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error;
          }
          await node.running.ended;
        }
        const node = await startNode(empty.url);
        const all = (await done(node, 'GET', '/catalog/versions')) as { version: number; changes: number }[];
        assert.ok(all.length >= acknowledged);
        for (const [index, { version, changes }] of all.entries()) {
          assert.equal(version, all.length - index);
          const { changes: listed } = await done(node, 'GET', `/catalog/versions/${version}?pools=none`);
          assert.equal(listed.length, changes);
          const { items } = await done(node, 'GET', `/catalog?version=${version}`);
          const expected = generation(version).items.map(({ id }) => id);
          assert.deepEqual(items.map(({ id }: { id: string }) => id).sort(), expected.sort());
        }
        await stopNode(node);
      } finally {
        await empty.drop();
      }
    });
  });
}

test('a draft that is scheduled is published once with two nodes', () =>
  withNodes('postgres', async ([first, second]) => {
    assert.ok(first && second);
    const changes = [{ kind: 'item', id: 'axe', after: { id: 'axe', name: 'Axe' } }];
    const ids = ['one', 'two', 'three'];
    for (const id of ids)
      await done(first, 'POST', '/catalog/drafts', {
        id,
        name: id,
        changes: id === 'one' ? changes : [{ kind: 'item', id, after: { id, name: id } }],
      });
    const at = new Date(Date.now() + 2000).toISOString();
    for (const id of ids) await done(second, 'POST', `/catalog/drafts/${id}/publish`, { at, rebase: true });
    for (const deadline = performance.now() + 30_000; ; await pause(100)) {
      const left = await done(first, 'GET', '/catalog/drafts');
      if (left.length === 0) break;
      assert.ok(performance.now() < deadline, JSON.stringify(left));
    }
    await pause(2500);
    const versions = (await done(second, 'GET', '/catalog/versions')) as { message: string; createdAt: string }[];
    assert.deepEqual(versions.map(({ message }) => message).sort(), [...ids].sort());
    for (const { createdAt } of versions) assert.ok(createdAt >= at);
  }));
