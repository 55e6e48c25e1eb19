import { parentPort } from 'node:worker_threads';

/** A thread that does what a test asks: it returns, reports progress, fails, exits or throws. Asked anything else, it hangs. */
const actions: Record<string, (text: string) => void> = {
  answer: (value) => parentPort?.postMessage({ value }),
  fail: (text) => parentPort?.postMessage({ error: new Error(text) }),
  'go on': (value) => {
    for (const progress of [0.5, 1]) parentPort?.postMessage({ progress });
    parentPort?.postMessage({ value });
  },
  end: () => process.exit(3),
  throw: () => {
    throw new Error('thrown outside of the job');
  },
  'work for ever': () => {
    for (;;);
  },
};

parentPort?.on('message', ({ input }: { input: { does?: string; text?: string } }) =>
  actions[input.does ?? 'work for ever']?.(input.text ?? ''),
);
