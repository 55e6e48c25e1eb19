import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import { sendTextEtag } from '../../http/etag.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { bytesOf, largeBody, withLargeBodies } from '../../http/large-bodies.ts';
import { type App, sendText } from '../../http/server.ts';
import { LIMITS } from '../../shared/limits.ts';
import * as contract from './drafts.contract.ts';
import * as service from './drafts.service.ts';
import type { PublishingDeps } from './publishing.service.ts';

export const draftRoutes = (
  app: App,
  {
    database,
    compute,
    readWhole,
    change,
    inTransaction,
  }: { database: Database } & Omit<PublishingDeps, 'read'> & RequestRunners,
): void => {
  const config = { access: 'catalog' } as const;
  const onSend = sendTextEtag(service.etagOfDraft);

  app.get('/catalog/drafts', { schema: contract.listDrafts }, ({ context }) =>
    database.read(context.teamId, service.listDrafts),
  );

  app.get('/catalog/drafts/:id', { schema: contract.getDraft, onSend }, async ({ context, params }, reply) =>
    sendText(reply, await database.read(context.teamId, (reader) => service.getDraft(reader, params.id))),
  );

  withLargeBodies(app, (scope) => {
    const options = { ...largeBody, config, onSend } as const;
    scope.post('/catalog/drafts', { schema: contract.createDraft, ...options }, async (request, reply) => {
      const { context } = request;
      const given = await service.readGiven(
        compute,
        context.teamId,
        bytesOf(request),
        'create',
        disconnectSignal(reply),
      );
      return sendText(reply, await change(request, reply, (tx) => service.createDraft(tx, context, given)));
    });

    scope.put('/catalog/drafts/:id', { schema: contract.updateDraft, ...options }, async (request, reply) => {
      const { context, params, headers } = request;
      const given = await service.readGiven(
        compute,
        context.teamId,
        bytesOf(request),
        'update',
        disconnectSignal(reply),
      );
      return sendText(
        reply,
        await inTransaction(request, (tx) => service.updateDraft(tx, context, params.id, given, headers['if-match'])),
      );
    });
  });

  app.delete('/catalog/drafts/:id', { schema: contract.deleteDraft, config }, async (request) => {
    await inTransaction(request, (tx, { params, headers }) => service.deleteDraft(tx, params.id, headers['if-match']));
    return {};
  });

  app.post('/catalog/drafts/:id/publish', { schema: contract.publishDraft, config }, (request, reply) => {
    const { context, params, body, exchange } = request;
    const deps = { read: database.read, compute, readWhole };
    const publish = service.publishDraft(deps, context, params.id, body, disconnectSignal(reply));
    return exchange.allow(LIMITS.catalogWorkMs, change(request, reply, publish));
  });
};
