import { ConnectionError, ItemwrightError, UnavailableError } from '@itemwright/client';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Api, Schemas } from '../../api/client.ts';
import { useApi } from '../../session/session.tsx';
import { requestOf, type SimulationValues, type Subject } from './simulation-values.ts';

/** A simulation with what it was asked for, however the inputs change afterwards. */
export interface Outcome {
  readonly subject: Subject;
  readonly values: SimulationValues;
  readonly request: Schemas['SimulationRequest'];
  readonly simulation: Schemas['Simulation'];
  /** Null if they would take too long to compute. */
  readonly odds: Schemas['ConfigOdds'] | null;
}

const LOST = 'The connection was lost before the simulation was done.';
const STOPPED = 'The simulation took too long and was stopped. Try it with fewer players or fewer rolls.';

/** Runs a simulation; aborting the signal ends it on the service, too. `onProgress` is told how far it is, from 0 to 1. */
const runSimulation = async (
  api: Api,
  body: Schemas['SimulationRequest'],
  signal: AbortSignal,
  onProgress: (progress: number) => void,
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

const readOdds = (
  api: Api,
  { type, config, templateId, draftId }: Subject,
  { depth }: Schemas['SimulationRequest'],
  signal: AbortSignal,
): Promise<Schemas['ConfigOdds']> =>
  templateId === undefined || draftId !== undefined
    ? api.templates.previewOdds(
        { ...(templateId === undefined ? { type, config } : { templateId }), draftId, depth },
        { signal },
      )
    : api.templates.odds(templateId, { depth }, { signal });

const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** Runs one simulation at a time. The last result stays until there is another. */
export const useSimulation = () => {
  const api = useApi();
  const running = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState(0);
  const [outcome, setOutcome] = useState<Outcome>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ subject, values }: Pick<Outcome, 'subject' | 'values'>): Promise<Outcome> => {
      const { signal } = running.current ?? new AbortController();
      const request = requestOf(subject, values);
      const odds = readOdds(api, subject, request, signal).catch(() => null);
      const simulation = await runSimulation(api, request, signal, setProgress);
      return { subject, values, request, simulation, odds: await odds };
    },
    onSuccess: setOutcome,
  });
  const cancel = () => running.current?.abort();
  // Leaving the page ends the simulation.
  useEffect(() => () => running.current?.abort(), []);
  return {
    run: (subject: Subject, values: SimulationValues) => {
      running.current = new AbortController();
      setProgress(0);
      mutate({ subject, values });
    },
    cancel,
    isRunning: isPending,
    isCanceled: isAbort(error),
    progress,
    error: isAbort(error) ? null : error,
    outcome,
  };
};
