import type { RequestRunners } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import * as contract from './batch.contract.ts';
import * as service from './batch.service.ts';
import type { InstanceDeps } from './item-instances.service.ts';

export const batchRoutes = (
  app: App,
  { command, ...deps }: { command: RequestRunners['command'] } & InstanceDeps,
): void => {
  app.post('/item-instances/batch', { schema: contract.runBatch }, (request, reply) => {
    const operations = service.checkOperations(request.body.operations);
    return command(request, reply, (work, { context }) => service.runBatch(work, context, operations, deps));
  });
};
