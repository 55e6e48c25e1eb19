import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
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

/** Which command holds which key, across all running groups of a team. */
export type Keys = Map<string, object>;

/**
 * Runs commands of one team interleaved in one transaction. Once the microtask queue is empty, every command is
 * waiting, and everything they asked for is sent in one batch. Locks are taken only when no command has anything else
 * to ask, so that most groups take all of their locks at once, in one order.
 */
export class Group {
  readonly teamId: string;
  readonly session: Session;
  readonly #keys: Keys;
  readonly #claimed: string[];
  #asked: PendingLookup[] = [];
  #held: PendingLookup[] = [];
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
    const works = commands.map((command) => new GroupWork(this, command));
    const outcomes = await Promise.all(works.map((work) => work.run()));
    if (this.#failure !== undefined) throw this.#failure.error;
    willWrite?.();
    const kept = works.filter((_, index) => 'value' in (outcomes[index] as Outcome));
    const written = this.#rowsOf(kept);
    if (written.length > 0) await this.session.send(written);
    if (written.length > 0 || (commits && kept.length > 0)) {
      willCommit?.();
      await this.session.commit();
    }
    return outcomes;
  }

  /** Runs reads that share a snapshot. None waits for another that takes long: such a read leaves. */
  async read(reads: readonly Command[], settle: (index: number, outcome: Outcome) => void): Promise<void> {
    this.#isShared = reads.length > 1;
    this.session.begin();
    const works = reads.map((command) => new GroupWork(this, command));
    await Promise.all(works.map(async (work, index) => settle(index, await work.run())));
  }

  /** Free-form queries. */
  get queries(): Queries {
    return this.#isShared ? refusingQueries : this.session.queries;
  }

  ask(owner: GroupWork, lookup: Lookup, key: Readonly<Record<string, string | number>>): Promise<readonly unknown[]> {
    if (this.#isShared && lookup.isLong) return Promise.reject(LEAVES);
    return new Promise((resolve, reject) => {
      this.#asked.push({ owner, lookup, values: valuesOf(lookup, key), resolve, reject });
      this.#schedule();
    });
  }

  hold(work: GroupWork, asks: readonly Ask<unknown>[]): Promise<(readonly unknown[])[]> {
    return Promise.all(
      asks.map(
        ({ lookup, key }) =>
          new Promise<readonly unknown[]>((resolve, reject) => {
            const values = valuesOf(lookup, key);
            if (lookup.locks !== null) work.claim(`${lookup.locks}\0${keyText(values)}`);
            this.#held.push({ owner: work, lookup, values, resolve, reject });
            this.#schedule();
          }),
      ),
    );
  }

  /** Drops the pending lookups of a command that has ended: nobody would receive the rows. */
  forget(owner: GroupWork): void {
    const isFromOthers = (asked: PendingLookup): boolean => asked.owner !== owner;
    if (this.#asked.length > 0) this.#asked = this.#asked.filter(isFromOthers);
    if (this.#held.length > 0) this.#held = this.#held.filter(isFromOthers);
  }

  /** Returns false if another command holds the key. */
  claim(owner: object, key: string): boolean {
    const holder = this.#keys.get(key);
    if (holder !== undefined) return holder === owner;
    this.#keys.set(key, owner);
    this.#claimed.push(key);
    return true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Microtasks run before the next tick, so by then every command is waiting or done.
    Promise.resolve().then(() => process.nextTick(() => this.#dispatch()));
  }

  async #dispatch(): Promise<void> {
    this.#isScheduled = false;
    const isLocking = this.#asked.length === 0;
    const asked = isLocking ? this.#held : this.#asked;
    if (asked.length === 0) return;
    if (isLocking) this.#held = [];
    else this.#asked = [];
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#send(asked);
    } catch (error) {
      if (this.#failure === undefined) {
        this.#failure = { error };
        for (const { owner, lookup } of asked)
          if (lookup.locks !== null || lookup.shares !== null) this.waitedForLock.add(owner.command);
      }
      for (const { reject } of asked) reject(error);
    }
    if (this.#asked.length + this.#held.length > 0) this.#schedule();
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

  #rowsOf(works: readonly GroupWork[]): Rows[] {
    const byWrite = new Map<Write<unknown>, unknown[]>();
    for (const { written } of works) {
      for (let index = 0; index < written.length; index += 2) {
        const [write, row] = [written[index] as Write<unknown>, written[index + 1]];
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
  /** Writes and their rows, alternating, in the order in which they were written. */
  readonly written: unknown[] = [];
  readonly #group: Group;
  readonly command: Command;
  readonly #keys: string[] = [];

  constructor(group: Group, owner: Command) {
    this.teamId = group.teamId;
    this.#group = group;
    this.command = owner;
  }

  async run(): Promise<Outcome> {
    try {
      return { value: await this.command.command(this) };
    } catch (error) {
      return { error };
    } finally {
      this.#group.forget(this);
    }
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
    this.#keys.push(name);
    // It waits until everything it needs is free: if it kept a part, two commands could deadlock.
    if (!this.#group.claim(this.command, name)) throw new Postponed(this.#keys);
  }

  write<Row>(write: Write<Row>, ...rows: Row[]): void {
    for (const row of rows) this.written.push(write, row);
  }

  rerunAfter(promise: Promise<unknown>): never {
    throw new Postponed(promise);
  }

  exclude(lock: SharedLock): Promise<void> {
    return this.#group.session.exclude(this.teamId, lock);
  }
}
