import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../src/database/database.ts';
import { type Answer, basic, type Client, createEmptyDatabase, ENGINES } from './harness.ts';
import { assertInventoriesHold } from './inventories.ts';
import { Model, type Operation, operations, outcomeOf, perform, resolve, sameOutcome } from './inventory-model.ts';
import { type Postgres, startPostgres } from './postgres.ts';

const TEAM = { id: 'team', secret: 'a-secret-of-the-crash-test' };
const CALLERS = 16;
const OPERATIONS_EACH = 64;
const KILLS = 2;

/** The service as it is started by `npm start`, in a process of its own. */
const startProcess = async (databaseUrl: string): Promise<{ address: string; process: ChildProcess }> => {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: {
      ...{ PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'info', DATABASE_URL: databaseUrl },
      ...{ ITEMWRIGHT_TEAM_ID: TEAM.id, ITEMWRIGHT_SECRET: TEAM.secret },
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let log = '';
  for await (const chunk of child.stdout) {
    log += chunk;
    const address = /"address":"([^"]+)"/.exec(log)?.[1];
    if (address === undefined) continue;
    child.stdout.resume();
    return { address, process: child };
  }
  throw new Error(`the service did not start: ${log}`);
};

/** A caller that learns where the service is, whenever it is started anew. */
const createCaller = (address: () => string): Client => {
  const request: Client['request'] = async (method, path, body, { headers = {} } = {}): Promise<Answer> => {
    const response = await fetch(`${address()}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        authorization: basic(TEAM.id, TEAM.secret),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  return {
    teamId: TEAM.id,
    secret: TEAM.secret,
    request,
    get: (path, options) => request('GET', path, undefined, options),
    delete: (path, options) => request('DELETE', path, undefined, options),
    post: (path, body, options) => request('POST', path, body, options),
    put: (path, body, options) => request('PUT', path, body, options),
  };
};

const ITEMS = { dot: [1, 1], bar: [1, 3], slab: [2, 1], block: [2, 2] } as const;

/** Each caller has users, bags and things of its own, so that a model of these alone says how every call must end. */
const namesOf = (caller: number) => {
  const users = ['one', 'two'].map((name) => `caller-${caller}-${name}`);
  return {
    users,
    items: Object.keys(ITEMS),
    spaces: ['bag'],
    bags: users.map((userId) => ({ userId, bagId: `${userId}-bag` })),
    things: Array.from({ length: 8 }, (_, n) => `caller-${caller}-thing-${n}`),
  };
};

for (const engine of ENGINES) {
  describe(`a service on ${engine} that is killed`, () => {
    let postgres: Postgres | undefined;
    let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
    before(async () => {
      if (engine === 'postgres') postgres = await startPostgres({ durable: true });
      const { url, drop } = postgres
        ? { url: postgres.url('postgres'), drop: async () => {} }
        : await createEmptyDatabase(engine);
      database = { url, drop };
    });
    after(async () => {
      await database.drop();
      await postgres?.stop();
    });

    test('in the middle of a thousand operations has every one that it answered, and its invariants', async (t) => {
      let running = await startProcess(database.url);
      t.after(() => running.process.kill('SIGKILL'));
      const team = createCaller(() => running.address);
      for (const [id, [width, height]] of Object.entries(ITEMS))
        assert.equal((await team.post('/items', { id, name: id, width, height })).status, 200);
      assert.equal((await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 4, rows: 4 })).status, 200);
      assert.equal((await team.post('/users/shared/spaces', { id: 'shared-bag', spaceId: 'bag' })).status, 200);

      let answered = 0;
      let unanswered = 0;
      let kills = 0;
      const answeredRequests: string[] = [];

      const worlds = await Promise.all(
        Array.from({ length: CALLERS }, async (_, caller) => {
          const names = namesOf(caller);
          const model = new Model();
          for (const [id, [width, height]] of Object.entries(ITEMS)) model.items.set(id, { width, height });
          model.spaces.set('bag', { cols: 4, rows: 4 });
          for (const { userId, bagId } of names.bags) {
            const open: Operation = { type: 'openBag', userId, bagId, spaceId: 'bag' };
            assert.equal((await perform(team, open)).status, 200);
            model.apply(open);
          }
          const [sequence] = fc.sample(
            fc.array(operations(names, { catalog: false }), {
              ...{ minLength: OPERATIONS_EACH, maxLength: OPERATIONS_EACH, size: 'max' },
            }),
            { seed: caller, numRuns: 1 },
          );
          return {
            caller,
            model,
            sequence: sequence as Operation[],
            done: 0,
            lost: undefined as Operation | undefined,
          };
        }),
      );
      type World = (typeof worlds)[number];

      /** Goes on with a caller's operations until the service is gone, or until there are no more. */
      const proceed = async (world: World): Promise<void> => {
        while (world.done < world.sequence.length) {
          const operation = resolve(world.model, world.sequence[world.done] as Operation, namesOf(world.caller));
          world.done += 1;
          const requestId = `caller-${world.caller}-${world.done}`;
          let answer: Answer;
          try {
            answer = await perform(team, operation, requestId);
          } catch {
            unanswered += 1;
            world.lost = operation;
            return;
          }
          answered += 1;
          const expected = world.model.apply(operation);
          assert.ok(
            sameOutcome(expected, outcomeOf(operation, answer)),
            `${requestId} ${JSON.stringify(operation)}: ${answer.status} ${JSON.stringify(answer.body)}, expected ${JSON.stringify(expected)}`,
          );
          // Callers also meet: all of them put things into one bag, and take them out again.
          if (world.done % 2 === 0) await meet(world, requestId);
        }
      };
      const meet = async (world: World, requestId: string): Promise<void> => {
        const id = `shared-${requestId}`;
        const gift: Operation = { type: 'create', id, itemId: 'dot', userId: 'shared', bagId: 'shared-bag' };
        try {
          const given = await perform(team, gift, `${id}-given`);
          if (given.status === 200) answeredRequests.push(`${id}-given`);
          if (given.status !== 200 || world.done % 16 === 0) return;
          const taken = await perform(team, { type: 'delete', id }, `${id}-taken`);
          if (taken.status === 200) answeredRequests.push(`${id}-taken`);
        } catch {
          // Not answered: it may be there or not.
        }
      };

      /** Looks at the database itself, while no service runs on it. */
      const inspect = async (): Promise<{ found: number }> => {
        const opened = openDatabase(database.url);
        try {
          await assertInventoriesHold({ database: opened });
          const { rows, events, users, bags } = await opened.read(async (reader) => ({
            rows: await reader
              .selectFrom('item_instances')
              .leftJoin('item_instance_spaces as placement', (join) =>
                join
                  .onRef('placement.team_id', '=', 'item_instances.team_id')
                  .onRef('placement.item_instance_id', '=', 'item_instances.id'),
              )
              .select(['item_instances.id', 'item_id', 'user_id', 'user_space_id', 'x', 'y', 'rotated'])
              .execute(),
            events: await reader.selectFrom('item_instance_history').selectAll().execute(),
            users: await reader.selectFrom('users').select('id').execute(),
            bags: await reader.selectFrom('user_spaces').select(['id', 'user_id', 'space_id']).execute(),
          }));
          for (const world of worlds) {
            const mine = (id: string) => id.startsWith(`caller-${world.caller}-`);
            const seen = new Model();
            seen.users = new Set(users.flatMap(({ id }) => (mine(id) ? [id] : [])));
            for (const bag of bags)
              if (mine(bag.id)) seen.bags.set(bag.id, { userId: bag.user_id, spaceId: bag.space_id });
            for (const { id, item_id, user_id, user_space_id, x, y, rotated } of rows) {
              if (!mine(id)) continue;
              const at =
                user_space_id === null
                  ? null
                  : { bagId: user_space_id, x: Number(x), y: Number(y), rotated: rotated === 1 };
              seen.things.set(id, { itemId: item_id, userId: user_id, at });
            }
            for (const { item_instance_id: id } of events)
              if (mine(id)) seen.events.set(id, (seen.events.get(id) ?? 0) + 1);
            // What was answered is there; what was under way is there as a whole, or not at all.
            const withLost = world.model.clone();
            if (world.lost !== undefined) withLost.apply(world.lost);
            world.lost = undefined;
            if (seen.describe() === withLost.describe()) world.model = withLost;
            assert.equal(seen.describe(), world.model.describe());
          }
          const recorded = new Set(events.map(({ request_id }) => request_id));
          const missing = answeredRequests.filter((requestId) => !recorded.has(requestId));
          assert.deepEqual(missing, []);
          return { found: answeredRequests.length };
        } finally {
          await opened.close();
        }
      };

      let found = 0;
      for (; kills < KILLS; kills += 1) {
        const target = answered + (CALLERS * OPERATIONS_EACH - answered) / (KILLS - kills + 1);
        const watch = setInterval(() => {
          if (answered >= target) running.process.kill('SIGKILL');
        }, 1);
        const exited = once(running.process, 'exit');
        await Promise.all(worlds.map(proceed));
        await exited;
        clearInterval(watch);
        ({ found } = await inspect());
        running = await startProcess(database.url);
      }
      await Promise.all(worlds.map(proceed));
      running.process.kill('SIGTERM');
      await once(running.process, 'exit');
      ({ found } = await inspect());
      assert.equal(answered + unanswered, CALLERS * OPERATIONS_EACH);
      assert.ok(unanswered > 0, 'no kill met an operation under way');
      t.diagnostic(
        `${kills} kills; ${answered} operations answered and all there, ${unanswered} cut off, each there as a whole or not at all; ${found} gifts and takings of a shared bag answered and all in its history`,
      );
    });
  });
}
