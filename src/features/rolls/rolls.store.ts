import { sql } from 'kysely';
import { rowsStatement } from '../../database/statement.ts';
import type { Tables } from '../../database/tables.ts';

export const insertEvents = rowsStatement<Tables['roll_events']>((queries, events) =>
  queries.insertInto('roll_events').values(
    events.map((event) => ({
      team_id: event.team_id,
      id: event.id,
      template_id: event.template_id,
      user_id: event.user_id,
      rolled_at: event.rolled_at,
      results: event.results,
    })),
  ),
);

/** How often an item was rolled on a day; `templateId` is empty for rolls without a template. */
export interface ItemCount {
  readonly teamId: string;
  readonly templateId: string;
  readonly day: string;
  readonly itemId: string;
  readonly count: number;
}

const shard = sql<number>`itemwright_shard()`;

export const addItemTotals = rowsStatement<Omit<ItemCount, 'day'>>((queries, rows) =>
  queries
    .insertInto('roll_item_totals')
    .values(
      rows.map((row) => ({
        team_id: row.teamId,
        template_id: row.templateId,
        item_id: row.itemId,
        shard,
        count: row.count,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'template_id', 'item_id', 'shard'])
        .doUpdateSet((eb) => ({ count: eb('roll_item_totals.count', '+', eb.ref('excluded.count')) })),
    ),
);

export const addItemDays = rowsStatement<ItemCount>((queries, rows) =>
  queries
    .insertInto('roll_item_days')
    .values(
      rows.map((row) => ({
        team_id: row.teamId,
        day: row.day,
        template_id: row.templateId,
        item_id: row.itemId,
        shard,
        count: row.count,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'day', 'template_id', 'item_id', 'shard'])
        .doUpdateSet((eb) => ({ count: eb('roll_item_days.count', '+', eb.ref('excluded.count')) })),
    ),
);

export const addDays = rowsStatement<Omit<ItemCount, 'itemId'>>((queries, rows) =>
  queries
    .insertInto('roll_days')
    .values(
      rows.map((row) => ({
        team_id: row.teamId,
        day: row.day,
        template_id: row.templateId,
        shard,
        count: row.count,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'day', 'template_id', 'shard'])
        .doUpdateSet((eb) => ({ count: eb('roll_days.count', '+', eb.ref('excluded.count')) })),
    ),
);
