import type { Database } from '../../database/work.ts';
import { sendEtag } from '../../http/etag.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { etagOf } from '../catalog/entities.service.ts';
import * as contract from './items.contract.ts';
import * as service from './items.service.ts';

export const itemRoutes = (
  app: App,
  {
    database,
    change,
    inTransaction,
    changeEntity,
  }: { database: Database; changeEntity: ChangeEntity } & RequestRunners,
): void => {
  const config = { access: 'catalog' } as const;
  const onSend = sendEtag((body) => etagOf('item', body));
  app.post('/items', { schema: contract.createItem, onSend, config }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.createItem(tx, context, body, changeEntity)),
  );

  app.get('/items', { schema: contract.listItems }, async (request, reply) => {
    const { context, query } = request;
    return sendTextPage(
      request,
      reply,
      await database.read(context.teamId, (reader) => service.listItems(reader, context, pageOf(query))),
    );
  });

  app.get('/items/:id', { schema: contract.getItem, onSend }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getItem(reader, context, params.id)),
  );

  app.put('/items/:id', { schema: contract.updateItem, onSend, config }, (request) =>
    inTransaction(request, (tx, { context, params, body, headers }) =>
      service.updateItem(tx, context, params.id, body, changeEntity, headers['if-match']),
    ),
  );

  app.delete('/items/:id', { schema: contract.deleteItem, config }, async (request) => {
    await inTransaction(request, (tx, { context, params, headers }) =>
      changeEntity(tx, context, {
        kind: 'item',
        id: params.id,
        edit: () => null,
        ifMatch: headers['if-match'],
        excludesGrids: true,
      }),
    );
    return {};
  });
};
