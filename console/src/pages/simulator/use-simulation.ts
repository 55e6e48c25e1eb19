import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Api, Schemas } from '../../interface/client.ts';
import { useApi } from '../../session/session.tsx';
import { runSimulation } from './run-simulation.ts';
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

const readOdds = (
  api: Api,
  { type, config, templateId }: Subject,
  { depth }: Schemas['SimulationRequest'],
  signal: AbortSignal,
): Promise<Schemas['ConfigOdds']> =>
  templateId === undefined
    ? api.templates.previewOdds({ type, config, depth }, { signal })
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
      const simulation = await runSimulation(api, request, { signal, onProgress: setProgress });
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
