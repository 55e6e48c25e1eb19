import type { Database } from '../../database/database.ts';
import type { Command } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './spaces.contract.ts';
import * as service from './spaces.service.ts';

export const spaceRoutes = (app: App, { database, command }: { database: Database; command: Command }): void => {
  app.post('/spaces', { schema: contract.createSpace }, (request, reply) =>
    command(request, reply, (tx, { context, body }) => service.createSpace(tx, context, body)),
  );

  app.get('/spaces', { schema: contract.listSpaces }, async (request, reply) => {
    const { context, query } = request;
    return sendPage(
      request,
      reply,
      await database.read((reader) => service.listSpaces(reader, context, query, pageOf(query))),
    );
  });

  app.get('/spaces/:id', { schema: contract.getSpace }, ({ context, params }) =>
    database.read((reader) => service.getSpace(reader, context, params.id)),
  );

  app.put('/spaces/:id', { schema: contract.updateSpace }, ({ context, params, body }) =>
    database.write((tx) => service.updateSpace(tx, context, params.id, body)),
  );

  app.delete('/spaces/:id', { schema: contract.deleteSpace }, async ({ context, params }) => {
    await database.write((tx) => service.deleteSpace(tx, context, params.id));
    return {};
  });

  app.post('/users/:userId/spaces', { schema: contract.createUserSpace }, (request, reply) =>
    command(request, reply, (tx, { context, params, body }) =>
      service.createUserSpace(tx, context, params.userId, body),
    ),
  );

  app.get('/users/:userId/spaces', { schema: contract.listUserSpaces }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read((reader) => service.listUserSpaces(reader, context, params.userId, pageOf(query)));
    return sendPage(request, reply, page);
  });

  app.delete('/users/:userId/spaces/:id', { schema: contract.deleteUserSpace }, async ({ context, params }) => {
    await database.write((tx) => service.deleteUserSpace(tx, context, params.userId, params.id));
    return {};
  });
};
