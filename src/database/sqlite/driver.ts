/** Node's own SQLite, and what it lacks in the oldest versions of Node that the package runs on, 22.13 to 22.15. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LIMITS } from '../../limits.ts';

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

/** The busy timeout must be set first: another process may be creating the database at this very moment. */
export const openFile = (path: string): DatabaseSync => {
  const raw = new sqlite.DatabaseSync(path);
  raw.exec(`pragma busy_timeout = ${LIMITS.sqliteBusyMs}`);
  return raw;
};

/** Whether a statement returns rows. Without the driver's help, that is told by its words. */
export const returnsRows = (statement: StatementSync, text: string): boolean => {
  if (statement.columns !== undefined) return statement.columns().length > 0;
  if (/\breturning\b/i.test(text)) return true;
  return (
    /^\s*(?:select|with|values|pragma|explain)\b/i.test(text) && !/\b(?:insert into|update|delete from) "/i.test(text)
  );
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
