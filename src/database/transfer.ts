/** Shared by backup, restore and move: all tables in order, as lines of text that can be compared. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LATEST, MIGRATIONS, presentName } from './migrate.ts';
import { TABLES } from './tables.ts';
import type { Snapshot, Table, Value } from './work.ts';

/** Identifies the contents of a table. */
export interface Digest {
  readonly rows: number;
  readonly sha256: string;
}

/** Rows as lines of JSON. A number has the same text on both engines: the shortest that represents it. */
export const linesOf = (rows: readonly Value[][]): string => {
  let text = '';
  for (const row of rows) {
    for (const value of row)
      if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`cannot store the number ${value}`);
    text += `${JSON.stringify(row)}\n`;
  }
  return text;
};

/** Computes the digest of a table from its lines. */
export const createDigest = () => {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add: (lines: string, count: number): void => {
      hash.update(lines);
      rows += count;
    },
    end: (): Digest => ({ rows, sha256: hash.digest('hex') }),
  };
};

export const sameDigest = (a: Digest | undefined, b: Digest | undefined): boolean =>
  a !== undefined && b !== undefined && a.rows === b.rows && a.sha256 === b.sha256;

/** Reads a whole table, optionally passing its rows on. */
export const digestOf = async (
  snapshot: Snapshot,
  table: Table,
  pass?: (rows: Value[][]) => Promise<void>,
): Promise<Digest> => {
  const digest = createDigest();
  for await (const rows of snapshot.rows(table)) {
    digest.add(linesOf(rows), rows.length);
    await pass?.(rows);
  }
  return digest.end();
};

/** Finds a table that must exist. */
export const tableIn = async (snapshot: Snapshot, name: string): Promise<Table> => {
  const table = await snapshot.table(name);
  if (table === undefined) throw new Error(`no such table: ${name}`);
  return table;
};

/** Tables without data of a team: a database that was only ever started counts as empty. */
const TABLES_WITHOUT_TEAM: readonly string[] = ['milestones', 'chores'];

/** Returns the first table that contains data of a team. */
export const firstNonEmptyTable = async ({ queries }: Snapshot): Promise<string | undefined> => {
  for (const name of TABLES) {
    if (TABLES_WITHOUT_TEAM.includes(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(queries);
    if (rows.length > 0) return name;
  }
  return undefined;
};

/** Compares a schema with the one that this version needs. */
export const schemaAge = (schema: string): 'older' | 'same' | 'newer' => {
  const name = presentName(schema);
  if (name === LATEST) return 'same';
  return name in MIGRATIONS ? 'older' : 'newer';
};
