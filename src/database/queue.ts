import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { Group, type Keys, type Outcome, Postponed } from './group.ts';
import type { Driver } from './session.ts';
import { Collision, type Transaction } from './work.ts';

type Command = (work: Transaction) => Promise<unknown>;

/** A command as it waits for its turn. */
interface Member {
  readonly command: Command;
  readonly settle: (outcome: Outcome) => void;
  /** The keys for which it was postponed; it starts only once all of them are its own. */
  waitsFor: readonly string[];
  /** How often it has run in vain because another transaction got in its way. */
  collisions: number;
  /** Whether it runs in a group of its own, since it cannot be told which command of its last one failed. */
  isAlone: boolean;
}

interface TeamQueue {
  readonly teamId: string;
  readonly keys: Keys;
  waiting: Member[];
  /** Groups whose commands are not all done yet, groups that are being written, and transactions of their own. */
  computing: number;
  writing: number;
  alone: number;
  isScheduled: boolean;
}

/** A command that collides with its group this often runs alone from then on. */
const COLLISIONS_TOGETHER = 2;

export interface Units {
  write(teamId: string, command: Command): Promise<unknown>;
  transaction(teamId: string, command: Command): Promise<unknown>;
  read(teamId: string, query: Command): Promise<unknown>;
  /** Done once everything that was asked for before is done. */
  idle(): Promise<void>;
}

/** Runs commands: those of a team that arrive together in one transaction, or one in a transaction of its own. */
export const createUnits = (driver: Driver): Units => {
  const queues = new Map<string, TeamQueue>();
  let underWay = 0;
  const whenIdle: (() => void)[] = [];

  const isCollision = (error: unknown): boolean => error instanceof Collision || driver.isCollision(error);

  const queueOf = (teamId: string): TeamQueue => {
    let queue = queues.get(teamId);
    if (queue === undefined) {
      queue = { teamId, keys: new Map(), waiting: [], computing: 0, writing: 0, alone: 0, isScheduled: false };
      queues.set(teamId, queue);
    }
    return queue;
  };

  /** What is left to do when something of a team has ended. */
  const goOn = (queue: TeamQueue): void => {
    if (queue.waiting.length > 0) schedule(queue);
    else if (queue.computing + queue.writing + queue.alone === 0 && !queue.isScheduled) queues.delete(queue.teamId);
  };

  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
      if (underWay === 0) for (const tell of whenIdle.splice(0)) tell();
    }
  };

  const isBlocked = ({ keys }: TeamQueue, { waitsFor }: Member): boolean => waitsFor.some((key) => keys.has(key));

  /** Takes the commands that may run now: none that waits for a key which another has, and one alone where it must be. */
  const take = (queue: TeamQueue): { taken: Member[]; keys: string[] } => {
    const taken: Member[] = [];
    const keys: string[] = [];
    const left: Member[] = [];
    for (const member of queue.waiting) {
      const isFull = taken.length === LIMITS.groupCommands || taken[0]?.isAlone || (member.isAlone && taken.length > 0);
      if (isFull || isBlocked(queue, member)) {
        left.push(member);
        continue;
      }
      taken.push(member);
      for (const key of member.waitsFor) {
        queue.keys.set(key, member);
        keys.push(key);
      }
    }
    queue.waiting = left;
    return { taken, keys };
  };

  /** Lets commands run again in one of the next groups; they have waited longest, so they come first. */
  const runAgain = (queue: TeamQueue, members: readonly Member[]): void => {
    queue.waiting = [...members, ...queue.waiting];
    schedule(queue);
  };

  const collided = async (queue: TeamQueue, members: readonly Member[], error: unknown): Promise<void> => {
    for (const member of members) {
      member.collisions += 1;
      member.isAlone ||= member.collisions >= COLLISIONS_TOGETHER;
    }
    const [hopeless, others] = [
      members.filter(({ collisions }) => collisions >= LIMITS.collisions),
      members.filter(({ collisions }) => collisions < LIMITS.collisions),
    ];
    for (const member of hopeless) member.settle({ error: unavailable(error) });
    const most = Math.max(0, ...others.map(({ collisions }) => collisions));
    // Those who collided would collide again if they all came back at once.
    if (most > 1) await delay(randomInt(LIMITS.backoffMs * most));
    if (others.length > 0) runAgain(queue, others);
  };

  /** A group failed as a whole. */
  const failed = (queue: TeamQueue, members: readonly Member[], error: unknown): void => {
    if (isCollision(error)) {
      collided(queue, members, error);
      return;
    }
    const translated = driver.translate(error);
    if (members.length === 1 || translated !== error) {
      for (const { settle } of members) settle({ error: translated });
      return;
    }
    // One of the commands cannot be carried out, and only each by itself shows which.
    for (const member of members) member.isAlone = true;
    runAgain(queue, members);
  };

  /** A command left its group: it runs again once what it waits for is there. */
  const postpone = async (queue: TeamQueue, member: Member, until: Postponed['until']): Promise<void> => {
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

  const answer = (
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
    // A refusal, too, may rest on what is not on the disk yet.
    durable.then(
      () => {
        for (const tell of done) tell();
      },
      (error: unknown) => {
        for (const member of members) member.settle({ error: driver.translate(error) });
      },
    );
  };

  const runGroup = async (queue: TeamQueue): Promise<void> => {
    queue.computing += 1;
    let isWriting = false;
    const willWrite = (): void => {
      isWriting = true;
      queue.computing -= 1;
      queue.writing += 1;
      goOn(queue);
    };
    try {
      const session = await driver.open('group');
      // Whoever came until now comes along.
      const { taken, keys } = take(queue);
      try {
        const group = new Group(queue.teamId, session, queue.keys, keys);
        const outcomes = await group.run(taken, { willWrite });
        answer(queue, taken, outcomes, session.durable());
      } catch (error) {
        failed(queue, taken, error);
      } finally {
        session.end();
        for (const key of keys) queue.keys.delete(key);
      }
    } catch (error) {
      // There is no session to be had.
      for (const { settle } of queue.waiting.splice(0)) settle({ error: driver.translate(error) });
    } finally {
      if (isWriting) queue.writing -= 1;
      else queue.computing -= 1;
      goOn(queue);
    }
  };

  /** One group is written while the next one computes; more at once would only be smaller, and cost as much each. */
  const mayStart = ({ computing, writing }: TeamQueue): boolean => computing === 0 && writing <= 1;

  const schedule = (queue: TeamQueue): void => {
    if (queue.isScheduled || !mayStart(queue)) return;
    queue.isScheduled = true;
    // After the present turn of the event loop, so that the requests which arrive in it come along.
    setImmediate(() => {
      queue.isScheduled = false;
      if (mayStart(queue) && queue.waiting.some((member) => !isBlocked(queue, member))) runGroup(queue);
    });
  };

  const write: Units['write'] = (teamId, command) =>
    counted(
      () =>
        new Promise((resolve, reject) => {
          const settle = (outcome: Outcome): void =>
            'error' in outcome ? reject(outcome.error) : resolve(outcome.value);
          const queue = queueOf(teamId);
          queue.waiting.push({ command, settle, waitsFor: [], collisions: 0, isAlone: false });
          schedule(queue);
        }),
    );

  /** One run of a command that has its transaction, or its view of the data, to itself. */
  const runOnce = async (purpose: 'transaction' | 'read', queue: TeamQueue, command: Command): Promise<unknown> => {
    const session = await driver.open(purpose);
    const keys: string[] = [];
    let outcome: Outcome | undefined;
    let durable: Promise<void>;
    try {
      const group = new Group(queue.teamId, session, queue.keys, keys);
      [outcome] = await group.run([{ command }], { commits: purpose === 'transaction' });
      durable = session.durable();
    } finally {
      session.end();
      for (const key of keys) queue.keys.delete(key);
    }
    if (purpose === 'transaction') await durable;
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    return outcome.value;
  };

  const runByItself = (purpose: 'transaction' | 'read', teamId: string, command: Command): Promise<unknown> =>
    counted(async () => {
      const queue = queueOf(teamId);
      queue.alone += 1;
      try {
        for (let collisions = 0; ; ) {
          try {
            return await runOnce(purpose, queue, command);
          } catch (error) {
            if (error instanceof Postponed) {
              await (error.until instanceof Promise ? error.until : delay(LIMITS.backoffMs));
              continue;
            }
            if (!isCollision(error)) throw driver.translate(error);
            collisions += 1;
            if (collisions === LIMITS.collisions) throw unavailable(error);
            await delay(randomInt(LIMITS.backoffMs * collisions));
          }
        }
      } finally {
        queue.alone -= 1;
        goOn(queue);
      }
    });

  return {
    write,
    transaction: (teamId, command) => runByItself('transaction', teamId, command),
    read: (teamId, query) => runByItself('read', teamId, query),
    idle: () => (underWay === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  };
};
