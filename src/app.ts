import type { Logger } from 'pino';
import { type ComputeOptions, createCompute } from './compute/compute.ts';
import { createPublicReads } from './database/public-reads.ts';
import type { Database } from './database/work.ts';
import type { Draws } from './engine/random.ts';
import { attributeRoutes } from './features/attributes/attributes.routes.ts';
import { balanceRoutes } from './features/balances/balances.routes.ts';
import { createEntityChanges } from './features/catalog/change.service.ts';
import { createWholeCatalogs } from './features/catalog/document.service.ts';
import { draftRoutes } from './features/catalog/drafts.routes.ts';
import { publishingRoutes } from './features/catalog/publishing.routes.ts';
import { versionRoutes } from './features/catalog/versions.routes.ts';
import { classifierRoutes } from './features/classifiers/classifiers.routes.ts';
import { createCatalogs } from './features/compiled-catalog/compiled-catalog.service.ts';
import { disclosureRoutes } from './features/disclosure/disclosure.routes.ts';
import { createDisclosures } from './features/disclosure/disclosure.service.ts';
import { eventRoutes } from './features/events/events.routes.ts';
import { createFeedWatch } from './features/events/watching.service.ts';
import { evidenceRoutes } from './features/evidence/evidence.routes.ts';
import { fairnessRoutes } from './features/fairness/fairness.routes.ts';
import { snapshotRoutes } from './features/fairness/public-snapshots.routes.ts';
import { createPublicSnapshots } from './features/fairness/public-snapshots.service.ts';
import { grantRoutes } from './features/grants/grants.routes.ts';
import { batchRoutes } from './features/item-instances/batch.routes.ts';
import { itemInstanceRoutes } from './features/item-instances/item-instances.routes.ts';
import { itemRoutes } from './features/items/items.routes.ts';
import { logRoutes } from './features/log/public-log.routes.ts';
import { createPublicLog } from './features/log/public-log.service.ts';
import { placementRoutes } from './features/placements/placements.routes.ts';
import { createIdentities } from './features/receipts/identities.service.ts';
import { receiptRoutes } from './features/receipts/receipts.routes.ts';
import { createManifests, createRecentSeeds } from './features/receipts/receipts.service.ts';
import { createSalts } from './features/receipts/salts.service.ts';
import { rollLogRoutes } from './features/rolls/roll-log.routes.ts';
import { rollRoutes } from './features/rolls/rolls.routes.ts';
import { spaceRoutes } from './features/spaces/spaces.routes.ts';
import { statisticsRoutes } from './features/statistics/statistics.routes.ts';
import { createTeamKeys } from './features/team-keys/team-keys.service.ts';
import { teamRoutes } from './features/teams/teams.routes.ts';
import { doesTeamExist, secretsOf } from './features/teams/teams.service.ts';
import { createReadyTemplates } from './features/templates/compiled-templates.service.ts';
import { createConfigChecks } from './features/templates/config-checks.service.ts';
import { counterRoutes } from './features/templates/counters.routes.ts';
import { createKeptOdds } from './features/templates/kept-odds.service.ts';
import { simulationRoutes } from './features/templates/simulation.routes.ts';
import { createPreviews } from './features/templates/template-odds.service.ts';
import { templateRollRoutes } from './features/templates/template-rolls.routes.ts';
import { templateRoutes } from './features/templates/templates.routes.ts';
import { testRollRoutes } from './features/templates/test-rolls.routes.ts';
import { userDeletionRoutes } from './features/user-deletion/user-deletion.routes.ts';
import { userExportRoutes } from './features/user-export/user-export.routes.ts';
import { userSpaceContentsRoutes } from './features/user-space-contents/user-space-contents.routes.ts';
import { userSpaceRoutes } from './features/user-spaces/user-spaces.routes.ts';
import { userRoutes } from './features/users/users.routes.ts';
import { createAuthorizer } from './http/authorization.ts';
import { consoleRoutes } from './http/console.ts';
import { createEventStreams } from './http/event-streams.ts';
import { guideRoutes } from './http/guides.ts';
import { createRequestRunners } from './http/idempotency.ts';
import { createMetrics } from './http/metrics.ts';
import { describeRoutes, referenceRoutes } from './http/openapi.ts';
import { type App, createServer } from './http/server.ts';
import { serviceRoutes } from './http/service-routes.ts';
import { BUILT, createStaticFiles } from './http/static-files.ts';
import { verifierRoutes } from './http/verifier.ts';
import { startChores } from './maintenance/chores.ts';
import { watchSchema } from './maintenance/schema-watch.ts';
import type { Settings } from './settings.ts';
import { LIMITS } from './shared/limits.ts';

export interface AppParts {
  readonly settings: Settings;
  readonly database: Database;
  readonly logger: Logger;
  /** The current time in epoch milliseconds. */
  readonly clock: () => number;
  /** The source of randomness for every roll. */
  readonly draws: Draws;
  /** Overrides the default request timeout. */
  readonly requestTimeoutMs?: number;
  /** Overrides the defaults for work done in worker threads. */
  readonly computeOptions?: Partial<ComputeOptions>;
  /** Whether this node does background work, as it does by default. */
  readonly doesChores?: boolean;
}

/** Wires the service together. Nothing is global: each part gets its dependencies here. */
export const buildApp = async ({
  settings,
  database: untraced,
  logger,
  clock,
  draws,
  requestTimeoutMs,
  computeOptions,
  doesChores = true,
}: AppParts): Promise<App> => {
  const tracing =
    settings.tracing && (await import('./http/tracing/tracing.ts')).createTracing(settings.tracing, logger);
  const database = tracing?.trace(untraced) ?? untraced;
  const authorizer = createAuthorizer(secretsOf(database.readUrgent), () => performance.now());
  const catalogs = createCatalogs(database.read);
  const compute = createCompute(computeOptions);
  // Simulations take far longer than other work, so they have a thread of their own.
  const simulating = createCompute({
    timeLimitMs: LIMITS.simulationMs,
    places: LIMITS.simulationPlaces,
    placesPerKind: LIMITS.simulationPlaces,
    ...computeOptions,
    threads: 1,
  });
  // What is due at a time does not wait for what was asked for.
  const computeDue = createCompute({ yields: false, ...computeOptions, threads: 1 });
  const cancelWork = async (): Promise<void> => {
    await Promise.all([compute, simulating, computeDue].map((threads) => threads.close()));
  };
  const app = await createServer({ settings, authorizer, logger, clock, requestTimeoutMs, cancelWork });
  const { pathPrefix } = settings;
  await describeRoutes(app, pathPrefix);

  const keptOdds = createKeptOdds(compute);
  const reads = createPublicReads(database.read, doesTeamExist, () => performance.now());
  const readyTemplates = createReadyTemplates(catalogs, compute);
  const identities = createIdentities();
  const readWhole = createWholeCatalogs();
  const teamKeys = createTeamKeys(database.write);
  const feedWatch = createFeedWatch(
    {
      read: database.read,
      // SQLite gives events their places as they are written.
      transaction: database.engine === 'sqlite' ? undefined : database.transaction,
      onEvents: database.onEvents,
    },
    catalogs,
  );
  app.addHook('onClose', async () => feedWatch.stop());
  const parts = {
    database,
    ...createRequestRunners(database),
    authorizer,
    catalogs,
    compute,
    readWhole,
    disclosures: createDisclosures({ reads, compute, keptOdds, readWhole, clock, readyTemplates, identities }),
    draws,
    feedWatch,
    streams: createEventStreams(app, authorizer),
    identities,
    read: database.read,
    write: database.write,
    manifests: createManifests(),
    isUpgraded: () => database.hasCompleted('0016-second-edition'),
    recentSeeds: createRecentSeeds(),
    salts: createSalts(identities, teamKeys),
    pathPrefix,
    publicLog: createPublicLog(reads),
    publicSnapshots: createPublicSnapshots({ reads, clock, readyTemplates, identities }),
    previews: createPreviews(compute),
    keptOdds,
    checkConfig: createConfigChecks(catalogs),
    changeEntity: createEntityChanges({ catalogs, compute, read: database.read, readWhole }),
    readyTemplates,
    simulating,
  };
  serviceRoutes(app, { database, logger });
  const metrics = settings.metrics
    ? createMetrics({ held: catalogs.held, oldestCommitMs: database.oldestCommitMs, clock })
    : undefined;
  metrics?.serve(app);
  if (metrics !== undefined) database.observe(metrics.database);
  tracing?.serve(app);
  const files = createStaticFiles(BUILT, pathPrefix);
  referenceRoutes(app, files, pathPrefix);
  consoleRoutes(app, files, pathPrefix);
  verifierRoutes(app, files);
  guideRoutes(app, files, pathPrefix);
  attributeRoutes(app, parts);
  classifierRoutes(app, parts);
  itemRoutes(app, parts);
  rollRoutes(app, parts);
  rollLogRoutes(app, parts);
  templateRoutes(app, parts);
  templateRollRoutes(app, parts);
  counterRoutes(app, parts);
  simulationRoutes(app, parts);
  testRollRoutes(app, parts);
  versionRoutes(app, parts);
  publishingRoutes(app, parts);
  draftRoutes(app, parts);
  fairnessRoutes(app, parts);
  receiptRoutes(app, parts);
  snapshotRoutes(app, parts);
  logRoutes(app, parts);
  disclosureRoutes(app, parts);
  userRoutes(app, parts);
  userDeletionRoutes(app, parts);
  userExportRoutes(app, parts);
  spaceRoutes(app, parts);
  userSpaceRoutes(app, parts);
  userSpaceContentsRoutes(app, parts);
  itemInstanceRoutes(app, parts);
  batchRoutes(app, parts);
  balanceRoutes(app, parts);
  grantRoutes(app, parts);
  placementRoutes(app, parts);
  statisticsRoutes(app, parts);
  evidenceRoutes(app, parts);
  eventRoutes(app, parts);
  teamRoutes(app, parts);
  const choreParts = { database, compute, computeDue, readWhole, teamKeys, clock, logger, settings };
  const chores = doesChores
    ? startChores({ ...choreParts, watch: metrics?.chores, traceWork: tracing?.traceWork })
    : undefined;
  // Hooks like this run in reverse order: what stops before it still leaves spans.
  app.addHook('onClose', async () => tracing?.close());
  const watch = watchSchema(database, logger, async () => chores?.stop());
  app.addHook('onClose', async () => watch.stop());
  app.addHook('onClose', async () => chores?.stop());
  await app.ready();
  return app;
};
