import type { Reader, Transaction } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';

/** Also holds the team's row until the end of the transaction: changes to one catalog come one after another. */
export const updateVersion = (tx: Transaction, teamId: string, version: string) =>
  tx.updateTable('teams').set({ catalog_version: version }).where('id', '=', teamId).execute();

export const updateTemplatesVersion = (tx: Transaction, teamId: string, version: string) =>
  tx.updateTable('teams').set({ templates_version: version }).where('id', '=', teamId).execute();

export interface Versions {
  readonly catalogVersion: string;
  readonly templatesVersion: string;
}

const selectVersionsOf = statement<{ teamId: string }, Versions>((queries, { teamId }) =>
  queries
    .selectFrom('teams')
    .select(['catalog_version as catalogVersion', 'templates_version as templatesVersion'])
    .where('id', '=', teamId),
);

export const selectVersions = async (reader: Reader, teamId: string): Promise<Versions> => {
  const [versions] = await selectVersionsOf(reader, { teamId });
  if (versions === undefined) throw new Error(`there is no team ${teamId}`);
  return versions;
};

/** Every row of the catalog, each table in one query. */
export const selectCatalog = async (reader: Reader, teamId: string) => ({
  items: await reader.selectFrom('items').selectAll().where('team_id', '=', teamId).execute(),
  attributes: await reader.selectFrom('attributes').selectAll().where('team_id', '=', teamId).execute(),
  options: await reader.selectFrom('classifier_options').selectAll().where('team_id', '=', teamId).execute(),
  itemOptions: await reader
    .selectFrom('item_classifiers')
    .selectAll()
    .where('team_id', '=', teamId)
    .orderBy('item_id')
    .orderBy('position')
    .execute(),
  itemAttributes: await reader.selectFrom('item_attributes').selectAll().where('team_id', '=', teamId).execute(),
});

export type CatalogRows = Awaited<ReturnType<typeof selectCatalog>>;
