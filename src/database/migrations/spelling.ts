import { type CreateTableBuilder, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../work.ts';

type Table = CreateTableBuilder<string, string>;

/** The few things that the two engines spell differently. */
export interface Spelling {
  /** Ids sort in byte order on both engines; SQLite does so by itself. */
  readonly id: RawBuilder<unknown>;
  readonly double: RawBuilder<unknown>;
  /**
   * Rows are kept in the order of their key. SQLite would else keep them by a number of its own, with the key as a second
   * tree beside it: twice the work for every row that is written or looked up.
   */
  byKey(table: Table): Table;
}

export const spellingOf = (engine: Engine): Spelling =>
  engine === 'postgres'
    ? { id: sql`text collate "C"`, double: sql`double precision`, byKey: (table) => table }
    : { id: sql`text`, double: sql`real`, byKey: (table) => table.modifyEnd(sql`without rowid`) };
