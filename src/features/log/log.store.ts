import { ensureIn, insertInto, locking, lookup, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type HeadRow = Tables['log_heads'];

export const newestHead = lookup({}, (queries, teamId) => rowsOf('log_heads', { queries, teamId }).selectAll());

/** Whoever holds it is the only one who adds to the log. */
export const holdHead = locking('log_heads', newestHead);

const HEAD = { size: 'bigint', root: 'text', at_ms: 'bigint', signature: 'text', public_key: 'text' } as const;

/** Collides if another transaction inserted it in the meantime; the retry then holds it. */
export const insertHead = insertInto('log_heads', HEAD);
export const updateHead = updateIn('log_heads', HEAD);

/** A leaf that waits for its position. */
export const ensureLeaf = ensureIn('log_leaves', { hash: 'text', kind: 'text', subject: 'text' }, { key: ['hash'] });
export const placeLeaf = updateIn('log_leaves', { hash: 'text', position: 'bigint' }, { key: ['hash'] });

export const insertNode = insertInto('log_nodes', { level: 'integer', place: 'bigint', hash: 'text' });

export const leafWith = lookup({ hash: 'text' }, (queries, teamId, { hash }) =>
  rowsOf('log_leaves', { queries, teamId }, { hash }).select('position'),
);

export const leafAt = lookup({ position: 'bigint' }, (queries, teamId, { position }) =>
  rowsOf('log_leaves', { queries, teamId }, { position }).select('hash'),
);

export const nodeAt = lookup({ level: 'integer', place: 'bigint' }, (queries, teamId, { level, place }) =>
  rowsOf('log_nodes', { queries, teamId }, { level, place }).select('hash'),
);

/** Leaves in order, from a position on. */
export const selectLeaves = (reader: Reader, from: number, before: number) =>
  rowsOf('log_leaves', reader)
    .select(['position', 'hash', 'kind', 'subject'])
    .where('position', '>=', from)
    .where('position', '<', before)
    .orderBy('position')
    .execute();

/** Manifests first, then by their hashes, so that their order tells nothing. */
export const selectWaiting = (tx: Transaction, most: number) =>
  rowsOf('log_leaves', tx)
    .select('hash')
    .where('position', 'is', null)
    .orderBy('kind')
    .orderBy('hash')
    .limit(most)
    .execute();

export const selectTeamsWithWaiting = async ({ queries }: Reader): Promise<string[]> => {
  const rows = await queries
    .selectFrom('log_leaves')
    .select('team_id')
    .where('position', 'is', null)
    .distinct()
    .execute();
  return rows.map(({ team_id }) => team_id);
};
