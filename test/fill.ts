/** Teams as large as the limits allow, inserted directly: through the API it would take an hour. */
import type { Tables } from '../src/database/tables.ts';
import type { Transaction } from '../src/database/work.ts';
import { LIMITS } from '../src/shared/limits.ts';

/** Three bytes per character. */
const WIDE = '漢'.repeat(LIMITS.nameLength);
const NOW_MS = Date.parse('2026-11-14T09:30:00.000Z');
const dated = { created_at: NOW_MS, updated_at: NOW_MS };

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const numbered = (prefix: string, number: number): string => `${prefix}-${String(number).padStart(6, '0')}`;

const insertMany = async <T extends keyof Tables>(
  tx: Transaction,
  table: T,
  rows: readonly Omit<Tables[T], 'team_id'>[],
): Promise<void> => {
  // Kysely cannot tell that these are rows of a table that is not known here.
  const insert = () => tx.queries.insertInto(table as 'items');
  for (let start = 0; start < rows.length; start += 1000) {
    const some = rows.slice(start, start + 1000).map((row) => ({ ...row, team_id: tx.teamId }));
    await insert()
      .values(some as object as Tables['items'][])
      .execute();
  }
};

/** Attributes and classifiers with the longest names. */
export const fillVocabulary = async (tx: Transaction, { classifiers }: { classifiers: number }): Promise<void> => {
  await insertMany(
    tx,
    'attributes',
    range(LIMITS.attributesPerItem).map((number) => ({
      ...{ id: numbered('attribute', number), ...dated, name: WIDE, min: 0, max: 1e9, step: null },
    })),
  );
  await insertMany(
    tx,
    'classifiers',
    range(classifiers).map((number) => ({ id: numbered('classifier', number), ...dated, name: WIDE })),
  );
  await insertMany(
    tx,
    'classifier_options',
    range(classifiers).flatMap((number) =>
      range(LIMITS.optionsPerClassifier).map((position) => ({
        ...{ id: numbered(`option-${number}`, position), classifier_id: numbered('classifier', number), position },
        ...{ name: WIDE, drop_rate_multiplier: 1.5, color: null },
      })),
    ),
  );
};

interface ManyItems {
  readonly count: number;
  /** How many options and attributes each of them has. */
  readonly details: number;
  readonly name?: string;
  /** The number of the classifier whose options the first ones are, each for as many items. */
  readonly tiers?: number;
}

/** Items with options of the first ten classifiers. */
export const fillItems = async (
  tx: Transaction,
  prefix: string,
  { count, details, name = WIDE, tiers }: ManyItems,
): Promise<void> => {
  for (let start = 0; start < count; start += 5000) {
    const ids = range(Math.min(5000, count - start)).map((number) => numbered(prefix, start + number));
    await insertMany(
      tx,
      'items',
      ids.map((id) => ({
        id,
        ...dated,
        name,
        thumbnail: null,
        description: null,
        data: null,
        currency: null,
        roll_numerator: 100,
        width: 1,
        height: 1,
      })),
    );
    await insertMany(
      tx,
      'item_classifiers',
      ids.flatMap((item_id, index) =>
        range(details).map((position) => ({
          ...{ id: `${item_id}-option-${position}`, item_id, position },
          classifier_option_id:
            position === 0 && tiers !== undefined
              ? numbered(`option-${tiers}`, index % 100)
              : numbered(`option-${(index + position) % 10}`, (index + position) % 100),
        })),
      ),
    );
    await insertMany(
      tx,
      'item_attributes',
      ids.flatMap((item_id) =>
        range(details).map((position) => ({
          ...{ id: `${item_id}-attribute-${position}`, item_id, attribute_id: numbered('attribute', position) },
          ...{ position, min: 0, max: 1e9 },
        })),
      ),
    );
  }
  await tx.queries
    .updateTable('teams')
    .set((eb) => ({ item_count: eb('item_count', '+', count), catalog_version: `with ${count} of ${prefix}` }))
    .where('id', '=', tx.teamId)
    .execute();
};

interface ManyInstances {
  readonly itemId: string;
  readonly count: number;
  /** For how many attributes each of them has a value. */
  readonly values: number;
}

/** A user with instances of a 1 × 1 item, in the largest bag as far as they fit, except for two cells. */
export const fillBag = async (
  tx: Transaction,
  userId: string,
  { itemId, count, values: some }: ManyInstances,
): Promise<void> => {
  const side = LIMITS.spaceSide;
  const space_id = `space-of-${userId}`;
  const user_space_id = `bag-of-${userId}`;
  const values = Object.fromEntries(
    range(some).map((number) => [`${itemId}-attribute-${number}`, 123_456.789 + number]),
  );
  await insertMany(tx, 'spaces', [{ id: space_id, ...dated, name: WIDE, cols: side, rows: side }]);
  await insertMany(tx, 'users', [{ id: userId, ...dated, external_id: null, roller_id: `roller-${userId}` }]);
  await insertMany(tx, 'user_spaces', [{ id: user_space_id, ...dated, user_id: userId, space_id, external_id: null }]);
  const ids = range(count).map((number) => numbered(`of-${userId}`, number));
  await insertMany(
    tx,
    'item_instances',
    ids.map((id) => ({
      ...{ id, ...dated, item_id: itemId, user_id: userId, data: null, locked: null },
      ...{ cause: 'request', author: null, request_id: null },
      attribute_values: JSON.stringify(values),
    })),
  );
  const placed = ids.slice(0, side * side - 2);
  await insertMany(
    tx,
    'item_instance_spaces',
    placed.map((item_instance_id, index) => ({
      ...{ user_space_id, y: Math.floor(index / side), x: index % side, item_instance_id, part: 0 },
      ...{ id: `placement-${item_instance_id}`, rotated: 0, ...dated },
    })),
  );
  const rows = range(side).map((y) => ({ y, count: Math.max(0, Math.min(side, placed.length - y * side)) }));
  await insertMany(
    tx,
    'user_space_rows',
    rows
      .filter((row) => row.count > 0)
      .map((row) => ({ user_space_id, y: row.y, taken: ((1n << BigInt(row.count)) - 1n).toString(16) })),
  );
};

/** Templates that cannot be rolled on, with configurations of about 190 kB. */
export const fillTemplates = (tx: Transaction, { count }: { count: number }): Promise<void> => {
  const featuredItemIds = range(LIMITS.templateItems).map((number) => String(number).padStart(LIMITS.idLength, '-'));
  return insertMany(
    tx,
    'templates',
    range(count).map((number) => ({
      ...{ id: numbered('template', number), ...dated, name: WIDE, type: 'gacha', bindings: '{}' },
      config: JSON.stringify({ featuredItemIds }),
      verifiable: 0,
      disclosure: 'private' as const,
    })),
  );
};

/** Users, each with a user space of the same space. */
export const fillUsers = async (
  tx: Transaction,
  { count, spaceId }: { count: number; spaceId: string },
): Promise<void> => {
  const ids = range(count).map((number) => numbered('user', number));
  await insertMany(
    tx,
    'users',
    ids.map((id) => ({ id, ...dated, external_id: id, roller_id: `roller-${id}` })),
  );
  await insertMany(
    tx,
    'user_spaces',
    ids.map((user_id) => ({ id: `bag-of-${user_id}`, ...dated, user_id, space_id: spaceId, external_id: null })),
  );
};

/** A roll of each item, as rolls leave them before they are added to the counters. */
export const fillRolls = (tx: Transaction, itemIds: readonly string[]): Promise<void> => {
  const perRow = 2000;
  return insertMany(
    tx,
    'roll_pending',
    range(Math.ceil(itemIds.length / perRow)).map((number) => {
      const some = itemIds.slice(number * perRow, (number + 1) * perRow);
      return {
        ...{ id: numbered('pending', number), day: '2026-11-14', template_id: '', version: null, evidence: null },
        ...{ rolls: some.length, counts: JSON.stringify(some.flatMap((id) => [id, 1])) },
      };
    }),
  );
};
