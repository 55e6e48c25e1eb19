import { rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type DraftRow = Tables['catalog_drafts'];
/** A draft without its changes, which may be very long. */
export type DraftSummary = Omit<DraftRow, 'changes'>;

const SUMMARY = [
  'team_id',
  'id',
  'revision',
  'name',
  'base_version',
  'count',
  'created_at',
  'updated_at',
  'author_id',
  'author_name',
  'publish_at',
  'publisher_id',
  'publisher_name',
  'rebase',
  'announce',
  'message',
  'failure',
] as const;

export const selectDrafts = (reader: Reader): Promise<DraftSummary[]> =>
  rowsOf('catalog_drafts', reader).select(SUMMARY).orderBy('created_at').orderBy('id').execute();

export const selectDraft = (reader: Reader, id: string): Promise<DraftRow | undefined> =>
  rowsOf('catalog_drafts', reader, { id }).selectAll().executeTakeFirst();

/** Keeps others from changing a draft until the transaction ends. */
export const holdDraft = (tx: Transaction, id: string): Promise<DraftRow | undefined> =>
  rowsOf('catalog_drafts', tx, { id }).selectAll().forUpdate().executeTakeFirst();

export const insertDraft = (tx: Transaction, row: DraftRow) =>
  tx.queries.insertInto('catalog_drafts').values(row).execute();

export const updateDraft = (tx: Transaction, { team_id, id, ...values }: DraftRow) =>
  tx.queries.updateTable('catalog_drafts').set(values).where('team_id', '=', team_id).where('id', '=', id).execute();

export const deleteDraft = (tx: Transaction, id: string) =>
  tx.queries.deleteFrom('catalog_drafts').where('team_id', '=', tx.teamId).where('id', '=', id).execute();

/** The first scheduled draft of each team. */
export const selectScheduled = async ({ queries }: Reader): Promise<{ teamId: string; firstAtMs: number }[]> => {
  const rows = await queries
    .selectFrom('catalog_drafts')
    .select((eb) => ['team_id as teamId', eb.fn.min<number>('publish_at').as('firstAtMs')])
    .where('publish_at', 'is not', null)
    .groupBy('team_id')
    .orderBy('firstAtMs')
    .execute();
  return rows.map(({ teamId, firstAtMs }) => ({ teamId, firstAtMs: Number(firstAtMs) }));
};

/** The drafts of a team that are to be published by now. */
export const selectDue = async (reader: Reader, nowMs: number): Promise<string[]> => {
  const rows = await rowsOf('catalog_drafts', reader)
    .select('id')
    .where('publish_at', '<=', nowMs)
    .orderBy('publish_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
};

/** Scheduled drafts that anyone may know of, the earliest first. */
export const selectAnnounced = (reader: Reader): Promise<{ id: string; revision: number }[]> =>
  rowsOf('catalog_drafts', reader)
    .select(['id', 'revision'])
    .where('publish_at', 'is not', null)
    .where('announce', '=', 1)
    .orderBy('publish_at')
    .orderBy('id')
    .execute();
