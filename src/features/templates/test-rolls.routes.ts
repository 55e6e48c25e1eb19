import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { type App, sendText } from '../../http/server.ts';
import type { SubjectDeps } from './roll-subjects.service.ts';
import * as contract from './test-rolls.contract.ts';
import * as service from './test-rolls.service.ts';

export const testRollRoutes = (
  app: App,
  { database, outsideTransactions, ...deps }: { database: Database } & RequestRunners & SubjectDeps,
): void => {
  app.post(
    '/templates/test-rolls',
    { schema: contract.rollForTest, config: { access: 'catalog' } },
    async (request, reply) => {
      const { context, body } = request;
      const signal = disconnectSignal(reply);
      const rolls = outsideTransactions(request, reply, () =>
        service.rollForTest(database.read, context, body, deps, signal),
      );
      return sendText(reply, await rolls);
    },
  );
};
