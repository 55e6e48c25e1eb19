import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { up as foundation } from './migrations/0001-foundation.ts';
import { up as userStates } from './migrations/0002-user-states.ts';
import { up as itemInstanceHistory } from './migrations/0003-item-instance-history.ts';
import { up as storedAnswers } from './migrations/0004-stored-answers.ts';
import { up as rollCounts } from './migrations/0005-roll-counts.ts';
import { up as oneHistoryIndexLess } from './migrations/0006-one-history-index-less.ts';
import { up as leanerRows } from './migrations/0007-leaner-rows.ts';
import { up as catalogIndexes } from './migrations/0008-catalog-indexes.ts';
import { up as removalByTime } from './migrations/0009-removal-by-time.ts';
import type { Engine, Migrations, Queries } from './work.ts';

export const MIGRATIONS: Migrations = {
  '0001-foundation': foundation,
  '0002-user-states': userStates,
  '0003-item-instance-history': itemInstanceHistory,
  '0004-stored-answers': storedAnswers,
  '0005-roll-counts': rollCounts,
  '0006-one-history-index-less': oneHistoryIndexLess,
  '0007-leaner-rows': leanerRows,
  '0008-catalog-indexes': catalogIndexes,
  '0009-removal-by-time': removalByTime,
};

export interface MigrateOptions {
  readonly migrations?: Migrations | undefined;
  /** The schema that the tables are in, where a database may have several. */
  readonly schemaName?: string;
}

/** Runs what is missing, in order, in one transaction under the engine's migration lock. */
export const migrate = async (
  schema: Queries,
  engine: Engine,
  { migrations = MIGRATIONS, schemaName }: MigrateOptions = {},
): Promise<void> => {
  const steps = Object.entries(migrations).map(([name, up]) => [
    name,
    { up: (connection: Kysely<unknown>) => up(connection, engine) },
  ]);
  const migrator = new Migrator({
    db: schema,
    provider: { getMigrations: async () => Object.fromEntries(steps) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    ...(schemaName === undefined ? {} : { migrationTableSchema: schemaName }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
};
