import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createMigratedDatabase, type EmptyDatabase, ENGINES } from '../../test/harness.ts';
import { LIMITS } from '../shared/limits.ts';
import { seededDraws } from '../shared/randomness.ts';
import { ask, deleteFrom, insertInto, locking, lookup, rowByKey, updateIn, upsertInto } from './declarations.ts';
import { unobserved } from './observer.ts';
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
const upsertUser = upsertInto('users', USER, { key: ['id'] });
const updateName = updateIn('users', { id: 'text', external_id: 'text' }, { key: ['id'] });
const deleteUser = deleteFrom('users', { id: 'text' }, { key: ['id'] });
const userById = rowByKey('users', { id: 'text' }, ['id', 'external_id']);
const holdUser = locking('users', userById);
const insertState = insertInto('user_states', { user_id: 'text', scope: 'text', template_id: 'text', state: 'text' });
const holdState = locking('user_states', rowByKey('user_states', { user_id: 'text', scope: 'text' }, ['state']));
const userByName = lookup({ name: 'text' }, (queries, teamId, { name }) =>
  queries.selectFrom('users').select('id').where('team_id', '=', teamId).where('external_id', '=', name),
);

const user = (id: string, name: string | null = null) => ({
  id,
  external_id: name,
  roller_id: id,
  created_at: 1,
  updated_at: 1,
});

const countIn = (name: string | null | undefined): number => Number(name?.split(' ')[1] ?? 0);

for (const engine of ENGINES) {
  describe(`groups on ${engine}`, { timeout: 120_000 }, () => {
    let empty: EmptyDatabase;
    let database: Database;
    /** Other nodes, if the engine allows any. */
    let nodes: Database[];

    before(async () => {
      empty = await createMigratedDatabase(engine);
      database = openDatabase(empty.url);
      nodes = [database, ...(engine === 'postgres' ? [openDatabase(empty.url)] : [])];
      const team = { name: 'Team', catalog_version: '', version: 0, item_count: 0, verifiable_rolls: 0 };
      await database.transaction(NO_TEAM, ({ queries }) =>
        queries
          .insertInto('teams')
          .values({ id: 'a', ...team, created_at: 1, updated_at: 1 })
          .execute(),
      );
    });
    after(async () => {
      for (const node of nodes ?? []) await node.close();
      await empty?.drop();
    });

    const insert = (...users: ReturnType<typeof user>[]): Promise<void> =>
      database.write('a', async (work) => work.write(insertUser, ...users));
    const nameOf = async (id: string, node = database): Promise<string | null | undefined> =>
      (await node.read('a', (reader) => reader.find(userById, { id })))[0]?.external_id;
    /** Runs something, and returns how many sessions were opened for it. */
    const sessionsFor = async (use: () => Promise<unknown>): Promise<number> => {
      let opened = 0;
      const observer = {
        ...unobserved().by,
        opened: (): void => {
          opened += 1;
        },
      };
      database.observe(observer);
      try {
        await use();
      } finally {
        database.observe(unobserved().by);
      }
      return opened;
    };

    describe('of reads', () => {
      test('share a snapshot', async () => {
        const ids = Array.from({ length: 4 * LIMITS.groupReads }, (_, number) => `read-${number}`);
        await insert(...ids.map((id) => user(id, `${id} name`)));
        let names: unknown[] = [];
        const sessions = await sessionsFor(async () => {
          names = await Promise.all(ids.map((id) => nameOf(id)));
        });
        assert.deepEqual(
          names,
          ids.map((id) => `${id} name`),
        );
        assert.ok(sessions <= 6, `${sessions}`);
      });

      test('do not fail together', async () => {
        await insert(user('sound'));
        const failing = lookup({ id: 'text' }, (queries, teamId, { id }) =>
          queries
            .selectFrom('users')
            .select(sql<number>`cast(${id} as integer) / (case when id = '' then 1 else 0 end)`.as('none'))
            .where('team_id', '=', teamId),
        );
        const outcomes = await Promise.allSettled([
          nameOf('sound'),
          database.read('a', async () => {
            throw new Error('of its own');
          }),
          nameOf('sound'),
          database.read('a', (reader) => reader.find(failing, { id: 'no number' })),
          nameOf('sound'),
        ]);
        const ofTheOthers = outcomes.map(({ status }) => status === 'fulfilled');
        // SQLite returns null where PostgreSQL fails.
        assert.deepEqual(ofTheOthers, [true, false, true, engine === 'sqlite', true]);
        assert.match(String((outcomes[1] as PromiseRejectedResult).reason), /of its own/);
      });

      test('are left by those with free-form queries, and by those that must load something', async () => {
        await insert(user('mixed', 'mixed'));
        let isLoaded = false;
        const load = async (): Promise<void> => {
          isLoaded = true;
        };
        const results = await Promise.all([
          nameOf('mixed'),
          database.read('a', async ({ queries }) => {
            const { rows } = await sql<{ two: number }>`select 1 + 1 as two`.execute(queries);
            return rows[0]?.two;
          }),
          database.read('a', async (reader) => {
            const [row] = await reader.find(userById, { id: 'mixed' });
            return isLoaded ? `${row?.external_id}, loaded` : reader.rerunAfter(load());
          }),
          nameOf('mixed'),
        ]);
        assert.deepEqual(results, ['mixed', 2, 'mixed, loaded', 'mixed']);
      });

      if (engine === 'postgres')
        test('do not wait for those with long queries', async () => {
          await insert(user('quick'));
          let isOver = false;
          const long = database
            .read('a', ({ queries }) => sql`select pg_sleep(1)`.execute(queries))
            .then(() => {
              isOver = true;
            });
          await Promise.all(Array.from({ length: 20 }, () => nameOf('quick')));
          assert.equal(isOver, false);
          await long;
        });

      test('see all that was answered before they came, on every node, and each a single state', async () => {
        await insert(user('left', 'left 0'), user('right', 'right 0'));
        let answered = 0;
        let isOver = false;
        const writing = (async () => {
          for (let count = 1; count <= 150; count += 1) {
            await nodes[count % nodes.length]?.write('a', async (work) => {
              await work.hold(ask(holdUser, { id: 'left' }));
              for (const id of ['left', 'right']) work.write(updateName, { id, external_id: `${id} ${count}` });
            });
            answered = count;
          }
          isOver = true;
        })();
        let reads = 0;
        const readers = Array.from({ length: 24 }, async (_, number) => {
          const node = nodes[number % nodes.length] as Database;
          while (!isOver) {
            const least = answered;
            const [left, right] = await node.read('a', async (reader) => {
              const [[first], [second]] = [
                await reader.find(userById, { id: 'left' }),
                await reader.find(userById, { id: 'right' }),
              ];
              return [countIn(first?.external_id), countIn(second?.external_id)] as const;
            });
            assert.equal(left, right);
            assert.ok(left >= least, `${left} after ${least}`);
            reads += 1;
          }
        });
        await Promise.all([writing, ...readers]);
        assert.ok(reads > 0);
      });
    });

    describe('of commands that hold the same row', () => {
      test('run them in one transaction, each on what the one before wrote', async () => {
        await insert(user('hot', 'hot 0'), user('other', 'other 0'));
        const seen: number[] = [];
        const sessions = await sessionsFor(() =>
          Promise.all(
            Array.from({ length: 64 }, async (_, number) => {
              const before = await database
                .write('a', async (work) => {
                  const [[row], [other]] = await work.hold(
                    ask(holdUser, { id: 'hot' }),
                    ask(userById, { id: 'other' }),
                  );
                  assert.equal(other?.external_id, 'other 0');
                  if (number % 16 === 5) throw new Error('dropped');
                  work.write(updateName, { id: 'hot', external_id: `hot ${countIn(row?.external_id) + 1}` });
                  return countIn(row?.external_id);
                })
                .catch((error: Error) => assert.equal(error.message, 'dropped'));
              if (before !== undefined) seen.push(before);
            }),
          ),
        );
        assert.deepEqual(
          seen,
          Array.from({ length: 60 }, (_, number) => number),
        );
        assert.equal(await nameOf('hot'), 'hot 60');
        assert.ok(sessions <= 3, `${sessions}`);
      });

      test('let them find everything that those before them wrote', async () => {
        await insert(user('parent', 'parent 0'));
        const found = await Promise.all(
          Array.from({ length: 40 }, () =>
            database.write('a', async (work) => {
              const [[row]] = await work.hold(ask(holdUser, { id: 'parent' }));
              const count = countIn(row?.external_id);
              const [child] = await work.find(userByName, { name: `child of ${count}` });
              work.write(updateName, { id: 'parent', external_id: `parent ${count + 1}` });
              work.write(insertUser, user(`child-${count + 1}`, `child of ${count + 1}`));
              return child?.id;
            }),
          ),
        );
        assert.deepEqual(
          found,
          Array.from({ length: 40 }, (_, number) => (number === 0 ? undefined : `child-${number}`)),
        );
      });

      test('write rows in the order of the commands, whatever these do', async () => {
        const commands: ((work: Work) => void)[] = [
          (work) => work.write(insertUser, user('fickle', 'one')),
          (work) => work.write(updateName, { id: 'fickle', external_id: 'two' }),
          (work) => work.write(upsertUser, user('fickle', 'three')),
          (work) => work.write(updateName, { id: 'fickle', external_id: 'four' }),
          (work) => work.write(deleteUser, { id: 'fickle' }),
          (work) => work.write(upsertUser, user('fickle', 'five')),
          (work) => work.write(updateName, { id: 'fickle', external_id: 'six' }),
        ];
        const seen = await Promise.all(
          commands.map((command) =>
            database.write('a', async (work) => {
              const [[row]] = await work.hold(ask(holdUser, { id: 'fickle' }));
              command(work);
              return row?.external_id;
            }),
          ),
        );
        assert.deepEqual(seen, [undefined, 'one', 'two', 'three', 'four', undefined, 'five']);
        assert.equal(await nameOf('fickle'), 'six');
      });

      test('do not keep rows that were deleted with others', async () => {
        await insert(user('owner'));
        const state = { user_id: 'owner', scope: 'test' };
        await database.write('a', async (work) =>
          work.write(insertState, { ...state, template_id: null, state: '{}' }),
        );
        const seen = await Promise.all(
          Array.from({ length: 3 }, () =>
            database.write('a', async (work) => {
              const [users, states] = await work.hold(ask(holdUser, { id: 'owner' }), ask(holdState, state));
              if (users.length > 0) work.write(deleteUser, { id: 'owner' });
              else work.write(insertUser, user('owner'));
              return states.length;
            }),
          ),
        );
        assert.deepEqual(seen, [1, 0, 0]);
      });

      test('know no more than what was found after their locks', async () => {
        const ids = ['first', 'second', 'third', 'changing'];
        await insert(...ids.map((id) => user(id, `${id} 0`)));
        const [changed, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const hold = async (work: Work, id: string) => {
          const [, [found]] = await work.hold(ask(holdUser, { id }), ask(userById, { id: 'changing' }));
          work.write(updateName, { id, external_id: `${id} 1` });
          return countIn(found?.external_id);
        };
        const commands: ((work: Work) => Promise<number>)[] = [
          // While one waits for the other, what they find is remembered for the next.
          (work) => hold(work, 'first'),
          (work) => hold(work, 'first'),
          async (work) => {
            await changed.promise;
            await work.hold(ask(holdUser, { id: 'second' }));
            work.write(updateName, { id: 'second', external_id: 'second 1' });
            // A row that it does not hold.
            work.write(updateName, { id: 'changing', external_id: 'changing 2' });
            done.resolve();
            return 1;
          },
          async (work) => {
            await done.promise;
            await work.find(userById, { id: 'nobody' });
            return hold(work, 'third');
          },
          async (work) => {
            await done.promise;
            await work.find(userById, { id: 'nobody' });
            return hold(work, 'third');
          },
          async (work) => {
            await changed.promise;
            return hold(work, 'second');
          },
        ];
        const seen = Promise.all(commands.map((command) => database.write('a', command)));
        // Another node, where there is one, changes what the first two have found.
        if (nodes.length > 1)
          await nodes[1]?.write('a', async (work) =>
            work.write(updateName, { id: 'changing', external_id: 'changing 1' }),
          );
        changed.resolve();
        const last = (await seen).at(-1);
        assert.equal(last, 2);
      });

      if (engine === 'postgres')
        test('do not know what others found before their locks', async () => {
          await insert(...['early', 'late', 'moving'].map((id) => user(id, `${id} 0`)));
          const [found, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
          const hold = async (work: Work, id: string) => {
            const [, [moving]] = await work.hold(ask(holdUser, { id }), ask(userById, { id: 'moving' }));
            found.resolve();
            work.write(updateName, { id, external_id: `${id} 1` });
            return countIn(moving?.external_id);
          };
          const later = async (work: Work, then: (work: Work) => Promise<number>): Promise<number> => {
            await changed.promise;
            return then(work);
          };
          const seen = Promise.all([
            database.write('a', (work) => hold(work, 'early')),
            database.write('a', (work) => hold(work, 'early')),
            database.write('a', (work) =>
              later(work, async () => {
                await work.hold(ask(holdUser, { id: 'late' }));
                work.write(updateName, { id: 'late', external_id: 'late 1' });
                return 1;
              }),
            ),
            database.write('a', (work) => later(work, () => hold(work, 'late'))),
          ]);
          await found.promise;
          await nodes[1]?.write('a', async (work) => work.write(updateName, { id: 'moving', external_id: 'moving 1' }));
          changed.resolve();
          assert.deepEqual(await seen, [0, 0, 1, 1]);
        });

      test('remember only what is committed', async () => {
        await insert(user('known', 'known 0'));
        let runs = 0;
        const remembered: number[] = [];
        await Promise.all(
          Array.from({ length: 4 }, (_, number) =>
            database.write('a', async (work) => {
              const [[row]] = await work.hold(ask(holdUser, { id: 'known' }));
              const count = countIn(row?.external_id);
              work.remember(() => remembered.push(count));
              work.write(updateName, { id: 'known', external_id: `known ${count + 1}` });
              runs += 1;
              // Its row exists already, which the database notices at the end: the first time nothing is kept.
              if (number === 3 && runs === 4) work.write(insertUser, user('known'));
              assert.equal(remembered.length, runs <= 4 ? 0 : remembered.length);
            }),
          ),
        );
        assert.ok(runs > 4);
        assert.deepEqual(remembered, [0, 1, 2, 3]);
      });

      test('neither lose nor repeat anything, whatever they hold, in which order, on which node', async () => {
        const draws = seededDraws('groups', '', 0, 0);
        const pick = <T>(values: readonly T[]): T => values[Math.floor(draws() * values.length)] as T;
        const ids = Array.from({ length: 5 }, (_, number) => `model-${number}`);
        interface Step {
          readonly id: string;
          readonly before: string | null;
          readonly after: string | null;
        }
        const steps: Step[] = [];
        let dropped = 0;
        const act = (number: number) => {
          const mine = [...new Set(Array.from({ length: 1 + Math.floor(draws() * 3) }, () => pick(ids)))];
          const [isSlow, isApart, looks, fails, overtaken] = [
            draws() < 0.3,
            draws() < 0.3,
            draws() < 0.3,
            draws(),
            draws(),
          ];
          const plans = mine.map(() => draws());
          let runs = 0;
          return async (work: Work): Promise<Step[]> => {
            runs += 1;
            if (isSlow) await work.find(userById, { id: 'nobody' });
            const held = isApart
              ? await (async () => {
                  const rows = [];
                  for (const id of mine) rows.push((await work.hold(ask(holdUser, { id })))[0]);
                  return rows;
                })()
              : await work.hold(...mine.map((id) => ask(holdUser, { id })));
            const made = mine.map((id, index): Step => {
              const before = held[index]?.[0]?.external_id ?? null;
              const after = `${id} ${number}`;
              const plan = plans[index] as number;
              if (before === null) work.write(insertUser, user(id, after));
              else if (plan < 0.6) work.write(updateName, { id, external_id: after });
              else if (plan < 0.8) work.write(upsertUser, user(id, after));
              else {
                work.write(deleteUser, { id });
                return { id, before, after: null };
              }
              return { id, before, after };
            });
            // A row that does not exist cannot be locked, and another node may create it at any time.
            if (looks)
              for (const { id, before } of made.filter((step) => step.before !== null))
                assert.equal((await work.find(userById, { id }))[0]?.external_id ?? null, before);
            if (fails < 0.1) throw new Error('dropped');
            if (overtaken < 0.05 && runs === 1) throw new Collision();
            return made;
          };
        };
        await Promise.all(
          Array.from({ length: 40 }, async (_, caller) => {
            for (let turn = 0; turn < 12; turn += 1) {
              const node = nodes[caller % nodes.length] as Database;
              try {
                steps.push(...(await node.write('a', act(caller * 1000 + turn))));
              } catch (error) {
                assert.equal((error as Error).message, 'dropped');
                dropped += 1;
              }
            }
          }),
        );
        assert.ok(dropped > 0);
        for (const id of ids) {
          const own = steps.filter((step) => step.id === id);
          const last = (await nameOf(id)) ?? null;
          // Whatever was written was found by exactly one command, or is there in the end.
          const written = [...own.flatMap(({ after }) => after ?? [])].sort();
          const found = [...own.flatMap(({ before }) => before ?? []), ...(last === null ? [] : [last])].sort();
          assert.deepEqual(found, written);
          const made = own.filter(({ before }) => before === null).length;
          const gone = own.filter(({ after }) => after === null).length;
          assert.equal(made - gone, last === null ? 0 : 1);
        }
      });
    });
  });
}
