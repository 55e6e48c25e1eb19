import type { Database } from '../../database/work.ts';
import { linkTo, pageOf, sendTextPage } from '../../http/paging.ts';
import { type App, sendParts } from '../../http/server.ts';
import { invalid } from '../../shared/errors.ts';
import * as service from './proofs.service.ts';
import * as contract from './receipts.contract.ts';

async function* inParts(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

export const receiptRoutes = (app: App, { database }: { database: Database }): void => {
  app.get('/users/:userId/receipts', { schema: contract.listReceipts }, async (request, reply) => {
    const { context, params, query } = request;
    const { epoch } = query;
    const page = await database.read(context.teamId, (reader) =>
      service.listReceipts(reader, params.userId, { epoch }, pageOf(query)),
    );
    return sendTextPage(request, reply, page);
  });

  app.get('/users/:userId/proof', { schema: contract.getProof }, async (request, reply) => {
    const { context, params, query } = request;
    const { epoch, from, logFrom } = query;
    if (epoch === 'all') {
      if (from !== undefined) throw invalid({ path: '/query/from', message: 'is not for all epochs' });
      const log = await database.read(context.teamId, (reader) =>
        service.beginWholeProof(reader, params.userId, logFrom),
      );
      return sendParts(reply, service.wholeProof(database.read, log, context.teamId, params.userId));
    }
    const { parts, next } = await database.read(context.teamId, (reader) =>
      service.getProof(reader, params.userId, { epoch, from, logFrom }),
    );
    if (next !== null) linkTo(request, reply, 'from', String(next));
    return sendParts(reply, inParts(parts));
  });
};
