import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEmptyDatabase, type EmptyDatabase, ENGINES } from '../../test/harness.ts';
import { ask, deleteFrom, ensureIn, insertInto, lockingLookup, lookup, updateIn, upsertInto } from './declarations.ts';
import { openDatabase } from './open.ts';
import { Collision, type Database, NO_TEAM, type Work } from './work.ts';

const insertUser = insertInto('users', { id: 'text', external_id: "text", roller_id: "text", created_at: "bigint", updated_at: 'bigint' });
const userById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  queries.selectFrom('users').select(['id', 'external_id', 'created_at']).where('team_id', '=', teamId).where('id', '=', id),
);
const holdUser = lockingLookup('users', { id: 'text' }, (queries, teamId, { id }) =>
  queries.selectFrom('users').select(['id', 'external_id']).where('team_id', '=', teamId).where('id', '=', id).forUpdate(),
);
const updateUser = updateIn('users', { id: 'text', external_id: 'text' }, { key: ['id'] });
const user = (id: string, external_id: string | null = null) => ({ id, external_id, roller_id: id, created_at: 1, updated_at: 1 });

for (const engine of ENGINES) {
  describe(`units of work on ${engine}`, () => {
    let empty: EmptyDatabase;
    let database: Database;
    before(async () => {
      empty = await createEmptyDatabase(engine);
      database = openDatabase(empty.url);
      await database.migrate();
      await database.transaction(NO_TEAM, (tx) =>
        tx.queries
          .insertInto('teams')
          .values(['a', 'b'].map((id) => ({ id, name: id, catalog_version: '1', templates_version: '1', item_count: 0, created_at: 1, updated_at: 1 })))
          .execute(),
      );
    });
    after(async () => {
      await database.close();
      await empty.drop();
    });

    test('keeps what commands write together', async () => {
      await Promise.all(
        Array.from({ length: 300 }, (_, n) =>
          database.write('a', async (work) => work.write(insertUser, user(`w-${n}`, `it's "${n}" \\ {}`))),
        ),
      );
      const rows = await database.read('a', (reader) => reader.find(userById, { id: 'w-7' }));
      assert.deepEqual(rows.map((row) => ({ ...row })), [{ id: 'w-7', external_id: `it's "7" \\ {}`, created_at: 1 }]);
    });

    test('serialises commands that hold the same row', async () => {
      await database.write('a', async (work) => work.write(insertUser, user('counter', '0')));
      const add = async (work: Work) => {
        const [[row]] = await work.hold(ask(holdUser, { id: 'counter' }));
        assert.ok(row);
        work.write(updateUser, { id: 'counter', external_id: String(Number(row.external_id) + 1) });
      };
      await Promise.all(Array.from({ length: 100 }, () => database.write('a', add)));
      const [row] = await database.read('a', (reader) => reader.find(userById, { id: 'counter' }));
      assert.equal(row?.external_id, '100');
    });
  });
}
