import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './classifiers.contract.ts';
import * as service from './classifiers.service.ts';

export const classifierRoutes = (
  app: App,
  { database, change, inTransaction }: { database: Database } & RequestRunners,
): void => {
  app.post('/classifiers', { schema: contract.createClassifier }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.createClassifier(tx, context, body)),
  );

  app.get('/classifiers', { schema: contract.listClassifiers }, async (request, reply) => {
    const { context, query } = request;
    return sendTextPage(
      request,
      reply,
      await database.read(context.teamId, (reader) => service.listClassifiers(reader, context, pageOf(query))),
    );
  });

  app.get('/classifiers/:id', { schema: contract.getClassifier }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getClassifier(reader, context, params.id)),
  );

  app.put('/classifiers/:id', { schema: contract.updateClassifier }, (request) =>
    inTransaction(request, (tx, { context, params, body }) => service.updateClassifier(tx, context, params.id, body)),
  );

  app.delete('/classifiers/:id', { schema: contract.deleteClassifier }, async (request) => {
    await inTransaction(request, (tx, { context, params }) => service.deleteClassifier(tx, context, params.id));
    return {};
  });
};
