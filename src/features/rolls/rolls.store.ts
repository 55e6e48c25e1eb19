import { sql } from 'kysely';
import { rowsStatement, statement } from '../../database/statement.ts';
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

/** Plain rolls of one day, with the version of the catalog on which they were made. */
interface RollsOfVersion {
  readonly teamId: string;
  readonly version: string;
  readonly eventId: string;
  readonly rolledAt: number;
  readonly results: string;
  readonly pendingId: string;
  readonly day: string;
  readonly rolls: number;
  readonly counts: string;
}

/**
 * Records and counts plain rolls in one statement, if the catalog still has the version on which they were made; answers
 * the version that it has. Only for engines on which one statement can write to several tables.
 */
export const insertIfCurrent = statement<RollsOfVersion, { version: string }>((queries, given) =>
  queries
    .with('team', (query) => query.selectFrom('teams').select('catalog_version').where('id', '=', given.teamId))
    .with('event', (query) =>
      query
        .insertInto('roll_events')
        .columns(['team_id', 'id', 'rolled_at', 'results'])
        .expression((eb) =>
          eb
            .selectFrom('team')
            .select([
              sql<string>`cast(${given.teamId} as text)`.as('team_id'),
              sql<string>`cast(${given.eventId} as text)`.as('id'),
              sql<number>`cast(${given.rolledAt} as bigint)`.as('rolled_at'),
              sql<string>`cast(${given.results} as text)`.as('results'),
            ])
            .where('catalog_version', '=', given.version),
        )
        .returning('id'),
    )
    .with('pending', (query) =>
      query
        .insertInto('roll_pending')
        .columns(['team_id', 'id', 'template_id', 'day', 'rolls', 'counts'])
        .expression((eb) =>
          eb
            .selectFrom('team')
            .select([
              sql<string>`cast(${given.teamId} as text)`.as('team_id'),
              sql<string>`cast(${given.pendingId} as text)`.as('id'),
              sql<string>`''`.as('template_id'),
              sql<string>`cast(${given.day} as text)`.as('day'),
              sql<number>`cast(${given.rolls} as bigint)`.as('rolls'),
              sql<string>`cast(${given.counts} as text)`.as('counts'),
            ])
            .where('catalog_version', '=', given.version),
        )
        .returning('id'),
    )
    .selectFrom('team')
    .select('catalog_version as version'),
);
