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

const forOne = (lookup: Lookup, queries: Queries): Compilable =>
  lookupQuery(lookup, queries, (place, type) => parameter(new Parameter(place), type));

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

/** Writes any number of rows: the first parameter is the team, each other one has all values of a column. */
export const compileWrite = ({ mode, table, columns, key }: Write<unknown>): Statement => {
  const names = columns.map(([name]) => name);
  const given = columns.map(([, type], place) => `$${place + 2}::${type}[]`).join(', ');
  const rows = `unnest(${given}) as given(${list(names)})`;
  const isKey = [
    `${quoted(table)}.team_id = $1`,
    ...key.map((name) => `${quoted(table)}.${quoted(name)} = given.${quoted(name)}`),
  ];
  const rest = names.filter((name) => !key.includes(name));
  if (mode === 'delete') return named(`delete from ${quoted(table)} using ${rows} where ${isKey.join(' and ')}`);
  if (mode === 'update') {
    const values = rest.map((name) => `${quoted(name)} = given.${quoted(name)}`).join(', ');
    return named(`update ${quoted(table)} set ${values} from ${rows} where ${isKey.join(' and ')}`);
  }
  const insert = `insert into ${quoted(table)} (team_id, ${list(names)}) select $1::text, ${list(names)} from ${rows}`;
  if (mode === 'insert') return named(insert);
  const conflict = `on conflict (team_id, ${list(key)})`;
  if (mode === 'ensure') return named(`${insert} ${conflict} do nothing`);
  const values = rest.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
  return named(`${insert} ${conflict} do update set ${values}`);
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

export const writeValues = ({ columns }: Write<unknown>, teamId: string, rows: readonly unknown[]): unknown[] => [
  teamId,
  ...columns.map(([name, type]) =>
    arrayOf(
      type,
      rows.map((row) => (row as Record<string, unknown>)[name]),
    ),
  ),
];
