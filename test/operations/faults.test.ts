import { test } from 'node:test';
import { describeFigures } from '../faults/game.ts';
import { soak } from '../faults/soak.ts';
import { describeStudio } from '../faults/studio.ts';
import { ENGINES } from '../harness.ts';

/** `npm run soak` runs for as long as you like. */
const SEED = Number(process.env.FAULT_SEED ?? 2);
const SECONDS = Number(process.env.FAULT_SECONDS ?? 6);
/** Much more than `npm run soak` allows: whatever else the machine does counts, too. */
const LATE_MS = 60_000;

for (const engine of ENGINES) {
  const skip = engine === 'postgres' && process.platform !== 'linux' && 'needs /proc';
  test(`nothing is lost on ${engine} under scheduled faults`, { skip }, async (t) => {
    const print = (line: string) => t.diagnostic(line);
    print(`FAULT_SEED=${SEED}`);
    const { figures, studio, events, rounds } = await soak(engine, {
      seed: SEED,
      seconds: SECONDS,
      mostLateMs: LATE_MS,
      print,
    });
    const befallen = Object.entries(events).map(([name, times]) => `${times} ${name}`);
    print(`${rounds} faults: ${befallen.join(', ')}; ${describeFigures(figures)}`);
    print(`beside them ${describeStudio(studio)}`);
  });
}
