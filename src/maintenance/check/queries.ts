/** Queries over all teams, each to be read as a stream. */
import { sql } from 'kysely';
import { rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Queries } from '../../database/work.ts';

export type CatalogTeam = Pick<Tables['teams'], 'id' | 'version' | 'catalog_version'>;

export const selectTeams = (queries: Queries) =>
  queries.selectFrom('teams').select(['id', 'version', 'catalog_version']).orderBy('id').compile();

/** All changes of a catalog, oldest first. */
export const selectCatalogChanges = (queries: Queries, teamId: string) =>
  rowsOf('catalog_changes', { queries, teamId })
    .select(['version', 'kind', 'id', 'before', 'after'])
    .orderBy('version')
    .compile();

export const selectCatalogVersions = (queries: Queries, teamId: string) =>
  rowsOf('catalog_versions', { queries, teamId }).select(['version', 'id', 'changes']).orderBy('version').compile();

/** Teams whose stored number of items is wrong. */
export const selectWrongItemCounts = (queries: Queries) =>
  queries
    .selectFrom('teams')
    .leftJoin('items', 'items.team_id', 'teams.id')
    .select(['teams.id as team_id', 'teams.item_count', sql<number>`count(items.id)`.as('items')])
    .groupBy(['teams.id', 'teams.item_count'])
    .having(sql<boolean>`count(items.id) <> teams.item_count`)
    .orderBy('teams.id')
    .compile();

/** What each placed instance covers, and what it should cover. */
export const selectPlacements = (queries: Queries) =>
  queries
    .selectFrom((from) =>
      from
        .selectFrom('item_instance_spaces')
        .select([
          'team_id',
          'item_instance_id',
          sql<string>`min(user_space_id)`.as('user_space_id'),
          sql<number>`count(distinct user_space_id)`.as('user_spaces'),
          sql<number>`count(*)`.as('cells'),
          sql<number>`min(x)`.as('left'),
          sql<number>`max(x)`.as('right'),
          sql<number>`min(y)`.as('top'),
          sql<number>`max(y)`.as('bottom'),
          sql<number>`sum(case when part = 0 and id is not null and rotated is not null
            and created_at is not null and updated_at is not null then 1 else 0 end)`.as('firsts'),
          sql<number>`max(rotated)`.as('rotated'),
        ])
        .groupBy(['team_id', 'item_instance_id'])
        .as('placed'),
    )
    .innerJoin('item_instances as instance', (join) =>
      join.onRef('instance.team_id', '=', 'placed.team_id').onRef('instance.id', '=', 'placed.item_instance_id'),
    )
    .innerJoin('items as item', (join) =>
      join.onRef('item.team_id', '=', 'placed.team_id').onRef('item.id', '=', 'instance.item_id'),
    )
    .innerJoin('user_spaces as user_space', (join) =>
      join.onRef('user_space.team_id', '=', 'placed.team_id').onRef('user_space.id', '=', 'placed.user_space_id'),
    )
    .innerJoin('spaces as space', (join) =>
      join.onRef('space.team_id', '=', 'placed.team_id').onRef('space.id', '=', 'user_space.space_id'),
    )
    .selectAll('placed')
    .select([
      'instance.user_id as owner',
      'user_space.user_id as user_space_owner',
      'item.width',
      'item.height',
      'space.cols',
      'space.rows',
    ])
    .compile();

/** Cells whose number within their instance does not match their position. */
export const selectMisnumberedCells = (queries: Queries, partsPerRow: number) =>
  queries
    .selectFrom('item_instance_spaces as cell')
    .innerJoin('item_instance_spaces as first', (join) =>
      join
        .onRef('first.team_id', '=', 'cell.team_id')
        .onRef('first.item_instance_id', '=', 'cell.item_instance_id')
        // Not `= 0`, which would make the planner scan the index of all first cells instead of looking up the instance.
        .on('first.part', '<', 1),
    )
    .select(['cell.team_id', 'cell.item_instance_id', 'cell.user_space_id', 'cell.x', 'cell.y', 'cell.part'])
    .where(sql<boolean>`cell.part <> (cell.y - first.y) * ${sql.lit(partsPerRow)} + cell.x - first.x`)
    .compile();

/** All cells, row by row of each grid, with the stored bits of the row. */
export const selectCellsWithRows = (queries: Queries) =>
  queries
    .selectFrom('item_instance_spaces as cell')
    .leftJoin('user_space_rows as row', (join) =>
      join
        .onRef('row.team_id', '=', 'cell.team_id')
        .onRef('row.user_space_id', '=', 'cell.user_space_id')
        .onRef('row.y', '=', 'cell.y'),
    )
    .select(['cell.team_id', 'cell.user_space_id', 'cell.y', 'cell.x', 'row.taken'])
    .orderBy('cell.team_id')
    .orderBy('cell.user_space_id')
    .orderBy('cell.y')
    .orderBy('cell.x')
    .compile();

/** Grid rows that claim occupied cells although there are none. */
export const selectRowsWithoutCells = (queries: Queries) =>
  queries
    .selectFrom('user_space_rows as row')
    .select(['row.team_id', 'row.user_space_id', 'row.y'])
    .where('row.taken', '<>', '0')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('item_instance_spaces as cell')
            .select('cell.x')
            .whereRef('cell.team_id', '=', 'row.team_id')
            .whereRef('cell.user_space_id', '=', 'row.user_space_id')
            .whereRef('cell.y', '=', 'row.y'),
        ),
      ),
    )
    .compile();

/** All events in order, each with its instance if that still exists. */
export const selectHistory = (queries: Queries) =>
  queries
    .selectFrom('item_instance_history as event')
    .leftJoin('item_instances as instance', (join) =>
      join.onRef('instance.team_id', '=', 'event.team_id').onRef('instance.id', '=', 'event.item_instance_id'),
    )
    .select([
      'event.team_id',
      'event.item_instance_id',
      'event.sequence',
      'event.event',
      'event.item_id',
      'event.from_user_id',
      'event.to_user_id',
      'event.created_at',
      'instance.user_id as owner',
      'instance.created_at as instance_created_at',
      'instance.item_id as instance_item_id',
      'instance.cause as instance_cause',
    ])
    .orderBy('event.team_id')
    .orderBy('event.item_instance_id')
    .orderBy('event.sequence')
    .compile();

/** Instances whose creation should be in the history, but is not. */
export const selectInstancesWithoutCreation = (queries: Queries) =>
  queries
    .selectFrom('item_instances as instance')
    .select(['instance.team_id', 'instance.id'])
    .where('instance.cause', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('item_instance_history as event')
            .select('event.sequence')
            .whereRef('event.team_id', '=', 'instance.team_id')
            .whereRef('event.item_instance_id', '=', 'instance.id'),
        ),
      ),
    )
    .compile();

export const selectInstances = (queries: Queries) =>
  queries.selectFrom('item_instances').select(['team_id', 'id', 'attribute_values', 'data', 'locked']).compile();

export const selectTemplates = (queries: Queries) =>
  queries.selectFrom('templates').select(['team_id', 'id', 'config', 'bindings']).compile();

export const selectStates = (queries: Queries) =>
  queries.selectFrom('user_states').select(['team_id', 'user_id', 'scope', 'template_id', 'state']).compile();

export type ReceiptRow = Tables['player_receipts'];

/** All receipts, user by user, as they were left. */
export const selectReceipts = (queries: Queries) =>
  queries
    .selectFrom('player_receipts')
    .selectAll()
    .orderBy('team_id')
    .orderBy('user_id')
    .orderBy('epoch')
    .orderBy('nonce')
    .compile();

/** What receipts have in common. All other snapshots are objects. */
export const selectTerms = (queries: Queries) =>
  queries.selectFrom('snapshots').select(['team_id', 'hash', 'text']).where('text', 'like', '["%').compile();

/** The seeds of all users, each with the last rotation, the last row of receipts, and where receipts end. */
export const selectSeeds = (queries: Queries, rotationNonce: number) =>
  queries
    .selectFrom('player_seeds as seeds')
    .leftJoin('player_receipts as receipts', (join) =>
      join
        .onRef('receipts.team_id', '=', 'seeds.team_id')
        .onRef('receipts.user_id', '=', 'seeds.user_id')
        .onRef('receipts.epoch', '=', 'seeds.epoch')
        .on('receipts.nonce', '=', rotationNonce),
    )
    .leftJoin('user_states as ends', (join) =>
      join
        .onRef('ends.team_id', '=', 'seeds.team_id')
        .onRef('ends.user_id', '=', 'seeds.user_id')
        .on('ends.scope', '=', 'receipts'),
    )
    .select((eb) => [
      'seeds.team_id',
      'seeds.user_id',
      'seeds.epoch',
      'seeds.seed',
      'seeds.next_seed',
      'seeds.rotation',
      'receipts.receipts as receipt',
      'receipts.hash',
      'ends.state as end',
      eb
        .selectFrom('player_receipts as every')
        .select('every.hash')
        .whereRef('every.team_id', '=', 'seeds.team_id')
        .whereRef('every.user_id', '=', 'seeds.user_id')
        .orderBy('every.epoch', 'desc')
        .orderBy('every.nonce', 'desc')
        .limit(1)
        .as('last_hash'),
      eb
        .selectFrom('player_receipts as every')
        .select((each) => each('every.nonce', '+', each.ref('every.count')).as('next'))
        .whereRef('every.team_id', '=', 'seeds.team_id')
        .whereRef('every.user_id', '=', 'seeds.user_id')
        .orderBy('every.epoch', 'desc')
        .orderBy('every.nonce', 'desc')
        .limit(1)
        .as('next_nonce'),
    ])
    .compile();

/** Rotations that are neither in the public log nor on their way into it. */
export const selectUnlogged = (queries: Queries, rotationNonce: number) =>
  queries
    .selectFrom('player_receipts as receipts')
    .leftJoin('log_leaves as leaves', (join) =>
      join
        .onRef('leaves.team_id', '=', 'receipts.team_id')
        .onRef('leaves.subject', '=', 'receipts.hash')
        .on('leaves.kind', '=', 'rotation'),
    )
    .select(['receipts.team_id', 'receipts.user_id', 'receipts.epoch'])
    .where('receipts.nonce', '=', rotationNonce)
    .where('leaves.hash', 'is', null)
    .compile();

/** Leaves of all public logs that have their places, in order. */
export const selectLogLeaves = (queries: Queries) =>
  queries
    .selectFrom('log_leaves')
    .select(['team_id', 'position', 'hash', 'kind', 'subject'])
    .where('position', 'is not', null)
    .orderBy('team_id')
    .orderBy('position')
    .compile();

/** Nodes of all public logs, with those below them. */
export const selectLogNodes = (queries: Queries) => {
  const below = (side: 0 | 1) =>
    sql<string | null>`case when node.level = 1
      then (select hash from log_leaves where team_id = node.team_id and position = 2 * node.place + ${side})
      else (select hash from log_nodes as child
        where child.team_id = node.team_id and child.level = node.level - 1 and child.place = 2 * node.place + ${side})
      end`;
  return queries
    .selectFrom('log_nodes as node')
    .select(['node.team_id', 'node.level', 'node.place', 'node.hash'])
    .select([below(0).as('left'), below(1).as('right')])
    .compile();
};

export const selectLogHeads = (queries: Queries) => queries.selectFrom('log_heads').selectAll().compile();

export const selectEmptyResponses = (queries: Queries) =>
  queries
    .selectFrom('stored_answers')
    .select(['team_id', 'key'])
    .where(({ or, eb }) => or([eb('answer', '=', ''), eb('fingerprint', '=', '')]))
    .compile();

/** The oldest id in the record of rolls, which begins with the time. */
export const selectOldestRoll = (queries: Queries) =>
  queries
    .selectFrom('roll_events')
    .select((eb) => eb.fn.min<string | null>('id').as('id'))
    .executeTakeFirst();

export const selectRolls = (queries: Queries, teamId: string) =>
  rowsOf('roll_events', { queries, teamId }).select(['id', 'template_id', 'rolled_at', 'results']).compile();

export const selectCounts = (queries: Queries, teamId: string) =>
  rowsOf('roll_counts', { queries, teamId }).select(['day', 'template_id', 'rolls', 'counts']).compile();

export const selectPendingCounts = (queries: Queries, teamId: string) =>
  rowsOf('roll_pending', { queries, teamId }).select(['day', 'template_id', 'rolls', 'counts']).compile();

export const selectEvidence = (queries: Queries, teamId: string) =>
  rowsOf('roll_evidence', { queries, teamId }).select(['day', 'template_id', 'version', 'rolls', 'counts']).compile();

export const selectFrozenEvidence = (queries: Queries, teamId: string) =>
  rowsOf('evidence_frozen', { queries, teamId }).select(['template_id', 'config', 'rolls', 'counts']).compile();

export const selectPendingEvidence = (queries: Queries, teamId: string) =>
  rowsOf('roll_pending', { queries, teamId })
    .select(['day', 'template_id', 'version', 'rolls', 'evidence as counts'])
    .where('evidence', 'is not', null)
    .$narrowType<{ counts: string }>()
    .compile();

export const selectSnapshots = (queries: Queries) =>
  queries.selectFrom('snapshots').select(['team_id', 'hash', 'text']).compile();

/** All changes of balances in the order in which they happened, each with the balance as it is. */
export const selectBalanceEntries = (queries: Queries) =>
  queries
    .selectFrom('balance_entries as entry')
    .leftJoin('users', (join) =>
      join.onRef('users.team_id', '=', 'entry.team_id').onRef('users.roller_id', '=', 'entry.roller_id'),
    )
    .leftJoin('balances as balance', (join) =>
      join
        .onRef('balance.team_id', '=', 'entry.team_id')
        .onRef('balance.user_id', '=', 'users.id')
        .onRef('balance.item_id', '=', 'entry.item_id'),
    )
    .select([
      'entry.team_id',
      'entry.roller_id',
      'entry.item_id',
      'entry.sequence',
      'entry.change',
      'entry.total',
      'entry.lots',
      'users.id as user_id',
      'balance.quantity',
      'balance.lots as balance_lots',
      'balance.sequence as balance_sequence',
    ])
    .orderBy('entry.team_id')
    .orderBy('entry.roller_id')
    .orderBy('entry.item_id')
    .orderBy('entry.sequence')
    .compile();

/** Balances that no change has led to, or that belong to nobody. */
export const selectUnfoundedBalances = (queries: Queries) =>
  queries
    .selectFrom('balances as balance')
    .leftJoin('users', (join) =>
      join.onRef('users.team_id', '=', 'balance.team_id').onRef('users.id', '=', 'balance.user_id'),
    )
    .leftJoin('balance_entries as entry', (join) =>
      join
        .onRef('entry.team_id', '=', 'balance.team_id')
        .onRef('entry.roller_id', '=', 'users.roller_id')
        .onRef('entry.item_id', '=', 'balance.item_id')
        .onRef('entry.sequence', '=', 'balance.sequence'),
    )
    .select(['balance.team_id', 'balance.user_id', 'balance.item_id', 'users.id as owner'])
    .where('entry.sequence', 'is', null)
    .compile();

/** Events that have a place in a feed, in their order. */
export const selectEvents = (queries: Queries) =>
  queries
    .selectFrom('events')
    .select(['team_id', 'position', 'id', 'events'])
    .where('position', 'is not', null)
    .orderBy('team_id')
    .orderBy('position')
    .compile();

export const selectFeeds = (queries: Queries) =>
  queries.selectFrom('event_feeds').select(['team_id', 'position', 'last_id']).compile();
