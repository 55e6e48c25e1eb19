import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { basic, createEmptyDatabase, ENGINES, type Engine } from '../test/harness.ts';
import { startPostgres } from '../test/postgres.ts';

/**
 * Plans and publishes changes of a large catalog, on each database: how long they take, the longest turn of the event
 * loop meanwhile, and how many rolls per second go on meanwhile, as a ratio to rolls without a publication in the same
 * run. `node bench/catalog.ts [ITEMS] [--engine=sqlite|postgres]`, 10,000 items by default.
 */
const ITEMS = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 10_000);
const CHANGED = 100;
const ROLLERS = 16;
const SECONDS = 5;
const PUBLICATIONS = 4;
const MIB = 1024 * 1024;

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

const digits = (index: number): string => String(index).padStart(6, '0');
const RARITIES = ['common', 'rare', 'epic', 'legendary'];
const rarityOf = (index: number): string => {
  if (index % 100 === 0) return 'legendary';
  if (index % 20 === 0) return 'epic';
  return index % 5 === 0 ? 'rare' : 'common';
};

/** A believable catalog: each item has a rarity, a slot and two attributes. */
const documentOf = (items: number, weight: number) => ({
  formatVersion: 1,
  attributes: ['damage', 'speed'].map((id) => ({ id, name: id, min: 0, max: 1000, step: null })),
  classifiers: [
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: RARITIES.map((id, index) => ({ id, name: id, dropRateMultiplier: 1 / 4 ** index })),
    },
    {
      id: 'slot',
      name: 'Slot',
      classifierOptions: ['hand', 'head', 'feet'].map((id) => ({ id, name: id, dropRateMultiplier: null })),
    },
  ],
  spaces: [{ id: 'bag', name: 'Bag', cols: 10, rows: 10 }],
  items: Array.from({ length: items }, (_, index) => ({
    id: `item-${digits(index)}`,
    name: `Item number ${index}`,
    thumbnail: `https://cdn.example/items/${index}.png`,
    rollNumerator: weight + (index % 7),
    width: 1,
    height: 1,
    classifierOptionIds: [rarityOf(index), ['hand', 'head', 'feet'][index % 3]],
    itemAttributes: ['damage', 'speed'].map((attributeId) => ({
      id: `item-${digits(index)}-${attributeId}`,
      attributeId,
      min: index % 10,
      max: 100 + (index % 50),
    })),
  })),
  templates: ['banner', 'event'].map((id, index) => ({
    id,
    name: id,
    type: 'gacha',
    config: {
      baseRates: { common: 0.9, rare: 0.08, epic: 0.015, legendary: 0.005 },
      pityThreshold: 90 - 10 * index,
      softPity: [{ from: 70, add: 0.05 }],
    },
    bindings: Object.fromEntries(RARITIES.map((rarity) => [rarity, rarity])),
  })),
});

/** Rolls as fast as responses arrive, on several connections. */
const startRolling = (address: string, authorization: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: ROLLERS });
  let [rolls, isOver] = [0, false];
  const headers = { authorization, 'content-type': 'application/json' };
  const roll = (body: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = request(`${address}/items/roll`, { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode !== 200) reject(new Error(`a roll responded ${response.statusCode}`));
          else resolve();
        });
      });
      sent.on('error', reject).end(body);
    });
  const rollers = Array.from({ length: ROLLERS }, async (_, user) => {
    while (!isOver) {
      await roll(JSON.stringify({ userId: `user-${user}` }));
      rolls += 1;
    }
  });
  return {
    count: () => rolls,
    stop: async () => {
      isOver = true;
      await Promise.all(rollers);
      agent.destroy();
    },
  };
};

/** A service that watches its event loop, in its own process. */
const startWatched = async (url: string) => {
  const child: ChildProcess = fork(join(import.meta.dirname, '../test/event-loop/service.ts'), [url], {
    stdio: 'inherit',
  });
  const told = async () => (await once(child, 'message'))[0];
  const { address, teamId, secret } = await told();
  const tell = async (message: string) => {
    child.send(message);
    return told();
  };
  const authorization = basic(teamId, secret);
  const send = async (method: string, path: string, body?: object | string) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const headers = { authorization, ...(text === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${address}${path}`, { method, headers, body: text ?? null });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${answer.slice(0, 500)}`);
    return { text: answer, headers: response.headers };
  };
  return {
    address,
    authorization,
    send,
    /** How long work takes, and the longest turn of the loop meanwhile. */
    watch: async (work: () => Promise<unknown>) => {
      await tell('report');
      const startedMs = performance.now();
      await work();
      const ms = performance.now() - startedMs;
      const { longestMs } = (await tell('report')) as { longestMs: number };
      return { ms, longestMs };
    },
    stop: async () => {
      child.send('stop');
      await once(child, 'exit');
    },
  };
};

const row = (what: string, { ms, longestMs }: { ms: number; longestMs: number }): void =>
  print(
    `  ${what.padEnd(46)} ${(ms / 1000).toFixed(2).padStart(7)} s   longest turn ${longestMs.toFixed(0).padStart(4)} ms`,
  );

const bench = async (engine: Engine): Promise<void> => {
  const empty = await createEmptyDatabase(engine);
  const service = await startWatched(empty.url);
  const { send, watch, address, authorization } = service;
  try {
    let version = 0;
    const publish = async (body: string) => {
      version = JSON.parse(
        (await send('POST', '/catalog/publish', `${body.slice(0, -1)},"baseVersion":${version}}`)).text,
      ).version;
    };
    const document = JSON.stringify(documentOf(ITEMS, 10));
    print(`${engine}, ${ITEMS.toLocaleString('en')} items (a document of ${(document.length / MIB).toFixed(1)} MiB)`);
    row('publish everything into an empty catalog', await watch(() => publish(document)));
    const { items } = documentOf(CHANGED, 50);
    const changes = JSON.stringify({ changes: items.map((after) => ({ kind: 'item', id: after.id, after })) });
    await send('POST', '/catalog/plan', changes);
    row(`plan ${CHANGED} changes, with odds`, await watch(() => send('POST', '/catalog/plan', changes)));
    row('plan the whole document, nothing changes', await watch(() => send('POST', '/catalog/plan', document)));
    row(`publish ${CHANGED} changes`, await watch(() => publish(changes)));
    const changed = JSON.stringify(documentOf(ITEMS, 1000));
    row('publish a change of every item', await watch(() => publish(changed)));
    row('read the document', await watch(() => send('GET', '/catalog')));
    row('roll back to the first version', await watch(() => publish('{"rollbackTo":1}')));

    const rolling = startRolling(address, authorization);
    const perSecond = async (work: () => Promise<unknown>): Promise<number> => {
      const [before, startedMs] = [rolling.count(), performance.now()];
      await work();
      return ((rolling.count() - before) * 1000) / (performance.now() - startedMs);
    };
    await pause(2000);
    const alone = await perSecond(() => pause(SECONDS * 1000));
    const [planning, publishing]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < PUBLICATIONS; turn += 1) {
      // As the console and the command line do it: first a plan, then its publication.
      const body = turn % 2 === 0 ? changed : document;
      planning.push(await perSecond(() => send('POST', '/catalog/plan', body)));
      publishing.push(await perSecond(() => publish(body)));
      // Afterwards the new catalog is read.
      await pause(2000);
    }
    const again = await perSecond(() => pause(SECONDS * 1000));
    await rolling.stop();
    const meanOf = (rates: readonly number[]): number => rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    const quiet = (alone + again) / 2;
    const ratio = (rates: readonly number[]): string => (meanOf(rates) / quiet).toFixed(2);
    print(
      `  rolls per second: ${alone.toFixed(0)} before, ${again.toFixed(0)} after; of that, while a change of every item is planned ${ratio(planning)}, while it is published ${ratio(publishing)}`,
    );
  } finally {
    await service.stop();
    await empty.drop();
  }
};

const postgres = await startPostgres();
process.env.TEST_POSTGRES_URL = postgres.url('postgres');
for (const engine of ENGINES)
  if (!process.argv.some((word) => word.startsWith('--engine=')) || process.argv.includes(`--engine=${engine}`))
    await bench(engine);
await postgres.stop();
process.exit(0);
