import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { check } from '../../src/cli/check.ts';
import { openDatabase } from '../../src/database/open.ts';
import { REFERENCES } from '../../src/database/references.ts';
import { TABLES } from '../../src/database/tables.ts';
import { commitmentTo } from '../../src/engine/fairness/links.ts';
import { digestOf } from '../../src/shared/digest.ts';
import { logAll } from '../chores.ts';
import { createEmptyDatabase, onEveryQuietDatabase } from '../harness.ts';
import { createGame } from '../played.ts';
import { runToEnd } from '../processes.ts';

/** The service may be writing at this moment. It runs in this process, so waiting must not block the event loop. */
const onceUnlocked = async <T>(run: () => T): Promise<T> => {
  for (let left = 100; ; left -= 1)
    try {
      return run();
    } catch (error) {
      if (left === 0 || !(error instanceof Error) || error.message !== 'database is locked') throw error;
      await setTimeout(50);
    }
};

/** Does what no command would do, on a connection without constraints. */
const damage = async (url: string, statements: readonly string[]): Promise<void> => {
  if (url.startsWith('sqlite:')) {
    const raw = new DatabaseSync(url.replace('sqlite:', ''), { enableForeignKeyConstraints: false });
    try {
      for (const statement of statements) {
        const run = () => raw.prepare(statement).run();
        assert.ok((await onceUnlocked(run)).changes > 0, statement);
      }
    } finally {
      raw.close();
    }
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  for (const statement of statements) assert.ok(((await client.query(statement)).rowCount ?? 0) > 0, statement);
  await client.end();
};

const look = async (databaseUrl: string): Promise<{ succeeded: boolean; lines: string[] }> => {
  const lines: string[] = [];
  const succeeded = await check.run({
    databaseUrl,
    argument: undefined,
    options: {},
    print: (line) => lines.push(line),
  });
  return { succeeded, lines };
};

/** What is done to a team with known data, and what the check should find. */
const DAMAGES: [string, string[], RegExp[]][] = [
  // First, since pending counts are added up once a minute.
  [
    'counters that are too high',
    ["update roll_pending set rolls = rolls + 1, counts = '[\"dot\",2]' where team_id = 'TEAM' and template_id = ''"],
    [/rolls without a template, all days together: the counters say 2, the record has 1/, /the counters say 2/],
  ],
  [
    'counters of the wrong items',
    ["update roll_pending set counts = '[\"bar\",1]' where team_id = 'TEAM' and template_id = 'banner'"],
    [/rolls on template banner, all days together: the .* of different items/, /of different items/],
  ],
  [
    'a receipt that was removed from the middle',
    ["delete from player_receipts where team_id = 'TEAM' and user_id = 'ann' and epoch = 0 and nonce = 1"],
    [/receipt 3 of epoch 0 of user ann (comes where nonce 1 should be|is not linked to the one before)/],
  ],
  [
    'a receipt that was removed from the end',
    ["delete from player_receipts where team_id = 'TEAM' and user_id = 'bob' and epoch = 0 and nonce = 3"],
    [/the rotation of epoch 1 of user bob ends epoch 0 elsewhere than its receipts do/],
  ],
  [
    'a receipt that was rewritten, and a seed that was exchanged',
    [
      "update player_receipts set receipts = replace(receipts, '[[\"', '[[\"another-') where team_id = 'TEAM' and user_id = 'dora' and epoch = 1 and nonce = 1",
      "update player_seeds set next_seed = seed where team_id = 'TEAM' and user_id = 'dora'",
    ],
    [
      /receipt 2 of epoch 1 of user dora has another hash than it should/,
      /the seeds of user dora are not those that the last rotation committed to/,
    ],
  ],
  [
    'a receipt that was rewritten before it had a row',
    [
      "update user_states set state = replace(state, '[[\"', '[[\"another-') where team_id = 'TEAM' and user_id = 'fay' and scope = 'receipts'",
    ],
    [/the next roll of user fay would not go on from the last receipt/],
  ],
  [
    'receipts in a row that cannot be read, and in one without its terms',
    [
      "update player_receipts set receipts = substr(receipts, 1, 150) where team_id = 'TEAM' and user_id = 'bob' and epoch = 0 and nonce = 1",
      "update player_receipts set series = 'gone', receipts = replace(receipts, series, 'gone') where team_id = 'TEAM' and user_id = 'fay' and epoch = 0 and nonce = 1",
    ],
    [
      /receipt 1 of epoch 0 of user (bob|fay) is stored in a row that cannot be read/,
      /receipt 1 of epoch 0 of user fay/,
    ],
  ],
  [
    'a public log whose head is not signed, and whose tree lacks a node',
    [
      "update log_heads set at_ms = at_ms + 1 where team_id = 'TEAM'",
      "delete from log_nodes where team_id = 'TEAM' and level = 1 and place = 0",
    ],
    [
      /the head of the public log is not signed by its key/,
      /the tree of the public log lacks nodes/,
      /node 0 of level 2 of the public log is not that of the nodes below it/,
    ],
  ],
  [
    'a leaf of the public log that was exchanged',
    [
      "update log_leaves set subject = hash where team_id = 'TEAM' and subject = (select hash from player_receipts where team_id = 'TEAM' and user_id = 'dora' and epoch = 0 and nonce = -1)",
    ],
    [
      /leaf \d+ of the public log has another hash than it should/,
      /the rotation of epoch 0 of user dora is not in the public log/,
    ],
  ],
  [
    'a rotation that was removed from the public log',
    [
      "delete from log_leaves where team_id = 'TEAM' and subject = (select hash from player_receipts where team_id = 'TEAM' and user_id = 'fay' and epoch = 0 and nonce = -1)",
    ],
    [
      /the rotation of epoch 0 of user fay is not in the public log/,
      /the public log has no leaf|the head of the public log is not that of its|node \d+ of level 1 of the public log/,
    ],
  ],
  [
    'a missing cell',
    ["delete from item_instance_spaces where team_id = 'TEAM' and item_instance_id = 'slab' and part = 1"],
    [/slab in user space bag covers 1 cells of 1 × 1, but its item is 2 × 1/, /row 0 of user space bag says/],
  ],
  [
    'a placement outside its grid',
    ["update spaces set cols = 2 where team_id = 'TEAM' and id = 'narrow'"],
    [
      /wide in user space narrow-bag reaches outside the grid of 2 × 2 cells/,
      /space narrow is not as the last version that changed it left it/,
    ],
  ],
  [
    "an instance in another user's bag",
    ["update item_instances set user_id = 'bob' where team_id = 'TEAM' and id = 'lent'"],
    [/lent in user space bag belongs to user bob, but the user space to ann/],
  ],
  [
    'a first cell without data',
    ["update item_instance_spaces set id = null where team_id = 'TEAM' and item_instance_id = 'nameless'"],
    [/nameless in user space bag has no first cell/],
  ],
  [
    'a cell with the wrong number',
    ["update item_instance_spaces set part = 7 where team_id = 'TEAM' and item_instance_id = 'numbered' and part = 1"],
    [/cell at \d, \d of item instance numbered in user space bag has the wrong number 7/],
  ],
  [
    'a grid row that hides free space',
    ["update user_space_rows set taken = 'f' where team_id = 'TEAM' and user_space_id = 'spare-bag' and y = 0"],
    [/row 0 of user space spare-bag says f is taken, but its cells are 1/],
  ],
  [
    'a grid row without placements',
    ["insert into user_space_rows (team_id, user_space_id, y, taken) values ('TEAM', 'spare-bag', 3, '1')"],
    [/row 3 of user space spare-bag says that cells are taken, but nothing is placed there/],
  ],
  [
    'an instance of a missing item',
    [
      "delete from items where team_id = 'TEAM' and id = 'gone'",
      "update teams set item_count = item_count - 1 where id = 'TEAM'",
    ],
    [
      /item_instances.item_id refers to gone, which is not in items \(rows: 1\)/,
      /item gone is missing from the catalog, though no version deleted it/,
    ],
  ],
  [
    'a missing user',
    ["delete from users where team_id = 'TEAM' and id = 'carl'"],
    [/item_instances.user_id refers to carl, which is not in users \(rows: 1\)/],
  ],
  [
    'a placement without an instance',
    ["delete from item_instances where team_id = 'TEAM' and id = 'lost'"],
    [/item_instance_spaces.item_instance_id refers to lost, which is not in item_instances \(rows: 1\)/],
  ],
  [
    'rows of a missing team',
    ["insert into stored_answers (team_id, key, fingerprint, answer, stored_at) values ('nobody', 'k', 'f', '{}', 1)"],
    [/^team nobody: stored_answers.team_id refers to nobody, which is not in teams \(rows: 1\)/],
  ],
  [
    'a wrong item count',
    ["update teams set item_count = 99 where id = 'TEAM'"],
    [/has 6 items, but its item count says 99/],
  ],
  [
    'evidence of more rolls than were counted',
    [
      `insert into roll_evidence (team_id, template_id, version, day, rolls, counts) values ('TEAM', 'banner', 1, '2020-01-01', 2, '["i0","dot",2]')`,
    ],
    [/rolls on template banner on 2020-01-01: the evidence has 2, but the counters say 0/],
  ],
  [
    'unreadable evidence',
    [
      `insert into roll_evidence (team_id, template_id, version, day, rolls, counts) values ('TEAM', '', 3, '2020-01-02', 0, '["i","dot"]')`,
    ],
    [/the evidence of rolls without a template on 2020-01-02, version 3, cannot be read/],
  ],
  [
    'frozen evidence of more rolls than were counted, which cannot be read',
    [
      `insert into evidence_frozen (team_id, template_id, config, since, until, days, rolls, counts, evidence) values ('TEAM', 'banner', 'abc', '2020-01-01', '2020-02-01', 2, 1000000, '["i0","dot"]', null)`,
    ],
    [
      /the evidence of rolls on template banner, all days together, configuration abc, cannot be read/,
      /rolls on template banner, all days together: the evidence has 1000000, but the counters say \d+/,
    ],
  ],
  [
    'a snapshot with another text',
    ["insert into snapshots (team_id, hash, text) values ('TEAM', 'abc', '{}')"],
    [/the snapshot abc has another text than the one it stands for/],
  ],
  [
    'an unreadable roll',
    ["insert into roll_events (team_id, id, rolled_at, results) values ('TEAM', 'broken', 1, 'no list')"],
    [/the results of roll broken cannot be read/],
  ],
  [
    'events at the same position, and unreadable ones',
    ["insert into events (team_id, id, batch, number, position, events) values ('TEAM', 'zz', 'zz', 1, 1, 'no list')"],
    [/two rows of events have position 1/, /the events zz cannot be read/],
  ],
  [
    'a feed that ends too early',
    ["update event_feeds set position = 1 where team_id = 'TEAM'"],
    [/the feed of events ends at position 1, but there are events up to \d+/],
  ],
  [
    'a creation without a cause',
    ["update item_instances set cause = null where team_id = 'TEAM' and id = 'untold'"],
    [/untold has no recorded creation/],
  ],
  [
    'an owner missing from the history',
    ["update item_instances set user_id = 'bob' where team_id = 'TEAM' and id = 'passed'"],
    [/passed belongs to user bob, but its history says dora/],
  ],
  [
    'a missing event',
    ["delete from item_instance_history where team_id = 'TEAM' and item_instance_id = 'travelled' and sequence = 2"],
    [/travelled has event 3 where event 2 should be/],
  ],
  [
    'a deletion that did not happen',
    [
      "insert into item_instance_history (team_id, item_instance_id, sequence, item_id, event, cause, created_at) values ('TEAM', 'alive', 2, 'dot', 'deleted', 'request', 1)",
    ],
    [/alive exists, but its history says that it was deleted/],
  ],
  [
    'an unrecorded deletion',
    ["delete from item_instances where team_id = 'TEAM' and id = 'vanished'"],
    [/vanished has event 2 where event 1 should be/, /vanished was deleted, but its history does not say so/],
  ],
  [
    'a transfer from the wrong owner',
    [
      "update item_instance_history set from_user_id = 'eve' where team_id = 'TEAM' and item_instance_id = 'handed' and sequence = 3",
    ],
    [/handed was transferred from eve in event 3, but belonged to bob/],
  ],
  [
    'unreadable values',
    ["update item_instances set attribute_values = '{' where team_id = 'TEAM' and id = 'garbled'"],
    [/the attribute values of item instance garbled cannot be read/],
  ],
  [
    'an unreadable template',
    ["update templates set config = '[]' where team_id = 'TEAM' and id = 'banner'"],
    [
      /the configuration of template banner cannot be read/,
      /template banner is not as the last version that changed it left it/,
    ],
  ],
  [
    'an unreadable state',
    ["update user_states set state = '{\"own\":{}}' where team_id = 'TEAM' and user_id = 'ann'"],
    [
      /the state of user ann under template:(banner|fair|fair-too) cannot be read/,
      /the next roll of user ann would not go on from the last receipt/,
    ],
  ],
  [
    'an empty stored response',
    ["update stored_answers set answer = '' where team_id = 'TEAM' and key = 'kept'"],
    [/the stored response of the idempotency key kept is empty/],
  ],
  [
    'an item that was changed behind the back of the service',
    ["update items set roll_numerator = 77 where team_id = 'TEAM' and id = 'spare'"],
    [/item spare is not as the last version that changed it left it/],
  ],
  [
    'an item without a version',
    [
      "insert into items (team_id, id, name, roll_numerator, width, height, created_at, updated_at) values ('TEAM', 'sneaked', 'Sneaked', 0, 1, 1, 1, 1)",
    ],
    [/has 7 items, but its item count says 99/, /item sneaked is in the catalog, but in no version of it/],
  ],
  [
    'a change that was removed from the history of the catalog',
    ["delete from catalog_changes where team_id = 'TEAM' and kind = 'item' and id = 'told' and before is not null"],
    [
      /item told is not as the last version that changed it left it/,
      /version \d+ of the catalog has 0 changes, but says 1/,
    ],
  ],
  [
    'a change that was rewritten',
    [
      "update catalog_changes set before = replace(before, 'Twice', 'Never') where team_id = 'TEAM' and id = 'twice' and before is not null",
    ],
    [/version \d+ of the catalog changed item twice from something else than the version before it left/],
  ],
  [
    'a version that is missing',
    ["delete from catalog_versions where team_id = 'TEAM' and version = 1"],
    [
      /the catalog has version 2 where version 1 should be/,
      /the catalog has changes of version 1, which does not exist/,
    ],
  ],
  [
    'a catalog at another version than its last',
    ["update teams set version = version + 1 where id = 'TEAM'"],
    [/the catalog is at version \d+, but its last version is \d+/],
  ],
];

onEveryQuietDatabase('a check', (service) => {
  let teamId: string;
  /** Found by earlier tests: each damages something else. */
  const known = new Set<string>();

  before(async () => {
    const team = await service().anotherTeam();
    teamId = team.teamId;
    const must = async (method: string, path: string, body?: object, key?: string): Promise<void> => {
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
      const response = await team.request(method, path, body, { headers });
      assert.equal(response.status, 200, `${path}: ${JSON.stringify(response.body)}`);
    };
    const classifier = { name: 'Tier', classifierOptions: [{ name: 'top' }] };
    const [top] = (await team.post('/classifiers', classifier)).body.classifierOptions;
    for (const [id, width, rollNumerator] of [
      ['dot', 1, 1],
      ['bar', 3, 0],
      ['slab', 2, 0],
      ['gone', 1, 0],
      ['spare', 1, 0],
      ['told', 1, 0],
      ['twice', 1, 0],
    ] as const)
      await must('POST', '/items', {
        id,
        name: id,
        width,
        rollNumerator,
        classifierOptionIds: id === 'dot' ? [top.id] : [],
      });
    for (const id of ['told', 'twice']) await must('PUT', `/items/${id}`, { name: 'Twice', rollNumerator: 0 });
    for (const id of ['twice']) await must('PUT', `/items/${id}`, { name: 'Thrice', rollNumerator: 0 });
    await must('POST', '/templates', { id: 'banner', name: 'Banner', config: { baseRates: { top: 1 } } });
    await must('POST', '/spaces', { id: 'bag', name: 'Bag', cols: 8, rows: 8 });
    await must('POST', '/spaces', { id: 'narrow', name: 'Narrow', cols: 3, rows: 2 });
    for (const [userId, id, spaceId] of [
      ['ann', 'bag', 'bag'],
      ['ann', 'narrow-bag', 'narrow'],
      ['ann', 'spare-bag', 'bag'],
    ])
      await must('POST', `/users/${userId}/spaces`, { id, spaceId });
    for (const id of ['bob', 'carl', 'dora']) await must('POST', '/users', { id });
    const give = (id: string, itemId: string, userId: string, userSpaceId?: string) =>
      must('POST', '/item-instances', { id, itemId, userId, userSpaceId });
    await give('slab', 'slab', 'ann', 'bag');
    await give('wide', 'bar', 'ann', 'narrow-bag');
    for (const id of ['lent', 'nameless', 'lost']) await give(id, 'dot', 'ann', 'bag');
    await give('numbered', 'slab', 'ann', 'bag');
    await give('spare', 'dot', 'ann', 'spare-bag');
    await give('of-gone', 'gone', 'ann');
    await give('of-carl', 'dot', 'carl');
    for (const id of ['untold', 'passed', 'travelled', 'alive', 'vanished', 'handed', 'garbled'])
      await give(id, 'dot', 'ann');
    const transfer = (id: string, toUserId: string) => must('POST', `/item-instances/${id}/transfer`, { toUserId });
    for (const [id, ...owners] of [
      ['passed', 'dora'],
      ['travelled', 'bob', 'dora'],
      ['vanished', 'bob'],
      ['handed', 'bob', 'dora'],
    ])
      for (const owner of owners) await transfer(id as string, owner);
    for (const id of ['fair', 'fair-too'])
      await must('POST', '/templates', { id, name: 'Fair', config: {}, verifiable: true });
    for (const userId of ['ann', 'bob', 'dora', 'eve', 'fay']) {
      for (const clientSeed of ['one', 'two']) {
        const { nextCommitment: commitment, nextManifest: manifest } = (await team.post(`/users/${userId}/fairness`))
          .body;
        await must('POST', `/users/${userId}/fairness/rotate`, { clientSeed, commitment, manifest });
        if (userId === 'eve' && clientSeed === 'two') continue;
        // Two on the same template share a row, and the last one has none yet.
        for (const id of ['fair', 'fair-too', 'fair-too', 'fair'])
          await must('POST', `/templates/${id}/roll`, { userId });
      }
    }
    await logAll(service());
    await must('POST', '/items/roll', {}, 'kept');
    await must('POST', '/templates/banner/roll', { userId: 'ann' });
  });

  test('finds no problems after a simulated game', async () => {
    const game = await createGame(service());
    await game.play(10);
    const { succeeded, lines } = await look(service().databaseUrl);
    assert.ok(succeeded, lines.join('\n'));
    assert.match(lines.join('\n'), /^no problems found: checked [\d,]+ instances.*$/);
  });

  for (const [what, statements, expected] of DAMAGES) {
    test(`finds ${what}`, async () => {
      await damage(
        service().databaseUrl,
        statements.map((statement) => statement.replaceAll('TEAM', teamId)),
      );
      const { succeeded, lines } = await look(service().databaseUrl);
      assert.equal(succeeded, false);
      const found = lines.slice(0, -1).filter((line) => !known.has(line));
      for (const line of found) known.add(line);
      for (const one of expected)
        assert.ok(
          found.some((line) => one.test(line)),
          `${one} in ${found.join('\n')}`,
        );
      for (const line of found)
        assert.ok(
          expected.some((one) => one.test(line)),
          line,
        );
      for (const line of found)
        if (!line.startsWith('team nobody')) assert.ok(line.startsWith(`team ${teamId}: `), line);
    });
  }

  test('finds a rotation that does not keep the promise of the one before it, though all hashes are right', async () => {
    const { database } = service();
    const seed = 'ab'.repeat(32);
    await database.transaction(teamId, async ({ queries }) => {
      const rotation = queries
        .selectFrom('player_receipts')
        .select('receipts')
        .where('team_id', '=', teamId)
        .where('user_id', '=', 'eve')
        .where('epoch', '=', 1)
        .where('nonce', '=', -1);
      const { receipts: receipt } = await rotation.executeTakeFirstOrThrow();
      const forged = JSON.stringify({ ...JSON.parse(receipt), commitment: commitmentTo(seed), revealed: seed });
      const hash = digestOf(forged);
      await queries
        .updateTable('player_receipts')
        .set({ receipts: forged, hash })
        .where('team_id', '=', teamId)
        .where('user_id', '=', 'eve')
        .where('epoch', '=', 1)
        .where('nonce', '=', -1)
        .execute();
      await queries
        .updateTable('player_seeds')
        .set({ seed, rotation: hash })
        .where('team_id', '=', teamId)
        .where('user_id', '=', 'eve')
        .execute();
      await queries
        .updateTable('user_states')
        .set({ state: JSON.stringify([hash, 0, hash, 0]) })
        .where('team_id', '=', teamId)
        .where('user_id', '=', 'eve')
        .where('scope', '=', 'receipts')
        .execute();
    });
    const { lines } = await look(service().databaseUrl);
    const found = lines.filter((line) => line.includes('user eve')).map((line) => line.replace(/^team \S+ /, ''));
    assert.deepEqual(found, [
      'the rotation of epoch 1 of user eve uses another seed than the rotation before had promised',
      'the rotation of epoch 1 of user eve reveals another seed than was promised',
      'the rotation of epoch 1 of user eve is not in the public log',
    ]);
  });

  test('prints a limited number of findings, counts the rest, and exits with 1', async () => {
    const orphans = Array.from({ length: 120 }, (_, index) => `('lost-${index}', 'k', 'f', '{}', 1)`);
    await damage(service().databaseUrl, [
      `insert into stored_answers (team_id, key, fingerprint, answer, stored_at) values ${orphans.join()}`,
    ]);
    const { code, stdout, stderr } = await runToEnd('src/cli.ts', ['check'], { DATABASE_URL: service().databaseUrl });
    assert.equal(code, 1);
    assert.equal(stderr, '');
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, 102);
    assert.match(lines.at(-2) ?? '', /^… and \d+ more$/);
    assert.match(lines.at(-1) ?? '', /^1\d\d problems found/);
  });
});

test('the references that check follows are those of the schema', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const database = openDatabase(empty.url);
  await database.migrate();
  await database.close();
  const raw = new DatabaseSync(empty.url.replace('sqlite:', ''));
  const found = new Set<string>();
  for (const table of TABLES)
    for (const { table: target, from, to } of raw.prepare('select * from pragma_foreign_key_list(?)').all(table))
      if (from !== 'team_id' || to === 'id') found.add(`${table}.${from} → ${target}`);
  raw.close();
  await empty.drop();
  const followed = new Set(REFERENCES.map(({ table, column, target }) => `${table}.${column} → ${target}`));
  assert.ok(found.size > 30);
  assert.deepEqual(
    [...found].filter((one) => !followed.has(one)),
    [],
  );
});
