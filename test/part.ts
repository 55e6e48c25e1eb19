/** One of the processes of a run of tests: runs one file after another, each of which it takes from the queue. */
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'node:test';

const queue = process.env.TEST_QUEUE as string;
const TAKEN = '.taken';
/** Something that a test forgot to close keeps a process alive. */
const LONGEST_END_MS = 60_000;

/** The path of a note of the queue that no other process has taken. */
const take = (): string | undefined => {
  for (const note of readdirSync(queue).sort()) {
    if (note.endsWith(TAKEN)) continue;
    const taken = join(queue, `${note}${TAKEN}`);
    try {
      renameSync(join(queue, note), taken);
      return taken;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
};

// Node applies a pattern to the name of a suite before it has tests, and would leave all of them out.
const hasPattern = process.execArgv.some((option) => /^--test-(name|skip)-pattern|^--test-only/.test(option));
const ran: string[] = [];
for (let note = take(); note !== undefined; note = take()) {
  const file = readFileSync(note, 'utf8');
  ran.push(file);
  const load = () => import(resolve(file));
  if (hasPattern) await load();
  else await suite(file, load);
  rmSync(note);
}
if (!hasPattern)
  setTimeout(() => {
    process.stderr.write(`still open after ${ran.join(', ')}: ${process.getActiveResourcesInfo()}\n`);
    process.exit(1);
  }, LONGEST_END_MS).unref();
