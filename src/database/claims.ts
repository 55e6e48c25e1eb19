import { LIMITS } from '../limits.ts';
import type { Transaction } from './work.ts';

/**
 * Claims a chore for this node if it is due, until the lease ends, and returns where the previous holder stopped. A due
 * time further ahead than any lease or pass counts as past: it comes from a wrong clock.
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

/** Records the progress of a chore and when it is due next; while the chore goes on, that is when its lease ends. */
export const saveChoreProgress = async (
  { queries }: Transaction,
  name: string,
  { dueAtMs, position }: { dueAtMs: number; position: string },
): Promise<void> => {
  await queries.updateTable('chores').set({ due_at: dueAtMs, position }).where('name', '=', name).execute();
};
