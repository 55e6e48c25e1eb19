/**
 * `npm run soak [sqlite|postgres]`: injects scheduled faults for as long as you like, on one database or on each in
 * turn. FAULT_SECONDS is per database; FAULT_SEED repeats a schedule; FAULT_LATE_SECONDS is by how much scheduled drafts
 * may be late.
 */
import { parseArgs } from 'node:util';
import { describeFigures } from '../test/faults/game.ts';
import { soak } from '../test/faults/soak.ts';
import { describeStudio } from '../test/faults/studio.ts';
import { ENGINES } from '../test/harness.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const { positionals } = parseArgs({ allowPositionals: true });
const engines = ENGINES.filter((engine) => positionals.length === 0 || positionals.includes(engine));
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const seconds = Number(process.env.FAULT_SECONDS ?? 1200);
const lateSeconds = Number(process.env.FAULT_LATE_SECONDS ?? 5);

for (const engine of engines) {
  print(`${engine} for ${seconds} s, FAULT_SEED=${seed}`);
  try {
    const { figures, studio, events, rounds, slowestMs } = await soak(engine, {
      seed,
      seconds,
      mostLateMs: 1000 * lateSeconds,
      print,
    });
    const { acknowledged, rejected, cutOff } = figures;
    print(`${engine}: ${rounds} rounds, ${acknowledged + rejected + cutOff} commands; ${describeFigures(figures)}`);
    print(`  beside them ${describeStudio(studio)}`);
    for (const [name, times] of Object.entries(events).sort()) print(`  ${times} ${name}`);
    print(`  accepted writes again at most ${Math.round(slowestMs)} ms after a round`);
  } catch (error) {
    print(`${engine} failed, FAULT_SEED=${seed}: ${error instanceof Error ? error.stack : error}`);
    process.exit(1);
  }
}
