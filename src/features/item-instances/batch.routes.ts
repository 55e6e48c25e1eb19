import type { RequestRunners } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import * as contract from './batch.contract.ts';
import * as service from './batch.service.ts';
import type { InstanceDeps } from './item-instances.service.ts';

export const batchRoutes = (app: App, { draw, ...deps }: { draw: RequestRunners['draw'] } & InstanceDeps): void => {
  app.post('/item-instances/batch', { schema: contract.runBatch }, (request, reply) => {
    const operations = service.checkOperations(request.body.operations);
    return draw(request, reply, (work, { context }) => service.runBatch(work, context, operations, deps));
  });
};
