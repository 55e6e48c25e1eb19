import type { RequestRunners } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import * as contract from './user-spaces.contract.ts';
import * as service from './user-spaces.service.ts';

interface Parts {
  readonly command: RequestRunners['command'];
  readonly catalogs: Catalogs;
}

export const userSpaceRoutes = (app: App, { command, catalogs }: Parts): void => {
  app.post('/users/:userId/spaces', { schema: contract.createUserSpace }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.createUserSpace(work, context, params.userId, body, { catalogs }),
    ),
  );
};
