import type { App } from '../../http/server.ts';
import * as contract from './public-log.contract.ts';
import type { PublicLog } from './public-log.service.ts';

const config = { access: 'public' } as const;

const LEAVES = { from: 0, limit: 100 };

export const logRoutes = (app: App, { publicLog }: { publicLog: PublicLog }): void => {
  app.get('/public/:teamId/log', { schema: contract.getLog, config }, ({ params }) => publicLog.head(params.teamId));

  app.get('/public/:teamId/log/consistency', { schema: contract.getConsistency, config }, ({ params, query }) =>
    publicLog.consistency(params.teamId, query),
  );

  app.get('/public/:teamId/log/inclusion', { schema: contract.getInclusion, config }, ({ params, query }) =>
    publicLog.inclusion(params.teamId, query),
  );

  app.get('/public/:teamId/log/leaves', { schema: contract.listLeaves, config }, ({ params, query }) =>
    publicLog.leaves(params.teamId, { ...LEAVES, ...query }),
  );
};
