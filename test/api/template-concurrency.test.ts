import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type ApiResponse, basic, onEveryDatabase, startService } from '../harness.ts';

/** Every tenth roll, and no other, gives the top tier, so that lost or repeated counts are noticed. */
const PITY = 10;
const EVERY_TENTH = { baseRates: { top: 0, low: 1 }, pityTier: 'top', pityThreshold: PITY };

onEveryDatabase('concurrent rolls on templates', (service, engine) => {
  before(async () => {
    const classifierOptions = [{ name: 'top' }, { name: 'low' }];
    const { body } = await service().post('/classifiers', { name: 'Rarity', classifierOptions });
    for (const { id, name } of body.classifierOptions)
      await service().post('/items', { id: name, name, classifierOptionIds: [id] });
    for (const [id, config] of Object.entries({
      alone: EVERY_TENTH,
      'group-a': { ...EVERY_TENTH, pityGroup: 'group' },
      'group-b': { ...EVERY_TENTH, pityGroup: 'group' },
    }))
      assert.equal((await service().post('/templates', { id, name: id, config })).status, 200);
  });

  const roll = (id: string, userId: string, count = 1): Promise<ApiResponse> =>
    service().post(`/templates/${id}/roll`, { userId, count });
  const pitiesIn = (responses: readonly ApiResponse[]): number =>
    responses.flatMap(({ body }) => body.rolls).filter(({ pity }) => pity).length;

  test('of one user on two templates of a pity group lose and repeat nothing', async () => {
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, call) => roll(call % 2 === 0 ? 'group-a' : 'group-b', 'ann', 3)),
    );
    assert.ok(responses.every(({ status }) => status === 200));
    assert.equal(pitiesIn(responses), (40 * 3) / PITY);
    for (const id of ['group-a', 'group-b']) {
      const { body } = await service().get(`/users/ann/templates/${id}`);
      assert.deepEqual([body.rolls, body.sparkPoints, body.sinceTop], [60, 60, 0]);
    }
  });

  if (engine !== 'postgres') return;

  test('on two nodes, for one unknown user, lose and repeat nothing', async () => {
    const other = await startService(service().databaseUrl);
    try {
      const { teamId, secret } = service();
      const there = other.anyone(basic(teamId, secret));
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, call) =>
          call % 2 === 0 ? roll('alone', 'bob') : there.post('/templates/alone/roll', { userId: 'bob' }),
        ),
      );
      assert.deepEqual(
        responses.map(({ body }) => body.state.rolls).sort((left, right) => left - right),
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
      assert.equal(pitiesIn(responses), 40 / PITY);
    } finally {
      await other.stop();
    }
  });

  /** Locks a user's state in a transaction while something happens. */
  const whileHeld = async (userId: string, scope: string, work: (watcher: pg.Client) => Promise<void>) => {
    const holder = new pg.Client({ connectionString: service().databaseUrl });
    const watcher = new pg.Client({ connectionString: service().databaseUrl });
    await holder.connect();
    await watcher.connect();
    try {
      await holder.query('begin');
      const held = await holder.query('select state from user_states where user_id = $1 and scope = $2 for update', [
        userId,
        scope,
      ]);
      assert.equal(held.rowCount, 1);
      await work(watcher);
    } finally {
      await holder.query('rollback');
      await holder.end();
      await watcher.end();
    }
  };

  /** Resolves once `wanted` transactions wait for a row lock. */
  const untilWaiting = async (watcher: pg.Client, wanted: number): Promise<void> => {
    for (let look = 0; look < 500; look += 1) {
      const { rows } = await watcher.query(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (rows[0].waiting >= wanted) return;
      await setTimeout(10);
    }
    assert.fail('nothing is waiting');
  };

  test('of other users do not wait for one in progress, and those of the same user do', async () => {
    await Promise.all(['held', 'free'].map((userId) => roll('alone', userId)));
    let waiting: Promise<ApiResponse> | undefined;
    let isAnswered = false;
    await whileHeld('held', 'template:alone', async (watcher) => {
      waiting = roll('alone', 'held', 9).finally(() => {
        isAnswered = true;
      });
      await untilWaiting(watcher, 1);
      const others = await Promise.all([
        roll('alone', 'free', 9),
        ...Array.from({ length: 20 }, (_, n) => roll('alone', `newcomer-${n}`, PITY)),
      ]);
      assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([200]));
      assert.equal(pitiesIn(others), 21);
      // Reading the state does not wait either: it returns what was committed.
      assert.equal((await service().get('/users/held/templates/alone')).body.rolls, 1);
      assert.equal(isAnswered, false);
    });
    const answer = await (waiting as unknown as Promise<ApiResponse>);
    assert.deepEqual([answer.status, answer.body.state.rolls, pitiesIn([answer])], [200, 10, 1]);
  });

  test('of a user wait for those on another template of the pity group, and for no others', async () => {
    await roll('group-a', 'cy', 8);
    await roll('alone', 'cy', 1);
    let waiting: Promise<ApiResponse> | undefined;
    await whileHeld('cy', 'group:group', async (watcher) => {
      waiting = roll('group-b', 'cy', 2);
      await untilWaiting(watcher, 1);
      assert.equal((await roll('alone', 'cy')).status, 200);
      assert.equal((await roll('group-b', 'dee')).status, 200);
    });
    const answer = await (waiting as unknown as Promise<ApiResponse>);
    assert.deepEqual([answer.status, answer.body.state.rolls, pitiesIn([answer])], [200, 2, 1]);
  });
});
