import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEmptyDatabase, type EmptyDatabase, ENGINES } from '../../test/harness.ts';
import { type Database, openDatabase, type Transaction } from './database.ts';
import { deferred } from './deferred.ts';
import { inPassing } from './passing.ts';
import { rowsStatement, statement } from './statement.ts';

interface Milestone {
  readonly name: string;
  readonly reached_at: number;
}

const reached = (name: string): Milestone => ({ name, reached_at: 0 });

const insert = statement<Milestone, never>((queries, { name, reached_at }) =>
  queries.insertInto('milestones').values({ name, reached_at }),
);
const insertAll = rowsStatement<Milestone>((queries, rows) =>
  queries.insertInto('milestones').values(rows.map(({ name, reached_at }) => ({ name, reached_at }))),
);

for (const engine of ENGINES) {
  describe(`a transaction on ${engine}`, () => {
    let empty: EmptyDatabase;
    let database: Database;

    before(async () => {
      empty = await createEmptyDatabase(engine);
      database = openDatabase(empty.url);
      await database.migrate();
    });
    after(async () => {
      await database.close();
      await empty.drop();
    });

    const names = (prefix: string): Promise<string[]> =>
      database.read(async (reader) => {
        const rows = await reader.selectFrom('milestones').select('name').orderBy('name').execute();
        return rows.map(({ name }) => name).filter((name) => name.startsWith(prefix));
      });

    const outcomes = async (commands: ((tx: Transaction) => Promise<unknown>)[]): Promise<string[]> =>
      (await Promise.allSettled(commands.map((command) => database.write(command)))).map((outcome) =>
        outcome.status === 'fulfilled' ? 'done' : (outcome.reason as Error).message,
      );

    test('keeps what was sent in passing, and a later statement sees it', async () => {
      const seen = await database.write(async (tx) => {
        inPassing(tx, insert(tx, reached('passing')));
        return tx.selectFrom('milestones').select('name').where('name', '=', 'passing').execute();
      });
      assert.equal(seen.length, 1);
      assert.deepEqual(await names('passing'), ['passing']);
    });

    test('fails with the fault of what was sent in passing, whatever came after it', async () => {
      const wrong = { name: 'lost', reached_at: null as unknown as number };
      const failing = [
        async (tx: Transaction) => inPassing(tx, insert(tx, wrong)),
        async (tx: Transaction) => {
          inPassing(tx, insert(tx, wrong));
          await insert(tx, reached('lost-after'));
        },
        async (tx: Transaction) => {
          await insert(tx, reached('lost-before'));
          inPassing(tx, insert(tx, wrong));
        },
      ];
      for (const outcome of await outcomes(failing)) assert.match(outcome, /null/i);
      assert.deepEqual(await names('lost'), []);
    });

    test('that fails takes no other down, before or after it wrote', async () => {
      const done = (name: string) => (tx: Transaction) => insert(tx, reached(name));
      const commands = [
        done('group-1'),
        async () => {
          throw new Error('at once');
        },
        done('group-2'),
        async (tx: Transaction) => {
          await insert(tx, reached('group-undone'));
          throw new Error('half done');
        },
        done('group-3'),
        async (tx: Transaction) => {
          inPassing(tx, insert(tx, reached('group-undone-too')));
          throw new Error('half done in passing');
        },
        done('group-4'),
      ];
      assert.deepEqual(await outcomes(commands), [
        'done',
        'at once',
        'done',
        'half done',
        'done',
        'half done in passing',
        'done',
      ]);
      assert.deepEqual(await names('group'), ['group-1', 'group-2', 'group-3', 'group-4']);
    });

    test('does what was left to its end, for those that succeed', async () => {
      const left = deferred<string>((tx, all) => {
        inPassing(tx, insertAll(tx, all.map(reached)));
      });
      const commands = Array.from({ length: 300 }, (_, n) => async (tx: Transaction) => {
        left.add(tx, `left-${n}`);
        if (n % 3 === 0) await insert(tx, reached(`left-written-${n}`));
        if (n % 100 === 0) throw new Error('fails');
      });
      const ended = await outcomes(commands);
      assert.equal(ended.filter((outcome) => outcome === 'fails').length, 3);
      const kept = await names('left');
      assert.equal(kept.length, 297 + 99);
      assert.ok(!kept.includes('left-0') && !kept.includes('left-written-0') && kept.includes('left-299'));
    });

    test('writes more rows than one statement takes', async () => {
      const rows = Array.from({ length: 1000 }, (_, n) => reached(`many-${n}`));
      await database.write(async (tx) => inPassing(tx, insertAll(tx, rows)));
      assert.equal((await names('many')).length, 1000);
    });

    test('lets nothing be sent once it has ended', async () => {
      let escaped: Transaction | undefined;
      await database.write(async (tx) => {
        escaped = tx;
        await insert(tx, reached('ended'));
      });
      if (engine === 'postgres')
        await assert.rejects(insert(escaped as Transaction, reached('too-late')), /after the end of its transaction/);
      const work = deferred<string>((tx) => {
        inPassing(
          tx,
          Promise.resolve()
            .then(() => Promise.resolve())
            .then(() => insert(tx, reached('too-late'))),
        );
      });
      const late = database.write(async (tx) => work.add(tx, 'x'));
      if (engine === 'postgres') await assert.rejects(late, /after the end of its transaction/);
      else await late;
      assert.deepEqual(await names('too-late'), engine === 'postgres' ? [] : ['too-late']);
    });
  });
}
