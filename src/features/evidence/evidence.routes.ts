import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import { type App, sendParts } from '../../http/server.ts';
import * as contract from './evidence.contract.ts';
import * as service from './evidence.service.ts';
import type { LookDeps } from './streams.service.ts';

export const evidenceRoutes = (
  app: App,
  { database, compute }: { database: Database } & Omit<LookDeps, 'read'>,
): void => {
  app.get('/roll-events/evidence', { schema: contract.listEvidence }, async ({ context, query }, reply) => {
    const deps = { read: database.read, compute };
    return sendParts(reply, await service.listEvidence(deps, context, query.templateId, disconnectSignal(reply)));
  });
};
