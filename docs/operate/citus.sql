-- Spreads the tables of Itemwright over the workers of a Citus cluster, by team: see citus.md.
-- Run it on the coordinator, with the search_path of the service, after the service has started once; and again after an
-- update that brought new tables. What is spread already is left alone.

do $$
declare
  -- Rows of a team, which lie on one worker. Tables that others refer to come first.
  of_teams constant text[] := array[
    'teams',
    'secrets',
    'attributes',
    'classifiers',
    'classifier_options',
    'items',
    'item_classifiers',
    'item_attributes',
    'deleted_items',
    'templates',
    'template_options',
    'template_items',
    'catalog_versions',
    'catalog_changes',
    'catalog_drafts',
    'snapshots',
    'template_versions',
    'noted_versions',
    'team_keys',
    'balances',
    'balance_entries',
    'grants',
    'users',
    'player_seeds',
    'user_states',
    'counter_changes',
    'player_receipts',
    'log_heads',
    'log_leaves',
    'log_nodes',
    'item_instances',
    'item_instance_history',
    'spaces',
    'user_spaces',
    'item_instance_spaces',
    'user_space_rows',
    'stored_answers',
    'roll_events',
    'events',
    'event_feeds',
    'roll_counts',
    'roll_pending',
    'roll_evidence',
    'evidence_due',
    'evidence_streams',
    'evidence_frozen'
  ];
  -- Things that happen once in the life of a database; every server has a copy.
  of_all constant text[] := array['migrations', 'migrations_expanded', 'migrations_lock', 'milestones', 'chores'];
  name text;
begin
  foreach name in array of_all loop
    if not exists (select from pg_dist_partition where logicalrelid = name::regclass) then
      perform create_reference_table(name);
    end if;
  end loop;
  foreach name in array of_teams loop
    if exists (select from pg_dist_partition where logicalrelid = name::regclass) then continue; end if;
    if name = 'teams' then perform create_distributed_table(name, 'id');
    else perform create_distributed_table(name, 'team_id', colocate_with => 'teams');
    end if;
  end loop;
end $$;
