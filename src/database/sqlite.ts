import { closeSync, fdatasync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, type SelectModifierNode, SqliteAdapter, SqliteDialect, SqliteQueryCompiler } from 'kysely';
import { unavailable } from '../errors.ts';
import type { Database, Transaction } from './database.ts';
import { openLedger } from './deferred.ts';
import { migrate } from './migrate.ts';
import { openPassing } from './passing.ts';
import { bindConnection } from './statement.ts';
import type { Tables } from './tables.ts';

/** Writers that arrive together share a commit; a group is bounded so that the first of it is not kept waiting. */
const GROUP_SIZE = 256;
/** Readers run one snapshot each; more than this many at once wait for one another. */
const READERS = 8;
const CACHED_STATEMENTS = 500;
/** How long one process waits for another that writes. */
const BUSY_TIMEOUT_MS = 5_000;

/** Kysely believes that SQLite cannot roll back DDL. It can, so a failed migration leaves nothing behind. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const LOCKS: ReadonlySet<unknown> = new Set(['ForShare', 'ForUpdate', 'SkipLocked']);

/** SQLite has one writer at a time: who writes holds every row, so a query that asks to hold some needs no words for it. */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter() {
    return new TransactionalDdlAdapter();
  }

  override createQueryCompiler() {
    return new LocklessCompiler();
  }
}

/** Statements that change nothing begin so; ours have no comments or brackets in front. */
const READING = /^select /i;

interface Connection {
  readonly raw: DatabaseSync;
  readonly queries: Kysely<Tables>;
  /** How many statements have changed something so far. */
  readonly written: () => number;
  readonly begin: () => void;
  readonly commit: () => void;
}

const connect = (path: string): Connection => {
  // The wait for other processes comes before all else: they may be making the file a database at this very moment.
  const raw = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  raw.exec(
    'pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 32000; pragma foreign_keys = on; pragma cache_size = -65536; pragma temp_store = memory',
  );
  // Preparing costs more than running, and the set of statements is small: keep them, forgetting all when too many.
  const statements = new Map<string, { reader: boolean; writer: boolean; statement: StatementSync }>();
  let written = 0;
  const prepare = (text: string) => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = raw.prepare(text);
    const prepared = { reader: statement.columns().length > 0, writer: !READING.test(text), statement };
    if (statements.size >= CACHED_STATEMENTS) statements.clear();
    statements.set(text, prepared);
    return prepared;
  };
  const driver = {
    close: () => raw.close(),
    prepare: (text: string) => {
      // Kysely's migrator asks for a plain transaction; taking the write lock at once makes it a lock between processes.
      const { reader, writer, statement } = prepare(text === 'begin' ? 'begin immediate' : text);
      if (writer) written += 1;
      return {
        reader,
        all: (values: readonly unknown[]) => statement.all(...(values as never[])),
        run: (values: readonly unknown[]) => statement.run(...(values as never[])),
        iterate: (values: readonly unknown[]) => statement.iterate(...(values as never[])),
      };
    },
  };
  const queries = new Kysely<Tables>({ dialect: new NodeSqliteDialect({ database: driver as never }) });
  bindConnection(queries, {
    engine: 'sqlite',
    run: (_name, text, values) => {
      const { reader, writer, statement } = prepare(text);
      if (writer) written += 1;
      if (reader) return statement.all(...(values as never[]));
      statement.run(...(values as never[]));
      return [];
    },
  });
  const [begin, commit] = ['begin immediate', 'commit'].map((text) => raw.prepare(text)) as [
    StatementSync,
    StatementSync,
  ];
  return { raw, queries, written: () => written, begin: () => begin.run(), commit: () => commit.run() };
};

/**
 * Syncs the write-ahead log, which is what makes a commit outlast a power cut. SQLite would do it inside the commit
 * (`synchronous = full`) and keep the whole process waiting; done here, the next group runs while the disk works. Nobody
 * is answered before the sync that follows their commit is done. Commits that wait for the disk share the next sync.
 */
const createSyncer = (path: string) => {
  let log: number | undefined;
  let waiting: ((error: Error | null) => void)[] = [];
  let syncing = false;
  const sync = (): void => {
    syncing = true;
    const settled = waiting;
    waiting = [];
    log ??= openSync(`${path}-wal`, 'r+');
    fdatasync(log, (error) => {
      for (const settle of settled) settle(error);
      syncing = false;
      if (waiting.length > 0) sync();
    });
  };
  return {
    /** Calls back once everything that is committed by now is on the disk. */
    afterSync: (settle: (error: Error | null) => void): void => {
      waiting.push(settle);
      if (!syncing) sync();
    },
    close: (): void => {
      if (log !== undefined) closeSync(log);
    },
  };
};

/** Faults of the machine rather than of the command: the file is locked by another process, the disk is full or broken. */
const UNAVAILABLE_CODES = new Set([5, 6, 10, 13, 14]);

const translate = (error: unknown): unknown => {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
  return code !== undefined && UNAVAILABLE_CODES.has(code) ? unavailable(error) : error;
};

/** A command failed after it had written something, so what the group has done so far cannot stay as it is. */
class HalfDone extends Error {
  constructor(cause: unknown) {
    super('a command failed half done', { cause });
  }
}

interface Waiting {
  command: (tx: Transaction) => Promise<unknown>;
  settle: (outcome: Outcome) => void;
}

type Outcome = { value: unknown } | { error: unknown };

/** One connection writes, for all writers in groups; others read what is committed. */
export const openSqlite = (path: string): Database => {
  mkdirSync(dirname(path), { recursive: true });
  const writer = connect(path);
  const tx = writer.queries as unknown as Transaction;
  const ledger = openLedger(tx);
  const passing = openPassing(tx);
  const syncer = createSyncer(path);
  let unsynced = 0;
  let allSynced: (() => void) | undefined;
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  /** A command that fails takes no other down: what it wrote is undone, and only that. */
  const runInSavepoint = async (command: Waiting['command']): Promise<Outcome> => {
    writer.raw.exec('savepoint command');
    const mark = ledger.mark();
    try {
      const value = await command(tx);
      await passing.settle();
      writer.raw.exec('release command');
      return { value };
    } catch (error) {
      await passing.settle().catch(() => {});
      // A full disk rolls the whole transaction back by itself; then there is no savepoint left to return to.
      if (!writer.raw.isTransaction) throw error;
      writer.raw.exec('rollback to command; release command');
      ledger.rewind(mark);
      return { error };
    }
  };

  /** The same without a savepoint, which most commands never need: one that fails has mostly written nothing yet. */
  const runLightly = async (command: Waiting['command']): Promise<Outcome> => {
    const mark = ledger.mark();
    const written = writer.written();
    try {
      const value = await command(tx);
      await passing.settle();
      return { value };
    } catch (error) {
      await passing.settle().catch(() => {});
      if (writer.written() !== written || !writer.raw.isTransaction) throw new HalfDone(error);
      ledger.rewind(mark);
      return { error };
    }
  };

  const runAll = async (
    group: readonly Waiting[],
    run: (command: Waiting['command']) => Promise<Outcome>,
  ): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    writer.begin();
    for (const { command } of group) outcomes.push(await run(command));
    ledger.finish(tx);
    await passing.settle();
    writer.commit();
    return outcomes;
  };

  const undo = async (): Promise<void> => {
    ledger.rewind(0);
    await passing.settle().catch(() => {});
    if (writer.raw.isTransaction) writer.raw.exec('rollback');
  };

  const runGroup = async (group: readonly Waiting[]): Promise<void> => {
    let outcomes: Outcome[];
    try {
      try {
        outcomes = await runAll(group, runLightly);
      } catch (error) {
        if (!(error instanceof HalfDone)) throw error;
        await undo();
        outcomes = await runAll(group, runInSavepoint);
      }
    } catch (error) {
      await undo();
      // Nobody may be answered, not even with a refusal: it may rest on what another of the group did.
      for (const { settle } of group) settle({ error });
      return;
    }
    unsynced += 1;
    syncer.afterSync((error) => {
      unsynced -= 1;
      // Whether it is on the disk nobody knows, so nobody is told that it is.
      for (const [index, { settle }] of group.entries())
        settle(error === null ? (outcomes[index] as Outcome) : { error: unavailable(error) });
      if (unsynced === 0) allSynced?.();
    });
  };

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, GROUP_SIZE);
      waiting = waiting.slice(GROUP_SIZE);
      await runGroup(group);
    }
    running = undefined;
  };

  const write = <T>(command: (tx: Transaction) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.push({
        command,
        settle: (outcome) => ('error' in outcome ? reject(translate(outcome.error)) : resolve(outcome.value as T)),
      });
      // Starting after the present turn of the event loop lets the requests read in this turn share the commit.
      running ??= new Promise<void>((started) => setImmediate(started)).then(drain);
    });

  const readers: Connection[] = [];
  const idle: Connection[] = [];
  const queue: ((reader: Connection) => void)[] = [];

  const acquire = (): Connection | Promise<Connection> => {
    const free = idle.pop();
    if (free !== undefined) return free;
    if (readers.length < READERS) {
      const opened = connect(path);
      readers.push(opened);
      return opened;
    }
    return new Promise((resolve) => queue.push(resolve));
  };

  const release = (reader: Connection): void => {
    const next = queue.shift();
    if (next === undefined) idle.push(reader);
    else next(reader);
  };

  const read: Database['read'] = async (query) => {
    const reader = await acquire();
    try {
      reader.raw.exec('begin');
      try {
        return await query(reader.queries);
      } finally {
        if (reader.raw.isTransaction) reader.raw.exec('commit');
      }
    } catch (error) {
      throw translate(error);
    } finally {
      release(reader);
    }
  };

  return {
    engine: 'sqlite',
    write,
    read,
    migrate: (migrations) => migrate(writer.queries as never, 'sqlite', migrations),
    close: async () => {
      await running;
      if (unsynced > 0) await new Promise<void>((resolve) => (allSynced = resolve));
      syncer.close();
      for (const { raw } of [...readers, writer]) raw.close();
    },
  };
};
