import { sendPrepared } from '../../http/prepared-responses.ts';
import type { App } from '../../http/server.ts';
import { LIMITS } from '../../shared/limits.ts';
import * as contract from './public-snapshots.contract.ts';
import type { PublicSnapshots } from './public-snapshots.service.ts';

const kind = {
  type: 'application/json; charset=utf-8',
  // The text of a hash never changes.
  cacheControl: `public, max-age=${LIMITS.snapshotAgeS}, immutable`,
};

export const snapshotRoutes = (app: App, { publicSnapshots }: { publicSnapshots: PublicSnapshots }): void => {
  app.get(
    '/public/:teamId/snapshots/:hash',
    { schema: contract.getSnapshot, config: { access: 'public' } },
    async (request, reply) => {
      const { teamId, hash } = request.params;
      return sendPrepared(request, reply, await publicSnapshots(teamId, hash), kind);
    },
  );
};
