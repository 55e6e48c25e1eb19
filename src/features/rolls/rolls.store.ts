import { rowsStatement } from '../../database/statement.ts';
import type { Tables } from '../../database/tables.ts';

export const insertEvents = rowsStatement<Tables['roll_events']>((queries, events) =>
  queries.insertInto('roll_events').values(
    events.map((event) => ({
      team_id: event.team_id,
      id: event.id,
      template_id: event.template_id,
      user_id: event.user_id,
      rolled_at: event.rolled_at,
      results: event.results,
    })),
  ),
);
