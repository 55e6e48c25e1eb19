import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../harness.ts';
import { runToEnd } from '../processes.ts';
import { addFigures, createGame, type Figures, newFigures, tryWriting } from './game.ts';
import { count, type Events } from './nodes.ts';
import { createPostgresScene } from './postgres.ts';
import type { Scene } from './scene.ts';
import { type Fault, planFaults } from './schedule.ts';
import { createSqliteScene } from './sqlite.ts';

/** How long the service may take to recover once a fault is over. Longer than any of its own limits. */
const RECOVERY_MS = 60_000;

export interface Soaked {
  readonly figures: Figures;
  readonly events: Events;
  readonly rounds: number;
  /** The longest time from the last response of a round until every node accepted a write. */
  readonly slowestMs: number;
}

/** Waits until each node accepts a write again; returns how long that took. */
const recover = async ({ addresses }: Scene): Promise<number> => {
  const startedMs = performance.now();
  for (const address of addresses()) {
    while ((await tryWriting(address)) === undefined) {
      assert.ok(
        performance.now() < startedMs + RECOVERY_MS,
        `not recovered ${RECOVERY_MS} ms after the fault was over`,
      );
      await pause(20);
    }
  }
  return performance.now() - startedMs;
};

const checkDatabase = async ({ databaseUrl, events }: Scene): Promise<void> => {
  const { code, stdout, stderr } = await runToEnd('src/cli.ts', ['check'], { DATABASE_URL: databaseUrl() });
  assert.equal(code, 0, `check: ${stdout}${stderr}`);
  count(events, 'checks');
};

const describeFault = ({ kind, lastsMs, afterResponses }: Fault): string =>
  `${kind}${lastsMs > 0 ? ` for ${lastsMs} ms` : ''} after ${afterResponses} responses`;

/**
 * Lets everyone send requests while one fault after another happens, and compares all data with the responses after
 * each, until the time is up. The same seed has the same faults after the same number of responses; the scheduling of
 * threads and processes still varies.
 */
export const soak = async (
  engine: Engine,
  { seed, seconds, print }: { seed: number; seconds: number; print: (line: string) => void },
): Promise<Soaked> => {
  /** Time counts from the first round; there is at least one. */
  let isOverAtMs = Number.POSITIVE_INFINITY;
  const figures = newFigures();
  const events: Events = {};
  let rounds = 0;
  let slowestMs = 0;
  for (let databases = 0; performance.now() < isOverAtMs; databases += 1) {
    const sceneSeed = 1000 * seed + databases;
    const faults = planFaults(engine, sceneSeed);
    const scene = engine === 'sqlite' ? await createSqliteScene() : await createPostgresScene(faults);
    const { addresses, databaseUrl } = scene;
    const game = createGame({ seed: sceneSeed, addresses, databaseUrl });
    try {
      await game.prepare();
      if (databases === 0) isOverAtMs = performance.now() + 1000 * seconds;
      for (const fault of faults) {
        if (rounds > 0 && performance.now() >= isOverAtMs) break;
        rounds += 1;
        const cutOff = await game.play({ ...fault, strike: () => scene.strike(fault) });
        const recoveredMs = await recover(scene);
        slowestMs = Math.max(slowestMs, recoveredMs);
        await scene.quiet();
        await game.settle(cutOff);
        if (fault.isChecked) await checkDatabase(scene);
        print(`${engine} ${rounds}: ${describeFault(fault)}; ${cutOff.size} cut off; ${Math.round(recoveredMs)} ms`);
      }
      await checkDatabase(scene);
    } finally {
      await scene.drop();
    }
    addFigures(figures, game.figures());
    for (const [name, times] of Object.entries(scene.events)) count(events, name, times);
  }
  return { figures, events, rounds, slowestMs };
};
