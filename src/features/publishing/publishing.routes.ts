import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import { hasIdempotencyKey, type RequestRunners } from '../../http/idempotency.ts';
import { bytesOf, largeBody, withLargeBodies } from '../../http/large-bodies.ts';
import { type App, sendText } from '../../http/server.ts';
import * as contract from './publishing.contract.ts';
import * as service from './publishing.service.ts';

export const publishingRoutes = (
  app: App,
  {
    database,
    command,
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
        const plan = () => service.planChange(deps, request.context, bytesOf(request), disconnectSignal(reply));
        if (!hasIdempotencyKey(request)) return sendText(reply, await plan());
        return sendText(reply, await command(request, reply, service.keepPlan(plan)));
      },
    );

    scope.post('/catalog/publish', { schema: contract.publishCatalog, ...options }, (request, reply) => {
      const body = { bytes: bytesOf(request) };
      return change(request, reply, service.publish(deps, request.context, body, disconnectSignal(reply)));
    });
  });
};
