import { LIMITS } from '../limits.ts';
import type { Transaction } from './work.ts';

/**
 * Takes on a chore that one of all nodes does, if it is due, and tells where whoever had it last has stopped. Until the
 * lease ends it is nobody else's. A moment so far ahead that no clock of ours can mean it counts as past.
 */
export const claimChore = async (
  { queries }: Transaction,
  name: string,
  nowMs: number,
): Promise<{ position: string } | undefined> =>
  queries
    .insertInto('chores')
    .values({ name, due_at: nowMs + LIMITS.choreLeaseMs, position: '' })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ due_at: nowMs + LIMITS.choreLeaseMs })
        .where((eb) =>
          eb.or([
            eb('chores.due_at', '<=', nowMs),
            eb('chores.due_at', '>', nowMs + Math.max(LIMITS.removalPassMs, LIMITS.choreLeaseMs)),
          ]),
        ),
    )
    .returning('position')
    .executeTakeFirst();

/** Notes how far a chore has come, and when it is due again; whoever goes on with it keeps it until the lease ends. */
export const noteChore = async (
  { queries }: Transaction,
  name: string,
  { dueAtMs, position }: { dueAtMs: number; position: string },
): Promise<void> => {
  await queries.updateTable('chores').set({ due_at: dueAtMs, position }).where('name', '=', name).execute();
};
