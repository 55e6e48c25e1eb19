import { unavailable } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { waitUpTo } from '../shared/time.ts';

/** A commit that was sent. Exactly one of these is called. */
interface Commit {
  readonly succeeded: () => void;
  readonly failed: () => void;
}

/** Knows whether writes get through, from those of commands, and from a write of its own if there are none. */
export interface WriteWatch {
  /** One that adds no rows, such as that of a chore, does not disprove that commands cannot write: there may be no space for them. */
  commit(isOfCommands: boolean): Commit;
  /** Notes that commands could not write for a reason that is not theirs. */
  failed(error: unknown): void;
  /** For how long the oldest commit has been waiting; 0 if none is. */
  oldestCommitMs(): number;
  /** Fails if writes do not get through. */
  check(): Promise<void>;
}

export interface Probe {
  /** A check that is made each time, before anything is written. */
  readonly look?: () => Promise<void>;
  /**
   * Writes something of no consequence, as durably as any command, and fails if that is impossible. It is told how the
   * last write of a command failed, if none has succeeded since. Returns false if it had no chance to write, because a
   * command is writing.
   */
  readonly write: (failure: unknown) => Promise<boolean>;
}

/**
 * How long a transaction takes says nothing, since it may be a large one; a commit is short. So writes do not get
 * through if a commit waits too long, while no other succeeds, or if a write of nothing fails or takes as long.
 */
export const createWriteWatch = (probe: Probe): WriteWatch => {
  /** The time at which each was sent, oldest first. */
  const waiting = new Set<{ readonly sinceMs: number }>();
  let succeededMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let probing: { readonly sinceMs: number; readonly ended: Promise<void>; isOver: boolean } | undefined;

  const oldestSinceMs = (): number => {
    const [oldest] = waiting;
    return oldest?.sinceMs ?? performance.now();
  };

  const succeeded = (): void => {
    succeededMs = performance.now();
    failure = undefined;
  };

  const isFresh = (): boolean => failure === undefined && performance.now() - succeededMs < LIMITS.freshWriteMs;

  const run = async (): Promise<void> => {
    await probe.look?.();
    if (isFresh()) return;
    const known = failure;
    const hasWritten = await probe.write(known);
    // Whatever failed meanwhile is not disproved.
    if (hasWritten && failure === known) succeeded();
  };

  /** Callers that come at the same time share a probe. One that hangs is left alone when its time is over. */
  const startProbe = (): NonNullable<typeof probing> => {
    const ended = run().finally(() => {
      started.isOver = true;
      if (probing === started) probing = undefined;
    });
    // It may fail after everyone has stopped waiting.
    ended.catch(() => {});
    const started = { sinceMs: performance.now(), ended, isOver: false };
    return started;
  };

  return {
    commit: (isOfCommands) => {
      const commit = { sinceMs: performance.now() };
      waiting.add(commit);
      return {
        succeeded: () => {
          waiting.delete(commit);
          if (isOfCommands) succeeded();
          else succeededMs = performance.now();
        },
        failed: () => {
          waiting.delete(commit);
        },
      };
    },
    failed: (error) => {
      failure = error;
    },
    oldestCommitMs: () => performance.now() - oldestSinceMs(),
    check: async () => {
      const tooLong = (what: string) => unavailable(new Error(`${what} took longer than ${LIMITS.commitMs} ms`));
      if (performance.now() - Math.max(oldestSinceMs(), succeededMs) > LIMITS.commitMs) throw tooLong('a commit');
      probing ??= startProbe();
      const mine = probing;
      await waitUpTo(Math.max(0, mine.sinceMs + LIMITS.commitMs - performance.now()), mine.ended);
      if (mine.isOver) return;
      if (probing === mine) probing = undefined;
      throw tooLong('a write');
    },
  };
};
