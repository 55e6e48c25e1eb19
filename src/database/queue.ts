import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, unavailable } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { Group, type Keys, type Outcome, Postponed, type RunOptions } from './group.ts';
import type { Observed, Purpose } from './observer.ts';
import type { Driver, Session } from './session.ts';
import { Collision, type Transaction } from './work.ts';
import type { WriteWatch } from './write-watch.ts';

type Command = (work: Transaction) => Promise<unknown>;

/** A command waiting for its turn. */
interface Member {
  readonly command: Command;
  readonly settle: (outcome: Outcome) => void;
  /** How many came before it. */
  readonly arrival: number;
  /** The keys it was postponed for; it starts only once it can claim all of them. */
  waitsFor: readonly string[];
  /** How often it was rolled back because of another transaction. */
  collisions: number;
  isApart: boolean;
}

/** A read waiting for its turn. */
interface Reading {
  readonly command: Command;
  readonly settle: (outcome: Outcome) => void;
}

interface TeamQueue {
  readonly teamId: string;
  readonly keys: Keys;
  reads: Reading[];
  /** Groups of reads that are running. */
  reading: number;
  isReadScheduled: boolean;
  waiting: Member[];
  /** Commands that failed with a group or kept one waiting: each runs on its own, beside the groups. */
  apart: Member[];
  /** Groups whose commands are still running, and groups that are being written. */
  computing: number;
  writing: number;
  /** Number of commands in the last group. */
  lastSize: number;
  /** Commands running on their own, and all commands of the team without a result yet. */
  runningApart: number;
  pending: number;
  isScheduled: boolean;
}

/** The purposes of commands that run on their own. */
type SinglePurpose = Exclude<Purpose, 'group' | 'apart'>;

/** After this many collisions in a group a command runs on its own. */
const MAX_GROUP_COLLISIONS = 2;

export interface Units {
  write(teamId: string, command: Command): Promise<unknown>;
  transaction(teamId: string, command: Command): Promise<unknown>;
  read(teamId: string, query: Command): Promise<unknown>;
  readUrgent(teamId: string, query: Command): Promise<unknown>;
  /** Resolves once everything requested so far is done. */
  idle(): Promise<void>;
}

/** Runs commands: those of a team that arrive together share a transaction, unless they ask for one of their own. */
export const createUnits = (driver: Driver, observed: Observed, watch: WriteWatch): Units => {
  const queues = new Map<string, TeamQueue>();
  let pendingCommands = 0;
  let arrivals = 0;
  const idleListeners: (() => void)[] = [];

  const isCollision = (error: unknown): boolean => error instanceof Collision || driver.isCollision(error);

  /** Like `driver.translate`, for commands that write: readiness depends on these. */
  const translateOfWrite = (error: unknown): unknown => {
    const translated = driver.translate(error);
    if (translated instanceof ServiceError && translated.reason === 'database') watch.failed(translated.cause);
    return translated;
  };

  const queueOf = (teamId: string): TeamQueue => {
    let queue = queues.get(teamId);
    if (queue === undefined) {
      queue = {
        teamId,
        keys: new Map(),
        reads: [],
        reading: 0,
        isReadScheduled: false,
        waiting: [],
        apart: [],
        computing: 0,
        writing: 0,
        lastSize: 0,
        runningApart: 0,
        pending: 0,
        isScheduled: false,
      };
      queues.set(teamId, queue);
    }
    return queue;
  };

  /** Counts pending commands, per team and in total. */
  const commandStarted = (queue: TeamQueue): void => {
    queue.pending += 1;
    pendingCommands += 1;
  };

  /** Forgets a team that has no pending commands. */
  const commandFinished = (queue: TeamQueue): void => {
    queue.pending -= 1;
    pendingCommands -= 1;
    if (queue.pending === 0) queues.delete(queue.teamId);
    if (pendingCommands === 0) for (const listener of idleListeners.splice(0)) listener();
  };

  const isBlocked = ({ keys }: TeamQueue, { waitsFor }: Member): boolean => waitsFor.some((key) => keys.has(key));

  /** Takes up to `most` waiting commands, except those waiting for a key that is held. The first to want a key gets it. */
  const take = (queue: TeamQueue, from: 'waiting' | 'apart', most: number): { taken: Member[]; keys: string[] } => {
    const taken: Member[] = [];
    const left: Member[] = [];
    for (const member of queue[from]) (taken.length < most && !isBlocked(queue, member) ? taken : left).push(member);
    queue[from] = left;
    const keys: string[] = [];
    for (const member of taken)
      for (const key of member.waitsFor) {
        if (queue.keys.has(key)) continue;
        queue.keys.set(key, member);
        keys.push(key);
      }
    return { taken, keys };
  };

  const inOrder = (members: readonly Member[]): Member[] => members.toSorted((a, b) => a.arrival - b.arrival);

  /**
   * Runs commands again, in the order in which they came: otherwise those that wait for the same row would overtake each
   * other, and one might wait as long as others come. A command that runs on its own keeps doing so: a group would not
   * wait for the lock that made it leave its group.
   */
  const runAgain = (queue: TeamQueue, members: readonly Member[]): void => {
    queue.waiting = inOrder([...members.filter(({ isApart }) => !isApart), ...queue.waiting]);
    queue.apart = inOrder([...members.filter(({ isApart }) => isApart), ...queue.apart]);
    schedule(queue);
  };

  const runApart = (queue: TeamQueue, members: readonly Member[]): void => {
    for (const member of members) member.isApart = true;
    queue.apart.push(...members);
    schedule(queue);
  };

  const collided = async (queue: TeamQueue, members: readonly Member[], error: unknown): Promise<void> => {
    observed.by.reran('collision', members.length);
    for (const member of members) member.collisions += 1;
    const isExhausted = ({ collisions }: Member) => collisions >= LIMITS.collisions;
    for (const { settle } of members.filter(isExhausted)) settle({ error: unavailable(error) });
    const others = members.filter((member) => !isExhausted(member));
    const most = Math.max(0, ...others.map(({ collisions }) => collisions));
    if (most < MAX_GROUP_COLLISIONS) {
      runAgain(queue, others);
      return;
    }
    // Without a random delay, commands that collided would collide again.
    await delay(randomInt(LIMITS.backoffMs * most));
    runApart(queue, others);
  };

  /** A group waited too long for another transaction: commands that may have caused it run on their own from now on. */
  const blocked = (queue: TeamQueue, members: readonly Member[], waitedForLock: ReadonlySet<object>): void => {
    observed.by.reran('lock', members.length);
    const mayBeCause = (member: Member): boolean => waitedForLock.size === 0 || waitedForLock.has(member);
    runApart(queue, members.filter(mayBeCause));
    runAgain(
      queue,
      members.filter((member) => !mayBeCause(member)),
    );
  };

  /** Handles the failure of a whole group. */
  const failed = (
    queue: TeamQueue,
    members: readonly Member[],
    error: unknown,
    waitedForLock: ReadonlySet<object>,
  ): void => {
    const isApart = members.every((member) => member.isApart);
    if (isCollision(error)) {
      collided(queue, members, error);
      return;
    }
    if (driver.isBlocked(error) && !isApart) {
      blocked(queue, members, waitedForLock);
      return;
    }
    const translated = translateOfWrite(error);
    if (isApart || members.length === 1 || translated !== error) {
      for (const { settle } of members) settle({ error: translated });
      return;
    }
    // One of the commands cannot be executed; running each on its own shows which.
    runApart(queue, members);
  };

  /** Runs a command again once what it waits for is available. */
  const postpone = async (queue: TeamQueue, member: Member, until: Postponed['until']): Promise<void> => {
    observed.by.reran(until instanceof Promise ? 'loading' : 'held', 1);
    if (!(until instanceof Promise)) member.waitsFor = until;
    else {
      try {
        await until;
      } catch (error) {
        member.settle({ error: driver.translate(error) });
        return;
      }
    }
    runAgain(queue, [member]);
  };

  const settleAll = (
    queue: TeamQueue,
    members: readonly Member[],
    outcomes: readonly Outcome[],
    durable: Promise<void>,
  ) => {
    const done: (() => void)[] = [];
    for (const [index, member] of members.entries()) {
      const outcome = outcomes[index] as Outcome;
      const error = 'error' in outcome ? outcome.error : undefined;
      if (error instanceof Postponed) postpone(queue, member, error.until);
      else if (error instanceof Collision) collided(queue, [member], error);
      else done.push(() => member.settle(outcome));
    }
    // An error, too, may be based on data that is not on disk yet.
    durable.then(() => {
      for (const settle of done) settle();
    });
  };

  /** Opens a session when it is the team's turn, and ends it afterwards. */
  const inSession = async <T>(
    purpose: Purpose,
    { teamId }: TeamQueue,
    use: (session: Session) => Promise<T>,
  ): Promise<T> => {
    const turns = driver.queues[purpose];
    const startedMs = performance.now();
    await turns.take(teamId);
    try {
      const session = await driver.open(purpose, teamId);
      observed.by.opened(purpose, performance.now() - startedMs);
      try {
        return await use(session);
      } finally {
        session.end();
      }
    } finally {
      turns.give(teamId);
    }
  };

  /** Runs a group, of commands or of one transaction apart, and follows its commit, if there is one, until it is durable. */
  const runWatched = async (
    group: Group,
    commands: Parameters<Group['run']>[0],
    options: RunOptions,
  ): Promise<{ outcomes: Outcome[]; durable: Promise<void> }> => {
    let commit: ReturnType<WriteWatch['commit']> | undefined;
    const willCommit = (): void => {
      commit = watch.commit(options.willWrite !== undefined);
    };
    try {
      const outcomes = await group.run(commands, { ...options, willCommit });
      const durable = group.session.durable();
      durable.then(() => {
        commit?.succeeded();
        if (group.hasEvents) observed.eventsOf(group.teamId);
      });
      return { outcomes, durable };
    } catch (error) {
      commit?.failed();
      throw error;
    }
  };

  /** Runs commands in an open session. */
  const runIn = async (
    queue: TeamQueue,
    session: Session,
    { taken, keys }: ReturnType<typeof take>,
    willWrite?: () => void,
  ): Promise<void> => {
    const group = new Group(queue.teamId, session, queue.keys, keys);
    try {
      const { outcomes, durable } = await runWatched(group, taken, { willWrite });
      settleAll(queue, taken, outcomes, durable);
    } catch (error) {
      failed(queue, taken, error, group.waitedForLock);
    } finally {
      for (const key of keys) queue.keys.delete(key);
    }
  };

  const runGroup = async (queue: TeamQueue): Promise<void> => {
    queue.computing += 1;
    let isWriting = false;
    const willWrite = (): void => {
      isWriting = true;
      queue.computing -= 1;
      queue.writing += 1;
      schedule(queue);
    };
    try {
      await inSession('group', queue, (session) => {
        // Include every command that has arrived by now.
        const group = take(queue, 'waiting', LIMITS.groupCommands);
        observed.by.grouped(group.taken.length);
        queue.lastSize = group.taken.length;
        return runIn(queue, session, group, willWrite);
      });
    } catch (error) {
      // No session could be opened.
      const translated = translateOfWrite(error);
      for (const { settle } of queue.waiting.splice(0)) settle({ error: translated });
    } finally {
      if (isWriting) queue.writing -= 1;
      else queue.computing -= 1;
      schedule(queue);
    }
  };

  /** Runs one command beside the groups: it may have to wait for another transaction, and groups must not. */
  const runOneApart = async (queue: TeamQueue): Promise<void> => {
    const one = take(queue, 'apart', 1);
    if (one.taken.length === 0) return;
    queue.runningApart += 1;
    try {
      await inSession('apart', queue, (session) => runIn(queue, session, one));
    } catch (error) {
      const translated = translateOfWrite(error);
      for (const { settle } of one.taken) settle({ error: translated });
      for (const key of one.keys) queue.keys.delete(key);
    } finally {
      queue.runningApart -= 1;
      schedule(queue);
    }
  };

  /**
   * While one group is being written, the next may start, if that is worthwhile: a small group costs as much as a large
   * one, so a second group starts only once as many commands are waiting as the last one had.
   */
  const mayStart = ({ computing, writing, waiting, lastSize }: TeamQueue): boolean =>
    computing === 0 && (writing === 0 || (writing === 1 && waiting.length >= lastSize));

  const schedule = (queue: TeamQueue): void => {
    if (queue.isScheduled || queue.waiting.length + queue.apart.length === 0) return;
    queue.isScheduled = true;
    // Wait for the end of this event loop iteration, so that requests arriving in it join the group.
    setImmediate(() => {
      queue.isScheduled = false;
      if (mayStart(queue) && queue.waiting.some((member) => !isBlocked(queue, member))) runGroup(queue);
      for (let left = queue.apart.length; left > 0 && queue.runningApart < LIMITS.commandsApart; left -= 1)
        runOneApart(queue);
    });
  };

  const write: Units['write'] = (teamId, command) =>
    new Promise((resolve, reject) => {
      const queue = queueOf(teamId);
      commandStarted(queue);
      const settle = (outcome: Outcome): void => {
        commandFinished(queue);
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      };
      queue.waiting.push({ command, settle, arrival: arrivals, waitsFor: [], collisions: 0, isApart: false });
      arrivals += 1;
      schedule(queue);
    });

  /** Runs a command once, in a transaction or snapshot of its own. */
  const runOnce = async (purpose: SinglePurpose, queue: TeamQueue, command: Command): Promise<unknown> => {
    const keys: string[] = [];
    const commits = purpose === 'transaction';
    const { outcome, durable } = await inSession(purpose, queue, async (session) => {
      try {
        const group = new Group(queue.teamId, session, queue.keys, keys);
        const { outcomes, durable } = await runWatched(group, [{ command }], { commits });
        return { outcome: outcomes[0], durable };
      } finally {
        for (const key of keys) queue.keys.delete(key);
        schedule(queue);
      }
    });
    if (commits) await durable;
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    return outcome.value;
  };

  const runAlone = async (purpose: SinglePurpose, teamId: string, command: Command): Promise<unknown> => {
    const queue = queueOf(teamId);
    commandStarted(queue);
    try {
      for (let collisions = 0; ; ) {
        try {
          return await runOnce(purpose, queue, command);
        } catch (error) {
          if (error instanceof Postponed) {
            observed.by.reran(error.until instanceof Promise ? 'loading' : 'held', 1);
            await (error.until instanceof Promise ? error.until : delay(LIMITS.backoffMs));
            continue;
          }
          if (!isCollision(error)) throw purpose === 'transaction' ? translateOfWrite(error) : driver.translate(error);
          collisions += 1;
          observed.by.reran('collision', 1);
          if (collisions === LIMITS.collisions) throw unavailable(error);
          await delay(randomInt(LIMITS.backoffMs * collisions));
        }
      }
    } finally {
      commandFinished(queue);
    }
  };

  const runAgainAlone = ({ teamId }: TeamQueue, { command, settle }: Reading): void => {
    runAlone('read', teamId, command).then(
      (value) => settle({ value }),
      (error) => settle({ error }),
    );
  };

  const readAgainAfter = async (queue: TeamQueue, reading: Reading, until: Promise<unknown>): Promise<void> => {
    observed.by.reran('loading', 1);
    try {
      await until;
    } catch (error) {
      reading.settle({ error: driver.translate(error) });
      return;
    }
    queue.reads.push(reading);
    scheduleReads(queue);
  };

  /** A read that failed in a snapshot with others runs again on its own: it may have failed because of them. */
  const settleRead = (queue: TeamQueue, reading: Reading, outcome: Outcome, isShared: boolean): void => {
    const error = 'error' in outcome ? outcome.error : undefined;
    if (error === undefined || error instanceof ServiceError) reading.settle(outcome);
    else if (error instanceof Postponed && error.until instanceof Promise) readAgainAfter(queue, reading, error.until);
    else if (isShared || isCollision(error)) runAgainAlone(queue, reading);
    else reading.settle({ error: driver.translate(error) });
  };

  /** Runs reads that have arrived in one snapshot, so that each costs a fraction of a transaction. */
  const runReads = async (queue: TeamQueue): Promise<void> => {
    const taken = queue.reads.splice(0, LIMITS.groupReads);
    queue.reading += 1;
    try {
      await inSession('read', queue, (session) => {
        // Include those that have arrived by now.
        taken.push(...queue.reads.splice(0, LIMITS.groupReads - taken.length));
        const group = new Group(queue.teamId, session, queue.keys, []);
        const isShared = taken.length > 1;
        return group.read(taken, (index, outcome) => settleRead(queue, taken[index] as Reading, outcome, isShared));
      });
    } catch (error) {
      // No session could be opened.
      const translated = driver.translate(error);
      for (const { settle } of taken) settle({ error: translated });
    } finally {
      queue.reading -= 1;
      scheduleReads(queue);
    }
  };

  const scheduleReads = (queue: TeamQueue): void => {
    if (queue.isReadScheduled || queue.reads.length === 0 || queue.reading >= LIMITS.groupsOfReads) return;
    queue.isReadScheduled = true;
    setImmediate(() => {
      queue.isReadScheduled = false;
      while (queue.reads.length > 0 && queue.reading < LIMITS.groupsOfReads) runReads(queue);
    });
  };

  const read: Units['read'] = (teamId, command) =>
    new Promise((resolve, reject) => {
      const queue = queueOf(teamId);
      commandStarted(queue);
      const settle = (outcome: Outcome): void => {
        commandFinished(queue);
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      };
      queue.reads.push({ command, settle });
      scheduleReads(queue);
    });

  return {
    write,
    transaction: (teamId, command) => runAlone('transaction', teamId, command),
    read,
    readUrgent: (teamId, query) => runAlone('urgent', teamId, query),
    idle: () => (pendingCommands === 0 ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve))),
  };
};
