import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { createEmptyDatabase, type EmptyDatabase, ENGINES } from '../../test/harness.ts';
import {
  ask,
  deleteFrom,
  ensureIn,
  insertInto,
  locking,
  lookup,
  mergeInto,
  updateIn,
  upsertInto,
} from './declarations.ts';
import { Postponed } from './group.ts';
import { openDatabase } from './open.ts';
import { Collision, type Database, NO_TEAM, type Work } from './work.ts';

const USER = {
  id: 'text',
  external_id: 'text',
  roller_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
} as const;
const insertUser = insertInto('users', USER);
const ensureUser = ensureIn('users', USER, { key: ['id'] });
const upsertUser = upsertInto('users', USER, { key: ['id'] });
const updateName = updateIn('users', { id: 'text', external_id: 'text' }, { key: ['id'] });
const deleteUser = deleteFrom('users', { id: 'text' }, { key: ['id'] });
const insertAttribute = insertInto('attributes', {
  id: 'text',
  name: 'text',
  min: 'double precision',
  max: 'double precision',
  step: 'double precision',
  created_at: 'bigint',
  updated_at: 'bigint',
});

const userById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  queries.selectFrom('users').select(['id', 'external_id as name']).where('team_id', '=', teamId).where('id', '=', id),
);
const usersFrom = lookup({ first: 'text', most: 'integer' }, (queries, teamId, { first, most }) =>
  queries
    .selectFrom('users')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '>=', first)
    .orderBy('id')
    .limit(most),
);
const holdUser = locking(
  'users',
  lookup({ id: 'text' }, (queries, teamId, { id }) =>
    queries
      .selectFrom('users')
      .select(['id', 'external_id as name'])
      .where('team_id', '=', teamId)
      .where('id', '=', id),
  ),
);

const user = (id: string, name: string | null = null) => ({
  id,
  external_id: name,
  roller_id: id,
  created_at: 1,
  updated_at: 1,
});

/** A promise that the test resolves. */
const promised = () => {
  let fulfil = (): void => {};
  const promise = new Promise<void>((resolve) => {
    fulfil = resolve;
  });
  return { promise, fulfil };
};

for (const engine of ENGINES) {
  describe(`units of work on ${engine}`, () => {
    let empty: EmptyDatabase;
    let database: Database;

    before(async () => {
      empty = await createEmptyDatabase(engine);
      database = openDatabase(empty.url);
      await database.migrate();
      const team = {
        name: 'Team',
        catalog_version: '',
        version: 0,
        item_count: 0,
        verifiable_rolls: 0,
        created_at: 1,
        updated_at: 1,
      };
      await database.transaction(NO_TEAM, ({ queries }) =>
        queries
          .insertInto('teams')
          .values([
            { id: 'a', ...team },
            { id: 'b', ...team },
          ])
          .execute(),
      );
    });
    after(async () => {
      await database?.close();
      await empty?.drop();
    });

    const nameOf = async (id: string, teamId = 'a'): Promise<string | null | undefined> => {
      const [row] = await database.read(teamId, (reader) => reader.find(userById, { id }));
      return row?.name;
    };
    const idsFrom = async (first: string, teamId = 'a'): Promise<string[]> => {
      const rows = await database.read(teamId, (reader) => reader.find(usersFrom, { first, most: 1000 }));
      return rows.map(({ id }) => id).filter((id) => id.startsWith(first));
    };
    /** Runs commands that arrive together, and returns the outcome of each. */
    const outcomes = async (commands: readonly ((work: Work) => Promise<unknown>)[]): Promise<string[]> => {
      const settled = await Promise.allSettled(commands.map((command) => database.write('a', command)));
      return settled.map((outcome) =>
        outcome.status === 'fulfilled' ? String(outcome.value ?? 'done') : (outcome.reason as Error).message,
      );
    };

    test('store any characters and numbers', async () => {
      const texts = ['', 'NULL', 'a,b', '{x}', `it's "quoted"`, 'back\\slash', 'ä ☘ 🗡', ' \n\t', null];
      await Promise.all(
        texts.map((text, n) => database.write('a', async (work) => work.write(insertUser, user(`text-${n}`, text)))),
      );
      for (const [n, text] of texts.entries()) assert.equal(await nameOf(`text-${n}`), text);
      const numbers = [0, 0.1, -1e-300, 1.7976931348623157e308, 2 ** 53 - 1, 123456.789];
      await Promise.all(
        numbers.map((max, n) =>
          database.write('a', async (work) =>
            work.write(insertAttribute, {
              id: `n-${n}`,
              name: '',
              min: -max,
              max,
              step: null,
              created_at: 1,
              updated_at: 2 ** 52,
            }),
          ),
        ),
      );
      const rows = await database.read('a', ({ queries }) =>
        queries.selectFrom('attributes').selectAll().orderBy('id').execute(),
      );
      assert.deepEqual(
        rows.map(({ max }) => max),
        numbers,
      );
      assert.deepEqual([...new Set(rows.map(({ step, updated_at }) => `${step} ${updated_at}`))], [`null ${2 ** 52}`]);
    });

    test('share one transaction, and rows that are merged, when they arrive together', async () => {
      const merged = mergeInto('users', USER, {
        key: ({ kind }: { kind: number }) => (kind === 2 ? null : String(kind)),
        row: (all) => ({ ...user(`merged-${randomUUID()}`), created_at: all.length, updated_at: all[0].kind }),
      });
      const commands = Array.from({ length: 200 }, (_, n) => async (work: Work) => {
        await work.find(userById, { id: `together-${n}` });
        await work.hold(ask(holdUser, { id: `together-${n}` }));
        work.write(insertUser, user(`together-${n}`));
        work.write(merged, { kind: n % 50 === 8 ? 2 : n % 2 });
        if (n % 50 === 7) throw new Error('dropped');
      });
      assert.deepEqual([...new Set(await outcomes(commands))], ['done', 'dropped']);
      assert.equal((await idsFrom('together-')).length, 196);
      const rows = await database.read('a', ({ queries }) =>
        queries.selectFrom('users').selectAll().where('id', 'like', 'merged-%').execute(),
      );
      const countsOf = (kind: number) =>
        rows.flatMap(({ created_at, updated_at }) => (updated_at === kind ? created_at : []));
      for (const kind of [0, 1]) {
        assert.equal(
          countsOf(kind).reduce((sum, count) => sum + count),
          96,
        );
        assert.ok(countsOf(kind).length <= 3, `${countsOf(kind)}`);
      }
      assert.deepEqual(countsOf(2), [1, 1, 1, 1]);
    });

    test('see neither their own writes nor those of others in their group', async () => {
      const seen = await outcomes(
        ['x', 'y'].map((id) => async (work: Work) => {
          work.write(insertUser, user(`unseen-${id}`));
          await work.find(userById, { id: 'nobody' });
          return (await work.find(usersFrom, { first: 'unseen-', most: 10 })).filter(({ id: found }) =>
            found.startsWith('unseen-'),
          ).length;
        }),
      );
      assert.deepEqual(seen, ['0', '0']);
      assert.deepEqual(await idsFrom('unseen-'), ['unseen-x', 'unseen-y']);
    });

    test('are dropped with their writes when they throw, without affecting others', async () => {
      const commands = Array.from({ length: 30 }, (_, n) => async (work: Work) => {
        work.write(insertUser, user(`drop-${n}`));
        if (n % 3 === 0) throw new Error('at once');
        await work.find(userById, { id: `drop-${n}` });
        if (n % 3 === 1) throw new Error('later');
      });
      const ended = await outcomes(commands);
      for (const [n, outcome] of ended.entries()) assert.equal(outcome, ['at once', 'later', 'done'][n % 3]);
      assert.deepEqual(
        await idsFrom('drop-'),
        commands
          .map((_, n) => `drop-${n}`)
          .filter((_, n) => n % 3 === 2)
          .sort(),
      );
    });

    test('run one after another if they hold the same row', async () => {
      await database.write('a', async (work) => work.write(insertUser, user('counter', '0')));
      const increment = async (work: Work) => {
        const [[row]] = await work.hold(ask(holdUser, { id: 'counter' }));
        const next = Number(row?.name) + 1;
        work.write(updateName, { id: 'counter', external_id: String(next) });
        return next;
      };
      const counts = await outcomes(Array.from({ length: 60 }, () => increment));
      assert.deepEqual(
        counts.map(Number).sort((a, b) => a - b),
        Array.from({ length: 60 }, (_, n) => n + 1),
      );
      assert.equal(await nameOf('counter'), '60');
    });

    test('run in the order in which they came if they hold the same row, however many come later', async () => {
      await database.write('a', async (work) => work.write(insertUser, user('turns')));
      const finished: number[] = [];
      const take = async (number: number): Promise<void> => {
        await database.write('a', async (work) => {
          await work.hold(ask(holdUser, { id: 'turns' }));
          work.write(updateName, { id: 'turns', external_id: String(number) });
        });
        finished.push(number);
        // As many are waiting all the time.
        if (number < 40) await take(number + 8);
      };
      await Promise.all(Array.from({ length: 8 }, (_, number) => take(number)));
      assert.deepEqual(
        finished,
        Array.from({ length: 48 }, (_, number) => number),
      );
    });

    test('run one after another if they hold several of the same rows in any order', async () => {
      const ids = Array.from({ length: 8 }, (_, n) => `many-${n}`);
      await database.write('a', async (work) => work.write(insertUser, ...ids.map((id) => user(id, `${id} 0`))));
      const countIn = (name: string | null | undefined): number => Number(name?.split(' ')[1]);
      const commands = Array.from({ length: 80 }, (_, n) => async (work: Work) => {
        const mine = [0, 1, 2].map((step) => ids[(n * 5 + step * (1 + (n % 3))) % ids.length] as string);
        // A lookup puts it behind commands that hold their rows at once; it must not be overtaken forever.
        if (n % 2 === 0) await work.find(userById, { id: 'nobody' });
        const held = await Promise.all([...new Set(mine)].map((id) => work.hold(ask(holdUser, { id }))));
        for (const [[row]] of held)
          if (row !== undefined)
            work.write(updateName, { id: row.id, external_id: `${row.id} ${countIn(row.name) + 1}` });
        return held.length;
      });
      const total = (await outcomes(commands)).reduce((sum, count) => sum + Number(count), 0);
      const names = await Promise.all(ids.map((id) => nameOf(id)));
      assert.equal(
        names.reduce((sum, name) => sum + countIn(name), 0),
        total,
      );
    });

    test('run again when another took a key that they found free', async () => {
      const runs: string[] = [];
      const create = (name: string) => async (work: Work) => {
        runs.push(name);
        const [found] = await work.find(userById, { id: 'raced' });
        if (found !== undefined) return `there as ${found.name}`;
        work.write(insertUser, user('raced', name));
        return 'made';
      };
      const ended = await outcomes([
        create('one'),
        create('two'),
        async (work) => work.write(insertUser, user('bystander')),
      ]);
      assert.deepEqual(ended.slice(0, 2).sort(), ['made', `there as ${await nameOf('raced')}`].sort());
      assert.equal(ended[2], 'done');
      assert.ok(runs.length > 2);
      assert.deepEqual(await idsFrom('bystander'), ['bystander']);
    });

    test('wait for a name that another has claimed', async () => {
      let atOnce = 0;
      let most = 0;
      const commands = Array.from({ length: 10 }, () => async (work: Work) => {
        work.claim('a name');
        atOnce += 1;
        most = Math.max(most, atOnce);
        await work.find(userById, { id: 'nobody' });
        atOnce -= 1;
      });
      assert.deepEqual([...new Set(await outcomes(commands))], ['done']);
      assert.equal(most, 1);
    });

    test('leave their group to wait for slow work, without making others wait', async () => {
      const { promise, fulfil } = promised();
      let isReady = false;
      let runs = 0;
      const slow = database.write('a', async (work) => {
        runs += 1;
        work.write(insertUser, user(`slow-${runs}`));
        await work.find(userById, { id: 'nobody' });
        if (!isReady) work.rerunAfter(promise);
        return 'slow';
      });
      const quick = database.write('a', async (work) => work.write(insertUser, user('quick')));
      await quick;
      assert.equal(await nameOf('quick'), null);
      assert.equal(runs, 1);
      isReady = true;
      fulfil();
      assert.equal(await slow, 'slow');
      assert.deepEqual(await idsFrom('slow-'), ['slow-2']);
    });

    test('fail if what they wait for fails', async () => {
      const failing = database.write('a', async (work) => work.rerunAfter(Promise.reject(new Error('not to be had'))));
      await assert.rejects(failing, /not to be had/);
    });

    test('are not rejected unseen if that fails before anybody waits for it', async () => {
      // The transaction is ended first, which may take a while. An unhandled rejection would end the process.
      const { until } = new Postponed(Promise.reject(new Error('not to be had')));
      await delay(20);
      await assert.rejects(until as Promise<unknown>, /not to be had/);
    });

    test('run again when they report a collision', async () => {
      const runs = [0, 0];
      const ended = await outcomes([
        async (work) => {
          runs[0] = (runs[0] as number) + 1;
          work.write(insertUser, user(`again-${runs[0]}`));
          await work.find(userById, { id: 'nobody' });
          if (runs[0] === 1) throw new Collision();
        },
        async (work) => {
          runs[1] = (runs[1] as number) + 1;
          work.write(insertUser, user('once'));
        },
      ]);
      assert.deepEqual(ended, ['done', 'done']);
      assert.deepEqual(runs, [2, 1]);
      assert.deepEqual(await idsFrom('again-'), ['again-2']);
    });

    test('fail with 503 when they keep colliding', async () => {
      const write = database.write('a', async () => {
        throw new Collision();
      });
      await assert.rejects(write, { code: 'SERVICE_UNAVAILABLE' });
    });

    test('do not fail because another command of the group writes invalid data', async () => {
      const wrong = { ...user('wrong'), roller_id: null as unknown as string };
      const ended = await outcomes([
        async (work) => work.write(insertUser, user('sound-1')),
        async (work) => work.write(insertUser, wrong),
        async (work) => work.write(insertUser, user('sound-2')),
      ]);
      assert.deepEqual([ended[0], ended[2]], ['done', 'done']);
      assert.match(ended[1] as string, /null/i);
      assert.deepEqual(await idsFrom('sound-'), ['sound-1', 'sound-2']);
      assert.deepEqual(await idsFrom('wrong'), []);
    });

    test('update and delete only existing rows', async () => {
      for (const command of [
        async (work: Work) => work.write(updateName, { id: 'missing', external_id: 'x' }),
        async (work: Work) => work.write(deleteUser, { id: 'missing' }),
      ])
        await assert.rejects(database.write('a', command), { code: 'SERVICE_UNAVAILABLE' });
    });

    test('delete before they insert, so that a freed key can be reused', async () => {
      await database.write('a', async (work) => work.write(insertUser, user('leaver', 'the name')));
      await database.write('a', async (work) => {
        work.write(insertUser, user('taker', 'the name'));
        work.write(deleteUser, { id: 'leaver' });
      });
      assert.equal(await nameOf('taker'), 'the name');
      assert.equal(await nameOf('leaver'), undefined);
    });

    test('ensure and overwrite rows', async () => {
      await database.write('a', async (work) => work.write(insertUser, user('both', 'first')));
      await database.write('a', async (work) => work.write(ensureUser, user('both', 'second'), user('both-2', 'new')));
      assert.deepEqual([await nameOf('both'), await nameOf('both-2')], ['first', 'new']);
      await database.write('a', async (work) => work.write(upsertUser, user('both', 'third'), user('both-3', 'newer')));
      assert.deepEqual([await nameOf('both'), await nameOf('both-3')], ['third', 'newer']);
    });

    test('find and write only rows of their own team', async () => {
      await Promise.all(
        ['a', 'b'].map((teamId) =>
          database.write(teamId, async (work) => work.write(insertUser, user('shared', teamId))),
        ),
      );
      await database.write('b', async (work) => {
        const [[row]] = await work.hold(ask(holdUser, { id: 'shared' }));
        work.write(updateName, { id: 'shared', external_id: `${row?.name}!` });
      });
      assert.deepEqual([await nameOf('shared', 'a'), await nameOf('shared', 'b')], ['a', 'b!']);
      await database.write('b', async (work) => work.write(deleteUser, { id: 'shared' }));
      assert.deepEqual([await nameOf('shared', 'a'), await nameOf('shared', 'b')], ['a', undefined]);
    });

    test('see the latest data under a lock', async () => {
      await database.write('a', async (work) => work.write(insertUser, user('lock'), user('guarded', '0')));
      const counts = await outcomes(
        Array.from({ length: 40 }, () => async (work: Work) => {
          const [, [guarded]] = await work.hold(ask(holdUser, { id: 'lock' }), ask(userById, { id: 'guarded' }));
          const next = Number(guarded?.name) + 1;
          work.write(updateName, { id: 'guarded', external_id: String(next) });
          return next;
        }),
      );
      assert.equal(new Set(counts).size, 40);
      assert.equal(await nameOf('guarded'), '40');
    });

    test('have a transaction of their own when they use queries', async () => {
      const seen = await database.transaction('a', async (tx) => {
        await tx.queries
          .insertInto('users')
          .values({ team_id: 'a', ...user('free') })
          .execute();
        tx.write(insertUser, user('declared'));
        return (await tx.find(userById, { id: 'free' })).length;
      });
      assert.equal(seen, 1);
      assert.deepEqual([...(await idsFrom('free')), ...(await idsFrom('declared'))], ['free', 'declared']);
      const failing = database.transaction('a', async (tx) => {
        await tx.queries
          .insertInto('users')
          .values({ team_id: 'a', ...user('undone') })
          .execute();
        tx.write(insertUser, user('undone-too'));
        throw new Error('half way');
      });
      await assert.rejects(failing, /half way/);
      assert.deepEqual(await idsFrom('undone'), []);
    });

    test('exclude those who share a lock', async () => {
      const sharing = lookup(
        {},
        (queries, teamId) => queries.selectFrom('teams').select('name').where('id', '=', teamId),
        { shares: 'grids' },
      );
      const order: string[] = [];
      const { promise, fulfil } = promised();
      const alone = database.transaction('a', async (tx) => {
        await tx.exclude('grids');
        fulfil();
        await sql`select 1`.execute(tx.queries);
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push('alone');
      });
      await promise;
      const shared = [1, 2].map(() =>
        database.write('a', async (work) => {
          await work.find(sharing, {});
          order.push('shared');
        }),
      );
      await Promise.all([alone, ...shared]);
      assert.deepEqual(order, ['alone', 'shared', 'shared']);
    });

    test('read from a single snapshot', async () => {
      await database.write('a', async (work) => work.write(insertUser, user('snapshot-1')));
      const { first, second } = await database.read('a', async (reader) => {
        const before = await reader.find(usersFrom, { first: 'snapshot-', most: 10 });
        await database.write('a', async (work) => work.write(insertUser, user('snapshot-2')));
        return { first: before, second: await reader.find(usersFrom, { first: 'snapshot-', most: 10 }) };
      });
      assert.deepEqual(second, first);
      assert.deepEqual(await idsFrom('snapshot-'), ['snapshot-1', 'snapshot-2']);
    });

    test('finish before the database is closed', async () => {
      const another = openDatabase(empty.url);
      const writes = Array.from({ length: 20 }, (_, n) =>
        another.write('a', async (work) => work.write(insertUser, user(`closing-${n}`))),
      );
      await another.close();
      await Promise.all(writes);
      assert.equal((await idsFrom('closing-')).length, 20);
    });
  });
}
