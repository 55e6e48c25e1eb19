/** What backups, restores and moves have in common: all tables in their order, as lines of text that can be compared. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { LATEST, MIGRATIONS } from './migrate.ts';
import { TABLES } from './tables.ts';
import type { Snapshot, Table, Value } from './work.ts';

/** What a table holds, as far as it can be told in a line. */
export interface Digest {
  readonly rows: number;
  readonly sha256: string;
}

/** Rows as lines of JSON. A number is the same text on both engines: the shortest that means this number. */
export const linesOf = (rows: readonly Value[][]): string => {
  let text = '';
  for (const row of rows) {
    for (const value of row)
      if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is a number of no use`);
    text += `${JSON.stringify(row)}\n`;
  }
  return text;
};

/** Adds up the digest of a table from its lines. */
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

export const isSame = (a: Digest | undefined, b: Digest | undefined): boolean =>
  a !== undefined && b !== undefined && a.rows === b.rows && a.sha256 === b.sha256;

/** Reads a whole table; what it reads is passed on if anyone wants it. */
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

/** The table of this name; it is there in every database whose schema was looked at. */
export const tableIn = async (snapshot: Snapshot, name: string): Promise<Table> => {
  const table = await snapshot.table(name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
};

/** Tables that say nothing of teams: a database that had nothing but a start is empty. */
const OF_NO_TEAM: readonly string[] = ['milestones', 'chores'];

/** The first table that holds anything of a team. */
export const firstFilled = async ({ queries }: Snapshot): Promise<string | undefined> => {
  for (const name of TABLES) {
    if (OF_NO_TEAM.includes(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(queries);
    if (rows.length > 0) return name;
  }
  return undefined;
};

/** How a schema stands to the one that this version needs. */
export const ageOf = (schema: string): 'older' | 'same' | 'newer' => {
  if (schema === LATEST) return 'same';
  return schema in MIGRATIONS ? 'older' : 'newer';
};
