/**
 * Loaded into the service before anything else: its clock is wrong by as many milliseconds as a file says, which is read
 * at the start and upon each SIGUSR2. Timers go on as ever, as they do when the clock of a machine is set.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const RealDate = Date;
const file = process.env.FAULT_CLOCK as string;
let offsetMs = 0;

const read = (): void => {
  offsetMs = Number(readFileSync(file, 'utf8'));
};

class WrongDate extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [WrongDate.now()] : args) as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

read();
globalThis.Date = WrongDate as DateConstructor;
if (isMainThread) process.on('SIGUSR2', read);
