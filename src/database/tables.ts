/**
 * Row types of every table. One schema serves both engines: text ids, times as epoch milliseconds, numbers as doubles,
 * JSON as text, no booleans. Keys lead with the team, so that the database itself refuses a reference across teams.
 */
import type { Role } from '../context.ts';

interface Dated {
  created_at: number;
  updated_at: number;
}

interface OfTeam {
  team_id: string;
  id: string;
}

export interface Tables {
  /** Things that happen once in the life of a database, such as its first start. */
  milestones: { name: string; reached_at: number };
  /** What one of all nodes does from time to time: when it is due again, and how far it has come. */
  chores: { name: string; due_at: number; position: string };

  /**
   * `catalog_version` is replaced by every change to the catalog, and `templates_version` by every change to a template,
   * so that whatever was compiled of them knows whether it still holds.
   */
  teams: Dated & {
    id: string;
    name: string;
    catalog_version: string;
    templates_version: string;
    item_count: number;
  };
  secrets: OfTeam & { name: string; role: Role; digest: string; created_at: number };

  attributes: OfTeam & Dated & { name: string; min: number; max: number; step: number | null };
  classifiers: OfTeam & Dated & { name: string };
  classifier_options: OfTeam & {
    classifier_id: string;
    position: number;
    name: string;
    drop_rate_multiplier: number | null;
  };

  items: OfTeam &
    Dated & { name: string; thumbnail: string | null; roll_numerator: number; width: number; height: number };
  item_classifiers: OfTeam & { item_id: string; classifier_option_id: string; position: number };
  item_attributes: OfTeam & { item_id: string; attribute_id: string; position: number; min: number; max: number };
  /** The last name of an item that is gone, since statistics go on naming it. */
  deleted_items: OfTeam & { name: string };

  /** `bindings` maps every tier as the configuration spells it to the option it was bound to when it was saved. */
  templates: OfTeam & Dated & { name: string; type: string; config: string; bindings: string };
  template_options: { team_id: string; template_id: string; classifier_option_id: string };
  template_items: { team_id: string; template_id: string; item_id: string };

  /** `roller_id` is what the record of rolls calls the player; it goes with the player, who is then gone from the record. */
  users: OfTeam & Dated & { external_id: string | null; roller_id: string };

  /**
   * What templates remember of a player, as JSON. The scope is a template, or a pity group, whose rows belong to no
   * template and outlive each of them.
   */
  user_states: { team_id: string; user_id: string; scope: string; template_id: string | null; state: string };

  spaces: OfTeam & Dated & { name: string; cols: number; rows: number };
  user_spaces: OfTeam & Dated & { user_id: string; space_id: string; external_id: string | null };

  /**
   * `attribute_values` maps item attribute id to value. `cause` and `request_id` tell how the instance came about; no
   * cause: its history has an event that tells.
   */
  item_instances: OfTeam &
    Dated & {
      item_id: string;
      user_id: string;
      attribute_values: string;
      cause: string | null;
      request_id: string | null;
    };
  /**
   * Where instances lie: a row for each cell, whose key makes overlap impossible. `part` numbers the cells of one
   * instance; the top-left one, 0, also tells the rest of the placement.
   */
  item_instance_spaces: {
    team_id: string;
    user_space_id: string;
    y: number;
    x: number;
    item_instance_id: string;
    part: number;
    id: string | null;
    rotated: number | null;
    created_at: number | null;
    updated_at: number | null;
  };

  /**
   * The same cells once more, a row of a grid in one row here: `taken` has the bit of each taken column, in hexadecimal.
   * Finding a free place reads these, at most as many as the grid has rows, however many items lie in it.
   */
  user_space_rows: { team_id: string; user_space_id: string; y: number; taken: string };

  /**
   * What happened to each instance after it came about, and of those that are gone how they came about, too. `sequence` counts the events of one instance, so that their
   * order is that in which they happened, whatever the clocks of nodes say.
   */
  item_instance_history: {
    team_id: string;
    item_instance_id: string;
    sequence: number;
    item_id: string;
    event: 'created' | 'transferred' | 'deleted';
    from_user_id: string | null;
    to_user_id: string | null;
    cause: string;
    created_at: number;
    request_id: string | null;
  };

  /** Answers of requests that brought an `Idempotency-Key`, stored with their effect. */
  stored_answers: { team_id: string; key: string; fingerprint: string; answer: string; stored_at: number };

  /**
   * The record of every roll, one row for each call; `results` lists items and values. Ids begin with the time, by which
   * old rows are removed; on PostgreSQL they lie in a partition for each week.
   */
  roll_events: OfTeam & {
    template_id: string | null;
    roller_id: string | null;
    rolled_at: number;
    results: string;
  };
  /**
   * Counters of rolls: what was rolled on a day and, where the day is empty, ever. `template_id` is empty for rolls
   * without a template. `counts` lists items, each followed by how often it was rolled; `rolls` is their sum. The items of
   * a day and a template are divided over several parts, so that no text is very long.
   */
  roll_counts: { team_id: string; day: string; template_id: string; part: number; rolls: number; counts: string };
  /** The same of rolls that were not added to the counters yet, written in the transaction of the roll. */
  roll_pending: OfTeam & { day: string; template_id: string; rolls: number; counts: string };
}

/**
 * Tables in the order in which every transaction locks and writes their rows: what others refer to comes first. Deletions
 * go the other way, before all else.
 */
export const TABLES: readonly (keyof Tables)[] = [
  'milestones',
  'chores',
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
  'users',
  'user_states',
  'item_instances',
  'item_instance_history',
  'spaces',
  'user_spaces',
  'item_instance_spaces',
  'user_space_rows',
  'stored_answers',
  'roll_events',
  'roll_counts',
  'roll_pending',
];
