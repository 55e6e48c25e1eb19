import type { Database } from '../../database/work.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import { type App, sendParts } from '../../http/server.ts';
import { documentParts, readDocument } from './document.service.ts';
import * as contract from './versions.contract.ts';
import * as service from './versions.service.ts';

const momentOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

export const versionRoutes = (app: App, { database }: { database: Database }): void => {
  app.get('/catalog', { schema: contract.getCatalog }, async ({ context, query }, reply) => {
    const document = await database.read(context.teamId, (reader) => readDocument(reader, query.version));
    return sendParts(reply.header('etag', `"${document.version}"`), documentParts(document));
  });

  app.get('/catalog/versions', { schema: contract.listVersions }, async (request, reply) => {
    const { context, query } = request;
    const { kind, id, author, from, to } = query;
    const filter = { kind, id, author, fromMs: momentOf(from), toMs: momentOf(to) };
    return sendPage(
      request,
      reply,
      await database.read(context.teamId, (reader) => service.listVersions(reader, filter, pageOf(query))),
    );
  });

  app.get('/catalog/versions/:version', { schema: contract.getVersion }, async ({ context, params }, reply) =>
    sendParts(reply, service.versionParts(database.read, context.teamId, params.version)),
  );
};
