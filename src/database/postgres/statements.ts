import { createHash } from 'node:crypto';
import { type Compilable, sql } from 'kysely';
import type { ColumnType, Lookup, Write } from '../declarations.ts';
import { lookupQuery, Parameter, parameter } from '../lookup-query.ts';
import type { Queries } from '../work.ts';
import { arrayOf } from './arrays.ts';

/** A prepared statement. The same text has the same name in every process. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const named = (text: string): Statement => ({
  name: `itemwright_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`,
  text,
});

export interface LookupStatement extends Statement {
  /** Each parameter is a constant, the team, or the values of one part of the keys. */
  readonly parameters: readonly unknown[];
  /** The types of the parts of the keys. */
  readonly types: readonly ColumnType[];
}

/** A single key needs no arrays, and is planned better without. */
export interface LookupStatements {
  readonly one: LookupStatement;
  readonly many: LookupStatement;
}

const listOf = (place: number, type: ColumnType) => sql`cast(${new Parameter(place)} as ${sql.raw(type)}[])`;

/** The rows of a page are one row with a list: the driver takes several times as long for each row by itself. */
const forOne = (lookup: Lookup, queries: Queries): Compilable => {
  const rows = lookupQuery(lookup, queries, (place, type) => parameter(new Parameter(place), type));
  if (!lookup.isPage) return rows;
  return { compile: () => sql`select coalesce(json_agg(found), '[]') from (${rows}) as found`.compile(queries) };
};

/**
 * Each row is returned with the number of its key, counted from one. Keys are processed in order, and so are their
 * locks. `offset 0` keeps the planner from turning the query of one key into a join over all rows of the team.
 */
const forMany = (lookup: Lookup, queries: Queries): Compilable => {
  const types = Object.values(lookup.keys);
  const rows = lookupQuery(lookup, queries, (place) => sql.ref(`key.k${place}`));
  const lists = types.map((type, place) => listOf(place, type));
  const columns = [...types.map((_, place) => sql.raw(`k${place}`)), sql.raw('number')];
  const query = sql`select key.number, found.* from unnest(${sql.join(lists)}) with ordinality as key(${sql.join(columns)})
    cross join lateral (${rows} offset 0) as found`;
  return { compile: () => query.compile(queries) };
};

export const compileLookup = (lookup: Lookup, queries: Queries): LookupStatements => {
  const compile = (query: Compilable): LookupStatement => {
    const { sql: text, parameters } = query.compile();
    return { ...named(text), parameters, types: Object.values(lookup.keys) };
  };
  const one = compile(forOne(lookup, queries));
  return { one, many: Object.keys(lookup.keys).length === 0 ? one : compile(forMany(lookup, queries)) };
};

export const quoted = (name: string): string => `"${name}"`;
export const list = (names: readonly string[]): string => names.map(quoted).join(', ');

/** A single row needs no arrays, and is written faster without. */
export interface WriteStatements {
  readonly one: Statement;
  readonly many: Statement;
  /**
   * For distributed tables. Rows that come from the parameters alone would be collected by the server that was asked, and
   * committed in two phases; joined with the row of the team they are written where the team is.
   */
  readonly manyDistributed: Statement;
}

/** Where the values of the rows come from. */
interface Given {
  readonly value: (name: string, type: ColumnType, place: number) => string;
  /** The rows, unless there is only one. */
  readonly rows?: string;
  /** Turns the values of a row into the source of an insert. */
  readonly source: (values: string) => string;
}

const writeFrom = ({ mode, table, columns, key }: Write<unknown>, { value, rows, source }: Given): Statement => {
  const names = columns.map(([name]) => name);
  const values = new Map(columns.map(([name, type], place) => [name, value(name, type, place)]));
  const assigned = names.filter((name) => !key.includes(name)).map((name) => [name, values.get(name)]);
  const isKey = [
    `${quoted(table)}.team_id = $1`,
    ...key.map((name) => `${quoted(table)}.${quoted(name)} = ${values.get(name)}`),
  ].join(' and ');
  if (mode === 'delete')
    return named(`delete from ${quoted(table)}${rows === undefined ? '' : ` using ${rows}`} where ${isKey}`);
  if (mode === 'update') {
    const set = assigned.map(([name, expression]) => `${quoted(name as string)} = ${expression}`).join(', ');
    const from = rows === undefined ? '' : ` from ${rows}`;
    return named(`update ${quoted(table)} set ${set}${from} where ${isKey}`);
  }
  const insert = `insert into ${quoted(table)} (team_id, ${list(names)}) ${source([...values.values()].join(', '))}`;
  if (mode === 'insert') return named(insert);
  const conflict = `on conflict (team_id, ${list(key)})`;
  if (mode === 'ensure') return named(`${insert} ${conflict} do nothing`);
  const set = assigned.map(([name]) => `${quoted(name as string)} = excluded.${quoted(name as string)}`).join(', ');
  return named(`${insert} ${conflict} do update set ${set}`);
};

/** The first parameter is the team; each other one has the value of a column, or all of its values. */
export const compileWrite = (write: Write<unknown>): WriteStatements => {
  const lists = write.columns.map(([, type], place) => `$${place + 2}::${type}[]`).join(', ');
  const rows = `unnest(${lists}) as given(${list(write.columns.map(([name]) => name))})`;
  const value = (name: string): string => `given.${quoted(name)}`;
  return {
    one: writeFrom(write, {
      value: (_name, type, place) => `$${place + 2}::${type}`,
      source: (values) => `values ($1::text, ${values})`,
    }),
    many: writeFrom(write, { value, rows, source: (values) => `select $1::text, ${values} from ${rows}` }),
    manyDistributed: writeFrom(write, {
      value,
      rows,
      source: (values) => `select teams.id, ${values} from teams cross join ${rows} where teams.id = $1`,
    }),
  };
};

/** The parameters of a lookup for these keys. */
export const lookupValues = (
  { parameters, types }: LookupStatement,
  teamId: string,
  keys: readonly (readonly (string | number)[])[],
): unknown[] =>
  parameters.map((given) => {
    if (!(given instanceof Parameter)) return given;
    if (given.place < 0) return teamId;
    if (keys.length === 1) return keys[0]?.[given.place];
    return arrayOf(
      types[given.place] as ColumnType,
      keys.map((key) => key[given.place]),
    );
  });

export const writeValues = ({ columns }: Write<unknown>, teamId: string, rows: readonly unknown[]): unknown[] => {
  const valuesOf = (name: string): unknown[] => rows.map((row) => (row as Record<string, unknown>)[name]);
  return [
    teamId,
    ...columns.map(([name, type]) => (rows.length === 1 ? valuesOf(name)[0] : arrayOf(type, valuesOf(name)))),
  ];
};
