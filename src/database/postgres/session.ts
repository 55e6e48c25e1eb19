import type pg from 'pg';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import { chunksOf } from '../chunks.ts';
import { type Lookup, type Rows, requiresRows, type SharedLock, type Write } from '../declarations.ts';
import { type Fence, LAST_MIGRATION } from '../fence.ts';
import type { Purpose } from '../observer.ts';
import type { Question, Session } from '../session.ts';
import { Collision, NO_TEAM, type Queries } from '../work.ts';
import { setLocal } from './citus.ts';
import { Client } from './client.ts';
import { isServerError, UnknownOutcome } from './errors.ts';
import {
  compileLookup,
  compileWrite,
  type LookupStatements,
  lookupValues,
  named,
  type Statement,
  type WriteStatements,
  writeValues,
} from './statements.ts';

/**
 * Lookups and writes identify rows by key, so they must always use an index, even while a new table has no statistics.
 * A group waits only briefly for rows that another transaction has locked; then its commands run apart.
 */
const settingsFor = (lockTimeoutMs: number): Settings => {
  const settings = {
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    enable_sort: 'off',
    lock_timeout: lockTimeoutMs,
  };
  const all = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return { plain: named(`select ${all.join(', ')}`), distributed: setLocal({ isCitus: true }, settings) };
};

/** In one statement, or in commands that also reach the workers of a cluster. */
interface Settings {
  readonly plain: Statement;
  readonly distributed: readonly string[];
}

const SETTINGS: Record<Purpose, Settings | null> = {
  group: settingsFor(LIMITS.postgresGroupLockMs),
  apart: settingsFor(0),
  transaction: null,
  read: settingsFor(0),
  urgent: settingsFor(0),
};

/**
 * Sent as one message, so that nothing takes effect if the transaction does not begin. The limits are set in each
 * transaction, since a pooler may use a different connection for the next one; they cost a few microseconds.
 */
const beginning = (mode: string): string =>
  `begin isolation level ${mode}; set local statement_timeout = ${LIMITS.postgresStatementMs};
  set local idle_in_transaction_session_timeout = ${LIMITS.postgresStatementMs}`;

const WRITES: Record<Purpose, boolean> = { group: true, apart: true, transaction: true, read: false, urgent: false };

const BEGIN: Record<Purpose, string> = {
  group: beginning('read committed'),
  apart: beginning('read committed'),
  transaction: beginning('read committed'),
  read: beginning('repeatable read read only'),
  urgent: beginning('repeatable read read only'),
};

const SCHEMA: Statement = { name: 'itemwright_schema', text: LAST_MIGRATION };

/** Whoever completes a migration waits until all transactions have ended that have read this table. */
export const meetSchema = async (client: Client, fence: Fence): Promise<void> => {
  const { rows } = await client.run(SCHEMA);
  fence.met(rows[0]?.[0] as string | null);
};

/** The same number in every process for the same lock of the same team. */
const LOCK = "hashtextextended($1::text || ' ' || $2::text, 0)";

interface LockStatements {
  readonly plain: Statement;
  /** Nodes may be connected to different servers of a cluster: they meet where the row of the team is. */
  readonly distributed: Statement;
}

const locking = (lock: string): LockStatements => ({
  plain: named(`select ${lock}(${LOCK})`),
  distributed: named(`select ${lock}(${LOCK}) from teams where id = $1`),
});

const SHARE = locking('pg_advisory_xact_lock_shared');
const EXCLUDE = locking('pg_advisory_xact_lock');

/** Groups rows by key; each row starts with the number of its key. */
const rowsByKey = ({ rows, fields }: pg.QueryArrayResult<unknown[]>, keys: number): unknown[][] => {
  const found: Record<string, unknown>[][] = Array.from({ length: keys }, () => []);
  const names = fields.map(({ name }) => name);
  for (const values of rows) {
    const row: Record<string, unknown> = {};
    for (let index = 1; index < values.length; index += 1) row[names[index] as string] = values[index];
    found[(values[0] as number) - 1]?.push(row);
  }
  return found;
};

/** Waits for all promises, and rejects with the first rejection. */
const settled = async <T>(promises: readonly (Promise<T> | T)[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(promises);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};

/** Compiles each statement once per database, for all connections. */
export const createStatements = () => {
  // A client that never connects, used only to build queries.
  const { queries } = new Client();
  const lookups = new Map<Lookup, LookupStatements>();
  const writes = new Map<Write<unknown>, WriteStatements>();
  return {
    ofLookup: (lookup: Lookup): LookupStatements => {
      let statement = lookups.get(lookup);
      if (statement === undefined) {
        statement = compileLookup(lookup, queries);
        lookups.set(lookup, statement);
      }
      return statement;
    },
    ofWrite: (write: Write<unknown>): WriteStatements => {
      let statement = writes.get(write);
      if (statement === undefined) {
        statement = compileWrite(write);
        writes.set(write, statement);
      }
      return statement;
    },
  };
};

type Statements = ReturnType<typeof createStatements>;

interface SessionParts {
  readonly client: Client;
  readonly purpose: Purpose;
  readonly teamId: string;
  readonly statements: Statements;
  readonly fence: Fence;
  readonly giveBack: () => void;
}

/** A transaction on a pooled connection. */
export class PostgresSession implements Session {
  readonly #client: Client;
  readonly #purpose: Purpose;
  readonly #statements: Statements;
  readonly #fence: Fence;
  readonly #giveBack: () => void;
  #settings: Settings | null;
  #begun: Promise<unknown> | undefined;
  #isCommitted = false;

  constructor({ client, purpose, teamId, statements, fence, giveBack }: SessionParts) {
    this.#client = client;
    this.#purpose = purpose;
    this.#statements = statements;
    this.#fence = fence;
    this.#giveBack = giveBack;
    // Whatever is read across teams is asked of every shard of a cluster, each time with the settings.
    this.#settings = client.isCitus && teamId === NO_TEAM ? null : SETTINGS[purpose];
  }

  get queries(): Queries {
    // Later queries wait for these on the connection, and fail if they did.
    this.#configure(true)?.catch(() => {});
    return this.#client.queries;
  }

  begin(): void {
    const begun = this.#client.control(BEGIN[this.#purpose]);
    // Sent together with the beginning, and known before anything is written.
    this.#begun = WRITES[this.#purpose] ? settled<unknown>([begun, meetSchema(this.#client, this.#fence)]) : begun;
    // The next operation reports the error.
    this.#begun.catch(() => {});
  }

  async ask(questions: readonly Question[]): Promise<unknown[][][]> {
    const configured = this.#configure(questions.some((question) => this.#needsSettings(question)));
    const lock = questions.find(({ lookup }) => lookup.shares !== null);
    const shared = lock && this.#lock(SHARE, lock.teamId, lock.lookup.shares);
    const pending = questions.map((question) => this.#rowsOf(question));
    // If the transaction did not begin, these locked nothing, and nothing follows them.
    const [results] = await Promise.all([settled(pending), settled([this.#begun, configured, shared])]);
    return results;
  }

  /** The rows of each key. */
  async #rowsOf({ lookup, teamId, keys }: Question): Promise<unknown[][]> {
    const { one, many } = this.#statements.ofLookup(lookup);
    if (keys.length === 1 && lookup.isPage)
      return (await this.#client.run(one, lookupValues(one, teamId, keys))).rows[0] as [unknown[]];
    if (keys.length === 1) return [(await this.#client.find(one, lookupValues(one, teamId, keys))).rows];
    return rowsByKey(await this.#client.run(many, lookupValues(many, teamId, keys)), keys.length);
  }

  async send(writes: readonly Rows[]): Promise<void> {
    await this.#begun;
    const configured = this.#configure(writes.some(({ write }) => requiresRows(write)));
    configured?.catch(() => {});
    const sent: (Promise<unknown> | undefined)[] = [configured];
    for (const { write, teamId, rows } of writes)
      for (const [index, some] of chunksOf(rows, LIMITS.postgresRowsPerWrite).entries()) {
        if (index > 0) await takeTurns();
        const written = this.#write(write, teamId, some);
        // Failures while others have their turn are reported at the end.
        written.catch(() => {});
        sent.push(written);
      }
    await settled(sent);
  }

  async #write(write: Write<unknown>, teamId: string, rows: readonly unknown[]): Promise<void> {
    const { one, many, manyDistributed } = this.#statements.ofWrite(write);
    const ofMany = this.#client.isCitus ? manyDistributed : many;
    const { rowCount } = await this.#client.run(rows.length === 1 ? one : ofMany, writeValues(write, teamId, rows));
    // On a cluster, rows of a team that is gone are not inserted.
    if (write.mode !== 'ensure' && rowCount !== rows.length)
      throw new Collision(`rows of ${write.table} or their team are missing`);
  }

  async exclude(teamId: string, lock: SharedLock): Promise<void> {
    await this.#begun;
    await this.#lock(EXCLUDE, teamId, lock);
  }

  #lock({ plain, distributed }: LockStatements, teamId: string, lock: SharedLock | null) {
    return this.#client.run(this.#client.isCitus ? distributed : plain, [teamId, lock]);
  }

  async commit(): Promise<void> {
    await this.#begun;
    const { warnings } = this.#client;
    const { command } = await this.#client.control('commit').catch((error: unknown) => {
      if (isServerError(error)) throw error;
      const unknown = new UnknownOutcome(error);
      this.#client.abort(unknown);
      throw unknown;
    });
    // The commit of an aborted transaction succeeds with the tag ROLLBACK instead of failing.
    if (command === 'ROLLBACK') throw new Error('the transaction was aborted by an error that was not reported');
    this.#isCommitted = true;
    // If a commit is cancelled while waiting for a synchronous standby, the server responds with a warning, not an
    // error; the commit is lost if that server is lost.
    if (this.#client.warnings > warnings) throw new UnknownOutcome(new Error('the server warned about the commit'));
  }

  /** The server responds to a commit once it is on disk. */
  durable(): Promise<void> {
    return Promise.resolve();
  }

  end(): void {
    if (this.#isCommitted || this.#begun === undefined) this.#giveBack();
    // The pool discards a connection that cannot even roll back.
    else this.#client.control('rollback').then(this.#giveBack, this.#giveBack);
  }

  /** Needed for anything that locks; a read of a single key is planned well without. */
  #needsSettings({ lookup, keys }: Question): boolean {
    return lookup.locks !== null || lookup.shares !== null || keys.length > 1;
  }

  /** Sends the settings once, before the first statement that needs them. */
  #configure(isNeeded: boolean): Promise<unknown> | undefined {
    if (this.#settings === null || !isNeeded) return undefined;
    const { plain, distributed } = this.#settings;
    this.#settings = null;
    if (!this.#client.isCitus) return this.#client.run(plain);
    return settled(distributed.map((command) => this.#client.control(command)));
  }
}
