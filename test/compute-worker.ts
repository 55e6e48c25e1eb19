import { parentPort } from 'node:worker_threads';

/** A thread that does what a test asks: it returns, fails, exits or throws. Asked anything else, it hangs. */
const actions: Record<string, (text: string) => void> = {
  answer: (value) => parentPort?.postMessage({ value }),
  fail: (text) => parentPort?.postMessage({ error: new Error(text) }),
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
