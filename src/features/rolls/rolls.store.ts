import { sql } from 'kysely';
import type { Transaction } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';

export const insertEvent = (tx: Transaction, row: Tables['roll_events']) =>
  tx.insertInto('roll_events').values(row).execute();

const shard = sql<number>`itemwright_shard()`;

/** Adds to the counters: `counts` holds how often each item was rolled. */
export const addCounts = async (
  tx: Transaction,
  { teamId, templateId, day }: { teamId: string; templateId: string; day: string },
  counts: ReadonlyMap<string, number>,
): Promise<void> => {
  const entries = [...counts];
  const key = { team_id: teamId, template_id: templateId, shard };
  await tx
    .insertInto('roll_item_totals')
    .values(entries.map(([itemId, count]) => ({ ...key, item_id: itemId, count })))
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'template_id', 'item_id', 'shard'])
        .doUpdateSet((eb) => ({ count: eb('roll_item_totals.count', '+', eb.ref('excluded.count')) })),
    )
    .execute();
  await tx
    .insertInto('roll_item_days')
    .values(entries.map(([itemId, count]) => ({ ...key, day, item_id: itemId, count })))
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'day', 'template_id', 'item_id', 'shard'])
        .doUpdateSet((eb) => ({ count: eb('roll_item_days.count', '+', eb.ref('excluded.count')) })),
    )
    .execute();
  await tx
    .insertInto('roll_days')
    .values({ ...key, day, count: entries.reduce((sum, [, count]) => sum + count, 0) })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'day', 'template_id', 'shard'])
        .doUpdateSet((eb) => ({ count: eb('roll_days.count', '+', eb.ref('excluded.count')) })),
    )
    .execute();
};
