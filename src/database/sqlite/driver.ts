/** Node's own SQLite, and what it lacks in the oldest versions of Node that the package runs on, 22.13 to 22.15. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../shared/limits.ts';

/** These versions warn that SQLite is experimental, each time it is loaded. */
const loadQuietly = (): typeof import('node:sqlite') => {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
};
const sqlite = loadQuietly();

const SET_BUSY_TIMEOUT = `pragma busy_timeout = ${LIMITS.sqliteBusyMs}`;

/** The busy timeout must be set first: another process may be creating the database at this very moment. */
export const openFile = (path: string): DatabaseSync => {
  const raw = new sqlite.DatabaseSync(path);
  raw.exec(SET_BUSY_TIMEOUT);
  return raw;
};

/** Whether a file may be a database with this table. It is not written to: it may belong to another program. */
export const mayHaveTable = (path: string, table: string): boolean => {
  try {
    const raw = new sqlite.DatabaseSync(path, { readOnly: true });
    try {
      raw.exec(SET_BUSY_TIMEOUT);
      return raw.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined;
    } finally {
      raw.close();
    }
  } catch {
    // Whoever opens it gets to know what is wrong with it.
    return true;
  }
};

/** The extended result code of an error, or NaN if it is none of SQLite. */
export const codeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) : Number.NaN;

/** Another connection holds the lock. */
export const isBusy = (error: unknown): boolean => (codeOf(error) & 0xff) === 5;

/**
 * Begins a transaction that writes. SQLite itself would wait for the lock by blocking the thread, and with it whatever
 * this process is doing, even the transaction that holds the lock.
 */
export const beginWriting = async (raw: DatabaseSync): Promise<void> => {
  for (const startedMs = performance.now(); ; await delay(LIMITS.sqliteRetryMs)) {
    try {
      raw.exec('pragma busy_timeout = 0; begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedMs > LIMITS.sqliteBusyMs) throw error;
    } finally {
      raw.exec(SET_BUSY_TIMEOUT);
    }
  }
};

/** Whether a statement returns rows. Without the driver's help, that is told by its words. */
export const returnsRows = (statement: StatementSync, text: string): boolean => {
  if (statement.columns !== undefined) return statement.columns().length > 0;
  if (/\breturning\b/i.test(text)) return true;
  return (
    /^\s*(?:select|with|values|pragma|explain)\b/i.test(text) && !/\b(?:insert into|update|delete from) "/i.test(text)
  );
};

/**
 * Prepares a statement to return rows as `toRow` takes them. The driver's own objects are dictionaries, which take twice as
 * long to make and to read as objects of one shape.
 */
export const shapeRows = (statement: StatementSync): ((row: unknown) => unknown) => {
  if (statement.setReturnArrays === undefined) return (row) => row;
  const names = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1)
      row[names[index] as string] = (values as readonly unknown[])[index];
    return row;
  };
};

/** Rows as lists of values, in the order of the columns. */
export function* iterateLists(statement: StatementSync, parameters: readonly SQLInputValue[]): Generator<object> {
  if (statement.setReturnArrays === undefined) {
    for (const row of statement.iterate(...parameters)) yield Object.values(row);
    return;
  }
  statement.setReturnArrays(true);
  yield* statement.iterate(...parameters) as Iterable<object>;
}

/** Rolls back what is open. When the disk is full, SQLite has done so by itself. */
export const rollBack = (raw: DatabaseSync): void => {
  if (raw.isTransaction === false) return;
  try {
    raw.exec('rollback');
  } catch (error) {
    if (raw.isTransaction !== undefined || !/no transaction is active/.test(String(error))) throw error;
  }
};
