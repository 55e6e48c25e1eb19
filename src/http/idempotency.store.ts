import { insertInto, lookup } from '../database/declarations.ts';
import type { Transaction } from '../database/work.ts';

export const insertAnswer = insertInto('stored_answers', {
  key: 'text',
  fingerprint: 'text',
  answer: 'text',
  stored_at: 'bigint',
});

export const answerByKey = lookup({ key: 'text' }, (queries, teamId, { key }) =>
  queries
    .selectFrom('stored_answers')
    .select(['fingerprint', 'answer'])
    .where('team_id', '=', teamId)
    .where('key', '=', key),
);

/** Removes some answers that are older than the given moment, none that another node is removing; tells how many. */
export const deleteOldAnswers = async ({ queries }: Transaction, beforeMs: number, most: number): Promise<number> => {
  const { numDeletedRows } = await queries
    .deleteFrom('stored_answers')
    .where((eb) =>
      eb(
        eb.refTuple('team_id', 'key'),
        'in',
        eb
          .selectFrom('stored_answers as old')
          .select(['old.team_id', 'old.key'])
          .where('old.stored_at', '<', beforeMs)
          .orderBy('old.stored_at')
          .limit(most)
          .forUpdate()
          .skipLocked()
          .$asTuple('team_id', 'key'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
};
