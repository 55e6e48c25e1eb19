import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { up as foundation } from './migrations/0001-foundation.ts';
import { up as userStates } from './migrations/0002-user-states.ts';
import { up as itemInstanceHistory } from './migrations/0003-item-instance-history.ts';
import { up as storedAnswers } from './migrations/0004-stored-answers.ts';
import { up as rollCounts } from './migrations/0005-roll-counts.ts';
import { up as fewerHistoryIndexes } from './migrations/0006-fewer-history-indexes.ts';
import { up as leanerRows } from './migrations/0007-leaner-rows.ts';
import { up as catalogIndexes } from './migrations/0008-catalog-indexes.ts';
import { up as removalByTime } from './migrations/0009-removal-by-time.ts';
import { up as countersInParts } from './migrations/0010-counters-in-parts.ts';
import { up as catalogVersions } from './migrations/0011-catalog-versions.ts';
import { up as catalogDrafts } from './migrations/0012-catalog-drafts.ts';
import { up as evidence } from './migrations/0013-evidence.ts';
import { up as verifiableRolls } from './migrations/0014-verifiable-rolls.ts';
import type { Engine, Migrations, Queries } from './work.ts';

export const MIGRATIONS: Migrations = {
  '0001-foundation': foundation,
  '0002-user-states': userStates,
  '0003-item-instance-history': itemInstanceHistory,
  '0004-stored-answers': storedAnswers,
  '0005-roll-counts': rollCounts,
  '0006-fewer-history-indexes': fewerHistoryIndexes,
  '0007-leaner-rows': leanerRows,
  '0008-catalog-indexes': catalogIndexes,
  '0009-removal-by-time': removalByTime,
  '0010-counters-in-parts': countersInParts,
  '0011-catalog-versions': catalogVersions,
  '0012-catalog-drafts': catalogDrafts,
  '0013-evidence': evidence,
  '0014-verifiable-rolls': verifiableRolls,
};

/** Where Kysely records which migrations have run. */
export const MIGRATION_TABLES = ['migrations', 'migrations_lock'] as const;

/** The schema that this version of the service needs. */
export const LATEST = Object.keys(MIGRATIONS).sort().at(-1) as string;

export interface MigrateOptions {
  readonly migrations?: Migrations | undefined;
  /** The PostgreSQL schema that contains the tables. */
  readonly schemaName?: string | undefined;
}

const numberOf = (name: string): string => name.slice(0, 4);

/** The present name of a migration: its number never changes, but earlier releases may have called it something else. */
export const presentName = (name: string): string =>
  Object.keys(MIGRATIONS).find((known) => numberOf(known) === numberOf(name)) ?? name;

/** The names under which migrations were recorded in this database. */
const recordedNames = async (
  schema: Queries,
  engine: Engine,
  schemaName: string | undefined,
): Promise<readonly string[]> => {
  const [table] = MIGRATION_TABLES;
  const found =
    engine === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = ${table}`
      : sql`select 1 from pg_tables where schemaname = ${schemaName} and tablename = ${table}`;
  if ((await found.execute(schema)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(schema);
  return rows.map(({ name }) => name);
};

const migratorOf = async (
  schema: Queries,
  engine: Engine,
  { migrations = MIGRATIONS, schemaName }: MigrateOptions,
): Promise<Migrator> => {
  const recorded = new Map((await recordedNames(schema, engine, schemaName)).map((name) => [numberOf(name), name]));
  const steps = Object.entries(migrations).map(([name, up]) => [
    recorded.get(numberOf(name)) ?? name,
    { up: (connection: Kysely<unknown>) => up(connection, engine) },
  ]);
  return new Migrator({
    db: schema,
    provider: { getMigrations: async () => Object.fromEntries(steps) },
    migrationTableName: MIGRATION_TABLES[0],
    migrationLockTableName: MIGRATION_TABLES[1],
    ...(schemaName === undefined ? {} : { migrationTableSchema: schemaName }),
  });
};

/** Runs pending migrations in order, in one transaction under the engine's migration lock. */
export const migrate = async (schema: Queries, engine: Engine, options: MigrateOptions = {}): Promise<void> => {
  const { error } = await (await migratorOf(schema, engine, options)).migrateToLatest();
  if (error !== undefined) throw error;
};

/** Migrates up to `to` within the transaction that is already open. */
export const migrateWithin = async (
  schema: Queries,
  engine: Engine,
  { to = LATEST, schemaName }: { to?: string; schemaName?: string } = {},
): Promise<void> => {
  const migrator = await migratorOf(schema, engine, { schemaName });
  const { error } = await migrator.migrateTo(to, { disableTransactions: true });
  if (error !== undefined) throw error;
};
