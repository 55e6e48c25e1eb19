import { LIMITS } from '../shared/limits.ts';
import type { Queries, Transaction } from './work.ts';

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

/** The chores that remove old rows, so that these are not missed. */
export type Removal = 'roll events' | 'history';

const rowOf = (removal: Removal): string => `${removal}, removed until`;

/** Notes that rows from before a moment are removed, or about to be. */
export const noteRemoval = async ({ queries }: Transaction, removal: Removal, beforeMs: number): Promise<void> => {
  await queries
    .insertInto('chores')
    .values({ name: rowOf(removal), due_at: beforeMs, position: '' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ due_at: beforeMs }).where('chores.due_at', '<', beforeMs),
    )
    .execute();
};

/**
 * From before which moment rows may have been removed; undefined if that was not noted, as by earlier versions, and
 * null if none were.
 */
export const removedUntil = async (queries: Queries, removal: Removal): Promise<number | null | undefined> => {
  const rows = await queries
    .selectFrom('chores')
    .select(['name', 'due_at'])
    .where('name', 'in', [removal, rowOf(removal)])
    .execute();
  if (rows.length === 0) return null;
  return rows.find(({ name }) => name === rowOf(removal))?.due_at;
};
