import type { Database } from '../../database/work.ts';
import { sendEtag } from '../../http/etag.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { etagOf } from '../catalog/entities.service.ts';
import * as contract from './classifiers.contract.ts';
import * as service from './classifiers.service.ts';

export const classifierRoutes = (
  app: App,
  {
    database,
    change,
    inTransaction,
    changeEntity,
  }: { database: Database; changeEntity: ChangeEntity } & RequestRunners,
): void => {
  const config = { access: 'catalog' } as const;
  const onSend = sendEtag((body) => etagOf('classifier', body));
  app.post('/classifiers', { schema: contract.createClassifier, onSend, config }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.createClassifier(tx, context, body, changeEntity)),
  );

  app.get('/classifiers', { schema: contract.listClassifiers }, async (request, reply) => {
    const { context, query } = request;
    return sendTextPage(
      request,
      reply,
      await database.read(context.teamId, (reader) => service.listClassifiers(reader, context, pageOf(query))),
    );
  });

  app.get('/classifiers/:id', { schema: contract.getClassifier, onSend }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getClassifier(reader, context, params.id)),
  );

  app.put('/classifiers/:id', { schema: contract.updateClassifier, onSend, config }, (request) =>
    inTransaction(request, (tx, { context, params, body, headers }) =>
      service.updateClassifier(tx, context, params.id, body, changeEntity, headers['if-match']),
    ),
  );

  app.delete('/classifiers/:id', { schema: contract.deleteClassifier, config }, async (request) => {
    await inTransaction(request, (tx, { context, params, headers }) =>
      changeEntity(tx, context, { kind: 'classifier', id: params.id, edit: () => null, ifMatch: headers['if-match'] }),
    );
    return {};
  });
};
