import { PerformanceObserver } from 'node:perf_hooks';

/** When something happened, in CPU time of this thread and on the clock. */
interface Moment {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const momentNow = (): Moment => {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
};

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Turn extends Span {
  readonly usedMs: number;
}

export interface Turns {
  /** The longest turn since the last time this was asked, and the longest collection of garbage. */
  readonly longest: () => { readonly turnMs: number; readonly collectionMs: number };
  readonly stop: () => void;
}

/** Shorter ones are not looked at any closer. */
const LONG_MS = 20;

const overlapMs = (one: Span, other: Span): number =>
  Math.max(0, Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs));

/**
 * Measures the turns of the event loop in CPU time of the thread that it runs on. So neither other processes count nor
 * other threads, such as those of the garbage collector. The kernel may account for CPU time some milliseconds late, but
 * it is never more than the time that has passed.
 *
 * Collections of garbage are measured apart. How long they take depends on how much is in memory, and they meet whichever
 * operation happens to run.
 */
export const watchTurns = (): Turns => {
  let turns: Turn[] = [];
  let shortMs = 0;
  let collections: Span[] = [];
  let isWatching = true;
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  const note = (entries: ReturnType<typeof observer.takeRecords>): void => {
    for (const { startTime, duration } of entries) collections.push({ fromMs: startTime, toMs: startTime + duration });
  };
  observer.observe({ entryTypes: ['gc'] });

  const watch = (before: Moment): void => {
    if (!isWatching) return;
    const now = momentNow();
    const usedMs = Math.min(now.cpuMs - before.cpuMs, now.wallMs - before.wallMs);
    if (usedMs < LONG_MS) shortMs = Math.max(shortMs, usedMs);
    else turns.push({ fromMs: before.wallMs, toMs: now.wallMs, usedMs });
    setImmediate(watch, now);
  };
  setImmediate(watch, momentNow());

  const ownMs = (turn: Turn): number =>
    turn.usedMs - collections.reduce((sum, collection) => sum + overlapMs(turn, collection), 0);
  return {
    longest: () => {
      note(observer.takeRecords());
      const turnMs = Math.max(shortMs, ...turns.map(ownMs));
      const collectionMs = Math.max(0, ...collections.map(({ fromMs, toMs }) => toMs - fromMs));
      turns = [];
      collections = [];
      shortMs = 0;
      return { turnMs, collectionMs };
    },
    stop: () => {
      isWatching = false;
      observer.disconnect();
    },
  };
};
