import type { Database } from '../../database/work.ts';
import { sendEtag } from '../../http/etag.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { etagOf } from '../catalog/entities.service.ts';
import * as contract from './templates.contract.ts';
import * as service from './templates.service.ts';

export const templateRoutes = (
  app: App,
  {
    database,
    change,
    inTransaction,
    changeEntity,
  }: { database: Database; changeEntity: ChangeEntity } & RequestRunners,
): void => {
  const config = { access: 'catalog' } as const;
  const onSend = sendEtag((body) => etagOf('template', body));
  app.post('/templates', { schema: contract.createTemplate, onSend, config }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.createTemplate(tx, context, body, changeEntity)),
  );

  app.get('/templates', { schema: contract.listTemplates }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listTemplates(reader, context, {}, pageOf(query)),
    );
    return sendTextPage(request, reply, page);
  });

  app.get('/templates/type/:type', { schema: contract.listTemplatesOfType }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listTemplates(reader, context, params, pageOf(query)),
    );
    return sendTextPage(request, reply, page);
  });

  app.get('/templates/:id', { schema: contract.getTemplate, onSend }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getTemplate(reader, params.id)),
  );

  app.put('/templates/:id', { schema: contract.updateTemplate, onSend, config }, (request) =>
    inTransaction(request, (tx, { context, params, body, headers }) =>
      service.updateTemplate(tx, context, params.id, body, changeEntity, headers['if-match']),
    ),
  );

  app.delete('/templates/:id', { schema: contract.deleteTemplate, config }, async (request) => {
    await inTransaction(request, (tx, { context, params, headers }) =>
      changeEntity(tx, context, { kind: 'template', id: params.id, edit: () => null, ifMatch: headers['if-match'] }),
    );
    return {};
  });
};
