import { type Compilable, type Expression, sql } from 'kysely';
import type { Lookup } from './declarations.ts';

/** Stands among the parameters of a compiled query for a value that is given when the query runs. */
export class Parameter {
  /** The place of the value among those of the key; the team is at -1. */
  readonly place: number;

  constructor(place: number) {
    this.place = place;
  }
}

export const TEAM = new Parameter(-1);

/** A parameter as part of a query. It bears its type, since an engine may see nothing to tell it by. */
export const parameter = <T>(value: Parameter, type: string): Expression<T> =>
  sql<T>`cast(${value} as ${sql.raw(type)})`;

/** The query of a lookup, with something in place of each part of its key. */
export const lookupQuery = (
  { keys, build }: Lookup,
  queries: Parameters<Lookup['build']>[0],
  partOfKey: (place: number, type: string) => Expression<never>,
): Compilable & Expression<unknown> => {
  const parts = Object.entries(keys).map(([name, type], place) => [name, partOfKey(place, type)]);
  return build(queries, parameter<string>(TEAM, 'text'), Object.fromEntries(parts));
};
