/** Teams as large as the limits allow, written straight into the tables: through the API it would take an hour. */

import type { Tables } from '../../src/database/tables.ts';
import type { Transaction } from '../../src/database/work.ts';
import { LIMITS } from '../../src/limits.ts';

const WIDE = '漢'.repeat(LIMITS.nameLength);
const NOW_MS = 1_700_000_000_000;
const dated = { created_at: NOW_MS, updated_at: NOW_MS };

const numbered = (prefix: string, number: number): string => `${prefix}-${String(number).padStart(6, '0')}`;

type Queries = Transaction['queries'];

const insertMany = async <T extends keyof Tables>(
  tx: Transaction,
  table: T,
  rows: readonly Tables[T][],
): Promise<void> => {
  for (let start = 0; start < rows.length; start += 1000) {
    const some = rows.slice(start, start + 1000);
    // For a table that is not known here, Kysely cannot tell that these are its rows.
    const query = tx.queries.insertInto(table) as unknown as ReturnType<Queries['insertInto']>;
    await query.values(some as object as never).execute();
  }
};

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Attributes and options with the longest names. */
export const fillVocabulary = async (tx: Transaction): Promise<void> => {
  const team_id = tx.teamId;
  await insertMany(
    tx,
    'attributes',
    range(LIMITS.attributesPerItem).map((number) => ({
      team_id,
      id: numbered('a', number),
      ...dated,
      name: WIDE,
      min: 0,
      max: 1e9,
      step: null,
    })),
  );
  await insertMany(
    tx,
    'classifiers',
    range(10).map((number) => ({ team_id, id: numbered('c', number), ...dated, name: WIDE })),
  );
  await insertMany(
    tx,
    'classifier_options',
    range(10).flatMap((classifier) =>
      range(LIMITS.optionsPerClassifier).map((position) => ({
        team_id,
        id: numbered(`o${classifier}`, position),
        classifier_id: numbered('c', classifier),
        position,
        name: WIDE,
        drop_rate_multiplier: 1.5,
      })),
    ),
  );
};

/** Items, each with so many options and attributes. */
export const fillItems = async (tx: Transaction, prefix: string, count: number, each: number): Promise<void> => {
  const team_id = tx.teamId;
  for (let start = 0; start < count; start += 5000) {
    const ids = range(Math.min(5000, count - start)).map((number) => numbered(prefix, start + number));
    await insertMany(
      tx,
      'items',
      ids.map((id) => ({
        team_id,
        id,
        ...dated,
        name: WIDE,
        thumbnail: null,
        roll_numerator: 100,
        width: 1,
        height: 1,
      })),
    );
    await insertMany(
      tx,
      'item_classifiers',
      ids.flatMap((item_id, index) =>
        range(each).map((position) => ({
          team_id,
          id: `${item_id}-l${position}`,
          item_id,
          classifier_option_id: numbered(`o${(index + position) % 10}`, (index + position) % 100),
          position,
        })),
      ),
    );
    await insertMany(
      tx,
      'item_attributes',
      ids.flatMap((item_id) =>
        range(each).map((position) => ({
          team_id,
          id: `${item_id}-a${position}`,
          item_id,
          attribute_id: numbered('a', position),
          position,
          min: 0,
          max: 1e9,
        })),
      ),
    );
  }
  await tx.queries
    .updateTable('teams')
    .set((eb) => ({ item_count: eb('item_count', '+', count), catalog_version: `filled-${prefix}-${count}` }))
    .where('id', '=', team_id)
    .execute();
};

/** A player with so many instances of an item, in the largest bag as far as it takes them. */
export const fillBag = async (
  tx: Transaction,
  userId: string,
  itemId: string,
  count: number,
  values: string,
): Promise<void> => {
  const team_id = tx.teamId;
  const side = LIMITS.spaceSide;
  const spaceId = `space-of-${userId}`;
  const user_space_id = `bag-of-${userId}`;
  await insertMany(tx, 'spaces', [{ team_id, id: spaceId, ...dated, name: WIDE, cols: side, rows: side }]);
  await insertMany(tx, 'users', [{ team_id, id: userId, ...dated, external_id: null, roller_id: `roller-${userId}` }]);
  await insertMany(tx, 'user_spaces', [
    { team_id, id: user_space_id, ...dated, user_id: userId, space_id: spaceId, external_id: null },
  ]);
  const ids = range(count).map((number) => numbered(`i-${userId}`, number));
  await insertMany(
    tx,
    'item_instances',
    ids.map((id) => ({
      team_id,
      id,
      ...dated,
      item_id: itemId,
      user_id: userId,
      attribute_values: values,
      cause: 'request',
      request_id: null,
    })),
  );
  const placed = ids.slice(0, side * side - 2);
  await insertMany(
    tx,
    'item_instance_spaces',
    placed.map((id, index) => ({
      team_id,
      user_space_id,
      y: Math.floor(index / side),
      x: index % side,
      item_instance_id: id,
      part: 0,
      id: `p-${id}`,
      rotated: 0,
      ...dated,
    })),
  );
  await insertMany(
    tx,
    'user_space_rows',
    range(side).flatMap((y) => {
      const taken = Math.max(0, Math.min(side, placed.length - y * side));
      return taken === 0 ? [] : [{ team_id, user_space_id, y, taken: ((1n << BigInt(taken)) - 1n).toString(16) }];
    }),
  );
};
