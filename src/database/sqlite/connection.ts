import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type RawNode, type SelectModifierNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import type { Lookup, Write } from '../declarations.ts';
import { createQueries } from '../kysely.ts';
import { lookupQuery, Parameter, parameter } from '../lookup-query.ts';
import type { Tables } from '../tables.ts';
import type { Queries } from '../work.ts';
import { beginWriting, openFile, returnsRows, shapeRows } from './driver.ts';

/** Kysely assumes that SQLite cannot roll back DDL. It can, so a failed migration leaves nothing behind. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const LOCKS: ReadonlySet<unknown> = new Set(['ForUpdate', 'SkipLocked']);

/**
 * SQLite has a single writer, which in effect holds every row, so row locks are left out of queries. It compares texts byte
 * by byte, so that need not be asked for either.
 */
class PlainCompiler extends SqliteQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const sqlFragments = node.sqlFragments.map((text) => text.replace(' collate "C"', ''));
    super.visitRaw({ ...node, sqlFragments });
  }

  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }
}

/** A statement that is being iterated cannot be used by others. */
interface Prepared {
  readonly statement: StatementSync;
  /** Makes a row of what the statement returns. */
  readonly toRow: (row: unknown) => unknown;
  isInUse: boolean;
}

interface PreparedQuery extends Prepared {
  readonly isReading: boolean;
}

interface PreparedLookup extends Prepared {
  /** Each parameter is a constant, or a part of the key. */
  readonly parameters: readonly unknown[];
}

interface PreparedWrite {
  readonly statement: StatementSync;
  /** Columns, in the order of the parameters. */
  readonly parameters: readonly string[];
}

export interface Connection {
  readonly raw: DatabaseSync;
  readonly queries: Queries;
  /** The rows of one key. */
  find(lookup: Lookup, teamId: string, key: readonly (string | number)[]): unknown[];
  /** Like `find`, for keys that may have very many rows. */
  findInTurns(lookup: Lookup, teamId: string, key: readonly (string | number)[]): Promise<unknown[]>;
  /** Writes one row, and returns the number of changed rows. */
  write(write: Write<unknown>, teamId: string, row: unknown): number;
}

const quoted = (name: string): string => `"${name}"`;

const TEAM = 'team_id';

/** A statement that writes one row, and the columns whose values are its parameters, in order. */
interface WriteText {
  readonly text: string;
  readonly parameters: readonly string[];
}

const writeText = ({ mode, table, columns, key }: Write<unknown>): WriteText => {
  const names = [TEAM, ...columns.map(([name]) => name)];
  const keyNames = [TEAM, ...key];
  const equal = (name: string) => `${quoted(name)} = ?`;
  const isKey = keyNames.map(equal).join(' and ');
  const rest = names.filter((name) => !keyNames.includes(name));
  if (mode === 'delete') return { text: `delete from ${quoted(table)} where ${isKey}`, parameters: keyNames };
  if (mode === 'update') {
    const text = `update ${quoted(table)} set ${rest.map(equal).join(', ')} where ${isKey}`;
    return { text, parameters: [...rest, ...keyNames] };
  }
  const places = names.map(() => '?').join(', ');
  const insert = `insert into ${quoted(table)} (${names.map(quoted).join(', ')}) values (${places})`;
  if (mode === 'insert') return { text: insert, parameters: names };
  const conflict = `on conflict (${keyNames.map(quoted).join(', ')})`;
  if (mode === 'ensure') return { text: `${insert} ${conflict} do nothing`, parameters: names };
  const overwritten = rest.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
  return { text: `${insert} ${conflict} do update set ${overwritten}`, parameters: names };
};

/** All rows of a statement, letting other work run in between: there may be a hundred thousand. */
const allInTurns = async (prepared: Prepared, values: readonly SQLInputValue[]): Promise<unknown[]> => {
  const rows: unknown[] = [];
  prepared.isInUse = true;
  try {
    for (const row of prepared.statement.iterate(...values))
      if (rows.push(prepared.toRow(row)) % LIMITS.rowsPerTurnCheck === 0) await takeTurns();
  } finally {
    prepared.isInUse = false;
  }
  return rows;
};

export const connect = (path: string, cacheKib: number): Connection => {
  const raw = openFile(path);
  raw.exec(
    `pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = ${LIMITS.sqliteLastCheckpointPages}; pragma foreign_keys = on; pragma cache_size = -${cacheKib}; pragma temp_store = memory`,
  );
  // Preparing costs more than running, and there are few distinct statements: cache them, and drop all if there are too
  // many.
  const statements = new Map<string, PreparedQuery>();
  const prepare = (text: string): PreparedQuery => {
    const known = statements.get(text);
    if (known !== undefined && !known.isInUse) return known;
    const statement = raw.prepare(text);
    const isReading = returnsRows(statement, text);
    const prepared = { statement, isReading, toRow: shapeRows(statement), isInUse: false };
    if (statements.size >= LIMITS.sqliteStatements) statements.clear();
    statements.set(text, prepared);
    return prepared;
  };

  const queries = createQueries<Tables>({
    adapter: new TransactionalDdlAdapter(),
    compiler: new PlainCompiler(),
    introspector: (db) => new SqliteIntrospector(db),
    run: async (text, parameters) => {
      await takeTurns();
      // Taking the write lock at once makes a migration's transaction a lock between processes.
      if (text === 'begin') {
        await beginWriting(raw);
        return { rows: [] };
      }
      const prepared = prepare(text);
      const values = parameters as SQLInputValue[];
      if (!prepared.isReading) return { rows: [], numAffectedRows: BigInt(prepared.statement.run(...values).changes) };
      return { rows: await allInTurns(prepared, values) };
    },
  });

  const lookups = new Map<Lookup, PreparedLookup>();
  const prepareLookup = (lookup: Lookup): PreparedLookup => {
    let prepared = lookups.get(lookup);
    if (prepared === undefined || prepared.isInUse) {
      const query = lookupQuery(lookup, queries, (place, type) => parameter(new Parameter(place), type));
      const { sql, parameters } = query.compile();
      const statement = raw.prepare(sql);
      prepared = { statement, toRow: shapeRows(statement), parameters, isInUse: false };
      lookups.set(lookup, prepared);
    }
    return prepared;
  };

  const writes = new Map<Write<unknown>, PreparedWrite>();
  const prepareWrite = (write: Write<unknown>): PreparedWrite => {
    let prepared = writes.get(write);
    if (prepared === undefined) {
      const { text, parameters } = writeText(write);
      prepared = { statement: raw.prepare(text), parameters };
      writes.set(write, prepared);
    }
    return prepared;
  };

  const valuesOf = (
    { parameters }: PreparedLookup,
    teamId: string,
    key: readonly (string | number)[],
  ): SQLInputValue[] => {
    const values = new Array<SQLInputValue>(parameters.length);
    for (let index = 0; index < parameters.length; index += 1) {
      const given = parameters[index];
      if (!(given instanceof Parameter)) values[index] = given as SQLInputValue;
      else values[index] = given.place < 0 ? teamId : (key[given.place] as SQLInputValue);
    }
    return values;
  };

  return {
    raw,
    queries,
    find: (lookup, teamId, key) => {
      const prepared = prepareLookup(lookup);
      return prepared.statement.all(...valuesOf(prepared, teamId, key)).map(prepared.toRow);
    },
    findInTurns: (lookup, teamId, key) => {
      const prepared = prepareLookup(lookup);
      return allInTurns(prepared, valuesOf(prepared, teamId, key));
    },
    write: (write, teamId, row) => {
      const { statement, parameters } = prepareWrite(write);
      const values: SQLInputValue[] = [];
      for (const name of parameters)
        values.push(name === TEAM ? teamId : ((row as Record<string, SQLInputValue>)[name] as SQLInputValue));
      return Number(statement.run(...values).changes);
    },
  };
};
