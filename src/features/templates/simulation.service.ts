import type { Compute } from '../../compute/compute.ts';
import type { SimulationInput } from '../../compute/simulation.ts';
import type { Finder, Read } from '../../database/work.ts';
import { templatePoolText } from '../../engine/fairness/snapshots.ts';
import { itemsPerRoll } from '../../engine/simulation/simulation.ts';
import type { Steps } from '../../engine/steps.ts';
import type { TemplateConfig } from '../../engine/systems/config.ts';
import { depthFaults } from '../../engine/systems/rolling.ts';
import type { CompiledTemplate, TemplateSource } from '../../engine/systems/templates.ts';
import type { Context } from '../../shared/context.ts';
import { type Issue, invalid, ServiceError, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type SharedText, shareText } from '../../shared/shared-text.ts';
import { inTurns } from '../../shared/turns.ts';
import type { TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import type { ReadyTemplates } from './compiled-templates.service.ts';
import type { ConfigChecks } from './config-checks.service.ts';
import type { SimulationRequest } from './simulation.contract.ts';

/** The caller of a simulation, as far as it matters while it runs. */
export interface Watcher {
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
  /** Told 0 once the simulation has been accepted, and then how far it is, up to 1. */
  readonly onProgress: (progress: number) => void;
}

export interface SimulationDeps {
  readonly readyTemplates: ReadyTemplates;
  readonly checkConfig: ConfigChecks;
  /** Apart from other work, since simulations take far longer. */
  readonly simulating: Compute;
}

/** What is simulated: a template that compiles, with the catalog that it was compiled against. */
interface Simulated {
  readonly team: TeamCatalog;
  readonly template: CompiledTemplate;
  readonly source: TemplateSource;
}

const findSaved = async (finder: Finder, id: string, { readyTemplates }: SimulationDeps): Promise<Simulated> => {
  try {
    const ready = await readyTemplates(finder, id);
    return { team: ready.team, template: ready.template(), source: ready.source() };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND')
      throw invalid({ path: '/body/templateId', message: 'is not a template of this team' });
    throw error;
  }
};

const findSimulated = async (
  finder: Finder,
  { templateId, type, config }: SimulationRequest,
  deps: SimulationDeps,
): Promise<Simulated> => {
  if (templateId !== undefined) {
    const surplus = Object.entries({ type, config }).filter(([, member]) => member !== undefined);
    throwIfAny(surplus.map(([name]) => ({ path: `/body/${name}`, message: 'must not be given with templateId' })));
    return findSaved(finder, templateId, deps);
  }
  if (config === undefined) throw invalid({ path: '/body/templateId', message: 'is required without config' });
  const input = { type: type ?? 'gacha', config };
  const { team, bindings, template } = await deps.checkConfig(finder, input);
  return { team, template, source: { id: '', type: input.type, config: config as TemplateConfig, bindings } };
};

const itemFaults = ({ team, template }: Simulated, itemIds: readonly string[]): Issue[] =>
  itemIds.flatMap((id, index) => {
    const item = team.catalog.itemsById.get(id);
    const isInPool = item !== undefined && template.tiers.all.some(({ items }) => items.includes(item));
    return isInPool ? [] : { path: `/body/itemIds/${index}`, message: 'is not an item of the pool' };
  });

/** What a request asks of a template that cannot be done, or would take too long. */
const requestFaults = (
  simulated: Simulated,
  { players, rolls, depth, itemIds = [] }: SimulationRequest,
): readonly Issue[] => {
  const { template } = simulated;
  const faults = itemFaults(simulated, itemIds);
  if (depth !== undefined && template.type !== 'roguelike')
    faults.push({ path: '/body/depth', message: 'is for roguelike templates only' });
  for (const { path, message } of depthFaults(template, depth ?? 0)) faults.push({ path: `/body${path}`, message });
  const items = players * rolls * itemsPerRoll(template);
  if (items > LIMITS.simulatedItems) {
    const [asked, most] = [items, LIMITS.simulatedItems].map((count) => count.toLocaleString('en'));
    faults.push({
      path: '/body/players',
      message: `get ${asked} items in total, more than the ${most} allowed: have fewer players, or fewer rolls`,
    });
  }
  return faults;
};

function* poolOf({ team, template, source }: Simulated): Steps<SharedText[] | null> {
  const parts = yield* templatePoolText(team, template, source, LIMITS.simulationPoolLength);
  if (parts === null) return null;
  const pool: SharedText[] = [];
  for (const part of parts) {
    pool.push(shareText(part));
    yield;
  }
  return pool;
}

const inputOf = async (
  simulated: Simulated,
  { players, rolls, seed, depth = 0, pricePerRoll, itemIds = [], exact = false }: SimulationRequest,
): Promise<SimulationInput> => {
  const pool = await inTurns(poolOf(simulated));
  if (pool === null)
    throw invalid({ path: '/body', message: 'has a pool that is too large to simulate: have fewer items in it' });
  const { id: templateId, type, config, bindings } = simulated.source;
  return {
    template: { templateId, type, config, bindings },
    pool,
    plan: { players, rolls, depth, itemIds },
    seed,
    pricePerRoll: pricePerRoll ?? null,
    exact,
  };
};

/** Simulates new players of a template or a configuration, and returns what became of them as JSON. */
export const simulateTemplate = async (
  read: Read,
  { teamId }: Context,
  request: SimulationRequest,
  deps: SimulationDeps,
  watcher: Watcher,
): Promise<string> => {
  const simulated = await read(teamId, (reader) => findSimulated(reader, request, deps));
  throwIfAny(requestFaults(simulated, request));
  const { signal, onProgress } = watcher;
  // A large pool should not be in memory while others are simulated.
  return deps.simulating.run(teamId, 'simulation', () => inputOf(simulated, request), signal, onProgress);
};
