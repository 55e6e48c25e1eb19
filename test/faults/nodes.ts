import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { kill, type RunningService, startApart } from './game.ts';
import type { Fault } from './schedule.ts';

const CLOCK = new URL('clock.ts', import.meta.url);
const HOUR_MS = 3_600_000;

/** One node of the service, whose clock can be set. */
export interface Node {
  readonly address: () => string;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** Tells it to stop, as whoever updates it does. */
  readonly stop: () => Promise<void>;
  readonly setClock: (offsetMs: number) => Promise<void>;
}

/** Nodes outlive whoever is interrupted, unless they are told. */
const started = new Set<RunningService>();
process.on('exit', () => {
  for (const { running } of started) kill(running);
});

export const createNode = (databaseUrl: string, clockFile: string): Node => {
  let service: RunningService;
  return {
    address: () => service.address,
    start: async () => {
      const environment = { NODE_OPTIONS: `--import=${CLOCK.href}`, FAULT_CLOCK: clockFile, LOG_LEVEL: 'info' };
      started.delete(service);
      service = await startApart(databaseUrl, environment);
      started.add(service);
    },
    kill: async () => {
      if (service === undefined) return;
      kill(service.running);
      await service.running.ended;
    },
    stop: async () => {
      const { child, ended, stdout, stderr } = service.running;
      child.kill('SIGTERM');
      assert.equal((await ended).code, 0, `told to stop:\n${stdout().slice(-3000)}${stderr()}`);
    },
    setClock: async (offsetMs) => {
      await writeFile(clockFile, String(offsetMs));
      service?.running.child.kill('SIGUSR2');
    },
  };
};

/** How often each thing happened. */
export type Events = Record<string, number>;

export const count = (events: Events, name: string, times = 1): void => {
  events[name] = (events[name] ?? 0) + times;
};

/**
 * Sets the clocks of all nodes, each a bit wrong in its own way. They go back by up to five days, but forward by half a
 * day at most: responses to keys are kept for a day of that clock, and what was cut off is sent again after a jump.
 */
export const createClocks = (nodes: readonly Node[], events: Events) => {
  let offsetMs = 0;
  const set = (choose: Fault['choose'], lag: number) =>
    Promise.all(nodes.map((node) => node.setClock(offsetMs + lag * (choose(12 * HOUR_MS) - 6 * HOUR_MS))));
  return {
    start: () => set(() => 0, 0),
    jump: async ({ choose }: Fault): Promise<void> => {
      const isForward = choose(3) > 0;
      offsetMs += isForward ? choose(12 * HOUR_MS) : -choose(120 * HOUR_MS);
      await set(choose, 1);
      count(events, 'clock jumps', nodes.length);
    },
  };
};
