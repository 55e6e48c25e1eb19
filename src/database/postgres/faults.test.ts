import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { createEmptyDatabase, type EmptyDatabase } from '../../../test/harness.ts';
import { type NetworkProxy, startProxy } from '../../../test/proxy.ts';
import { ask, insertInto, locking, lookup, updateIn } from '../declarations.ts';
import { openDatabase } from '../open.ts';
import { type Database, NO_TEAM, type Work } from '../work.ts';

const insertUser = insertInto('users', {
  id: 'text',
  external_id: 'text',
  roller_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
});
const insertState = insertInto('user_states', { user_id: 'text', scope: 'text', template_id: 'text', state: 'text' });
const updateState = updateIn(
  'user_states',
  { user_id: 'text', scope: 'text', state: 'text' },
  { key: ['user_id', 'scope'] },
);
const insertEvent = insertInto('roll_events', {
  id: 'text',
  template_id: 'text',
  roller_id: 'text',
  rolled_at: 'bigint',
  results: 'text',
});
const holdState = locking(
  'user_states',
  lookup({ userId: 'text' }, (queries, teamId, { userId }) =>
    queries
      .selectFrom('user_states')
      .select('state')
      .where('team_id', '=', teamId)
      .where('user_id', '=', userId)
      .where('scope', '=', 'count'),
  ),
);

const user = (id: string) => ({ id, external_id: null, roller_id: id, created_at: 1, updated_at: 1 });
const event = (id: string) => ({ id, template_id: null, roller_id: null, rolled_at: 1, results: '[]' });

/** A user with a state and a roll event, each in a table of its own. */
const create = (id: string) => async (work: Work) => {
  await work.hold(ask(holdState, { userId: id }));
  work.write(insertUser, user(id));
  work.write(insertState, { user_id: id, scope: 'count', template_id: null, state: '0' });
  work.write(insertEvent, event(`${id} made`));
};

describe('a transaction on PostgreSQL', () => {
  let empty: EmptyDatabase;
  let proxy: NetworkProxy;
  let watcher: pg.Client;
  let database: Database;

  before(async () => {
    empty = await createEmptyDatabase('postgres');
    const url = new URL(empty.url);
    proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    database = openDatabase(url.href);
    await database.migrate();
    await database.transaction(NO_TEAM, ({ queries }) =>
      queries
        .insertInto('teams')
        .values({
          id: 'a',
          name: '',
          catalog_version: '',
          version: 0,
          item_count: 0,
          verifiable_rolls: 0,
          created_at: 1,
          updated_at: 1,
        })
        .execute(),
    );
    watcher = new pg.Client({ connectionString: empty.url });
    await watcher.connect();
  });
  after(async () => {
    proxy?.garble(undefined);
    await database?.close();
    await watcher?.end();
    await proxy?.close();
    await empty?.drop();
  });

  /** Which rows of a user exist: the user, the state, the roll event. */
  const partsOf = async (id: string): Promise<number> => {
    const { rows } = await watcher.query(
      `select (select count(*) from users where id = $1)::int + (select count(*) from user_states where user_id = $1)::int
        + (select count(*) from roll_events where id = $1 || ' made')::int as parts`,
      [id],
    );
    return rows[0].parts;
  };

  for (const statement of ['begin', 'commit']) {
    test(`that fails at “${statement}” leaves nothing behind`, async () => {
      // With the end of the statement: `begin` contains the word “committed”.
      proxy.garble(statement === 'commit' ? 'commit\0' : statement);
      const ids = Array.from({ length: 5 }, (_, n) => `${statement} ${n}`);
      const settled = await Promise.allSettled(ids.map((id) => database.write('a', create(id))));
      proxy.garble(undefined);
      for (const [n, { status }] of settled.entries()) {
        assert.equal(status, 'rejected');
        assert.equal(await partsOf(ids[n] as string), 0);
      }
      // And everything works again.
      await Promise.all(ids.map((id) => database.write('a', create(id))));
      for (const id of ids) assert.equal(await partsOf(id), 3);
    });
  }

  test('that is aborted does not count as committed', async () => {
    // A command that swallows the error of one of its statements.
    const swallowing = database.transaction('a', async (tx) => {
      await tx.queries
        .insertInto('users')
        .values({ team_id: 'a', ...user('swallowed') })
        .execute();
      await tx.queries
        .selectFrom('nothing' as 'users')
        .selectAll()
        .execute()
        .catch(() => {});
      return 'done';
    });
    await assert.rejects(swallowing);
    assert.equal(await partsOf('swallowed'), 0);
  });

  test('is atomic, with exact counts, while statements are cancelled and connections terminated', async () => {
    const users = Array.from({ length: 10 }, (_, n) => `storm ${n}`);
    for (const id of users) await database.write('a', create(id));
    const acknowledged = new Map(users.map((id) => [id, 0]));
    const uncertain = new Map(users.map((id) => [id, 0]));
    let isOver = false;
    let faults = 0;
    const storm = async () => {
      while (!isOver) {
        const kill = faults % 5 === 4 ? 'pg_terminate_backend' : 'pg_cancel_backend';
        await watcher.query(
          `select ${kill}(pid) from pg_stat_activity where datname = current_database() and application_name like 'itemwright%' and state <> 'idle'`,
        );
        faults += 1;
        await setTimeout(faults % 20);
      }
    };
    const increment = (id: string, key: string) => async (work: Work) => {
      const [[row]] = await work.hold(ask(holdState, { userId: id }));
      const next = Number(row?.state) + 1;
      work.write(updateState, { user_id: id, scope: 'count', state: String(next) });
      work.write(insertEvent, event(key));
    };
    const keys: string[] = [];
    const caller = async (number: number) => {
      for (let n = 0; !isOver; n += 1) {
        const id = users[(number + n) % users.length] as string;
        const key = `${id} by ${number} ${n}`;
        const outcome = await database.write('a', increment(id, key)).then(
          () => acknowledged,
          () => uncertain,
        );
        outcome.set(id, (outcome.get(id) ?? 0) + 1);
        if (outcome === acknowledged) keys.push(key);
      }
    };
    const storming = storm();
    const calling = Array.from({ length: 20 }, (_, number) => caller(number));
    await setTimeout(3_000);
    isOver = true;
    await Promise.all([storming, ...calling]);

    const { rows: recorded } = await watcher.query("select id from roll_events where id like 'storm % by %'");
    const found = new Set(recorded.map(({ id }) => id));
    assert.deepEqual(
      keys.filter((key) => !found.has(key)),
      [],
      'acknowledged writes are kept',
    );
    for (const id of users) {
      const { rows } = await watcher.query('select state from user_states where user_id = $1', [id]);
      const events = [...found].filter((key) => key.startsWith(`${id} by `)).length;
      assert.equal(Number(rows[0].state), events, 'a count is as high as the record is long');
      assert.ok(events <= (acknowledged.get(id) ?? 0) + (uncertain.get(id) ?? 0));
    }
    assert.ok(faults > 50 && keys.length > 10, `${faults} faults, ${keys.length} acknowledged writes`);
  });
});
