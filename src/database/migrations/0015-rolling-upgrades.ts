import { type Kysely, sql } from 'kysely';
import type { Engine, HalvedMigration } from '../work.ts';

/** The tables that 0.1.0 writes. */
const TABLES = [
  ...['milestones', 'chores', 'teams', 'secrets', 'attributes', 'classifiers', 'classifier_options', 'items'],
  ...['item_classifiers', 'item_attributes', 'deleted_items', 'templates', 'template_options', 'template_items'],
  ...['catalog_versions', 'catalog_changes', 'catalog_drafts', 'snapshots', 'template_versions', 'noted_versions'],
  ...['users', 'fairness_seeds', 'user_states', 'receipts', 'item_instances', 'item_instance_history', 'spaces'],
  ...['user_spaces', 'item_instance_spaces', 'user_space_rows', 'stored_answers', 'roll_events', 'roll_counts'],
  ...['roll_pending', 'roll_evidence', 'evidence_due', 'evidence_streams'],
];

/** On Citus, distributed tables cannot have triggers. */
const isCitus = async (schema: Kysely<unknown>): Promise<boolean> =>
  (await sql`select 1 from pg_extension where extname = 'citus'`.execute(schema)).rows.length > 0;

/**
 * 0.1.0 does not look at the schema once it runs. It is the only version that connects under the name `itemwright`, so
 * the server can refuse what it writes, with a code that it takes for an unavailable database (503).
 */
const refuseEarlierNodes = async (schema: Kysely<unknown>): Promise<void> => {
  await sql`create or replace function itemwright_refuse() returns trigger language plpgsql as $$ begin
    raise exception 'this database was migrated to a newer version of Itemwright' using errcode = 'cannot_connect_now';
  end $$`.execute(schema);
  for (const table of TABLES)
    await sql`create trigger itemwright_refuse before insert or update or delete on ${sql.table(table)} for each statement
      when (current_setting('application_name') = 'itemwright') execute function itemwright_refuse()`.execute(schema);
};

/** From here on, every transaction that writes checks that the schema is one which its version can serve. */
export const rollingUpgrades: HalvedMigration = {
  // What 0.1.0 lacks is kept in a table that it does not know.
  expand: async () => {},
  contract: async (schema: Kysely<unknown>, engine: Engine) => {
    if (engine === 'postgres' && !(await isCitus(schema))) await refuseEarlierNodes(schema);
  },
};
