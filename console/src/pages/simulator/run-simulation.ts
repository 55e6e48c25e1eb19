import { ConnectionError, ItemwrightError, UnavailableError } from '@itemwright/client';
import type { Api, Schemas } from '../../interface/client.ts';

const LOST = 'The connection was lost before the simulation was done.';
const STOPPED = 'The simulation took too long and was stopped. Try it with fewer players or fewer rolls.';

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Told how far the simulation is, from 0 to 1. */
  readonly onProgress: (progress: number) => void;
}

/** Runs a simulation; aborting the signal ends it on the service, too. */
export const runSimulation = async (
  api: Api,
  body: Schemas['SimulationRequest'],
  { signal, onProgress }: RunOptions,
): Promise<Schemas['Simulation']> => {
  let isRunning = false;
  const watch = (progress: number) => {
    isRunning = true;
    onProgress(progress);
  };
  try {
    // Whether to start again is for the user to decide.
    return await api.templates.simulate(body, { signal, onProgress: watch, retries: 0 });
  } catch (error) {
    if (isRunning && error instanceof ConnectionError) throw new ItemwrightError(LOST);
    if (isRunning && error instanceof UnavailableError) throw new ItemwrightError(STOPPED, { status: 500 });
    throw error;
  }
};
