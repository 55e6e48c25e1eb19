import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { kill, type RunningService, startApart, tryWriting } from './game.ts';
import type { Fault } from './schedule.ts';

const CLOCK = new URL('clock.ts', import.meta.url);
const HOUR_MS = 3_600_000;
const SIGNAL_MS = 30_000;

/** A node of the service, whose clock can be set. */
export interface Node {
  readonly address: () => string;
  /** Undefined while it does not run. */
  readonly pid: () => number | undefined;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
  /** Tells it to stop, as an update would. */
  readonly stop: () => Promise<void>;
  readonly setClock: (offsetMs: number) => Promise<void>;
}

/** Nodes would survive an interrupted test run otherwise. */
const started = new Set<RunningService>();
process.on('exit', () => {
  for (const { running } of started) kill(running);
});

export const createNode = (databaseUrl: string, clockFile: string): Node => {
  let service: RunningService | undefined;
  const running = (): RunningService => {
    assert.ok(service !== undefined, 'it was never started');
    return service;
  };
  /** A signal takes a while to arrive. */
  const untilClockSays = async (offsetMs: number): Promise<void> => {
    const giveUpAtMs = performance.now() + SIGNAL_MS;
    for (;;) {
      const nowMs = await tryWriting(running().address);
      if (nowMs !== undefined && Math.abs(nowMs - offsetMs - Date.now()) < SIGNAL_MS) return;
      assert.ok(performance.now() < giveUpAtMs, `the clock did not jump by ${offsetMs} ms: ${nowMs}`);
      await pause(20);
    }
  };
  return {
    address: () => running().address,
    pid: () => {
      const { pid, exitCode, signalCode } = running().running.child;
      return exitCode === null && signalCode === null ? pid : undefined;
    },
    start: async () => {
      // The flag is that of `npm start`: without it, V8 takes more memory.
      const options = `--max-semi-space-size=16 --import=${CLOCK.href}`;
      const environment = { NODE_OPTIONS: options, FAULT_CLOCK: clockFile, LOG_LEVEL: 'info' };
      if (service !== undefined) started.delete(service);
      service = await startApart(databaseUrl, environment);
      started.add(service);
    },
    kill: async () => {
      if (service === undefined) return;
      kill(service.running);
      await service.running.ended;
    },
    stop: async () => {
      const { child, ended, stdout, stderr } = running().running;
      child.kill('SIGTERM');
      assert.equal((await ended).code, 0, `told to stop:\n${stdout().slice(-3000)}${stderr()}`);
    },
    setClock: async (offsetMs) => {
      await writeFile(clockFile, String(offsetMs));
      if (service === undefined) return;
      service.running.child.kill('SIGUSR2');
      await untilClockSays(offsetMs);
    },
  };
};

/** How often each thing happened. */
export type Events = Record<string, number>;

export const count = (events: Events, name: string, times = 1): void => {
  events[name] = (events[name] ?? 0) + times;
};

/**
 * Sets the clocks of all nodes, each slightly wrong in its own way. They go back by up to five days, but forward by at
 * most half a day: responses are stored for a day of that clock, and cut-off requests are repeated after a jump.
 */
export const createClocks = (nodes: readonly Node[], events: Events) => {
  let offsetMs = 0;
  let jumps = 0;
  let aheadMs = 0;
  const set = async (choose: Fault['choose'], lag: number): Promise<void> => {
    const offsets = nodes.map(() => offsetMs + lag * (choose(12 * HOUR_MS) - 6 * HOUR_MS));
    jumps += 1;
    await Promise.all(nodes.map((node, index) => node.setClock(offsets[index] as number)));
    aheadMs = Math.max(...offsets);
    jumps += 1;
  };
  return {
    nowMs: (): number => Date.now() + aheadMs,
    clockJumps: (): number => jumps,
    start: () => set(() => 0, 0),
    jump: async ({ choose }: Fault): Promise<void> => {
      const isForward = choose(3) > 0;
      offsetMs += isForward ? choose(12 * HOUR_MS) : -choose(120 * HOUR_MS);
      await set(choose, 1);
      count(events, 'clock jumps', nodes.length);
    },
  };
};
