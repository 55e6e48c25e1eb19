/**
 * Row types of every table. Both engines share one schema: text ids, times as epoch milliseconds, numbers as doubles,
 * JSON as text, no booleans. Keys start with the team, so that the database itself rejects references across teams.
 */
import type { Disclosure, EntityKind, Role, VersionSource } from '../shared/context.ts';

interface Timestamps {
  created_at: number;
  updated_at: number;
}

interface TeamRow {
  team_id: string;
  id: string;
}

export interface Tables {
  /** Things that happen once in the life of a database, such as its first start. */
  milestones: { name: string; reached_at: number };
  /**
   * Work that one of all nodes does from time to time: when it is due, and how far it has progressed. Rows named `…,
   * removed until` are none: `due_at` is the moment from before which rows may be gone.
   */
  chores: { name: string; due_at: number; position: string };

  /**
   * Every change to the catalog increments `version`, and replaces `catalog_version` by the id of that version, so that
   * whatever was compiled can tell whether it is still current: a restored backup may use a number again, but never an
   * id.
   */
  teams: Timestamps & {
    id: string;
    name: string;
    version: number;
    catalog_version: string;
    item_count: number;
    /** 1 if plain rolls for a user are verifiable. */
    verifiable_rolls: number;
  };
  secrets: TeamRow & { name: string; role: Role; digest: string; created_at: number };

  attributes: TeamRow & Timestamps & { name: string; min: number; max: number; step: number | null };
  classifiers: TeamRow & Timestamps & { name: string };
  classifier_options: TeamRow & {
    classifier_id: string;
    position: number;
    name: string;
    drop_rate_multiplier: number | null;
    color: string | null;
  };

  items: TeamRow &
    Timestamps & {
      name: string;
      thumbnail: string | null;
      roll_numerator: number;
      width: number;
      height: number;
      description: string | null;
      /** JSON. */
      data: string | null;
      /** Which units of a currency are spent first; null for items that are none. */
      currency: 'freeFirst' | 'paidFirst' | null;
    };
  item_classifiers: TeamRow & { item_id: string; classifier_option_id: string; position: number };
  item_attributes: TeamRow & { item_id: string; attribute_id: string; position: number; min: number; max: number };
  /** The last name of a deleted item, since statistics still show it. */
  deleted_items: TeamRow & { name: string };

  /**
   * `bindings` maps each tier, as spelled in the configuration, to the option it was bound to when saved. `verifiable` is
   * 0 or 1.
   */
  templates: TeamRow &
    Timestamps & {
      name: string;
      type: string;
      config: string;
      bindings: string;
      verifiable: number;
      disclosure: Disclosure;
    };
  template_options: { team_id: string; template_id: string; classifier_option_id: string };
  template_items: { team_id: string; template_id: string; item_id: string };

  /** Every version of a catalog: who made it, when and how, and how many entities it changed. */
  catalog_versions: {
    team_id: string;
    version: number;
    id: string;
    created_at: number;
    author_id: string | null;
    author_name: string;
    source: VersionSource;
    message: string | null;
    changes: number;
  };
  /** What a version changed: an entity as JSON before and after, null if it did not exist. */
  catalog_changes: {
    team_id: string;
    version: number;
    kind: EntityKind;
    id: string;
    before: string | null;
    after: string | null;
  };
  /**
   * Changes that are not published yet, as JSON. Every update increments `revision`. The publisher is who scheduled it;
   * `rebase` and `announce` are 0 or 1.
   */
  catalog_drafts: TeamRow &
    Timestamps & {
      revision: number;
      name: string;
      base_version: number;
      changes: string;
      count: number;
      author_id: string | null;
      author_name: string;
      publish_at: number | null;
      publisher_id: string | null;
      publisher_name: string | null;
      rebase: number;
      announce: number;
      message: string | null;
      failure: string | null;
    };

  /** Texts that are known by their hash: pools, and configurations with the hash of their pool. Kept for ever. */
  snapshots: { team_id: string; hash: string; text: string; is_public: number };
  /**
   * The hash of a template's configuration from a version of the catalog on, until the next row of the template;
   * `template_id` is empty for rolls without a template. Null: it cannot be rolled on, or is too large to be kept.
   */
  template_versions: { team_id: string; template_id: string; version: number; config: string | null };
  /** Up to which version of the catalog the table above is complete; 0 without a row. */
  noted_versions: { team_id: string; version: number };

  /**
   * `roller_id` is the user's id in the roll events. It is deleted with the user, which makes those events anonymous.
   */
  users: TeamRow & Timestamps & { external_id: string | null; roller_id: string };

  /**
   * What rolls remember about a user, as JSON. The scope is a template, or a pity group, whose rows belong to no template
   * and outlive all of them; or `receipts`: where the chain of verifiable rolls ends, and its last receipts. All of it
   * changes with each roll, so it is stored together.
   */
  user_states: { team_id: string; user_id: string; scope: string; template_id: string | null; state: string };

  /**
   * Counters that support has set: `scope` is that of the state with the pity, and `before` and `after` are JSON. Deleted
   * with the user.
   */
  counter_changes: TeamRow & {
    user_id: string;
    template_id: string;
    scope: string;
    before: string;
    after: string;
    author: string;
    reason: string;
    request_id: string;
    created_at: number;
  };

  /**
   * Keys of a team, which nobody may know: `salts` is what the salts of manifests are derived from, `log` signs the heads
   * of the public log.
   */
  team_keys: { team_id: string; purpose: 'salts' | 'log'; secret: string };
  /**
   * The seeds of a user whose rolls are verifiable: that of the current epoch, null until the user chooses a client seed
   * for the first time, and the next one, to which the service is already committed. Seeds are hexadecimal; `manifest`
   * and `rotation` are the hashes of the manifest and the receipt that the epoch began with. Only rotations change it.
   */
  player_seeds: {
    team_id: string;
    user_id: string;
    epoch: number | null;
    seed: string | null;
    client_seed: string | null;
    manifest: string | null;
    rotation: string | null;
    next_seed: string;
  };
  /**
   * What a player can verify: receipts of verifiable rolls, and, with nonce -1, of rotations, with which an epoch begins.
   * Rolls that follow each other share a row, see `runs.ts`: `nonce` is that of the first, `hash` that of the last, and
   * `terms` have one text. The newest ones are in the user's state `receipts`. Rolls whose counters go on from each other have
   * the same `series`. Rotations have there, as JSON, the place of the last roll of each series before them.
   */
  player_receipts: {
    team_id: string;
    user_id: string;
    epoch: number;
    nonce: number;
    count: number;
    series: string;
    hash: string;
    receipts: string;
  };

  /** The newest head of a team's public log. Whoever adds leaves to the log locks it. */
  log_heads: {
    team_id: string;
    size: number;
    root: string;
    at_ms: number;
    signature: string;
    public_key: string;
  };
  /**
   * The leaves of a team's public log, by their hashes: each rotation and each manifest once. `subject` is the hash of
   * what a leaf is about; `position` is null until it is added to the tree.
   */
  log_leaves: {
    team_id: string;
    hash: string;
    kind: 'rotation' | 'manifest';
    subject: string;
    position: number | null;
  };
  /** The complete subtrees of the log, of two leaves or more: the place-th of 2^level leaves. */
  log_nodes: { team_id: string; level: number; place: number; hash: string };

  spaces: TeamRow & Timestamps & { name: string; cols: number; rows: number };
  user_spaces: TeamRow & Timestamps & { user_id: string; space_id: string; external_id: string | null };

  /**
   * `attribute_values` maps item attribute ids to values. `cause`, `author` and `request_id` say how the instance was
   * created; if `cause` is null, an event in its history does. `data` is JSON of the game's own; `locked` is 1 or null.
   */
  item_instances: TeamRow &
    Timestamps & {
      item_id: string;
      user_id: string;
      attribute_values: string;
      cause: string | null;
      author: string | null;
      request_id: string | null;
      data: string | null;
      locked: number | null;
    };
  /**
   * Where instances are placed: a row per cell, whose key makes overlap impossible. `part` numbers the cells of an
   * instance; the top-left cell, 0, also stores the rest of the placement.
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
   * The same cells again, a row here per row of the grid: `taken` is a hexadecimal bit mask of the occupied columns.
   * Finding free space reads at most as many rows as the grid has, however many items it contains.
   */
  user_space_rows: { team_id: string; user_space_id: string; y: number; taken: string };

  /**
   * What happened to each instance after its creation, and for deleted instances also how they were created. `sequence`
   * numbers the events of an instance, so that their order does not depend on the clocks of the nodes. `author` is the name
   * of the secret that was used, and `reason` what the caller said about it. `before` and `after` are what a change
   * changed, as JSON. `deleted_row` is the rest of a deleted instance, as JSON; null if it cannot be restored.
   */
  item_instance_history: {
    team_id: string;
    item_instance_id: string;
    sequence: number;
    item_id: string;
    event: 'created' | 'transferred' | 'changed' | 'deleted';
    from_user_id: string | null;
    to_user_id: string | null;
    cause: string;
    created_at: number;
    request_id: string | null;
    author: string | null;
    reason: string | null;
    deleted_row: string | null;
    before: string | null;
    after: string | null;
  };

  /** Responses to requests with an `Idempotency-Key`, stored together with their effect. */
  stored_answers: { team_id: string; key: string; fingerprint: string; answer: string; stored_at: number };

  /**
   * What users have of each currency: `quantity` is free units, or negative if they owe some. `lots` is a JSON list of all
   * other units, null if there are none. `sequence` is the number of the last entry below.
   */
  balances: {
    team_id: string;
    user_id: string;
    item_id: string;
    quantity: number;
    lots: string | null;
    sequence: number;
  };
  /**
   * Every change of a balance, by the second id of the user, so that the past of deleted users still adds up. `lots` is
   * JSON if other units than free ones were added or taken. Kept for ever.
   */
  balance_entries: {
    team_id: string;
    roller_id: string;
    item_id: string;
    sequence: number;
    change: number;
    total: number;
    lots: string | null;
    cause: string;
    author: string;
    reason: string | null;
    request_id: string;
    created_at: number;
  };

  /**
   * What was granted under each reference, for ever, by the second id of the user. `fingerprint` tells whether a request asks for
   * the same; `given` and `revoked` are what was added and taken back, as JSON.
   */
  grants: {
    team_id: string;
    reference: string;
    fingerprint: string;
    roller_id: string;
    source: string | null;
    given: string;
    created_at: number;
    revoked_at: number | null;
    revoked: string | null;
  };

  /**
   * A row for every roll request; `results` lists items and values. Ids start with the time, by which old rows are
   * deleted; on PostgreSQL there is a partition per week. `catalog_version` is the version of the catalog that was
   * rolled on; null for rolls from before versions were kept. `details` is JSON: requests, tiers, counters and receipts;
   * null for rolls from before these were kept.
   */
  roll_events: TeamRow & {
    catalog_version: number | null;
    template_id: string | null;
    roller_id: string | null;
    rolled_at: number;
    results: string;
    details: string | null;
  };
  /**
   * What happened, as JSON: the events of a transaction, or a part of them. `batch` is the id of the first part. Ids start
   * with the time. `number` says in which order rows were written; it is null on SQLite, where `position` is known at once.
   * Elsewhere that is null until the row has its place in the feed.
   */
  events: TeamRow & { batch: string; number: number | null; position: number | null; events: string };
  /**
   * The feed of a team: the last position, with the id of its row, and as JSON the types of events that the team keeps;
   * null for the usual ones, as without a row.
   */
  event_feeds: { team_id: string; types: string | null; position: number; last_id: string | null };

  /**
   * Roll counters: per day and, with an empty `day`, in total. `template_id` is empty for rolls without a template.
   * `counts` lists items, each followed by how often it was rolled; `rolls` is the sum. The items of a day and template
   * are split into parts, so that no text gets very long.
   */
  roll_counts: { team_id: string; day: string; template_id: string; part: number; rolls: number; counts: string };
  /**
   * Counts of rolls that have not been added to the counters yet, written in the transaction of the roll. `version` is
   * that of the catalog, null for rolls from before it was kept; `evidence` is null unless all of them were observed.
   */
  roll_pending: TeamRow & {
    day: string;
    template_id: string;
    rolls: number;
    counts: string;
    version: number | null;
    evidence: string | null;
  };

  /**
   * What was observed of rolls, by the version of the catalog that they were made on. `counts` is a flat list: class,
   * outcome, how often. A row may also have the rolls of later versions with the same configuration.
   */
  roll_evidence: {
    team_id: string;
    template_id: string;
    version: number;
    day: string;
    rolls: number;
    counts: string;
  };
  /** Where rolls were added since the evidence was last computed; `stamp` changes each time. */
  evidence_due: { team_id: string; template_id: string; version: number; stamp: string };
  /**
   * The evidence against rolls on one configuration, as natural logarithms: at the last look, and the greatest ever.
   * `streams` is the most configurations that were watched at a time; the threshold depends on it. `began_at` is the
   * time of the first look, 0 if that was before it was kept.
   */
  evidence_streams: {
    team_id: string;
    template_id: string;
    config: string;
    streams: number;
    evidence: number;
    greatest: number;
    looked_at: number;
    alarmed_at: number | null;
    began_at: number;
  };
  /**
   * What was observed of rolls on one configuration from the day `since` until before the day `until`, once these days
   * are no longer kept one by one. `days` is how many there were, and `evidence` ln of the weighted sum of the evidence
   * that began on them, null if none did: that of the first day counts everything, and is never frozen.
   */
  evidence_frozen: {
    team_id: string;
    template_id: string;
    config: string;
    since: string;
    until: string;
    days: number;
    rolls: number;
    counts: string;
    evidence: number | null;
  };
}

/**
 * The order in which every transaction locks and writes rows: referenced tables come first. Deletions run in reverse
 * order, before everything else.
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
  'catalog_versions',
  'catalog_changes',
  'catalog_drafts',
  'snapshots',
  'template_versions',
  'noted_versions',
  'team_keys',
  // Refer to nothing, and are locked before their users are.
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
  'evidence_frozen',
];
