import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../harness.ts';
import { runToEnd } from '../processes.ts';
import { addFigures, type CutOff, createGame, type Figures, newFigures, tryWriting } from './game.ts';
import { count, type Events } from './nodes.ts';
import { createPostgresScene } from './postgres.ts';
import type { Scene } from './scene.ts';
import { type Fault, planFaults } from './schedule.ts';
import { createSqliteScene } from './sqlite.ts';
import { addStudioFigures, createStudio, newStudioFigures, type StudioFigures } from './studio.ts';

/** How long the service may take to recover once a fault is over. Longer than any of its own limits. */
const RECOVERY_MS = 60_000;

export interface SoakOptions {
  readonly seed: number;
  readonly seconds: number;
  /** By how much scheduled drafts may be late, beyond the time in which faults happened, and again after each fault. */
  readonly mostLateMs: number;
  readonly print: (line: string) => void;
}

export interface Soaked {
  readonly figures: Figures;
  /** What happened beside the game. */
  readonly studio: StudioFigures;
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

/** Lets everyone play while a fault happens, until every node accepts writes again. */
const playRound = async (
  scene: Scene,
  game: ReturnType<typeof createGame>,
  studio: ReturnType<typeof createStudio>,
  fault: Fault,
): Promise<{ cutOff: CutOff; recoveredMs: number }> => {
  let recoveredMs = 0;
  const strike = (): Promise<void> =>
    studio.disturb(async () => {
      await scene.strike(fault);
      if (fault.kind === 'clock') studio.clockJumped();
      recoveredMs = await recover(scene);
    });
  const cutOff = await game.play({ ...fault, strike });
  return { cutOff, recoveredMs: Math.max(recoveredMs, await recover(scene)) };
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
export const soak = async (engine: Engine, { seed, seconds, mostLateMs, print }: SoakOptions): Promise<Soaked> => {
  /** Time counts from the first round; there is at least one. */
  let isOverAtMs = Number.POSITIVE_INFINITY;
  const figures = newFigures();
  const studioFigures = newStudioFigures();
  const events: Events = {};
  let rounds = 0;
  let slowestMs = 0;
  for (let databases = 0; performance.now() < isOverAtMs; databases += 1) {
    const sceneSeed = 1000 * seed + databases;
    const faults = planFaults(engine, sceneSeed);
    const scene = engine === 'sqlite' ? await createSqliteScene() : await createPostgresScene(faults);
    const { addresses, databaseUrl } = scene;
    const game = createGame({ seed: sceneSeed, addresses, databaseUrl });
    const studio = createStudio(scene, { seed: sceneSeed, mostLateMs });
    try {
      await game.prepare();
      await studio.prepare();
      if (databases === 0) isOverAtMs = performance.now() + 1000 * seconds;
      for (const fault of faults) {
        if (rounds > 0 && performance.now() >= isOverAtMs) break;
        rounds += 1;
        // Disturbed are those who wait for the service while a fault lasts, and until every node is back.
        const { cutOff, recoveredMs } = await playRound(scene, game, studio, fault);
        slowestMs = Math.max(slowestMs, recoveredMs);
        await scene.quiet();
        await game.settle(cutOff);
        if (fault.isChecked) await checkDatabase(scene);
        studio.rethrow();
        print(`${engine} ${rounds}: ${describeFault(fault)}; ${cutOff.size} cut off; ${Math.round(recoveredMs)} ms`);
      }
      await studio.end();
      await checkDatabase(scene);
    } finally {
      await studio.stop();
      await scene.drop();
    }
    addFigures(figures, game.figures());
    addStudioFigures(studioFigures, studio.figures());
    for (const [name, times] of Object.entries(scene.events)) count(events, name, times);
  }
  return { figures, studio: studioFigures, events, rounds, slowestMs };
};
