import type { Database } from '../../database/work.ts';
import { type App, sendText } from '../../http/server.ts';
import { LIMITS } from '../../limits.ts';
import * as contract from './snapshots.contract.ts';
import * as service from './snapshots.service.ts';

export const snapshotRoutes = (app: App, { database }: { database: Database }): void => {
  app.get(
    '/public/:teamId/snapshots/:hash',
    { schema: contract.getSnapshot, config: { access: 'public' } },
    async ({ params: { teamId, hash } }, reply) => {
      const text = await database.read(teamId, (reader) => service.getPublishedSnapshot(reader, hash));
      // The text of a hash never changes.
      reply.header('cache-control', `public, max-age=${LIMITS.snapshotAgeS}, immutable`);
      return sendText(reply, text);
    },
  );
};
