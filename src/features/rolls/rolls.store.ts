import { insertInto } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';

/** Rows of the record, built from what the commands of a group have rolled. */
export const insertEvents = <Left>(gather: (left: readonly Left[]) => Omit<Tables['roll_events'], 'team_id'>[]) =>
  insertInto(
    'roll_events',
    {
      id: 'text',
      catalog_version: 'integer',
      template_id: 'text',
      roller_id: 'text',
      rolled_at: 'bigint',
      results: 'text',
    },
    { gather },
  );
