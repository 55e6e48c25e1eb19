import type { Connection } from './connection.ts';
import { beginWriting } from './driver.ts';

/**
 * The assumed number of rows of a table, all of one team, and how many of them agree in the next columns of an index.
 */
const ROWS = 1_000_000;
const SAME_IN_TWO = 100;
const SAME_IN_MORE = 10;
/** Disables skip-scan: going through all values of an unknown first column takes long. */
const NO_SKIPPING = 'noskipscan';

/** How many rows agree in the first column of an index, in the first two, and so on. */
const sameRows = (columns: readonly string[], isUnique: boolean): number[] =>
  columns.map((column, index) => {
    if (isUnique && index === columns.length - 1) return 1;
    if (index === 0) return column === 'team_id' ? ROWS : SAME_IN_TWO;
    return index === 1 ? SAME_IN_TWO : SAME_IN_MORE;
  });

/** The primary key of a table without row ids has the name of the table. */
const INDEXES = `select tables.name as tbl, case when list.origin = 'pk' and tables.wr then tables.name else list.name end as idx,
    list."unique" as isUnique, (select json_group_array(name) from pragma_index_info(list.name)) as columns
  from pragma_table_list as tables, pragma_index_list(tables.name) as list
  where tables.schema = 'main' and tables.type = 'table' and tables.name not like 'sqlite_%'`;

/**
 * Without statistics SQLite assumes that few rows share the first column of a key. Here that is the team, which all
 * rows may share, so it would read whole tables where an index on two columns fits. These fixed statistics describe the
 * worst case; what `analyze` would find depends on the moment.
 */
export const setStatistics = async (raw: Connection['raw']): Promise<void> => {
  await beginWriting(raw);
  // Creates the statistics table if there is none yet.
  raw.exec('analyze migrations; delete from sqlite_stat1');
  const insert = raw.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const { tbl, idx, isUnique, columns } of raw.prepare(INDEXES).all()) {
    const same = sameRows(JSON.parse(String(columns)), isUnique === 1);
    insert.run(String(tbl), String(idx), [ROWS, ...same, NO_SKIPPING].join(' '));
  }
  raw.exec('commit; analyze sqlite_schema');
};
