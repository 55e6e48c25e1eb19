import type { Database } from '../../database/work.ts';
import { sendEtag } from '../../http/etag.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { etagOf } from '../catalog/entities.service.ts';
import * as contract from './attributes.contract.ts';
import * as service from './attributes.service.ts';

export const attributeRoutes = (
  app: App,
  {
    database,
    change,
    inTransaction,
    changeEntity,
  }: { database: Database; changeEntity: ChangeEntity } & RequestRunners,
): void => {
  const config = { access: 'catalog' } as const;
  const onSend = sendEtag((body) => etagOf('attribute', body));
  app.post('/attributes', { schema: contract.createAttribute, onSend, config }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.createAttribute(tx, context, body, changeEntity)),
  );

  app.get('/attributes', { schema: contract.listAttributes }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listAttributes(reader, context, query, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });

  app.get('/attributes/:id', { schema: contract.getAttribute, onSend }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getAttribute(reader, context, params.id)),
  );

  app.put('/attributes/:id', { schema: contract.updateAttribute, onSend, config }, (request) =>
    inTransaction(request, (tx, { context, params, body, headers }) =>
      service.updateAttribute(tx, context, params.id, body, changeEntity, headers['if-match']),
    ),
  );

  app.delete('/attributes/:id', { schema: contract.deleteAttribute, config }, async (request) => {
    await inTransaction(request, (tx, { context, params, headers }) =>
      changeEntity(tx, context, { kind: 'attribute', id: params.id, edit: () => null, ifMatch: headers['if-match'] }),
    );
    return {};
  });
};
