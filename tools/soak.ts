/**
 * `npm run soak [sqlite|postgres]`: faults by schedule for as long as one likes, on one database or one after the other.
 * FAULT_SECONDS is for each of them; FAULT_SEED repeats a schedule.
 */
import { parseArgs } from 'node:util';
import { describeFigures } from '../test/faults/game.ts';
import { soak } from '../test/faults/soak.ts';
import { ENGINES } from '../test/harness.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const { positionals } = parseArgs({ allowPositionals: true });
const engines = ENGINES.filter((engine) => positionals.length === 0 || positionals.includes(engine));
const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const seconds = Number(process.env.FAULT_SECONDS ?? 1200);

for (const engine of engines) {
  say(`${engine} for ${seconds} s, FAULT_SEED=${seed}`);
  try {
    const { figures, events, rounds, slowestMs } = await soak(engine, { seed, seconds, say });
    const { answered, refused, cutOff } = figures;
    say(`${engine}: ${rounds} rounds, ${answered + refused + cutOff} commands; ${describeFigures(figures)}`);
    for (const [name, times] of Object.entries(events).sort()) say(`  ${times} ${name}`);
    say(`  took writes again ${Math.round(slowestMs)} ms after a round at most`);
  } catch (error) {
    say(`${engine} failed, FAULT_SEED=${seed}: ${error instanceof Error ? error.stack : error}`);
    process.exit(1);
  }
}
