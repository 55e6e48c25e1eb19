import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { LIMITS } from './limits.ts';

/** Where the lines go in the end. */
interface Destination {
  write(lines: string): unknown;
  flush(done?: (error?: Error) => void): void;
  flushSync(): void;
}

/**
 * Hands lines on many at a time. The stream that pino brings gathers lines too, but measures all that it has gathered
 * with each new one, which at a line for each request cost more than making the line.
 */
export const gatherLines = (destination: Destination): DestinationStream & Pick<Destination, 'flush' | 'flushSync'> => {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const handOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') destination.write(lines);
    lines = '';
  };
  return {
    write: (line) => {
      lines += line;
      if (lines.length >= LIMITS.gatheredLogLength) handOn();
      else timer ??= setTimeout(handOn, LIMITS.gatheredLogMs);
    },
    flush: (done) => {
      handOn();
      destination.flush(done);
    },
    flushSync: () => {
      // What was handed on already is the business of the destination, which may be closed by now.
      if (lines === '') return;
      handOn();
      destination.flushSync();
    },
  };
};

/** The time of a line, made anew only when it has changed: under load many lines fall into one millisecond. */
const createTimestamp = (): (() => string) => {
  let shownMs = Number.NaN;
  let shown = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== shownMs) {
      shownMs = nowMs;
      shown = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return shown;
  };
};

/** The log of the process: JSON lines on standard output. */
export const createLogger = (level: NonNullable<LoggerOptions['level']>): Logger => {
  // With no minimum length, a flush would call back without waiting for a write that is under way.
  const output = gatherLines(pino.destination({ sync: false, minLength: 1 }));
  // A process that is brought down by a fault of its own still says why.
  process.once('exit', () => output.flushSync());
  return pino({ level, base: null, timestamp: createTimestamp() }, output);
};
