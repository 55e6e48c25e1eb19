/**
 * Preloaded into the service: shifts its clock by the number of milliseconds in a file, which is read at the start and
 * on each SIGUSR2. Timers are not affected, as when the clock of a machine is set.
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
