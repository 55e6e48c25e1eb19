import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import { type App, sendParts } from '../../http/server.ts';
import { documentParts, type EffectDeps, effectOf, readDocument } from './document.service.ts';
import * as contract from './versions.contract.ts';
import * as service from './versions.service.ts';

const momentOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));

export const versionRoutes = (
  app: App,
  { database, compute, readWhole }: { database: Database } & Omit<EffectDeps, 'read'>,
): void => {
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

  app.get('/catalog/versions/:version', { schema: contract.getVersion }, async ({ context, params, query }, reply) => {
    const version = await service.getVersion(database.read, context.teamId, params.version);
    const effect = await effectOf(
      { read: database.read, compute, readWhole },
      context.teamId,
      version,
      query.pools,
      disconnectSignal(reply),
    );
    return sendParts(reply, service.versionParts(database.read, context.teamId, version, effect));
  });
};
