import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import { hasIdempotencyKey, type RequestRunners } from '../../http/idempotency.ts';
import { sendLines, wantsLines } from '../../http/lines.ts';
import { type App, sendText } from '../../http/server.ts';
import { LIMITS } from '../../shared/limits.ts';
import * as contract from './simulation.contract.ts';
import * as service from './simulation.service.ts';

export const simulationRoutes = (
  app: App,
  { database, outsideTransactions, ...deps }: { database: Database } & RequestRunners & service.SimulationDeps,
): void => {
  app.post(
    '/templates/simulate',
    { schema: contract.simulateTemplate, config: { access: 'catalog' } },
    async (request, reply) => {
      const { context, body, exchange } = request;
      const signal = disconnectSignal(reply);
      const simulate = (onProgress: (progress: number) => void = () => {}): Promise<string> =>
        exchange.allow(
          LIMITS.simulationRequestMs,
          service.simulateTemplate(database.read, context, body, deps, { signal, onProgress }),
        );
      // A response that is stored is not sent in lines.
      if (hasIdempotencyKey(request) || !wantsLines(request))
        return sendText(reply, await outsideTransactions(request, reply, () => simulate()));
      return sendLines(reply, async (send) => {
        const result = await simulate((progress) => send(JSON.stringify({ progress })));
        return `{"result":${result}}`;
      }) as never;
    },
  );
};
