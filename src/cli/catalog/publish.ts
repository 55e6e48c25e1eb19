import { LIMITS } from '../../shared/limits.ts';
import { readText } from '../input.ts';
import { CommandError, required } from '../shared.ts';
import { type CatalogDocument, type Change, LIST_OF, type Plan, type Planned, type PlanRequest } from './api.ts';
import { type CatalogCall, type CatalogCommand, EXIT, type ExitCode, planLines } from './command.ts';
import { isFolder, planFolder } from './plan.ts';
import { formatJson } from './terminal.ts';

const NOT_ASKED = 'nothing was published: there is no terminal to ask on; use --yes to publish without being asked';

/** Asks whether to publish, on a terminal; otherwise only --yes will do. */
const isAgreed = async ({ options, service, terminal }: CatalogCall): Promise<boolean> => {
  if (options.yes) return true;
  if (terminal.confirm === undefined) throw new CommandError(NOT_ASKED);
  return terminal.confirm(`Publish this to ${service.url}?`);
};

/** Shows a plan. With --json, standard output is for the response, so it goes to whoever is asked. */
const show = async (call: CatalogCall, planned: Planned): Promise<void> => {
  const { options, terminal } = call;
  if (options.json && (options.yes || terminal.confirm === undefined)) return;
  const print = options.json ? terminal.note : terminal.print;
  for (const line of await planLines(call, planned)) print(line);
};

/**
 * What to send. The changes of a plan are exactly what was shown, with the ids that it gave to new entities. If there are
 * more than a request may have, it is what the plan was made from.
 */
const requestOf = ({ plan, request }: Planned): PlanRequest => {
  if ('rollbackTo' in request || plan.changes.length > LIMITS.changesPerRequest) return request;
  return { changes: plan.changes.map(({ kind, id, after }) => ({ kind, id, after })) };
};

/** Shows a plan, asks, and publishes it. */
export const publishPlanned = async (call: CatalogCall, planned: Planned): Promise<ExitCode> => {
  const { service, options, terminal } = call;
  const { plan } = planned;
  await show(call, planned);
  if (plan.faults.length > 0 || plan.changes.length === 0) {
    if (options.json) terminal.print(formatJson(plan));
    return plan.faults.length > 0 ? EXIT.failed : EXIT.done;
  }
  if (!(await isAgreed(call))) {
    terminal.note('Nothing was published.');
    return EXIT.failed;
  }
  const version = await service.publish(requestOf(planned), plan.baseVersion, options.message);
  terminal.print(options.json ? formatJson(version) : `Published as version ${version.version}.`);
  return EXIT.done;
};

const isPlan = (value: unknown): value is Plan => {
  const { baseVersion, changes, faults, warnings } = (value ?? {}) as Partial<Plan>;
  return Number.isInteger(baseVersion) && [changes, faults, warnings].every(Array.isArray);
};

const readPlan = async (path: string): Promise<Plan> => {
  const text = await readText(path, LIMITS.catalogFileBytes);
  let plan: unknown;
  try {
    plan = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (!isPlan(plan)) throw new CommandError(`${path} is not a plan: save one with itemwright catalog plan DIR -o FILE`);
  return plan;
};

/** A catalog with changes made to it. */
const withChanges = (document: CatalogDocument, changes: readonly Change[]): CatalogDocument => {
  const changed: Record<string, unknown> = { ...document };
  for (const [kind, list] of Object.entries(LIST_OF)) {
    const entities = new Map<string, unknown>(document[list].map((entity) => [entity.id, entity]));
    for (const change of changes.filter((one) => one.kind === kind))
      if (change.after === null) entities.delete(change.id);
      else entities.set(change.id, change.after);
    changed[list] = [...entities.values()];
  }
  return changed as unknown as CatalogDocument;
};

/** Nobody should be asked about a plan that will be refused; whether it is stale by then is up to the service. */
const assertCurrent = async ({ service }: CatalogCall, { baseVersion }: Plan): Promise<void> => {
  const { versions } = await service.versions(1);
  const current = versions[0]?.version ?? 0;
  if (current !== baseVersion)
    throw new CommandError(
      `nothing was published: the catalog is at version ${current}, this plan was made at ${baseVersion}; plan again`,
    );
};

/** A saved plan with more changes than a request may have is published as a document, which has no such limit. */
const plannedFrom = async (call: CatalogCall, plan: Plan): Promise<Planned> => {
  await assertCurrent(call, plan);
  if (plan.changes.length <= LIMITS.changesPerRequest) return { plan, request: { changes: plan.changes } };
  const { document } = await call.service.catalog();
  return { plan, request: withChanges(document, plan.changes) };
};

export const publish: CatalogCommand = {
  argument: 'DIR|FILE',
  summary: 'shows the plan for a folder, or a saved one, asks, and publishes it in one step',
  help: ['It fails if the catalog was changed since the plan was made.'],
  examples: ['catalog publish catalog -m "Winter event"', 'catalog publish plan.json --yes'],
  options: ['message', 'yes', 'merge', 'verbose', 'json'],
  run: async (call) => {
    const path = required(call.argument, 'DIR or FILE', LIMITS.pathLength);
    if (await isFolder(path)) return publishPlanned(call, await planFolder(call.service, path, call.options));
    if (call.options.merge) throw new CommandError('--merge is for folders: a saved plan is published as it is');
    return publishPlanned(call, await plannedFrom(call, await readPlan(path)));
  },
};

/** The number of a version, such as 17. */
export const requiredVersion = (text: string | undefined, least: number): number => {
  const given = required(text, 'the version');
  if (!/^\d{1,15}$/.test(given) || Number(given) < least)
    throw new CommandError(`the version must be a whole number from ${least}`);
  return Number(given);
};

export const rollback: CatalogCommand = {
  argument: 'N',
  summary: 'makes the catalog what it was at version N, as a new version; asks first',
  examples: ['catalog rollback 12 -m "Undo the event"'],
  options: ['message', 'yes', 'verbose', 'json'],
  run: async (call) => {
    const request = { rollbackTo: requiredVersion(call.argument, 0) };
    return publishPlanned(call, { request, plan: await call.service.plan(request) });
  },
};
