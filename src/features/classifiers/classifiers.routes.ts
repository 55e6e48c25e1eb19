import type { Database } from '../../database/database.ts';
import type { Command } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './classifiers.contract.ts';
import * as service from './classifiers.service.ts';

export const classifierRoutes = (app: App, { database, command }: { database: Database; command: Command }): void => {
  app.post('/classifiers', { schema: contract.createClassifier }, (request, reply) =>
    command(request, reply, (tx, { context, body }) => service.createClassifier(tx, context, body)),
  );

  app.get('/classifiers', { schema: contract.listClassifiers }, async (request, reply) => {
    const { context, query } = request;
    return sendPage(
      request,
      reply,
      await database.read((reader) => service.listClassifiers(reader, context, pageOf(query))),
    );
  });

  app.get('/classifiers/:id', { schema: contract.getClassifier }, ({ context, params }) =>
    database.read((reader) => service.getClassifier(reader, context, params.id)),
  );

  app.put('/classifiers/:id', { schema: contract.updateClassifier }, ({ context, params, body }) =>
    database.write((tx) => service.updateClassifier(tx, context, params.id, body)),
  );

  app.delete('/classifiers/:id', { schema: contract.deleteClassifier }, async ({ context, params }) => {
    await database.write((tx) => service.deleteClassifier(tx, context, params.id));
    return {};
  });
};
