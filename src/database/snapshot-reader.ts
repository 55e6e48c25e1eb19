import { sql } from 'kysely';
import type { Reader, Snapshot } from './work.ts';

/** Reads of one team in a snapshot of the whole database. */
export const readerOn = ({ queries }: Snapshot, teamId: string): Pick<Reader, 'queries' | 'teamId' | 'find'> => ({
  queries,
  teamId,
  find: async ({ keys, build }, key) => {
    const given = <T>(value: unknown, type: string) => sql<T>`cast(${value} as ${sql.raw(type)})`;
    const parts = Object.entries(keys).map(([name, type]) => [name, given(key[name], type)]);
    const query = build(queries, given(teamId, 'text'), Object.fromEntries(parts));
    return (await queries.executeQuery(query.compile())).rows;
  },
});
