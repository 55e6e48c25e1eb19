import type { Expression } from 'kysely';
import { lookup } from '../../database/declarations.ts';
import type { Queries, Reader, Transaction } from '../../database/work.ts';

/** Also holds the team's row until the end of the transaction: changes to one catalog come one after another. */
export const updateVersion = (tx: Transaction, teamId: string, version: string) =>
  tx.queries.updateTable('teams').set({ catalog_version: version }).where('id', '=', teamId).execute();

export const updateTemplatesVersion = (tx: Transaction, teamId: string, version: string) =>
  tx.queries.updateTable('teams').set({ templates_version: version }).where('id', '=', teamId).execute();

export interface Versions {
  readonly catalogVersion: string;
  readonly templatesVersion: string;
}

const selectVersions = (queries: Queries, teamId: Expression<string>) =>
  queries
    .selectFrom('teams')
    .select(['catalog_version as catalogVersion', 'templates_version as templatesVersion'])
    .where('id', '=', teamId);

export const versions = lookup({}, selectVersions);

/** The same for whoever gives or places things: what items and spaces there are, and their sizes, then stay as they are. */
export const versionsForPlacing = lookup({}, selectVersions, { shares: 'grids' });

/** Every row of the catalog, each table in one query. */
export const selectCatalog = async (reader: Reader, teamId: string) => ({
  items: await reader.queries.selectFrom('items').selectAll().where('team_id', '=', teamId).execute(),
  attributes: await reader.queries.selectFrom('attributes').selectAll().where('team_id', '=', teamId).execute(),
  options: await reader.queries.selectFrom('classifier_options').selectAll().where('team_id', '=', teamId).execute(),
  itemOptions: await reader.queries
    .selectFrom('item_classifiers')
    .selectAll()
    .where('team_id', '=', teamId)
    .orderBy('item_id')
    .orderBy('position')
    .execute(),
  spaces: await reader.queries.selectFrom('spaces').selectAll().where('team_id', '=', teamId).execute(),
  itemAttributes: await reader.queries.selectFrom('item_attributes').selectAll().where('team_id', '=', teamId).execute(),
});

export type CatalogRows = Awaited<ReturnType<typeof selectCatalog>>;
