import type { Database, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Tables } from '../database/tables.ts';

type Row = Tables['stored_answers'];

const insert = statement<Row, { key: string }>((queries, row) =>
  queries
    .insertInto('stored_answers')
    .values({
      team_id: row.team_id,
      key: row.key,
      fingerprint: row.fingerprint,
      answer: row.answer,
      stored_at: row.stored_at,
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'key']).doNothing())
    .returning('key'),
);

const select = statement<{ teamId: string; key: string }, Pick<Row, 'fingerprint' | 'answer'>>((queries, values) =>
  queries
    .selectFrom('stored_answers')
    .select(['fingerprint', 'answer'])
    .where('team_id', '=', values.teamId)
    .where('key', '=', values.key),
);

const update = statement<{ teamId: string; key: string; answer: string }, never>((queries, values) =>
  queries
    .updateTable('stored_answers')
    .set({ answer: values.answer })
    .where('team_id', '=', values.teamId)
    .where('key', '=', values.key),
);

/**
 * Takes a key for this transaction. Where another transaction has taken it and is not done, this one waits for it; then
 * the stored answer of the other comes back, or, if the other came to nothing, undefined: the key is ours.
 */
export const takeKey = async (
  tx: Transaction,
  { teamId, key, fingerprint, nowMs }: { teamId: string; key: string; fingerprint: string; nowMs: number },
): Promise<Pick<Row, 'fingerprint' | 'answer'> | undefined> => {
  const row = { team_id: teamId, key, fingerprint, answer: '', stored_at: nowMs };
  if ((await insert(tx, row)).length > 0) return undefined;
  const [stored] = await select(tx, { teamId, key });
  return stored;
};

export const storeAnswer = async (tx: Transaction, teamId: string, key: string, answer: string): Promise<void> => {
  await update(tx, { teamId, key, answer });
};

/** Removes some answers that are older than the given moment; tells how many. */
export const removeOld = (database: Database, beforeMs: number, most: number): Promise<number> =>
  database.write(async (tx) => {
    const old = await tx
      .selectFrom('stored_answers')
      .select(['team_id', 'key'])
      .where('stored_at', '<', beforeMs)
      .orderBy('stored_at')
      .limit(most)
      .execute();
    for (const { team_id, key } of old) {
      await tx
        .deleteFrom('stored_answers')
        .where('team_id', '=', team_id)
        .where('key', '=', key)
        .where('stored_at', '<', beforeMs)
        .execute();
    }
    return old.length;
  });
