import { sql } from 'kysely';
import { insertInto, lookup, rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { EntityKind } from '../../shared/context.ts';
import { LIMITS } from '../../shared/limits.ts';

export type VersionRow = Tables['catalog_versions'];
export type ChangeRow = Tables['catalog_changes'];

/** Locks a team's catalog until the end of the transaction, so that its changes are serialized. */
export const holdVersion = (tx: Transaction) =>
  tx.queries
    .updateTable('teams')
    .set((eb) => ({ version: eb.ref('version') }))
    .where('id', '=', tx.teamId)
    .returning(['version', 'catalog_version as versionId', 'item_count as itemCount'])
    .executeTakeFirst();

/** The number of items is stored with the team, so that nobody has to count them. */
export const advanceVersion = (
  tx: Transaction,
  { version, versionId, itemCount }: { version: number; versionId: string; itemCount: number },
) =>
  tx.queries
    .updateTable('teams')
    .set({ version, catalog_version: versionId, item_count: itemCount })
    .where('id', '=', tx.teamId)
    .execute();

export const insertVersion = insertInto('catalog_versions', {
  version: 'integer',
  id: 'text',
  created_at: 'bigint',
  author_id: 'text',
  author_name: 'text',
  source: 'text',
  message: 'text',
  changes: 'integer',
});

export const insertChange = insertInto('catalog_changes', {
  version: 'integer',
  kind: 'text',
  id: 'text',
  before: 'text',
  after: 'text',
});

export interface VersionFilter {
  readonly kind?: EntityKind;
  readonly id?: string;
  readonly author?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Versions, newest first, from below a number; one row more than the limit. */
export const selectVersions = (
  reader: Reader,
  { kind, id, author, fromMs, toMs }: VersionFilter,
  { below, limit }: { below: number | undefined; limit: number },
): Promise<VersionRow[]> => {
  let query = reader.queries
    .selectFrom('catalog_versions')
    .selectAll('catalog_versions')
    .where('catalog_versions.team_id', '=', reader.teamId)
    .orderBy('catalog_versions.version', 'desc')
    .limit(limit + 1);
  if (below !== undefined) query = query.where('catalog_versions.version', '<', below);
  if (author !== undefined) query = query.where('author_id', '=', author);
  if (fromMs !== undefined) query = query.where('created_at', '>=', fromMs);
  if (toMs !== undefined) query = query.where('created_at', '<', toMs);
  if (kind !== undefined || id !== undefined)
    query = query.where((eb) => {
      let changes = eb
        .selectFrom('catalog_changes')
        .select('catalog_changes.version')
        .where('catalog_changes.team_id', '=', reader.teamId)
        .whereRef('catalog_changes.version', '=', 'catalog_versions.version');
      if (kind !== undefined) changes = changes.where('catalog_changes.kind', '=', kind);
      if (id !== undefined) changes = changes.where('catalog_changes.id', '=', id);
      return eb.exists(changes);
    });
  return query.execute();
};

export const selectVersion = (reader: Reader, version: number): Promise<VersionRow | undefined> =>
  rowsOf('catalog_versions', reader, { version }).selectAll().executeTakeFirst();

/** The versions after one with the number of their changes, newest first. */
export const selectNewVersions = (reader: Reader, after: number, limit: number) =>
  rowsOf('catalog_versions', reader)
    .select(['version', 'changes'])
    .where('version', '>', after)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute();

export const versionByNumber = lookup({ version: 'integer' }, (queries, teamId, { version }) =>
  rowsOf('catalog_versions', { queries, teamId }, { version }).select(['id', 'created_at']),
);

/** The changes of a version after one of them, in order of kind and id. */
export const selectChanges = (
  reader: Reader,
  version: number,
  after: { readonly kind: string; readonly id: string },
  limit: number,
): Promise<ChangeRow[]> =>
  rowsOf('catalog_changes', reader, { version })
    .selectAll()
    .where(sql<boolean>`(kind, id) > (${after.kind}, ${after.id})`)
    .orderBy('kind')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Every change after a version, newest first, in batches. */
export async function* changesSince(reader: Reader, version: number): AsyncGenerator<ChangeRow[]> {
  for (let below: ChangeRow | undefined; ; ) {
    let query = rowsOf('catalog_changes', reader)
      .selectAll()
      .where('version', '>', version)
      .orderBy('version', 'desc')
      .orderBy('kind', 'desc')
      .orderBy('id', 'desc')
      .limit(LIMITS.changesPerRead);
    if (below !== undefined)
      query = query.where(sql<boolean>`(version, kind, id) < (${below.version}, ${below.kind}, ${below.id})`);
    const rows = await query.execute();
    if (rows.length > 0) yield rows;
    below = rows.at(-1);
    if (rows.length < LIMITS.changesPerRead) return;
  }
}
