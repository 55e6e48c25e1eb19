import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { check } from '../../src/cli/check.ts';
import { claimChore } from '../../src/database/claims.ts';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { isBlocked } from '../../src/database/postgres/errors.ts';
import { type Database, NO_TEAM } from '../../src/database/work.ts';
import { removeOldResponses } from '../../src/http/idempotency.ts';
import { removeHistory, removeRolls } from '../../src/maintenance/chores.ts';
import { earliestId, newId } from '../../src/shared/ids.ts';
import { LIMITS } from '../../src/shared/limits.ts';
import { type Client, createEmptyDatabase, onEveryDatabase, type Service } from '../harness.ts';

const DAY_MS = 86_400_000;
const shouldContinue = () => true;

/** What the service's background work would do at a moment, with a retention period of thirty days. */
const partsOf = ({ database }: Pick<Service, 'database'>, nowMs: number) => ({
  database,
  clock: () => nowMs,
  logger: undefined as never,
  settings: { keepRollEventsDays: 30, keepEventsDays: 30, keepHistoryDays: 30 },
});

/** Makes a chore due again, as it would be hours later. */
const makeDue = ({ database }: Pick<Service, 'database'>, name: string) =>
  database.transaction(NO_TEAM, ({ queries }) =>
    queries.updateTable('chores').set({ due_at: 0 }).where('name', '=', name).execute(),
  );

/** What the check finds in a team. */
const findings = async ({ databaseUrl }: Pick<Service, 'databaseUrl'>, { teamId }: Client): Promise<string[]> => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  await check.run({ databaseUrl, argument: undefined, options: {}, print });
  const prefix = `team ${teamId}: `;
  return lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
};

onEveryDatabase('the record of rolls', (service, engine) => {
  const recorded = ({ teamId }: Client) =>
    service().database.read(teamId, ({ queries }) =>
      queries.selectFrom('roll_events').select('id').where('team_id', '=', teamId).orderBy('id').execute(),
    );
  const roll = async (team: Client, times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) assert.equal((await team.post('/items/roll')).status, 200);
  };
  const remove = async (nowMs: number): Promise<void> => {
    await removeRolls(partsOf(service(), nowMs), shouldContinue);
    await makeDue(service(), 'roll events');
  };

  test('loses rows past their retention period, in every team, without changing counters', async () => {
    const teams = [await service().anotherTeam(), await service().anotherTeam()];
    for (const [index, team] of teams.entries()) {
      await team.post('/items', { id: 'coin', name: 'Coin' });
      await roll(team, index + 1);
    }
    const [many] = teams as [Client];
    // More than one step deletes.
    await service().database.transaction(many.teamId, ({ queries }) =>
      queries
        .insertInto('roll_events')
        .values(
          Array.from({ length: LIMITS.rollEventsPerRemoval + 10 }, () => ({
            team_id: many.teamId,
            id: newId(),
            template_id: null,
            roller_id: null,
            rolled_at: Date.now(),
            results: '[]',
          })),
        )
        .execute(),
    );
    await remove(Date.now() + 29 * DAY_MS);
    assert.deepEqual(await Promise.all(teams.map(async (team) => (await recorded(team)).length)), [
      LIMITS.rollEventsPerRemoval + 11,
      2,
    ]);
    // On PostgreSQL a week is deleted as a whole.
    await remove(Date.now() + 38 * DAY_MS);
    for (const [index, team] of teams.entries()) {
      assert.deepEqual(await recorded(team), []);
      assert.equal((await team.get('/roll-events/stats')).body.totalRolls, index + 1);
      // What was removed is not missed.
      assert.deepEqual(await findings(service(), team), []);
    }
  });

  test('is still compared with the counters, as far as it is kept', async () => {
    const team = await service().anotherTeam();
    await team.post('/items', { id: 'coin', name: 'Coin' });
    const { database } = service();
    const change = (statement: RawBuilder<unknown>) =>
      database.transaction(team.teamId, ({ queries }) => statement.execute(queries));
    // As an earlier version left it, which noted nothing; then as this one does.
    await roll(team, 3);
    await change(sql`delete from chores where name like 'roll events%'`);
    await change(sql`insert into chores (name, due_at, position) values ('roll events', 0, '')`);
    await change(sql`delete from roll_events`);
    assert.deepEqual(await findings(service(), team), []);
    await remove(Date.now());
    const today = new Date().toISOString().slice(0, 10);
    assert.deepEqual(await findings(service(), team), [
      `rolls without a template on ${today}: the counters say 3, the record has 0`,
    ]);
    await change(sql`update roll_pending set rolls = 4, counts = '["coin",4]' where team_id = ${team.teamId}`);
    assert.match((await findings(service(), team)).join(), /the record has 0/);
    await change(sql`insert into roll_counts (team_id, day, template_id, part, rolls, counts)
      values (${team.teamId}, '', '', 0, 1, '["coin",1]')`);
    assert.match(
      (await findings(service(), team)).join(),
      /rolls without a template, all days together: the counters say \d+, those of each day have \d+/,
    );
  });

  test('accepts rolls without a partition, and moves them to the right one later', async () => {
    const team = await service().anotherTeam();
    await team.post('/items', { id: 'coin', name: 'Coin' });
    await remove(Date.now() + 38 * DAY_MS);
    await roll(team, 2);
    const before = await recorded(team);
    assert.equal(before.length, 2);
    await service().database.migrate();
    await roll(team, 1);
    assert.deepEqual((await recorded(team)).slice(0, 2), before);
    await remove(Date.now() + 29 * DAY_MS);
    assert.equal((await recorded(team)).length, 3);
    await remove(Date.now() + 38 * DAY_MS);
    assert.deepEqual(await recorded(team), []);
  });

  if (engine === 'postgres') {
    const partitions = async (database = service().database): Promise<string[]> => {
      const { rows } = await database.read(NO_TEAM, ({ queries }) =>
        sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
          where inhparent = 'roll_events'::regclass order by 1`.execute(queries),
      );
      return rows.map(({ name }) => name);
    };

    test('has partitions for this week and the next four, created once by nodes that start together', async () => {
      const empty = await createEmptyDatabase('postgres');
      const nodes = [1, 2, 3].map(() => openDatabase(empty.url));
      await Promise.all(nodes.map((node) => node.migrate()));
      await Promise.all(nodes.map((node) => node.maintain()));
      const found = await partitions(nodes[0]);
      assert.equal(found.length, 7);
      for (const name of found) assert.match(name, /^roll_events_(\d{4}_\d\d_\d\d|before|rest)$/);
      // Restored rolls have a partition too, so that the default one stays small.
      for (const [daysAgo, name] of [
        [1000, 'roll_events_before'],
        [0, /^roll_events_\d/],
        [-20, /^roll_events_\d/],
        [-100, 'roll_events_rest'],
      ] as const) {
        const { rows } = await (nodes[0] as Database).transaction('team', ({ queries }) =>
          sql<{ name: string }>`insert into roll_events (team_id, id, rolled_at, results)
            values ('team', ${earliestId(Date.now() - daysAgo * DAY_MS)}, 0, '[]')
            returning tableoid::regclass::text as name`.execute(queries),
        );
        if (typeof name === 'string') assert.equal(rows[0]?.name, name);
        else assert.match(rows[0]?.name ?? '', name);
      }
      await Promise.all(nodes.map((node) => node.close()));
      await empty.drop();
    });

    test('is partitioned, and the first partition is the previous table', async () => {
      const empty = await createEmptyDatabase('postgres');
      const database = openDatabase(empty.url);
      const older = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0009-removal'));
      await database.migrate(older);
      const ids = [
        `${earliestId(Date.now() - 100 * DAY_MS)}-old`,
        newId(),
        `${earliestId(Date.now() + 100 * DAY_MS)}-of a clock that was wrong`,
        'zzz',
      ];
      const insert = (id: string) =>
        database.transaction('team', ({ queries }) =>
          queries
            .insertInto('roll_events')
            .values({ team_id: 'team', id, template_id: null, roller_id: null, rolled_at: 1, results: '[]' })
            .execute(),
        );
      for (const id of ids) await insert(id);
      await database.migrate();
      const kept = async () =>
        (
          await database.read('team', ({ queries }) =>
            queries.selectFrom('roll_events').select('id').orderBy('id').execute(),
          )
        ).map(({ id }) => id);
      assert.deepEqual(await kept(), ids);
      const now = newId();
      await insert(now);
      assert.deepEqual(await kept(), [...ids.slice(0, 2), now, ...ids.slice(2)]);
      await assert.rejects(insert(now), 'the key holds');
      await insert(`${earliestId(Date.now() + 15 * DAY_MS)}-later`);
      assert.equal((await partitions(database)).length, 6);
      // The previous table is dropped once all of it is old.
      await database.removeBefore('roll_events', Date.now() - DAY_MS, shouldContinue);
      assert.equal((await kept()).length, 6);
      await database.removeBefore('roll_events', Date.now() + 8 * DAY_MS, shouldContinue);
      assert.deepEqual((await kept()).slice(1), ids.slice(2));
      await database.close();
      await empty.drop();
    });

    test('gets the index of its rollers at once where rolls are written, and of past weeks in the background', async () => {
      const empty = await createEmptyDatabase('postgres');
      const database = openDatabase(empty.url);
      const older = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0016-'));
      await database.migrate(older);
      // As if the service had been running for weeks.
      const [from, to] = [earliestId(Date.now() - 21 * DAY_MS), earliestId(Date.now() - 14 * DAY_MS)];
      await database.transaction('team', async ({ queries }) => {
        for (const text of [
          'alter table roll_events detach partition roll_events_before',
          `create table roll_events_past partition of roll_events for values from ('${from}') to ('${to}')`,
          `alter table roll_events attach partition roll_events_before for values from (minvalue) to ('${from}')`,
          `insert into roll_events (team_id, id, roller_id, rolled_at, results)
            select 'team', '${from}-' || n, 'roller-' || n % 100, n, '[]' from generate_series(1, 5000) as n`,
        ])
          await sql.raw(text).execute(queries);
      });
      const unindexed = async (): Promise<string[]> => {
        const { rows } = await database.read('team', ({ queries }) =>
          sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
            where inhparent = 'roll_events'::regclass and not exists (select 1 from pg_inherits as attached
              join pg_index on indexrelid = attached.inhrelid
              where attached.inhparent = 'roll_events_of_roller'::regclass and indrelid = pg_inherits.inhrelid)
            order by 1`.execute(queries),
        );
        return rows.map(({ name }) => name);
      };
      await database.migrate();
      assert.deepEqual(await unindexed(), ['roll_events_before', 'roll_events_past']);
      await Promise.all([database.maintain(), database.maintain()]);
      assert.deepEqual(await unindexed(), []);
      const [{ isValid }] = (
        await database.read('team', ({ queries }) =>
          sql<{ isValid: boolean }>`select indisvalid as "isValid" from pg_index
            where indexrelid = 'roll_events_of_roller'::regclass`.execute(queries),
        )
      ).rows as [{ isValid: boolean }];
      assert.ok(isValid);
      await database.transaction('team', ({ queries }) => sql`analyze roll_events`.execute(queries));
      const { rows: plan } = await database.read('team', ({ queries }) =>
        sql<Record<string, string>>`explain select * from roll_events
          where team_id = 'team' and roller_id = 'roller-7' and id < 'z' order by id desc limit 101`.execute(queries),
      );
      assert.match(plan.map((row) => row['QUERY PLAN']).join('\n'), /roll_events_past_of_roller/);
      await database.close();
      await empty.drop();
    });

    test('can be written during a long read, though nothing can be dropped meanwhile', async () => {
      const team = await service().anotherTeam();
      await team.post('/items', { id: 'coin', name: 'Coin' });
      await service().database.migrate();
      await roll(team, 1);
      let begun: () => void = () => {};
      let end: () => void = () => {};
      const isReading = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const isOver = new Promise<void>((resolve) => {
        end = resolve;
      });
      const reading = service().database.read(NO_TEAM, async ({ queries }) => {
        await queries.selectFrom('roll_events').select('id').limit(1).execute();
        begun();
        await isOver;
      });
      await isReading;
      await assert.rejects(service().database.removeBefore('roll_events', Date.now() + 8 * DAY_MS, shouldContinue));
      await roll(team, 1);
      end();
      await reading;
      assert.equal((await recorded(team)).length, 2);
      await service().database.removeBefore('roll_events', Date.now() + 8 * DAY_MS, shouldContinue);
      assert.equal((await recorded(team)).length, 0);
    });

    test('accepts every roll while partitions are dropped and recreated', async () => {
      const team = await service().anotherTeam();
      await team.post('/items', { id: 'coin', name: 'Coin' });
      const { database } = service();
      let isOver = false;
      const rollOn = async (): Promise<number[]> => {
        const statuses: number[] = [];
        while (!isOver) statuses.push((await team.post('/items/roll')).status);
        return statuses;
      };
      const rolling = Array.from({ length: 8 }, rollOn);
      for (let round = 0; round < 8; round += 1)
        try {
          await database.removeBefore('roll_events', Date.now() + 38 * DAY_MS, shouldContinue);
          await database.migrate();
        } catch (error) {
          // On a busy machine the lock may time out; it is retried then.
          if (!isBlocked(error)) throw error;
        }
      isOver = true;
      const statuses = (await Promise.all(rolling)).flat();
      assert.deepEqual(new Set(statuses), new Set([200]), `${statuses.length} rolls`);
    });
  }
});

onEveryDatabase('the history', (service) => {
  const START = Date.parse('2026-01-01T00:00:00.000Z');

  const remove = async (nowMs: number): Promise<void> => {
    await removeHistory(partsOf(service(), nowMs), shouldContinue);
    await makeDue(service(), 'history');
  };
  const toldOf = async (team: Client, id: string): Promise<string[]> => {
    const { status, body } = await team.get(`/item-instances/${id}/history`);
    if (status === 404) return ['not found'];
    return body.map(
      ({ sequence, event, fromUserId, toUserId }: Record<string, string | number | null>) =>
        `${sequence} ${event} ${fromUserId} → ${toUserId}`,
    );
  };

  test('is kept for a number of days, and stays valid when a part of it is gone', async () => {
    const team = await service().anotherTeam();
    service().setClock(START);
    await team.post('/items', { id: 'coin', name: 'Coin' });
    for (const id of ['ann', 'bob', 'cyd']) await team.post('/users', { id });
    const create = (id: string) => team.post('/item-instances', { id, itemId: 'coin', userId: 'ann' });
    const give = (id: string, toUserId: string) => team.post(`/item-instances/${id}/transfer`, { toUserId });
    for (const id of ['traded', 'still', 'given', 'gone', 'going']) await create(id);
    for (const id of ['traded', 'given', 'gone', 'going']) await give(id, 'bob');
    await give('traded', 'cyd');
    await team.delete('/item-instances/gone');
    service().setClock(START + 10 * DAY_MS);
    await team.delete('/item-instances/going');
    const told = () => Promise.all(['traded', 'still', 'given', 'gone', 'going'].map((id) => toldOf(team, id)));
    const before = await told();
    await remove(START + 29 * DAY_MS);
    assert.deepEqual(await told(), before);
    await remove(START + 31 * DAY_MS);
    assert.deepEqual(await told(), [
      // The first owner is no longer known; the last event is kept, so that the next one has the next number.
      ['1 created null → null', '3 transferred bob → cyd'],
      ['1 created null → ann'],
      ['1 created null → ann', '2 transferred ann → bob'],
      ['not found'],
      ['3 deleted bob → null'],
    ]);
    await give('traded', 'ann');
    await create('gone');
    await remove(START + 41 * DAY_MS);
    assert.deepEqual(await told(), [
      ['1 created null → null', '4 transferred cyd → ann'],
      ['1 created null → ann'],
      ['1 created null → ann', '2 transferred ann → bob'],
      ['1 created null → ann'],
      ['not found'],
    ]);
    // What was removed is not missed, but what is missing for another reason is.
    assert.deepEqual(await findings(service(), team), []);
    service().setClock(START + 50 * DAY_MS);
    await create('new');
    await give('new', 'bob');
    await give('new', 'cyd');
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries
        .deleteFrom('item_instance_history')
        .where('item_instance_id', '=', 'new')
        .where('sequence', '=', 2)
        .execute(),
    );
    assert.deepEqual(await findings(service(), team), ['item instance new has event 3 where event 2 should be']);
  });

  test('is processed in steps, whatever the teams and however many events an instance has', async () => {
    const teams = [await service().anotherTeam(), await service().anotherTeam()];
    const event = (id: string, sequence: number, name: 'transferred' | 'deleted', day: number) => ({
      item_instance_id: id,
      sequence,
      item_id: 'coin',
      event: name,
      from_user_id: 'ann',
      to_user_id: null,
      cause: 'request',
      created_at: START + day * DAY_MS,
      request_id: null,
      before: null,
      after: null,
    });
    const most = LIMITS.historyRowsPerRemoval;
    const events = [
      // A deleted instance and an existing one that each take more than a step, and many small ones.
      ...Array.from({ length: most + 50 }, (_, index) => event('long-gone', index + 2, 'transferred', 0)),
      event('long-gone', most + 60, 'deleted', 0),
      ...Array.from({ length: most + 50 }, (_, index) => event('long-there', index + 2, 'transferred', 0)),
      ...Array.from({ length: most }, (_, index) => event(`small-${index}`, 2, 'deleted', index % 2 === 0 ? 0 : 20)),
    ];
    for (const { teamId } of teams)
      await service().database.transaction(teamId, async ({ queries }) => {
        for (let start = 0; start < events.length; start += 500) {
          const rows = events.slice(start, start + 500).map((row) => ({ team_id: teamId, ...row }));
          await queries.insertInto('item_instance_history').values(rows).execute();
        }
      });
    await remove(START + 31 * DAY_MS);
    for (const { teamId } of teams) {
      const left = await service().database.read(teamId, ({ queries }) =>
        queries
          .selectFrom('item_instance_history')
          .select(['item_instance_id', 'sequence'])
          .where('team_id', '=', teamId)
          .orderBy('item_instance_id')
          .execute(),
      );
      assert.equal(left.length, 1 + most / 2);
      assert.deepEqual({ ...left[0] }, { item_instance_id: 'long-there', sequence: most + 51 });
      assert.ok(left.slice(1).every(({ item_instance_id: id }) => Number(id.slice('small-'.length)) % 2 === 1));
    }
  });
});

describe('two nodes on one PostgreSQL', () => {
  test('delete old responses one at a time, each row once', async () => {
    const empty = await createEmptyDatabase('postgres');
    const nodes = [openDatabase(empty.url), openDatabase(empty.url)] as const;
    await nodes[0].migrate();
    const count = 3 * LIMITS.storedResponsesPerSweep + 7;
    await nodes[0].transaction('team', ({ queries }) =>
      queries
        .insertInto('stored_answers')
        .values(
          Array.from({ length: count }, (_, index) => ({
            team_id: 'team',
            key: `key ${index}`,
            fingerprint: '',
            answer: '{}',
            stored_at: 0,
          })),
        )
        .execute(),
    );
    const clock = () => 2 * LIMITS.storedResponseMs;
    const removed = await Promise.all(nodes.map((node) => removeOldResponses(node, clock, shouldContinue)));
    assert.deepEqual(
      removed.sort((a, b) => a - b),
      [0, count],
    );
    const later = () => clock() + LIMITS.choreLeaseMs + 1;
    assert.deepEqual(await Promise.all(nodes.map((node) => removeOldResponses(node, clock, shouldContinue))), [0, 0]);
    // Another node takes over from a dead one, even if the clock of the dead one was far ahead.
    const claims = async (moment: () => number) =>
      nodes[1].transaction('team', async (tx) => {
        return (await claimChore(tx, 'stored answers', moment())) !== undefined;
      });
    assert.equal(await claims(clock), false);
    assert.equal(await claims(later), true);
    assert.equal(await claims(later), false);
    assert.equal(await claims(() => later() - 10 * LIMITS.removalPassMs), true);
    await Promise.all(nodes.map((node) => node.close()));
    await empty.drop();
  });
});
