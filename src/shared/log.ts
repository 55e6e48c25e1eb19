import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { LIMITS } from './limits.ts';

/** Where lines are written in the end. */
interface Destination {
  write(lines: string): unknown;
  flush(done?: (error?: Error) => void): void;
  flushSync(): void;
}

/**
 * Buffers lines and writes many at a time. Pino's own stream buffers too, but measures the whole buffer for each new
 * line, which cost more than creating the line of a request.
 */
export const bufferLines = (destination: Destination): DestinationStream & Pick<Destination, 'flush' | 'flushSync'> => {
  let buffer = '';
  let timer: NodeJS.Timeout | undefined;
  const writeBuffer = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (buffer !== '') destination.write(buffer);
    buffer = '';
  };
  return {
    write: (line) => {
      buffer += line;
      if (buffer.length >= LIMITS.bufferedLogLength) writeBuffer();
      else timer ??= setTimeout(writeBuffer, LIMITS.bufferedLogMs);
    },
    flush: (done) => {
      writeBuffer();
      destination.flush(done);
    },
    flushSync: () => {
      // The destination handles what was passed on before, and may be closed by now.
      if (buffer === '') return;
      writeBuffer();
      destination.flushSync();
    },
  };
};

/** The timestamp of a line, formatted only when it has changed: under load many lines share a millisecond. */
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
  // With no minimum length, a flush would call back without waiting for a pending write.
  const output = bufferLines(pino.destination({ sync: false, minLength: 1 }));
  // Log the reason of a crash before exiting.
  process.once('exit', () => output.flushSync());
  return pino({ level, base: null, timestamp: createTimestamp() }, output);
};
