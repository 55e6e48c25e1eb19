import { type Compilable, type Expression, sql } from 'kysely';
import type { Lookup } from './declarations.ts';

/** A placeholder in a compiled query for a value that is given when the query runs. */
export class Parameter {
  /** The position of the value in the key; -1 is the team. */
  readonly place: number;

  constructor(place: number) {
    this.place = place;
  }
}

export const TEAM = new Parameter(-1);

/** A placeholder in a query. It is cast, since an engine may not be able to infer the type. */
export const parameter = <T>(value: Parameter, type: string): Expression<T> =>
  sql<T>`cast(${value} as ${sql.raw(type)})`;

/** Builds the query of a lookup, with an expression in place of each part of its key. */
export const lookupQuery = (
  { keys, build }: Lookup,
  queries: Parameters<Lookup['build']>[0],
  partOfKey: (place: number, type: string) => Expression<never>,
): Compilable & Expression<unknown> => {
  const parts = Object.entries(keys).map(([name, type], place) => [name, partOfKey(place, type)]);
  return build(queries, parameter<string>(TEAM, 'text'), Object.fromEntries(parts));
};
