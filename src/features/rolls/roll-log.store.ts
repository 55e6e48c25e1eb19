import { rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';

export type EventRow = Omit<Tables['roll_events'], 'team_id' | 'rolled_at'> & { readonly created_at: number };

/** The ids between which events lie: `from` inclusive, `before` exclusive. */
export interface IdRange {
  readonly from: string | undefined;
  readonly before: string | undefined;
}

/** The newest events of a team or of one roller, newest first: ids begin with the time. */
export const selectEvents = (
  reader: Reader,
  rollerId: string | undefined,
  { from, before }: IdRange,
  limit: number,
): Promise<EventRow[]> => {
  let query = rowsOf('roll_events', reader)
    .select(['id', 'catalog_version', 'template_id', 'roller_id', 'rolled_at as created_at', 'results', 'details'])
    .orderBy('id', 'desc')
    .limit(limit);
  if (rollerId !== undefined) query = query.where('roller_id', '=', rollerId);
  if (from !== undefined) query = query.where('id', '>=', from);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
};
