import { sql } from 'kysely';
import { LATEST, MIGRATIONS } from '../../src/database/migrate.ts';
import type { Migrations } from '../../src/database/work.ts';

const number = String(Number(LATEST.slice(0, 4)) + 1).padStart(4, '0');

/** The name of a migration that the next version might have. */
export const NEXT_NAME = `${number}-next`;

/** The migrations of a version after this one. */
export const NEXT: Migrations = {
  ...MIGRATIONS,
  [NEXT_NAME]: {
    expand: async (schema) => {
      await sql`alter table items add column note text`.execute(schema);
    },
    contract: async (schema) => {
      await sql`alter table items drop column note`.execute(schema);
      await sql`create table notes (team_id text not null, id text not null, primary key (team_id, id))`.execute(
        schema,
      );
    },
  },
};
