import { type Kysely, sql } from 'kysely';
import { earliestId } from '../../shared/ids.ts';
import type { Engine, HalvedMigration } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** The public log of each team: rotations and manifests, as the leaves of a tree to which others are only added. */
const createLog = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  await byKey(
    schema.schema
      .createTable('log_heads')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('size', sql`bigint`, (column) => column.notNull())
      .addColumn('root', id, (column) => column.notNull())
      .addColumn('at_ms', sql`bigint`, (column) => column.notNull())
      .addColumn('signature', 'text', (column) => column.notNull())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('log_heads_key', ['team_id']) as never,
  ).execute();
  await byKey(
    schema.schema
      .createTable('log_leaves')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('hash', id, (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('subject', id, (column) => column.notNull())
      .addColumn('position', sql`bigint`)
      .addPrimaryKeyConstraint('log_leaves_key', ['team_id', 'hash']) as never,
  ).execute();
  // No position is used twice, whatever happens.
  await schema.schema
    .createIndex('log_leaves_by_position')
    .unique()
    .on('log_leaves')
    .columns(['team_id', 'position'])
    .execute();
  // Has only what waits, so looking for it costs nothing.
  await sql`create index log_leaves_waiting on log_leaves (team_id, hash) where position is null`.execute(schema);
  await byKey(
    schema.schema
      .createTable('log_nodes')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('level', 'integer', (column) => column.notNull())
      .addColumn('place', sql`bigint`, (column) => column.notNull())
      .addColumn('hash', id, (column) => column.notNull())
      .addPrimaryKeyConstraint('log_nodes_key', ['team_id', 'level', 'place']) as never,
  ).execute();
};

/**
 * Evidence that is kept for ever. Days that are no longer kept one by one are added up in a row per configuration, and
 * configurations have an order, so that the evidence against all of them can be combined.
 */
const keepEvidenceForEver = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, double, byKey } = spellingOf(engine);
  await byKey(
    schema.schema
      .createTable('evidence_frozen')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('template_id', id, (column) => column.notNull())
      .addColumn('config', id, (column) => column.notNull())
      .addColumn('since', id, (column) => column.notNull())
      .addColumn('until', id, (column) => column.notNull())
      .addColumn('days', 'integer', (column) => column.notNull())
      .addColumn('rolls', sql`bigint`, (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull())
      .addColumn('evidence', double)
      .addPrimaryKeyConstraint('evidence_frozen_key', ['team_id', 'template_id', 'config']) as never,
  ).execute();
  // Nodes of the version before do not write it.
  await schema.schema
    .alterTable('evidence_streams')
    .addColumn('began_at', sql`bigint`, (column) => column.notNull().defaultTo(0))
    .execute();
};

/** On PostgreSQL, events have partitions by time as rolls do, and a number from a sequence says which was written first. */
const partitionEvents = async (schema: Kysely<unknown>): Promise<void> => {
  const run = (text: string) => sql.raw(text).execute(schema);
  await run('create sequence events_number');
  await run(`create table events (team_id text collate "C" not null, id text collate "C" not null,
    batch text collate "C" not null, number bigint default nextval('events_number'), position bigint,
    events text not null, constraint events_key primary key (team_id, id)) partition by range (id)`);
  await run('alter sequence events_number owned by events.number');
  await run('create table events_rest partition of events default');
};

/** One connection writes at a time, so events have their positions at once. Rows that were moved here keep theirs. */
const createEventsInOrder = async (schema: Kysely<unknown>): Promise<void> => {
  await schema.schema
    .createTable('events')
    .addColumn('team_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('batch', 'text', (column) => column.notNull())
    .addColumn('number', sql`bigint`)
    .addColumn('position', sql`bigint`)
    .addColumn('events', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('events_key', ['team_id', 'id'])
    .execute();
  // Inserted with its position instead: changing it afterwards would write it twice.
  await sql`create trigger events_in_order before insert on events when new.position is null and new.number is null begin
    insert into event_feeds (team_id, position, last_id) values (new.team_id, 1, new.id)
      on conflict (team_id) do update set position = position + 1, last_id = new.id;
    insert into events (team_id, id, batch, position, events)
      select new.team_id, new.id, new.batch, position, new.events from event_feeds where team_id = new.team_id;
    select raise(ignore);
  end`.execute(schema);
};

/** What happened, in one order for each team. */
const createEvents = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  await byKey(
    schema.schema
      .createTable('event_feeds')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('types', 'text')
      .addColumn('position', sql`bigint`, (column) => column.notNull().defaultTo(0))
      .addColumn('last_id', id)
      .addPrimaryKeyConstraint('event_feeds_key', ['team_id']) as never,
  ).execute();
  await (engine === 'postgres' ? partitionEvents(schema) : createEventsInOrder(schema));
  await sql`create index events_by_position on events (team_id, position) where position is not null`.execute(schema);
  // Has only what waits, so looking for it costs nothing.
  await sql`create index events_waiting on events (team_id, id) where position is null`.execute(schema);
};

const indexRollers = (schema: Kysely<unknown>, name: string, table: string) =>
  sql`create index ${sql.raw(name)} on ${sql.raw(table)} (roller_id, id) where roller_id is not null`.execute(schema);

/**
 * Rolls wait for the index of the partition that they are recorded in, but not for those of past weeks, which may have a
 * hundred times as many rows: these are created in the background.
 */
const indexPartitions = async (schema: Kysely<unknown>): Promise<void> => {
  const citus = await sql`select 1 from pg_extension where extname = 'citus'`.execute(schema);
  if (citus.rows.length > 0) {
    await indexRollers(schema, 'roll_events_of_roller', 'roll_events');
    return;
  }
  await indexRollers(schema, 'roll_events_of_roller', 'only roll_events');
  const { rows: partitions } = await sql<{ name: string; bound: string }>`
    select child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bound
    from pg_inherits join pg_class as child on child.oid = inhrelid where inhparent = 'roll_events'::regclass`.execute(
    schema,
  );
  const now = earliestId(Date.now());
  for (const { name, bound } of partitions) {
    const end = /TO \('([^']*)'\)/.exec(bound)?.[1];
    if (end !== undefined && end <= now) continue;
    await indexRollers(schema, `${name}_of_roller`, name);
    await sql`alter index roll_events_of_roller attach partition ${sql.raw(`${name}_of_roller`)}`.execute(schema);
  }
};

/** What the log of rolls says about each of them, and what the rolls of a player are found by. */
const keepRollDetails = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  await schema.schema.alterTable('roll_events').addColumn('details', 'text').execute();
  await schema.schema.createIndex('users_by_roller').on('users').columns(['team_id', 'roller_id']).execute();
  await (engine === 'postgres'
    ? indexPartitions(schema)
    : indexRollers(schema, 'roll_events_of_roller', 'roll_events'));
};

/** Who changed what a player owns, and why; and of deleted instances, what restoring them takes. */
const keepAuthors = async (schema: Kysely<unknown>): Promise<void> => {
  await schema.schema.alterTable('item_instances').addColumn('author', 'text').execute();
  for (const column of ['author', 'reason', 'deleted_row'])
    await schema.schema.alterTable('item_instance_history').addColumn(column, 'text').execute();
};

/** What support sets counters of players to, and finding players by the beginning of an external id. */
const keepCounterChanges = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  await byKey(
    schema.schema
      .createTable('counter_changes')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('user_id', id, (column) => column.notNull())
      .addColumn('id', id, (column) => column.notNull())
      .addColumn('template_id', id, (column) => column.notNull())
      .addColumn('scope', id, (column) => column.notNull())
      .addColumn('before', 'text', (column) => column.notNull())
      .addColumn('after', 'text', (column) => column.notNull())
      .addColumn('author', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('created_at', sql`bigint`, (column) => column.notNull())
      .addPrimaryKeyConstraint('counter_changes_key', ['team_id', 'user_id', 'id']) as never,
  ).execute();
  // In byte order, which finds what begins with a text. The index that is there does so on SQLite. A new collation of the
  // column would invalidate the statements of nodes that run on.
  if (engine === 'postgres')
    await sql`
      create index users_by_external_id_prefix on users (team_id, external_id collate "C")
        where external_id is not null`.execute(schema);
};

/** What users have of currencies, and every change of it. */
const createBalances = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  await byKey(
    schema.schema
      .createTable('balances')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('user_id', id, (column) => column.notNull())
      .addColumn('item_id', id, (column) => column.notNull())
      .addColumn('quantity', sql`bigint`, (column) => column.notNull())
      .addColumn('lots', 'text')
      .addColumn('sequence', sql`bigint`, (column) => column.notNull())
      .addPrimaryKeyConstraint('balances_key', ['team_id', 'user_id', 'item_id']) as never,
  ).execute();
  // Has only balances with something, so asking whether anybody has units of an item costs nothing.
  await sql`
    create index balances_of_item on balances (team_id, item_id) where (quantity <> 0 or lots is not null)`.execute(
    schema,
  );
  // In the order of insertion: by key, SQLite would spend a page on every row.
  await schema.schema
    .createTable('balance_entries')
    .addColumn('team_id', id, (column) => column.notNull())
    .addColumn('roller_id', id, (column) => column.notNull())
    .addColumn('item_id', id, (column) => column.notNull())
    .addColumn('sequence', sql`bigint`, (column) => column.notNull())
    .addColumn('change', sql`bigint`, (column) => column.notNull())
    .addColumn('total', sql`bigint`, (column) => column.notNull())
    .addColumn('lots', 'text')
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('created_at', sql`bigint`, (column) => column.notNull())
    .addPrimaryKeyConstraint('balance_entries_key', ['team_id', 'roller_id', 'item_id', 'sequence'])
    .execute();
  await sql`
    create index balance_entries_with_lots on balance_entries (team_id, item_id, created_at, roller_id, sequence)
      where lots is not null`.execute(schema);
  await byKey(
    schema.schema
      .createTable('grants')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('reference', id, (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('roller_id', id, (column) => column.notNull())
      .addColumn('source', 'text')
      .addColumn('given', 'text', (column) => column.notNull())
      .addColumn('created_at', sql`bigint`, (column) => column.notNull())
      .addColumn('revoked_at', sql`bigint`)
      .addColumn('revoked', 'text')
      .addPrimaryKeyConstraint('grants_key', ['team_id', 'reference']) as never,
  ).execute();
  await schema.schema
    .createIndex('grants_of_roller')
    .on('grants')
    .columns(['team_id', 'roller_id', 'reference'])
    .execute();
};

/**
 * Verifiable rolls whose results nobody can choose: one chain of receipts per player, and manifests that hide what is
 * being prepared. Receipts of the first edition prove nothing, so they are removed.
 */
export const secondEdition: HalvedMigration = {
  expand: async (schema: Kysely<unknown>, engine: Engine) => {
    const { id, byKey } = spellingOf(engine);
    await byKey(
      schema.schema
        .createTable('team_keys')
        .addColumn('team_id', id, (column) => column.notNull())
        .addColumn('purpose', id, (column) => column.notNull())
        .addColumn('secret', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('team_keys_key', ['team_id', 'purpose']) as never,
    ).execute();
    await byKey(
      schema.schema
        .createTable('player_seeds')
        .addColumn('team_id', id, (column) => column.notNull())
        .addColumn('user_id', id, (column) => column.notNull())
        .addColumn('epoch', 'integer')
        .addColumn('seed', 'text')
        .addColumn('client_seed', 'text')
        .addColumn('manifest', id)
        .addColumn('rotation', id)
        .addColumn('next_seed', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('player_seeds_key', ['team_id', 'user_id']) as never,
    ).execute();
    // In the order of insertion: by key, SQLite would spend a page on every row.
    await schema.schema
      .createTable('player_receipts')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('user_id', id, (column) => column.notNull())
      .addColumn('epoch', 'integer', (column) => column.notNull())
      .addColumn('nonce', sql`bigint`, (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('series', 'text', (column) => column.notNull())
      .addColumn('hash', id, (column) => column.notNull())
      .addColumn('receipts', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('player_receipts_key', ['team_id', 'user_id', 'epoch', 'nonce'])
      .execute();
    // Nobody looks for them by these, so the planner need not sort thousands of them to know what they are like.
    if (engine === 'postgres')
      await sql`
        alter table player_receipts alter column hash set statistics 0, alter column receipts set statistics 0`.execute(
        schema,
      );
    await keepEvidenceForEver(schema, engine);
    await createLog(schema, engine);
    await keepRollDetails(schema, engine);
    await keepAuthors(schema);
    await keepCounterChanges(schema, engine);
    await createBalances(schema, engine);
    await createEvents(schema, engine);

    // Apart from that: scheduled drafts that the public page of a template announces.
    await schema.schema
      .alterTable('catalog_drafts')
      .addColumn('announce', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    for (const column of ['description', 'data', 'currency'])
      await schema.schema.alterTable('items').addColumn(column, 'text').execute();
    await schema.schema.alterTable('classifier_options').addColumn('color', 'text').execute();
    for (const [name, type] of [
      ['data', 'text'],
      ['locked', 'integer'],
    ] as const)
      await schema.schema.alterTable('item_instances').addColumn(name, type).execute();
    for (const column of ['before', 'after'])
      await schema.schema.alterTable('item_instance_history').addColumn(column, 'text').execute();
    // Hardly ever has an item, so asking whether there is one costs nothing.
    await sql`
      create index items_far on items (team_id)
        where (roll_numerator > 1e90 or (roll_numerator > 0 and roll_numerator < 1e-90))`.execute(schema);
  },
  contract: async (schema: Kysely<unknown>) => {
    for (const table of ['receipts', 'fairness_seeds']) await schema.schema.dropTable(table).execute();
    // The first edition published configurations before anyone could roll on them.
    await sql`update snapshots set is_public = 0 where is_public = 1`.execute(schema);
  },
};
