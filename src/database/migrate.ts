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
import { rollingUpgrades } from './migrations/0015-rolling-upgrades.ts';
import { secondEdition } from './migrations/0016-second-edition.ts';
import type { Engine, HalvedMigration, Migrations, Queries, SchemaState } from './work.ts';

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
  '0015-rolling-upgrades': rollingUpgrades,
  '0016-second-edition': secondEdition,
};

/**
 * Where migrations are recorded: by Kysely those that were run completely, and those of which the first half was. 0.1.0
 * does not start on a database with a migration that it does not know in the first of them, and ignores the last.
 */
export const MIGRATION_TABLES = ['migrations', 'migrations_lock', 'migrations_expanded'] as const;
const [COMPLETE, LOCK, EXPANDED] = MIGRATION_TABLES;

const latestOf = (migrations: Migrations): string => Object.keys(migrations).sort().at(-1) as string;

/** The schema that this version of the service needs. */
export const LATEST = latestOf(MIGRATIONS);

export interface MigrateOptions {
  readonly migrations?: Migrations | undefined;
  /** The PostgreSQL schema that contains the tables. */
  readonly schemaName?: string | undefined;
}

/** Migrations are identified by their number: earlier releases may have called one something else. */
export const numberOf = (name: string): string => name.slice(0, 4);

const later = (a: string, b: string): string => (numberOf(a) < numberOf(b) ? b : a);

/** The present name of a migration. */
export const presentName = (name: string): string =>
  Object.keys(MIGRATIONS).find((known) => numberOf(known) === numberOf(name)) ?? name;

/** What a version with these migrations makes of a schema: it serves its own, and the one before once it is expanded. */
export const fitOf = (
  { contracted, expanded }: SchemaState,
  migrations: Migrations = MIGRATIONS,
): 'served' | 'older' | 'newer' => {
  const known = numberOf(latestOf(migrations));
  if (numberOf(contracted) > known) return 'newer';
  return numberOf(expanded) < known ? 'older' : 'served';
};

const namesIn = async (queries: Queries, engine: Engine, table: string): Promise<string[]> => {
  const found =
    engine === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = ${table}`
      : sql`select 1 from pg_tables where schemaname = current_schema() and tablename = ${table}`;
  if ((await found.execute(queries)).rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(queries);
  return rows.map(({ name }) => name);
};

/** Which migrations were run; undefined if none were. */
export const readSchema = async (queries: Queries, engine: Engine): Promise<SchemaState | undefined> => {
  const complete = await namesIn(queries, engine, COMPLETE);
  if (complete.length === 0) return undefined;
  const contracted = complete.reduce(later);
  return { contracted, expanded: (await namesIn(queries, engine, EXPANDED)).reduce(later, contracted) };
};

/** Runs the first half, unless that was done before. */
const expandOnce = async (
  schema: Queries,
  engine: Engine,
  name: string,
  { expand }: HalvedMigration,
): Promise<void> => {
  const done = await namesIn(schema, engine, EXPANDED);
  if (done.some((other) => numberOf(other) === numberOf(name))) return;
  await schema.schema
    .createTable(EXPANDED)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
  await expand(schema as unknown as Kysely<unknown>, engine);
  await sql`insert into ${sql.table(EXPANDED)} values (${name}, ${new Date().toISOString()})`.execute(schema);
};

const migratorOf = async (
  schema: Queries,
  engine: Engine,
  { migrations = MIGRATIONS, schemaName }: MigrateOptions,
): Promise<Migrator> => {
  const recorded = new Map((await namesIn(schema, engine, COMPLETE)).map((name) => [numberOf(name), name]));
  const steps = Object.entries(migrations).map(([name, migration]) => {
    const up = async (connection: Kysely<unknown>): Promise<void> => {
      if (typeof migration === 'function') return migration(connection, engine);
      await expandOnce(connection as Queries, engine, name, migration);
      await migration.contract(connection, engine);
    };
    return [recorded.get(numberOf(name)) ?? name, { up }];
  });
  return new Migrator({
    db: schema,
    provider: { getMigrations: async () => Object.fromEntries(steps) },
    migrationTableName: COMPLETE,
    migrationLockTableName: LOCK,
    ...(schemaName === undefined ? {} : { migrationTableSchema: schemaName }),
  });
};

/** The migrations that were not run completely, in order. Fails if the database has some that are unknown. */
export const pendingOf = (state: SchemaState | undefined, migrations: Migrations = MIGRATIONS): string[] => {
  if (state !== undefined && fitOf(state, migrations) === 'newer')
    throw new Error(
      `the database was migrated by a newer version of Itemwright (${state.contracted}), and this version knows no later schema than ${latestOf(migrations)}`,
    );
  const done = numberOf(state?.contracted ?? '');
  return Object.keys(migrations)
    .sort()
    .filter((name) => numberOf(name) > done);
};

/** Runs pending migrations in order, in one transaction under the engine's migration lock. */
export const migrate = async (schema: Queries, engine: Engine, options: MigrateOptions = {}): Promise<void> => {
  const { error } = await (await migratorOf(schema, engine, options)).migrateToLatest();
  if (error !== undefined) throw error;
};

/** Runs the first half of the only pending migration. */
export const expand = async (
  schema: Queries,
  engine: Engine,
  { migrations = MIGRATIONS }: MigrateOptions = {},
): Promise<void> => {
  const state = await readSchema(schema, engine);
  const [next, ...others] = pendingOf(state, migrations);
  if (next === undefined) return;
  const migration = migrations[next];
  if (migration === undefined || typeof migration === 'function' || others.length > 0)
    throw new Error(
      `a rolling upgrade goes from one schema to the next, but the database is at ${state?.contracted} and this version needs ${latestOf(migrations)}: complete the last upgrade with migrate --contract of its version, upgrade to the versions between, or stop all nodes and migrate at once`,
    );
  await expandOnce(schema, engine, next, migration);
};

/** Migrates to the latest schema, or to an earlier one, within the transaction that is already open. */
export const migrateWithin = async (
  schema: Queries,
  engine: Engine,
  {
    to: { contracted, expanded } = { contracted: LATEST, expanded: LATEST },
    schemaName,
  }: { to?: SchemaState; schemaName?: string } = {},
): Promise<void> => {
  const migrator = await migratorOf(schema, engine, { schemaName });
  const { error } = await migrator.migrateTo(presentName(contracted), { disableTransactions: true });
  if (error !== undefined) throw error;
  const migration = MIGRATIONS[presentName(expanded)];
  if (numberOf(expanded) > numberOf(contracted) && typeof migration === 'object')
    await expandOnce(schema, engine, presentName(expanded), migration);
};
