import type { Expression } from 'kysely';
import { lookup, rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Queries, Reader } from '../../database/work.ts';

/** Whatever sees one state of the data: a reader, or a snapshot of the whole database. */
export type Queried = Pick<Reader, 'queries'>;

export interface Identified {
  readonly version: number;
  readonly versionId: string;
}

/**
 * What changed after a version that is known, up to the current one, apart from templates; undefined if that is more
 * than the limit, or if the history does not lead from one to the other.
 */
export const changedSince = async (
  reader: Reader,
  known: Identified,
  current: Identified,
  limit: number,
): Promise<Pick<Tables['catalog_changes'], 'kind' | 'id'>[] | undefined> => {
  const found = await rowsOf('catalog_versions', reader)
    .select(['version', 'id'])
    .where('version', 'in', [known.version, current.version])
    .execute();
  // In a restored backup, the same number may be another version.
  const isRecorded = ({ version, versionId }: Identified): boolean =>
    found.some((row) => row.version === version && row.id === versionId);
  if (!isRecorded(known) || !isRecorded(current)) return undefined;
  const changes = await rowsOf('catalog_changes', reader)
    .select(['kind', 'id'])
    .distinct()
    .where('version', '>', known.version)
    .where('kind', '<>', 'template')
    .limit(limit + 1)
    .execute();
  return changes.length > limit ? undefined : changes;
};

const selectVersion = (queries: Queries, teamId: Expression<string>) =>
  queries
    .selectFrom('teams')
    .select(['version', 'catalog_version as versionId', 'verifiable_rolls as verifiableRolls'])
    .where('id', '=', teamId);

export const currentVersion = lookup({}, selectVersion);

/** The same for commands that create or place item instances: items, spaces and their sizes then cannot change. */
export const currentVersionForPlacing = lookup({}, selectVersion, { shares: 'grids' });

export const selectSpaces = ({ queries }: Queried, teamId: string) =>
  rowsOf('spaces', { queries, teamId }).select(['id', 'name', 'cols', 'rows']).execute();

export const selectAttributes = ({ queries }: Queried, teamId: string) =>
  rowsOf('attributes', { queries, teamId }).select(['id', 'name', 'min', 'max', 'step']).execute();

export const selectClassifiers = ({ queries }: Queried, teamId: string) =>
  rowsOf('classifiers', { queries, teamId }).select(['id', 'name']).execute();

/** Options without what rolls do not need; or whole. */
export const selectOptions = ({ queries }: Queried, teamId: string, isWhole = false) =>
  rowsOf('classifier_options', { queries, teamId })
    .select(['id', 'classifier_id as classifierId', 'position', 'name', 'drop_rate_multiplier as dropRateMultiplier'])
    .$if(isWhole, (options) => options.select('color'))
    .execute();

/** What rolls need of items, and responses show. */
const itemColumns = [
  'id',
  'name',
  'thumbnail',
  'roll_numerator as rollNumerator',
  'width',
  'height',
  'currency as spending',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
] as const;

/** Items without what may be long; or whole, as changes need them. */
const selectItems = (queries: Queries, teamId: string | Expression<string>, isWhole: boolean) =>
  rowsOf('items', { queries, teamId })
    .select(itemColumns)
    .$if(isWhole, (items) => items.select(['description', 'data']))
    .orderBy('id');

const itemsAfter = (isWhole: boolean) =>
  lookup(
    { id: 'text', limit: 'integer' },
    (queries, teamId, { id, limit }) => selectItems(queries, teamId, isWhole).where('id', '>', id).limit(limit),
    isWhole ? { isLong: true } : { isPage: true },
  );

/** The next items in byte order of their ids. */
export const nextItems = itemsAfter(false);
export const nextWholeItems = itemsAfter(true);

/** How many of the rows below are read at once: no more than take a moment. */
export const ROWS_AT_ONCE = 1000;

// Both are ordered like the index that starts with the item: without statistics about the team, the planner would
// otherwise choose another index.

const selectItemOptions = (queries: Queries, teamId: string | Expression<string>) =>
  rowsOf('item_classifiers', { queries, teamId })
    .select(['id', 'item_id as itemId', 'classifier_option_id as optionId', 'position'])
    .orderBy('item_id')
    .orderBy('classifier_option_id');

const selectItemAttributes = (queries: Queries, teamId: string | Expression<string>) =>
  rowsOf('item_attributes', { queries, teamId })
    .select(['id', 'item_id as itemId', 'attribute_id as attributeId', 'min', 'max', 'position'])
    .orderBy('item_id')
    .orderBy('attribute_id');

/** The next options of items, up to an item. */
export const nextItemOptions = lookup(
  { itemId: 'text', optionId: 'text', lastItemId: 'text' },
  (queries, teamId, { itemId, optionId, lastItemId }) =>
    selectItemOptions(queries, teamId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('item_id', 'classifier_option_id'), '>', tuple(itemId, optionId)))
      .where('item_id', '<=', lastItemId)
      .limit(ROWS_AT_ONCE),
  { isPage: true },
);

/** The next attributes of items, up to an item. */
export const nextItemAttributes = lookup(
  { itemId: 'text', attributeId: 'text', lastItemId: 'text' },
  (queries, teamId, { itemId, attributeId, lastItemId }) =>
    selectItemAttributes(queries, teamId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('item_id', 'attribute_id'), '>', tuple(itemId, attributeId)))
      .where('item_id', '<=', lastItemId)
      .limit(ROWS_AT_ONCE),
  { isPage: true },
);

export const selectItemsById = ({ queries, teamId }: Reader, isWhole: boolean, ids: readonly string[]) =>
  selectItems(queries, teamId, isWhole).where('id', 'in', ids).execute();

export const selectOptionsOfItems = ({ queries, teamId }: Reader, itemIds: readonly string[]) =>
  selectItemOptions(queries, teamId).where('item_id', 'in', itemIds).execute();

export const selectAttributesOfItems = ({ queries, teamId }: Reader, itemIds: readonly string[]) =>
  selectItemAttributes(queries, teamId).where('item_id', 'in', itemIds).execute();

/** The next templates in byte order of their ids. */
export const selectTemplatesAfter = ({ queries }: Queried, teamId: string, afterId: string, limit: number) =>
  rowsOf('templates', { queries, teamId })
    .select(['id', 'name', 'type', 'config', 'bindings', 'verifiable', 'disclosure'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
