import type { Database } from '../../database/work.ts';
import { sendEtag } from '../../http/etag.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { etagOf } from '../catalog/entities.service.ts';
import * as contract from './spaces.contract.ts';
import * as service from './spaces.service.ts';

export const spaceRoutes = (
  app: App,
  {
    database,
    change,
    inTransaction,
    changeEntity,
  }: { database: Database; changeEntity: ChangeEntity } & RequestRunners,
): void => {
  const config = { access: 'catalog' } as const;
  const onSend = sendEtag((body) => etagOf('space', body));
  app.post('/spaces', { schema: contract.createSpace, onSend, config }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.createSpace(tx, context, body, changeEntity)),
  );

  app.get('/spaces', { schema: contract.listSpaces }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read(context.teamId, (reader) => service.listSpaces(reader, query, pageOf(query)));
    return sendPage(request, reply, page);
  });

  app.get('/spaces/:id/user-spaces', { schema: contract.listUserSpacesOfSpace }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listUserSpaces(reader, params.id, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });

  app.get('/spaces/:id', { schema: contract.getSpace, onSend }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getSpace(reader, params.id)),
  );

  app.put('/spaces/:id', { schema: contract.updateSpace, onSend, config }, (request) =>
    inTransaction(request, (tx, { context, params, body, headers }) =>
      service.updateSpace(tx, context, params.id, body, changeEntity, headers['if-match']),
    ),
  );

  app.delete('/spaces/:id', { schema: contract.deleteSpace, config }, async (request) => {
    await inTransaction(request, (tx, { context, params, headers }) =>
      changeEntity(tx, context, { kind: 'space', id: params.id, edit: () => null, ifMatch: headers['if-match'] }),
    );
    return {};
  });
};
