import type { Compute } from '../../compute/compute.ts';
import type { Read } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { type SubjectDeps, snapshotFor } from './roll-subjects.service.ts';
import type { SimulationRequest } from './simulation.contract.ts';

/** The caller of a simulation, as far as it matters while it runs. */
export interface Watcher {
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
  /** Told 0 once the simulation has been accepted, and then how far it is, up to 1. */
  readonly onProgress: (progress: number) => void;
}

export interface SimulationDeps extends SubjectDeps {
  /** Apart from other work, since simulations take far longer. */
  readonly simulating: Compute;
}

/** Simulates new players of a template or a configuration, and returns what became of them as JSON. */
export const simulateTemplate = async (
  read: Read,
  { teamId }: Context,
  { players, rolls, seed, depth, pricePerRoll, itemIds = [], exact = false, ...subject }: SimulationRequest,
  deps: SimulationDeps,
  { signal, onProgress }: Watcher,
): Promise<string> => {
  const plan = { players, rolls, depth, itemIds };
  const snapshot = await snapshotFor(read, teamId, subject, plan, deps, signal);
  const input = async () => ({
    ...(await snapshot()),
    plan: { ...plan, depth: depth ?? 0 },
    seed,
    pricePerRoll: pricePerRoll ?? null,
    exact,
  });
  return deps.simulating.run(teamId, 'simulation', input, signal, onProgress);
};
