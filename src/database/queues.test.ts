import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { createEmptyDatabase, type EmptyDatabase, ENGINES } from '../../test/harness.ts';
import { LIMITS } from '../shared/limits.ts';
import { ask, insertInto, locking, lookup, updateIn } from './declarations.ts';
import { createFairQueue } from './fair-queue.ts';
import { openDatabase } from './open.ts';
import { sizesOf } from './postgres/pools.ts';
import { type Database, NO_TEAM } from './work.ts';

describe('a fair queue', () => {
  test('serves waiting teams in turns', async () => {
    const queue = createFairQueue(1);
    const served: string[] = [];
    await queue.take('a');
    for (const team of ['a', 'a', 'a', 'b', 'b', 'c']) queue.take(team).then(() => served.push(team));
    for (const team of ['a', 'a', 'b', 'c', 'a', 'b']) {
      queue.give(team);
      await new Promise(setImmediate);
    }
    assert.deepEqual(served, ['a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('takes no longer to serve a team, however many others wait', async () => {
    const TEAMS = 20_000;
    const queue = createFairQueue(1);
    await queue.take('first');
    let served = 0;
    for (let team = 0; team < TEAMS; team += 1)
      queue.take(`team-${team}`).then(() => {
        served += 1;
        queue.give(`team-${team}`);
      });
    const before = process.threadCpuUsage();
    queue.give('first');
    while (served < TEAMS) await new Promise(setImmediate);
    const { user, system } = process.threadCpuUsage(before);
    // Looking at all who wait, each time, would take a hundred times as long.
    assert.ok((user + system) / 1000 < 1000, `${(user + system) / 1000} ms`);
  });

  test('keeps a permit for a team that has none yet', async () => {
    const queue = createFairQueue(4);
    let taken = 0;
    for (let count = 0; count < 4; count += 1)
      queue.take('greedy').then(() => {
        taken += 1;
      });
    await new Promise(setImmediate);
    assert.equal(taken, 2);
    await queue.take('b');
    await queue.take('c');
  });
});

const insertUser = insertInto('users', {
  id: 'text',
  external_id: 'text',
  roller_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
});
const updateName = updateIn('users', { id: 'text', external_id: 'text' }, { key: ['id'] });
const holdUser = locking(
  'users',
  lookup({ id: 'text' }, (queries, teamId, { id }) =>
    queries.selectFrom('users').select('id').where('team_id', '=', teamId).where('id', '=', id),
  ),
);

const MANY = 20;
const APART = sizesOf(LIMITS.postgresConnections).apart;
const USERS = Array.from({ length: MANY }, (_, number) => `player-${number}`);

for (const engine of ENGINES) {
  describe(`teams on ${engine}`, { timeout: 60_000 }, () => {
    let empty: EmptyDatabase;
    let database: Database;

    before(async () => {
      empty = await createEmptyDatabase(engine);
      database = openDatabase(empty.url);
      await database.migrate();
      for (const id of ['hog', 'modest'])
        await database.transaction(NO_TEAM, async ({ queries }) => {
          await queries
            .insertInto('teams')
            .values({
              id,
              name: id,
              catalog_version: '1',
              version: 0,
              item_count: 0,
              verifiable_rolls: 0,
              created_at: 1,
              updated_at: 1,
            })
            .execute();
        });
      for (const team of ['hog', 'modest'])
        await database.write(team, async (work) => {
          for (const id of USERS)
            work.write(insertUser, { id, external_id: null, roller_id: id, created_at: 1, updated_at: 1 });
        });
    });
    after(async () => {
      await database.close();
      await empty.drop();
    });

    test('can read while another team holds as many readers as it can get', async () => {
      const gate = Promise.withResolvers<void>();
      const hog = Array.from({ length: MANY }, () => database.read('hog', () => gate.promise));
      await database.read('modest', ({ queries }) => sql`select 1`.execute(queries));
      await database.readUrgent('hog', ({ queries }) => sql`select 1`.execute(queries));
      gate.resolve();
      await Promise.all(hog);
    });

    test('write in turns', { timeout: 30_000 }, async () => {
      const modestBegan = Promise.withResolvers<void>();
      let hogs = 0;
      const hog = Array.from({ length: MANY }, () =>
        database.transaction('hog', async () => {
          hogs += 1;
          // Half of them go first at most: if the other team had to wait for more, nothing would ever go on.
          if (hogs > MANY / 2) await modestBegan.promise;
        }),
      );
      await database.transaction('modest', async () => modestBegan.resolve());
      await Promise.all(hog);
    });

    if (engine === 'postgres') {
      test('can change their catalogs while changes of another team wait', async () => {
        const gate = Promise.withResolvers<void>();
        const hog = Array.from({ length: MANY }, () => database.transaction('hog', () => gate.promise));
        await database.transaction('modest', ({ queries }) => sql`select 1`.execute(queries));
        gate.resolve();
        await Promise.all(hog);
      });

      test('wait only for their own locked rows', async () => {
        const [hogs, modest, observer] = Array.from(
          { length: 3 },
          () => new pg.Client({ connectionString: empty.url }),
        ) as [pg.Client, pg.Client, pg.Client];
        for (const client of [hogs, modest, observer]) await client.connect();
        const lock = async (client: pg.Client, team: string) => {
          await client.query('begin');
          await client.query('select id from users where team_id = $1 for update', [team]);
        };
        const rename = (team: string, id: string) =>
          database.write(team, async (work) => {
            await work.hold(ask(holdUser, { id }));
            work.write(updateName, { id, external_id: `renamed-${id}` });
          });
        /** Waits until this many sessions wait for a lock outside a group (a group gives up sooner). */
        const untilWaiting = async (count: number): Promise<void> => {
          const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and now() - query_start > interval '${LIMITS.postgresGroupLockMs * 3} ms'`;
          while ((await observer.query(waiting)).rowCount !== count) await new Promise(setImmediate);
        };
        await lock(modest, 'modest');
        await lock(hogs, 'hog');
        try {
          const stuck = USERS.map((id) => rename('hog', id));
          await untilWaiting(APART / 2);
          const freed = rename('modest', 'player-1');
          await untilWaiting(APART / 2 + 1);
          await modest.query('commit');
          await freed;
          await hogs.query('commit');
          await Promise.all(stuck);
        } finally {
          for (const client of [hogs, modest, observer]) await client.end();
        }
      });

      test('wait for locked rows again after waiting for a command', async () => {
        const blocker = new pg.Client({ connectionString: empty.url });
        await blocker.connect();
        const lock = async () => {
          await blocker.query('begin');
          await blocker.query(`select id from users where team_id = 'hog' and id = 'player-1' for update`);
        };
        const holder = Promise.withResolvers<void>();
        const holds = Promise.withResolvers<void>();
        const postponed = Promise.withResolvers<void>();
        const waiting = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
        let runs = 0;
        await lock();
        try {
          // Its first run is in a group, which gives up; the second waits for the row, and then for the holder.
          const renamed = database.write('hog', async (work) => {
            waiting[runs]?.resolve();
            runs += 1;
            await work.hold(ask(holdUser, { id: 'player-1' }));
            await work.hold(ask(holdUser, { id: 'player-2' })).catch((error) => {
              postponed.resolve();
              throw error;
            });
            work.write(updateName, { id: 'player-1', external_id: 'at-last' });
          });
          await waiting[1]?.promise;
          const held = database.write('hog', async (work) => {
            await work.hold(ask(holdUser, { id: 'player-2' }));
            holds.resolve();
            await holder.promise;
          });
          await holds.promise;
          await blocker.query('commit');
          await postponed.promise;
          await lock();
          holder.resolve();
          await held;
          await waiting[2]?.promise;
          await delay(LIMITS.postgresGroupLockMs * 3);
          await blocker.query('commit');
          await renamed;
        } finally {
          await blocker.end();
        }
      });
    }
  });
}
