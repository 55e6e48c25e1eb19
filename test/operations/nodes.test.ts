import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { basic, createEmptyDatabase, type EmptyDatabase } from '../harness.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { freePort, type Running, run, runToEnd } from '../processes.ts';

const TEAM = 'nodes';
const SECRET = 'a-secret-for-the-nodes';
const headers = { authorization: basic(TEAM, SECRET), 'content-type': 'application/json' };

const startNodes = async (databaseUrl: string, workers: number): Promise<{ address: string; running: Running }> => {
  const port = await freePort();
  const running = run('src/main.ts', [], {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    WORKERS: String(workers),
    LOG_LEVEL: 'info',
    ITEMWRIGHT_TEAM_ID: TEAM,
    ITEMWRIGHT_SECRET: SECRET,
  });
  await running.said(`"msg":"listening"`);
  return { address: `http://127.0.0.1:${port}`, running };
};

const send = async (address: string, method: string, path: string, body?: object) => {
  const response = await fetch(`${address}${path}`, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects is what it asserts.
  return { status: response.status, body: (await response.json()) as any };
};

describe('four processes on one PostgreSQL', () => {
  let empty: EmptyDatabase;
  let nodes: Awaited<ReturnType<typeof startNodes>>;

  before(async () => {
    empty = await createEmptyDatabase('postgres');
    nodes = await startNodes(empty.url, 4);
  });

  after(async () => {
    nodes.running.child.kill('SIGTERM');
    assert.equal((await nodes.running.ended).code, 0, 'all processes stop');
    await empty.drop();
  });

  test('never roll on an outdated catalog', async () => {
    const { address } = nodes;
    await send(address, 'POST', '/items', { id: 'item', name: 'generation 0' });
    let changed = 0;
    let isOver = false;
    let rolls = 0;
    const roller = async (): Promise<void> => {
      while (!isOver) {
        const atLeast = changed;
        const { status, body } = await send(address, 'POST', '/items/roll', {});
        assert.equal(status, 200);
        const generation = Number(body.item.name.split(' ')[1]);
        assert.ok(generation >= atLeast, `rolled generation ${generation} after the response to change ${atLeast}`);
        rolls += 1;
      }
    };
    const rollers = Array.from({ length: 16 }, roller);
    for (let generation = 1; generation <= 25; generation += 1) {
      const { status } = await send(address, 'PUT', '/items/item', { name: `generation ${generation}` });
      assert.equal(status, 200);
      changed = generation;
    }
    isOver = true;
    await Promise.all(rollers);
    const { body } = await send(address, 'GET', '/roll-events/stats');
    assert.equal(body.totalRolls, rolls, 'every roll is counted, on whichever process it was made');
  });

  test('replace a killed process, and keep serving meanwhile', async () => {
    const { address, running } = nodes;
    const pids = [...running.stdout().matchAll(/"worker":(\d+)/g)].map((match) => Number(match[1]));
    assert.equal(new Set(pids).size, 4);
    process.kill(pids[0] as number, 'SIGKILL');
    await running.said('starting another');
    // A connection to the killed process may break, but every response is right, and most requests get one.
    const statuses: (number | undefined)[] = [];
    for (let count = 0; count < 20; count += 1)
      statuses.push((await send(address, 'GET', '/team').catch(() => undefined))?.status);
    const responded = statuses.filter((status) => status !== undefined);
    assert.ok(responded.length >= 16, `only ${responded.length} of ${statuses.length} got a response`);
    assert.deepEqual(new Set(responded), new Set([200]));
    await running.said(/(?:"worker":\d+.*"worker is ready"[\s\S]*){5}/);
  });
});

describe('more processes than PostgreSQL has connections for', () => {
  test('do not start, and explain why in one line', async () => {
    const empty = await createEmptyDatabase('postgres');
    try {
      const { code, stderr } = await runToEnd('src/main.ts', [], {
        DATABASE_URL: empty.url,
        PORT: '0',
        WORKERS: '3',
        DATABASE_CONNECTIONS: '100',
      });
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^itemwright: cannot start: 3 WORKERS with 100 DATABASE_CONNECTIONS need 300 connections, but the server allows 197.*\n$/,
      );
    } finally {
      await empty.drop();
    }
  });
});

describe('a PostgreSQL server that restarts under load', () => {
  let postgres: Postgres;
  let nodes: Awaited<ReturnType<typeof startNodes>>;

  before(async () => {
    postgres = await startPostgres({ durable: true });
    nodes = await startNodes(await postgres.create('away'), 1);
  });

  after(async () => {
    nodes.running.child.kill('SIGTERM');
    await nodes.running.ended;
    await postgres.stop();
  });

  test('loses no acknowledged write, and causes no wrong response', async () => {
    const { address } = nodes;
    await send(address, 'POST', '/items', { id: 'item', name: 'Item' });
    const acknowledged = new Set<string>();
    const statuses = new Map<number, number>();
    let isOver = false;
    const writer = async (number: number): Promise<void> => {
      for (let count = 0; !isOver; count += 1) {
        const id = `instance-${number}-${count}`;
        const { status } = await send(address, 'POST', '/item-instances', {
          id,
          itemId: 'item',
          userId: `user-${number}`,
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) acknowledged.add(id);
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const writers = Array.from({ length: 8 }, (_, number) => writer(number));
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    await pause(500);
    await postgres.pause();
    await pause(500);
    const during = acknowledged.size;
    await postgres.resume();
    for (let waited = 0; acknowledged.size < during + 20 && waited < 200; waited += 1) await pause(50);
    isOver = true;
    await Promise.all(writers);
    assert.ok(acknowledged.size >= during + 20, 'it continues without a restart');
    assert.deepEqual([...statuses.keys()].sort(), [200, 503]);

    const found = new Set<string>();
    for (let number = 0; number < 8; number += 1) {
      let path: string | undefined = `/item-instances?userId=user-${number}`;
      while (path !== undefined) {
        const response: Response = await fetch(`${address}${path}`, {
          headers: { authorization: headers.authorization },
        });
        for (const { id } of (await response.json()) as { id: string }[]) found.add(id);
        path = /<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1];
      }
    }
    assert.deepEqual(
      [...acknowledged].filter((id) => !found.has(id)),
      [],
    );
  });
});
