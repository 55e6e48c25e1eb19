import type { Lookup, Merge, Rows, Write } from './declarations.ts';
import { TABLES, type Tables } from './tables.ts';

export type Values = readonly (string | number)[];

/** A key as text; no value contains a NUL. */
export const keyText = (values: Values): string => (values.length === 1 ? String(values[0]) : values.join('\0'));

type Row = Readonly<Record<string, string | number>>;

const textOfKey = (columns: readonly string[], row: Row): string =>
  keyText(columns.map((column) => row[column] as string | number));

const rankOfTable = new Map(TABLES.map((table, rank) => [table, rank]));

export const tableRank = (table: keyof Tables): number => rankOfTable.get(table) as number;

/** Deletions come first, children before parents; then everything else, parents before children. */
const writeRank = ({ mode, table }: Write<unknown>): number => {
  const rank = tableRank(table);
  return mode === 'delete' ? -rank - 1 : rank;
};

const merged = ({ key, row }: Merge<unknown, object>, entries: readonly unknown[]): object[] =>
  Array.from(Map.groupBy(entries, (entry) => key(entry) ?? entry).values(), (same) => row(same as [unknown]));

/** Only the last row of each key, if a write overwrites the rows before. */
const lastOfEach = ({ mode, key }: Write<unknown>, rows: readonly unknown[]): readonly unknown[] =>
  mode === 'update' || mode === 'upsert'
    ? [...new Map(rows.map((row) => [textOfKey(key, row as Row), row])).values()]
    : rows;

/** Rows of several commands, to be written together. */
export class RowBatch {
  readonly #byWrite = new Map<Write<unknown>, unknown[]>();
  /** For each table the only write to it, or null if there are several. */
  readonly #byTable = new Map<keyof Tables, Write<unknown> | null>();
  #hasFollowers = false;

  add(write: Write<unknown>, row: unknown): void {
    const rows = this.#byWrite.get(write);
    if (rows !== undefined) {
      rows.push(row);
      return;
    }
    this.#byWrite.set(write, [row]);
    this.#byTable.set(write.table, this.#byTable.has(write.table) ? null : write);
  }

  /**
   * Whether rows that must be written after those of the batch may be added to it: they are, if each table is written to
   * in only one way. From then on, a row replaces an earlier one with the same key.
   */
  mayFollow(writes: Iterable<Write<unknown>>): boolean {
    for (const write of writes) {
      const other = this.#byTable.get(write.table);
      if (other !== undefined && other !== write) return false;
    }
    this.#hasFollowers = true;
    return true;
  }

  rows(teamId: string): Rows[] {
    return [...this.#byWrite]
      .sort(([a], [b]) => writeRank(a) - writeRank(b))
      .map(([write, given]) => {
        const rows = this.#hasFollowers ? lastOfEach(write, given) : given;
        return { teamId, write, rows: write.merge === undefined ? rows : merged(write.merge, rows) };
      });
  }
}

const overwritten = (row: Row, by: Row): Row => {
  const next = { ...row };
  for (const column in next) if (by[column] !== undefined) next[column] = by[column];
  return next;
};

/** Rows that lookups found, as later writes leave them. */
export class KnownRows {
  readonly #byLookup = new Map<Lookup, Map<string, readonly unknown[]>>();

  get(lookup: Lookup, values: Values): readonly unknown[] | undefined {
    return this.#byLookup.get(lookup)?.get(keyText(values));
  }

  /** Only rows of which it is known what a write does to them are kept. */
  set(lookup: Lookup, values: Values, rows: readonly unknown[]): void {
    if (lookup.rowOf === null) return;
    const known = this.#byLookup.get(lookup);
    if (known === undefined) this.#byLookup.set(lookup, new Map([[keyText(values), rows]]));
    else known.set(keyText(values), rows);
  }

  write({ mode, table, key }: Write<unknown>, row: unknown): void {
    // Deletions cascade.
    if (mode === 'delete') this.clear();
    for (const [{ rowOf, keys }, known] of this.#byLookup) {
      if (rowOf !== table) continue;
      const columns = Object.keys(keys);
      if (mode === 'update' && columns.length === key.length && columns.every((column) => key.includes(column))) {
        const text = textOfKey(columns, row as Row);
        const before = known.get(text);
        if (before !== undefined)
          known.set(
            text,
            before.map((one) => overwritten(one as Row, row as Row)),
          );
      } else known.clear();
    }
  }

  clear(): void {
    this.#byLookup.clear();
  }
}
