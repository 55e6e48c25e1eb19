import type { CompiledQuery } from 'kysely';
import type { Snapshot } from '../../database/work.ts';

/** Called for each inconsistency, with a description. */
export type Report = (teamId: string, finding: string) => void;

export type Check = (snapshot: Snapshot, report: Report) => Promise<number>;

/** Calls a function for each row and returns the number of rows. */
export const forEachRow = async <Row>(
  snapshot: Snapshot,
  query: CompiledQuery<Row>,
  look: (row: Row) => void,
): Promise<number> => {
  let count = 0;
  for await (const rows of snapshot.stream(query)) {
    count += rows.length;
    for (const row of rows) look(row);
  }
  return count;
};
