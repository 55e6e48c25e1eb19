import { sql } from 'kysely';
import { Type } from 'typebox';
import { type Database, NO_TEAM } from '../database/work.ts';
import { answers } from './schemas.ts';
import type { App } from './server.ts';

const Well = Type.Object({ status: Type.Literal('ok') });
const tags = ['Service'];
const open = { config: { access: 'public' } } as const;

/** What those who run the service ask it, without authorization. */
export const serviceRoutes = (app: App, { database }: { database: Database }): void => {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Whether the process is up',
        tags,
        security: [],
        response: { 200: Well },
      },
      ...open,
    },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether the database answers',
        tags,
        security: [],
        response: answers(Well, 503),
      },
      ...open,
    },
    async () => {
      await database.read(NO_TEAM, ({ queries }) => sql`select 1`.execute(queries));
      return { status: 'ok' as const };
    },
  );
};
