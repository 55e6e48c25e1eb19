import { type CreateTableBuilder, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../work.ts';

type Table = CreateTableBuilder<string, string>;

/** The few things that the two engines spell differently. */
export interface Spelling {
  /** Sorts ids in byte order on both engines; SQLite does so by default. */
  readonly id: RawBuilder<unknown>;
  readonly double: RawBuilder<unknown>;
  /**
   * Stores rows in key order. Otherwise SQLite stores them by an internal row id, with the key as a second tree: twice
   * the work for every row that is written or looked up.
   */
  byKey(table: Table): Table;
}

export const spellingOf = (engine: Engine): Spelling =>
  engine === 'postgres'
    ? { id: sql`text collate "C"`, double: sql`double precision`, byKey: (table) => table }
    : { id: sql`text`, double: sql`real`, byKey: (table) => table.modifyEnd(sql`without rowid`) };
