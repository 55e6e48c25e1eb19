import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { LIMITS } from '../shared/limits.ts';
import type { Ask, KeyOf, KeyTypes, Lookup, Rows, SharedLock, Write } from './declarations.ts';
import { insertEvents, keptTypes, type NewEvent, rollerOf, rowsOfEvents, typesOf, unknownUsers } from './events.ts';
import { createQueries } from './kysely.ts';
import { KnownRows, keyText, RowBatch, tableRank, type Values } from './row-batch.ts';
import type { Question, Session } from './session.ts';
import { TABLES, type Tables } from './tables.ts';
import { NO_TEAM, type Queries, type Transaction } from './work.ts';

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

const compareValues = (a: Values, b: Values): number => {
  for (let index = 0; index < a.length; index += 1) {
    const [left, right] = [a[index] as string | number, b[index] as string | number];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
};

const lockRank = ({ locks }: Lookup): number => (locks === null ? TABLES.length : tableRank(locks));

export interface Command {
  readonly command: (work: Transaction) => Promise<unknown>;
}

export interface RunOptions {
  /** Called once, before any row is written: in most groups, when all commands are done. */
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
 * Commands that want to hold the same key do so one after the other, each with the rows that the one before leaves. What
 * is written of these rows is known without asking; before whoever holds them looks for anything else, all rows are
 * written that are ready. How often that happens is limited, since all commands of a group wait for the last one.
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
  /** Rows of commands that succeeded, to be written in this order. */
  #unwritten: RowBatch[] = [];
  /** Rows that commands share, which are written when all of them are done. */
  readonly #merged = new RowBatch();
  /** What the commands that succeeded say about their changes, in the order in which they ended. */
  readonly #events: NewEvent[] = [];
  /** The types of events that the team keeps; asked for together with the first lookups of a group that may write. */
  #keptTypes: ReadonlySet<string> | undefined;
  #mayWrite = false;
  /** Whether events are written. */
  hasEvents = false;
  /** How often rows were written. */
  #writes = 0;
  /** Rows that commands in line may want to hold, as the commands that are done leave them. */
  readonly #known = new KnownRows();
  #willWrite: (() => void) | undefined;
  #hasWritten = false;
  /** Whether a command has ended or joined the line since those in line were last looked at. */
  #mayHandOver = false;
  #isScheduled = false;
  #hasBegun = false;
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
    this.#begin();
    this.#willWrite = willWrite;
    this.#mayWrite = true;
    const works = this.#worksOf(commands);
    const outcomes = await Promise.all(works.map((work) => work.run()));
    if (this.#failure !== undefined) throw this.#failure.error;
    const kept = works.filter((_, index) => 'value' in (outcomes[index] as Outcome));
    const events = await this.#eventRows();
    this.hasEvents = events.length > 0;
    await this.#write([this.#merged], events);
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

  /** Reads that all leave need no transaction. */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.session.begin();
  }

  /** Free-form queries. */
  get queries(): Queries {
    if (this.#isShared) return refusingQueries;
    this.#begin();
    return this.session.queries;
  }

  ask(owner: GroupWork, lookup: Lookup, key: Readonly<Record<string, string | number>>): Promise<readonly unknown[]> {
    if (this.#isShared && (lookup.isLong || lookup.isPage)) return Promise.reject(LEAVES);
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
    return Promise.all(
      wanted.map(
        ({ lookup, values }) =>
          (this.#isBehind(work) ? this.#known.get(lookup, values) : undefined) ??
          this.#find(this.#held, work, lookup, values),
      ),
    );
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
    if ('value' in outcome) this.#keep(work);
    if (this.#line.length > 0) {
      this.#line = this.#line.filter((waiting) => waiting.work !== work);
      this.#mayHandOver = true;
      this.#schedule();
    }
  }

  /** Keeps the rows of a command that succeeded until they are written. */
  #keep(work: GroupWork): void {
    for (const event of work.events) this.#events.push(event);
    const own: [Write<unknown>, unknown][] = [];
    for (const [write, row] of work.written) {
      if (write.merge === undefined) own.push([write, row]);
      else this.#merged.add(write, row);
    }
    if (own.length === 0) return;
    let batch = this.#unwritten.at(-1);
    if (batch === undefined || (this.#isBehind(work) && !batch.mayFollow(own.map(([write]) => write)))) {
      batch = new RowBatch();
      this.#unwritten.push(batch);
    }
    for (const [write, row] of own) {
      batch.add(write, row);
      this.#known.write(write, row);
    }
  }

  /**
   * Claims all of the keys for a command, or none if another command has one. Whoever is waiting for keys gets no others
   * meanwhile: a key always goes to a command that waits for nobody, so none wait for each other in a circle.
   */
  claim(work: GroupWork, names: readonly string[]): boolean {
    const { command, isWaiting } = work;
    if (isWaiting) return false;
    const isTaken = (name: string): boolean => {
      const holder = this.#keys.get(name);
      return holder !== undefined && holder !== command && holder !== this;
    };
    if (names.some(isTaken)) return false;
    for (const name of names) {
      const holder = this.#keys.get(name);
      if (holder === undefined) this.#claimed.push(name);
      if (holder === this) work.follows = this.#writes;
      this.#keys.set(name, command);
    }
    return true;
  }

  /** Claims a key for which there is no row: whoever finds that another of its group had it must look again. */
  claimName(work: GroupWork, name: string): boolean {
    return this.#keys.get(name) !== this && this.claim(work, [name]);
  }

  /** Whether a command holds what others of its group have left, of whom not all rows are written. */
  #isBehind({ follows }: GroupWork): boolean {
    return follows === this.#writes && this.#unwritten.length > 0;
  }

  /** A command waits only for others of its group that are not waiting themselves. */
  #mayWait({ command, isWaiting }: GroupWork, names: readonly string[]): boolean {
    return (
      !isWaiting &&
      this.#writes < LIMITS.groupWrites &&
      names.every((name) => {
        const holder = this.#keys.get(name);
        if (holder === undefined || holder === command || holder === this) return true;
        const work = this.#works.get(holder);
        return work !== undefined && !work.isWaiting;
      })
    );
  }

  /** Lets those in line proceed who wait only for commands that are done. */
  #handOver(): void {
    this.#mayHandOver = false;
    for (const name of this.#claimed) {
      const work = this.#works.get(this.#keys.get(name) as object);
      if (work?.isDone) this.#keys.set(name, this);
    }
    for (const waiting of this.#line.splice(0)) {
      const { work, names, proceed, reject } = waiting;
      work.isWaiting = false;
      if (this.claim(work, names)) proceed();
      else if (this.#mayWait(work, names)) {
        work.isWaiting = true;
        this.#line.push(waiting);
      } else reject(new Postponed(work.wants));
    }
  }

  /** The rows of the events that the team keeps. */
  async #eventRows(): Promise<Rows[]> {
    const { teamId, session } = this;
    if (this.#events.length === 0 || teamId === NO_TEAM) return [];
    if (this.#keptTypes === undefined) {
      const [[found = []] = []] = await session.ask([{ teamId, lookup: keptTypes, keys: [[]] }]);
      this.#keptTypes = typesOf(found as never);
    }
    const types = this.#keptTypes;
    const kept = this.#events.filter(({ type }) => types.has(type));
    if (kept.length === 0) return [];
    const rollers = new Map<string, string>();
    // Users who are created here may not be written yet.
    for (const { user } of this.#events) if (user?.roller_id !== undefined) rollers.set(user.id, user.roller_id);
    const ids = unknownUsers(kept, rollers);
    if (ids.length > 0) {
      const [found = []] = await session.ask([{ teamId, lookup: rollerOf, keys: ids.map((id) => [id]) }]);
      for (const [index, [user]] of (found as { roller_id: string }[][]).entries())
        if (user !== undefined) rollers.set(ids[index] as string, user.roller_id);
    }
    return [{ teamId, write: insertEvents as Write<unknown>, rows: await rowsOfEvents(kept, rollers) }];
  }

  /** Writes the rows of the commands that are done; in the end, together with those that they share. */
  async #write(shared: readonly RowBatch[] = [], events: readonly Rows[] = []): Promise<void> {
    this.#willWrite?.();
    this.#willWrite = undefined;
    this.#writes += 1;
    const rows = [...this.#unwritten.splice(0), ...shared].flatMap((batch) => batch.rows(this.teamId));
    rows.push(...events);
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
    const isLocking = this.#asked.length === 0;
    const asked = isLocking ? this.#held.splice(0) : this.#asked.splice(0);
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      if (asked.length === 0) this.#handOver();
      else {
        // Whoever follows others must see all of their rows, not only those it holds.
        if (asked.some(({ owner }) => this.#isBehind(owner))) await this.#write();
        await this.#ask(asked, isLocking);
      }
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
  async #ask(asked: readonly PendingLookup[], isLocking: boolean): Promise<void> {
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
    this.#begin();
    const { teamId } = this;
    const asksTypes = this.#mayWrite && this.#keptTypes === undefined && teamId !== NO_TEAM;
    if (asksTypes) questions.push({ teamId, lookup: keptTypes, keys: [[]] });
    const rowsPerQuestion = await this.session.ask(questions);
    if (asksTypes) this.#keptTypes = typesOf((rowsPerQuestion.at(-1)?.[0] ?? []) as never);
    // What was found before these locks is not known any more; rows that are not written yet were not found.
    if (isLocking) this.#known.clear();
    const areKnown = isLocking && this.#line.length > 0 && this.#unwritten.length === 0;
    for (const [number, all] of waiting.entries()) {
      const { lookup } = questions[number] as Question;
      for (const [place, { values, asked: same }] of all.entries()) {
        const rows = rowsPerQuestion[number]?.[place] as readonly unknown[];
        if (areKnown) this.#known.set(lookup, values, rows);
        for (const { resolve } of same) resolve(rows);
      }
    }
  }
}

/** The unit of work that one command of a group sees. */
class GroupWork implements Transaction {
  readonly teamId: string;
  readonly command: Command;
  /** In the order in which they were written. */
  readonly written: [write: Write<unknown>, row: unknown][] = [];
  readonly events: NewEvent[] = [];
  /** All keys that it is known to need. */
  readonly wants: string[] = [];
  isDone = false;
  /** How often its group had written rows when it took over what others had held. */
  follows = -1;
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
    if (!this.#group.claimName(this, name)) throw new Postponed(this.wants);
  }

  write<Row>(write: Write<Row>, ...rows: Row[]): void {
    for (const row of rows) this.written.push([write as Write<unknown>, row]);
  }

  record(event: NewEvent): void {
    this.events.push(event);
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
