import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { LIMITS } from '../shared/limits.ts';
import type { Ask, KeyOf, KeyTypes, Lookup, Merge, Rows, SharedLock, Write } from './declarations.ts';
import { createQueries } from './kysely.ts';
import type { Question, Session } from './session.ts';
import { TABLES, type Tables } from './tables.ts';
import type { Queries, Transaction } from './work.ts';

/** Thrown when a command leaves its group, to run again later. */
export class Postponed extends Error {
  /** All keys that it is known to need, one of which another command holds; or a promise to wait for. */
  readonly until: readonly string[] | Promise<unknown>;

  constructor(until: readonly string[] | Promise<unknown>) {
    super('the command will run again later');
    this.until = until;
    // It may fail before anybody waits for it: first the transaction is ended.
    if (until instanceof Promise) until.catch(() => {});
  }
}

/** Why a read leaves its group: others would have to wait for it. */
export class LeavesGroup extends Error {}

const LEAVES = new LeavesGroup('the read will run on its own');

/** Free-form queries of a group of reads: none is sent, and whoever sends one runs again on its own. */
const refusingQueries = createQueries<Tables>({
  adapter: new PostgresAdapter(),
  compiler: new PostgresQueryCompiler(),
  introspector: (db) => new PostgresIntrospector(db),
  run: () => Promise.reject(LEAVES),
});

/** The result of a command. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

type Values = readonly (string | number)[];

interface PendingLookup {
  readonly owner: GroupWork;
  readonly lookup: Lookup;
  readonly values: Values;
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

const valuesOf = ({ keys }: Lookup, key: Readonly<Record<string, string | number>>): Values => {
  const values: (string | number)[] = [];
  for (const name in keys) values.push(key[name] as string | number);
  return values;
};

/** A key as text; no value contains a NUL. */
const keyText = (values: Values): string => (values.length === 1 ? String(values[0]) : values.join('\0'));

const compareValues = (a: Values, b: Values): number => {
  for (let index = 0; index < a.length; index += 1) {
    const [left, right] = [a[index] as string | number, b[index] as string | number];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
};

const rankOfTable = new Map(TABLES.map((table, rank) => [table, rank]));
const lockRank = ({ locks }: Lookup): number => (locks === null ? TABLES.length : (rankOfTable.get(locks) as number));
/** Deletions come first, children before parents; then everything else, parents before children. */
const writeRank = ({ mode, table }: Write<unknown>): number => {
  const rank = rankOfTable.get(table) as number;
  return mode === 'delete' ? -rank - 1 : rank;
};

const merged = ({ key, row }: Merge<unknown, object>, entries: readonly unknown[]): object[] =>
  Array.from(Map.groupBy(entries, (entry) => key(entry) ?? entry).values(), (same) => row(same as [unknown]));

/** Rows that commands of a group share are written once all of them are done. */
const isMerged = ({ merge }: Write<unknown>): boolean => merge !== undefined;
const isOwnRow = (write: Write<unknown>): boolean => !isMerged(write);

export interface Command {
  readonly command: (work: Transaction) => Promise<unknown>;
}

export interface RunOptions {
  /** Called when all commands are done, before anything is written. */
  readonly willWrite?: () => void;
  /** Called when everything is written, before it is committed. */
  readonly willCommit?: () => void;
  /** Whether to commit even if no declared rows were written. */
  readonly commits?: boolean;
}

/**
 * Which command holds which key, across all running groups of a team. A key that belongs to a group is free for its
 * commands.
 */
export type Keys = Map<string, object>;

/** A command that waits until others of its group are done with what it wants to hold. */
interface InLine {
  readonly work: GroupWork;
  readonly names: readonly string[];
  readonly proceed: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs commands of one team interleaved in one transaction. Once the microtask queue is empty, every command is
 * waiting, and everything they asked for is sent in one batch. Locks are taken only when no command has anything else
 * to ask, so that most groups take all of their locks at once, in one order.
 *
 * Commands that want to hold the same key do so one after the other: the rows of whoever is done are written before the
 * next one looks. A round is such a handover; there is a limit, since all commands of the group wait for the last one.
 */
export class Group {
  readonly teamId: string;
  readonly session: Session;
  readonly #keys: Keys;
  readonly #claimed: string[];
  readonly #works = new Map<object, GroupWork>();
  #asked: PendingLookup[] = [];
  #held: PendingLookup[] = [];
  #line: InLine[] = [];
  /** Commands that succeeded and whose rows are not written yet. */
  #done: GroupWork[] = [];
  #rounds = 0;
  #willWrite: (() => void) | undefined;
  #hasWritten = false;
  /** Whether a command has ended or joined the line since those in line were last looked at. */
  #mayHandOver = false;
  #isScheduled = false;
  #isShared = false;
  #failure: { readonly error: unknown } | undefined;
  /** If a lookup failed: the commands that asked for a lock along with it. */
  readonly waitedForLock = new Set<Command>();

  /** Keys that the commands claim are added to `claimed`; the caller releases them at the end. */
  constructor(teamId: string, session: Session, keys: Keys, claimed: string[]) {
    this.teamId = teamId;
    this.session = session;
    this.#keys = keys;
    this.#claimed = claimed;
  }

  /**
   * Runs all commands, writes the rows of those that succeeded, and commits. Returns an outcome per command, in order.
   * The command object owns the keys that it claims.
   */
  async run(commands: readonly Command[], { willWrite, willCommit, commits = false }: RunOptions): Promise<Outcome[]> {
    this.session.begin();
    this.#willWrite = willWrite;
    const works = this.#worksOf(commands);
    const outcomes = await Promise.all(works.map((work) => work.run()));
    if (this.#failure !== undefined) throw this.#failure.error;
    const kept = works.filter((_, index) => 'value' in (outcomes[index] as Outcome));
    await this.#write([...this.#rowsOf(this.#done, isOwnRow), ...this.#rowsOf(kept, isMerged)]);
    if (this.#hasWritten || (commits && kept.length > 0)) {
      willCommit?.();
      await this.session.commit();
    }
    for (const work of kept) work.committed();
    return outcomes;
  }

  /** Runs reads that share a snapshot. None waits for another that takes long: such a read leaves. */
  async read(reads: readonly Command[], settle: (index: number, outcome: Outcome) => void): Promise<void> {
    this.#isShared = reads.length > 1;
    this.session.begin();
    const works = this.#worksOf(reads);
    await Promise.all(works.map(async (work, index) => settle(index, await work.run())));
  }

  #worksOf(commands: readonly Command[]): GroupWork[] {
    return commands.map((command) => {
      const work = new GroupWork(this, command);
      this.#works.set(command, work);
      return work;
    });
  }

  /** Free-form queries. */
  get queries(): Queries {
    return this.#isShared ? refusingQueries : this.session.queries;
  }

  ask(owner: GroupWork, lookup: Lookup, key: Readonly<Record<string, string | number>>): Promise<readonly unknown[]> {
    if (this.#isShared && lookup.isLong) return Promise.reject(LEAVES);
    return this.#find(this.#asked, owner, lookup, valuesOf(lookup, key));
  }

  async hold(work: GroupWork, asks: readonly Ask<unknown>[]): Promise<(readonly unknown[])[]> {
    const wanted = asks.map(({ lookup, key }) => ({ lookup, values: valuesOf(lookup, key) }));
    const names = wanted.flatMap(({ lookup: { locks }, values }) =>
      locks === null ? [] : `${locks}\0${keyText(values)}`,
    );
    work.wants.push(...names);
    if (!this.claim(work, names)) {
      if (!this.#mayWait(work, names)) throw new Postponed(work.wants);
      work.isWaiting = true;
      await new Promise<void>((proceed, reject) => {
        this.#line.push({ work, names, proceed, reject });
        this.#mayHandOver = true;
        this.#schedule();
      });
    }
    return Promise.all(wanted.map(({ lookup, values }) => this.#find(this.#held, work, lookup, values)));
  }

  #find(pending: PendingLookup[], owner: GroupWork, lookup: Lookup, values: Values): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      pending.push({ owner, lookup, values, resolve, reject });
      this.#schedule();
    });
  }

  /** Drops the pending lookups of a command that has ended: nobody would receive the rows. */
  ended(work: GroupWork, outcome: Outcome): void {
    const isFromOthers = (asked: PendingLookup): boolean => asked.owner !== work;
    if (this.#asked.length > 0) this.#asked = this.#asked.filter(isFromOthers);
    if (this.#held.length > 0) this.#held = this.#held.filter(isFromOthers);
    work.isDone = true;
    if ('value' in outcome) this.#done.push(work);
    if (this.#line.length > 0) {
      this.#line = this.#line.filter((waiting) => waiting.work !== work);
      this.#mayHandOver = true;
      this.#schedule();
    }
  }

  /**
   * Claims all of the keys for a command, or none if another command has one. Whoever is waiting for keys gets no others
   * meanwhile: a key always goes to a command that waits for nobody, so none wait for each other in a circle.
   */
  claim({ command, isWaiting }: GroupWork, names: readonly string[]): boolean {
    if (isWaiting) return false;
    const isTaken = (name: string): boolean => {
      const holder = this.#keys.get(name);
      return holder !== undefined && holder !== command && holder !== this;
    };
    if (names.some(isTaken)) return false;
    for (const name of names) {
      if (!this.#keys.has(name)) this.#claimed.push(name);
      this.#keys.set(name, command);
    }
    return true;
  }

  /** A command waits only for others of its group that are not waiting themselves. */
  #mayWait({ command, isWaiting }: GroupWork, names: readonly string[]): boolean {
    return (
      !isWaiting &&
      this.#rounds < LIMITS.groupRounds &&
      names.every((name) => {
        const holder = this.#keys.get(name);
        if (holder === undefined || holder === command || holder === this) return true;
        const work = this.#works.get(holder);
        return work !== undefined && !work.isWaiting;
      })
    );
  }

  /** Lets those in line proceed who wait only for commands that are done, whose rows they will see. */
  async #handOver(): Promise<void> {
    this.#mayHandOver = false;
    const isFree = (name: string): boolean => {
      const holder = this.#keys.get(name);
      return holder === undefined || holder === this || (this.#works.get(holder)?.isDone ?? false);
    };
    if (!this.#line.some(({ names }) => names.every(isFree))) return;
    this.#rounds += 1;
    // Those who are done by now: others may end while rows are being written.
    const freed = this.#claimed.filter(isFree);
    await this.#write(this.#rowsOf(this.#done.splice(0), isOwnRow));
    for (const name of freed) this.#keys.set(name, this);
    for (const waiting of this.#line.splice(0)) {
      const { work, names, proceed, reject } = waiting;
      work.isWaiting = false;
      if (this.claim(work, names)) proceed();
      else if (this.#rounds === LIMITS.groupRounds) reject(new Postponed(work.wants));
      else {
        work.isWaiting = true;
        this.#line.push(waiting);
      }
    }
  }

  async #write(rows: readonly Rows[]): Promise<void> {
    this.#willWrite?.();
    this.#willWrite = undefined;
    if (rows.length === 0) return;
    this.#hasWritten = true;
    await this.session.send(rows);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Microtasks run before the next tick, so by then every command is waiting or done.
    Promise.resolve().then(() => process.nextTick(() => this.#dispatch()));
  }

  async #dispatch(): Promise<void> {
    const asked = this.#asked.length > 0 ? this.#asked.splice(0) : this.#held.splice(0);
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (asked.length > 0) await this.#send(asked);
      else await this.#handOver();
    } catch (error) {
      if (this.#failure === undefined) {
        this.#failure = { error };
        for (const { owner, lookup } of asked)
          if (lookup.locks !== null || lookup.shares !== null) this.waitedForLock.add(owner.command);
      }
      for (const { reject } of [...asked, ...this.#line.splice(0)]) reject(error);
      this.#mayHandOver = false;
    }
    this.#isScheduled = false;
    if (this.#asked.length + this.#held.length > 0 || this.#mayHandOver) this.#schedule();
  }

  /** Sends each lookup once, for all requested keys. */
  async #send(asked: readonly PendingLookup[]): Promise<void> {
    const byLookup = new Map<Lookup, Map<string, { values: Values; asked: PendingLookup[] }>>();
    for (const one of asked) {
      let byKey = byLookup.get(one.lookup);
      if (byKey === undefined) {
        byKey = new Map();
        byLookup.set(one.lookup, byKey);
      }
      const text = keyText(one.values);
      const same = byKey.get(text);
      if (same === undefined) byKey.set(text, { values: one.values, asked: [one] });
      else same.asked.push(one);
    }
    const inOrder = [...byLookup].sort(([a], [b]) => lockRank(a) - lockRank(b));
    const waiting: { values: Values; asked: PendingLookup[] }[][] = [];
    const questions: Question[] = inOrder.map(([lookup, byKey]) => {
      const all = [...byKey.values()];
      if (lookup.locks !== null) all.sort((a, b) => compareValues(a.values, b.values));
      waiting.push(all);
      return { teamId: this.teamId, lookup, keys: all.map(({ values }) => values) };
    });
    const rowsPerQuestion = await this.session.ask(questions);
    for (const [number, all] of waiting.entries()) {
      for (const [place, { asked: same }] of all.entries()) {
        const rows = rowsPerQuestion[number]?.[place] as readonly unknown[];
        for (const { resolve } of same) resolve(rows);
      }
    }
  }

  #rowsOf(works: readonly GroupWork[], isWanted: (write: Write<unknown>) => boolean): Rows[] {
    const byWrite = new Map<Write<unknown>, unknown[]>();
    for (const { written } of works) {
      for (let index = 0; index < written.length; index += 2) {
        const [write, row] = [written[index] as Write<unknown>, written[index + 1]];
        if (!isWanted(write)) continue;
        const rows = byWrite.get(write);
        if (rows === undefined) byWrite.set(write, [row]);
        else rows.push(row);
      }
    }
    return [...byWrite]
      .sort(([a], [b]) => writeRank(a) - writeRank(b))
      .map(([write, rows]) => ({
        teamId: this.teamId,
        write,
        rows: write.merge === undefined ? rows : merged(write.merge, rows),
      }));
  }
}

/** The unit of work that one command of a group sees. */
class GroupWork implements Transaction {
  readonly teamId: string;
  readonly command: Command;
  /** Writes and their rows, alternating, in the order in which they were written. */
  readonly written: unknown[] = [];
  /** All keys that it is known to need. */
  readonly wants: string[] = [];
  isDone = false;
  /** Whether it is in line. */
  isWaiting = false;
  readonly #group: Group;
  readonly #facts: (() => void)[] = [];

  constructor(group: Group, owner: Command) {
    this.teamId = group.teamId;
    this.#group = group;
    this.command = owner;
  }

  async run(): Promise<Outcome> {
    const outcome = await this.#outcome();
    this.#group.ended(this, outcome);
    return outcome;
  }

  async #outcome(): Promise<Outcome> {
    try {
      return { value: await this.command.command(this) };
    } catch (error) {
      return { error };
    }
  }

  /** What it saw and wrote is committed. */
  committed(): void {
    for (const remember of this.#facts) remember();
  }

  get queries(): Queries {
    return this.#group.queries;
  }

  find<K extends KeyTypes, Row>(lookup: Lookup<K, Row>, key: KeyOf<K>): Promise<readonly Row[]> {
    return this.#group.ask(this, lookup, key) as Promise<readonly Row[]>;
  }

  hold<R extends readonly unknown[]>(
    ...asks: { readonly [I in keyof R]: Ask<R[I]> }
  ): Promise<{ [I in keyof R]: readonly R[I][] }> {
    return this.#group.hold(this, asks) as Promise<{ [I in keyof R]: readonly R[I][] }>;
  }

  claim(name: string): void {
    this.wants.push(name);
    // It waits until everything it needs is free: if it kept a part, two commands could deadlock.
    if (!this.#group.claim(this, [name])) throw new Postponed(this.wants);
  }

  write<Row>(write: Write<Row>, ...rows: Row[]): void {
    for (const row of rows) this.written.push(write, row);
  }

  remember(fact: () => void): void {
    this.#facts.push(fact);
  }

  rerunAfter(promise: Promise<unknown>): never {
    throw new Postponed(promise);
  }

  exclude(lock: SharedLock): Promise<void> {
    return this.#group.session.exclude(this.teamId, lock);
  }
}
