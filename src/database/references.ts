/**
 * Every reference between tables. Not all of them are foreign keys: on PostgreSQL the expensive ones were dropped
 * (migration 7), and other programs can write to an SQLite file without enforcing them.
 */
import { sql } from 'kysely';
import type { Tables } from './tables.ts';
import type { Queries } from './work.ts';

export interface Reference {
  readonly table: keyof Tables;
  readonly column: string;
  readonly target: keyof Tables;
}

const to = (target: keyof Tables, ...from: readonly `${keyof Tables}.${string}`[]): Reference[] =>
  from.map((one) => {
    const [table, column] = one.split('.') as [keyof Tables, string];
    return { table, column, target };
  });

export const REFERENCES: readonly Reference[] = [
  ...to(
    'teams',
    'secrets.team_id',
    'attributes.team_id',
    'classifiers.team_id',
    'classifier_options.team_id',
    'items.team_id',
    'item_classifiers.team_id',
    'item_attributes.team_id',
    'deleted_items.team_id',
    'templates.team_id',
    'catalog_versions.team_id',
    'catalog_changes.team_id',
    'catalog_drafts.team_id',
    'snapshots.team_id',
    'template_versions.team_id',
    'noted_versions.team_id',
    'team_keys.team_id',
    'users.team_id',
    'spaces.team_id',
    'user_spaces.team_id',
    'item_instances.team_id',
    'item_instance_history.team_id',
    'player_receipts.team_id',
    'log_heads.team_id',
    'log_leaves.team_id',
    'log_nodes.team_id',
    'stored_answers.team_id',
    'roll_events.team_id',
    'roll_counts.team_id',
    'roll_pending.team_id',
    'roll_evidence.team_id',
    'evidence_due.team_id',
    'evidence_streams.team_id',
    'evidence_frozen.team_id',
  ),
  ...to('classifiers', 'classifier_options.classifier_id'),
  ...to('classifier_options', 'item_classifiers.classifier_option_id', 'template_options.classifier_option_id'),
  ...to('attributes', 'item_attributes.attribute_id'),
  ...to(
    'items',
    'item_classifiers.item_id',
    'item_attributes.item_id',
    'template_items.item_id',
    'item_instances.item_id',
  ),
  ...to('templates', 'template_options.template_id', 'template_items.template_id', 'user_states.template_id'),
  ...to(
    'users',
    'user_states.user_id',
    'player_seeds.user_id',
    'player_receipts.user_id',
    'user_spaces.user_id',
    'item_instances.user_id',
  ),
  ...to('spaces', 'user_spaces.space_id'),
  ...to('user_spaces', 'item_instance_spaces.user_space_id', 'user_space_rows.user_space_id'),
  ...to('item_instances', 'item_instance_spaces.item_instance_id'),
];

/** Counts the rows with a dangling reference, per team and missing target. */
export const orphans = (queries: Queries, { table, column, target }: Reference) => {
  const isTeam = target === 'teams';
  const found = isTeam
    ? sql<boolean>`target.id = source.team_id`
    : sql<boolean>`target.team_id = source.team_id and target.id = ${sql.ref(`source.${column}`)}`;
  const missing = sql.ref<string>(`source.${column}`);
  return sql<{ team_id: string; missing: string; count: number }>`
    select source.team_id, ${missing} as missing, count(*) as count from ${sql.table(table)} as source
    where ${missing} is not null and not exists (select 1 from ${sql.table(target)} as target where ${found})
    group by source.team_id, ${missing} order by source.team_id, ${missing}`.compile(queries);
};
