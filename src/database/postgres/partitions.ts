import { earliestId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { TimedTable } from '../work.ts';
import { canChangeTables, setLocal } from './citus.ts';
import type { Client } from './client.ts';
import { nextWeek, weekOf } from './weeks.ts';

const TIMED_TABLES: readonly TimedTable[] = ['roll_events', 'events'];

/** The id range of a partition: `from` inclusive, if any, `to` exclusive. The default partition has neither. */
interface Partition {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Advisory lock id, used for nothing else; nodes that start at the same time wait for each other. */
const LOCK = 8090142;

const PARTITIONS = `select child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bound
  from pg_inherits join pg_class as child on child.oid = inhrelid
  where inhparent = $1::regclass order by child.relname`;

const partitionsOf = async (client: Client, table: TimedTable): Promise<Partition[]> => {
  const { rows } = await client.query<{ name: string; bound: string }>(PARTITIONS, [table]);
  return rows.map(({ name, bound }) => ({
    name,
    from: /FROM \('([^']*)'\)/.exec(bound)?.[1],
    to: /TO \('([^']*)'\)/.exec(bound)?.[1],
  }));
};

/** Fails if a newer version has migrated the database, and keeps it from doing so until the transaction ends. */
type MeetSchema = (client: Client) => Promise<void>;

const inTransaction = async <T>(client: Client, meetSchema: MeetSchema, work: () => Promise<T>): Promise<T> => {
  await client.query('begin');
  try {
    await meetSchema(client);
    const done = await work();
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

const changeTables = (client: Client, meetSchema: MeetSchema, work: () => Promise<void>): Promise<void> =>
  inTransaction(client, meetSchema, async () => {
    await client.query(`select pg_advisory_xact_lock(${LOCK})`);
    // Rolls wait behind this lock while it is being acquired, so give up early and retry later.
    const settings = { lock_timeout: LIMITS.postgresPartitionLockMs };
    for (const command of setLocal(client, settings)) await client.query(command);
    await work();
  });

/** Attaching an existing table does not lock others out, unlike creating it as a partition. */
const addPartition = async (client: Client, table: TimedTable, startMs: number): Promise<void> => {
  const name = `${table}_${new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '_')}`;
  const [from, to] = [earliestId(startMs), earliestId(nextWeek(startMs))];
  await client.query(`create table ${name} (like ${table})`);
  await client.query(`lock table ${table}_rest in access exclusive mode`);
  // If the partition was not created in time, its rows are in the default partition.
  await client.query(`with found as (delete from ${table}_rest where id >= '${from}' and id < '${to}' returning *)
    insert into ${name} select * from found`);
  await client.query(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`);
};

/** Indexes of a partitioned table that a partition lacks: a migration leaves those of past weeks to `addIndexes`. */
const LACKING = `select child.relname as name, own.relname as index, pg_get_indexdef(own.oid) as definition
  from pg_inherits join pg_class as child on child.oid = inhrelid
    join pg_index on indrelid = inhparent join pg_class as own on own.oid = indexrelid
  where inhparent = $1::regclass and not exists (select 1 from pg_inherits as attached
    join pg_index as part on part.indexrelid = attached.inhrelid
    where attached.inhparent = own.oid and part.indrelid = child.oid)`;

/** Creates the indexes that partitions of past weeks lack, one at a time; nobody writes to these partitions. */
const addIndexesOf = async (
  client: Client,
  meetSchema: MeetSchema,
  table: TimedTable,
  nowMs: number,
): Promise<void> => {
  const now = earliestId(nowMs);
  const past = (await partitionsOf(client, table)).filter(({ to }) => to !== undefined && to <= now);
  const lacking = async (): Promise<{ name: string; index: string; definition: string } | undefined> => {
    const { rows } = await client.query<{ name: string; index: string; definition: string }>(LACKING, [table]);
    return rows.find(({ name }) => past.some((partition) => partition.name === name));
  };
  while ((await lacking()) !== undefined)
    await changeTables(client, meetSchema, async () => {
      // Another node may have created it.
      const found = await lacking();
      if (found === undefined) return;
      const { name, index, definition } = found;
      const own = index.replace(table, name);
      await client.query(definition.replace(/^(CREATE (?:UNIQUE )?INDEX) .*? (USING .*)$/s, `$1 ${own} on ${name} $2`));
      await client.query(`alter index ${index} attach partition ${own}`);
    });
};

const missingWeeks = (partitions: readonly Partition[], nowMs: number): number[] => {
  const missing: number[] = [];
  for (let week = weekOf(nowMs), left = LIMITS.postgresPartitionsAhead; left >= 0; week = nextWeek(week), left -= 1) {
    const id = earliestId(week);
    const isThere = ({ from = '', to }: Partition): boolean => to !== undefined && from <= id && id < to;
    if (!partitions.some(isThere)) missing.push(week);
  }
  return missing;
};

/** Creates the missing partitions of this week and the weeks ahead. */
export const addPartitions = async (client: Client, meetSchema: MeetSchema, nowMs: number): Promise<void> => {
  if (!(await canChangeTables(client))) return;
  for (const table of TIMED_TABLES) {
    if (missingWeeks(await partitionsOf(client, table), nowMs).length > 0)
      await changeTables(client, meetSchema, async () => {
        // Another node may have created some of them.
        for (const week of missingWeeks(await partitionsOf(client, table), nowMs))
          await addPartition(client, table, week);
      });
  }
};

/** Creates the missing indexes of past weeks, which may take long. On Citus there are none: migrations create them. */
export const addIndexes = async (client: Client, meetSchema: MeetSchema, nowMs: number): Promise<void> => {
  if (client.isCitus) return;
  for (const table of TIMED_TABLES) await addIndexesOf(client, meetSchema, table, nowMs);
};

/** Deletes rows with ids before the given one team by team, since a distributed table allows no other way to do it in steps. */
const deleteRows = async (
  client: Client,
  meetSchema: MeetSchema,
  table: string,
  before: string,
  shouldContinue: () => boolean,
): Promise<void> => {
  const most = LIMITS.rollEventsPerRemoval;
  const deleteSome = `delete from ${table} where team_id = $1 and id in (
    select id from ${table} where team_id = $1 and id < $2 order by id limit ${most})`;
  const { rows } = await client.query<{ team_id: string }>(`select distinct team_id from ${table} where id < $1`, [
    before,
  ]);
  for (const { team_id } of rows)
    for (let deleted: number | null = most; deleted === most && shouldContinue(); )
      deleted = await inTransaction(
        client,
        meetSchema,
        async () => (await client.query(deleteSome, [team_id, before])).rowCount,
      );
};

/** Drops the partitions whose rows are all from before a moment, and deletes such rows from the default partition. */
export const dropPartitions = async (
  client: Client,
  meetSchema: MeetSchema,
  table: TimedTable,
  beforeMs: number,
  shouldContinue: () => boolean,
): Promise<void> => {
  const before = earliestId(beforeMs);
  if (!(await canChangeTables(client))) return deleteRows(client, meetSchema, table, before, shouldContinue);
  const isOld = ({ to }: Partition): boolean => to !== undefined && to <= before;
  for (const { name } of (await partitionsOf(client, table)).filter(isOld))
    await changeTables(client, meetSchema, async () => {
      await client.query(`drop table if exists ${name}`);
    });
  await deleteRows(client, meetSchema, `${table}_rest`, before, shouldContinue);
};
