import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { bytesOf, largeBody, withLargeBodies } from '../../http/large-bodies.ts';
import { type App, sendText } from '../../http/server.ts';
import { LIMITS } from '../../shared/limits.ts';
import * as contract from './publishing.contract.ts';
import * as service from './publishing.service.ts';

export const publishingRoutes = (
  app: App,
  {
    database,
    outsideTransactions,
    change,
    ...shared
  }: { database: Database } & Omit<service.PublishingDeps, 'read'> & RequestRunners,
): void => {
  const deps = { ...shared, read: database.read };
  const options = { ...largeBody, config: { access: 'catalog' } } as const;

  withLargeBodies(app, (scope) => {
    scope.post(
      '/catalog/plan',
      { schema: contract.planCatalog, ...largeBody, config: { access: 'read' } },
      async (request, reply) => {
        const { context, exchange } = request;
        const plan = outsideTransactions(request, reply, () =>
          service.planChange(deps, context, bytesOf(request), disconnectSignal(reply)),
        );
        return sendText(reply, await exchange.allow(LIMITS.catalogWorkMs, plan));
      },
    );

    scope.post('/catalog/publish', { schema: contract.publishCatalog, ...options }, (request, reply) => {
      const { context, exchange } = request;
      const publish = service.publish(deps, context, { bytes: bytesOf(request) }, disconnectSignal(reply));
      return exchange.allow(LIMITS.catalogWorkMs, change(request, reply, publish));
    });
  });
};
