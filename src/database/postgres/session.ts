import type pg from 'pg';
import { LIMITS } from '../../limits.ts';
import { takeTurns } from '../../turns.ts';
import { chunksOf } from '../chunks.ts';
import { type Lookup, type Rows, requiresRows, type SharedLock, type Write } from '../declarations.ts';
import type { Purpose } from '../observer.ts';
import type { Question, Session } from '../session.ts';
import { Collision, type Queries } from '../work.ts';
import { Client } from './client.ts';
import { isServerError, UnknownOutcome } from './errors.ts';
import {
  compileLookup,
  compileWrite,
  type LookupStatements,
  lookupValues,
  named,
  type Statement,
  writeValues,
} from './statements.ts';

/**
 * Lookups and writes identify rows by key, so they must always use an index, even while a new table has no statistics.
 * A group waits only briefly for rows that another transaction has locked; then its commands run apart.
 */
const settingsFor = (lockTimeoutMs: number): Statement =>
  named(`select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
    set_config('lock_timeout', '${lockTimeoutMs}', true)`);

const SETTINGS: Record<Purpose, Statement | null> = {
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

const BEGIN: Record<Purpose, string> = {
  group: beginning('read committed'),
  apart: beginning('read committed'),
  transaction: beginning('read committed'),
  read: beginning('repeatable read read only'),
  urgent: beginning('repeatable read read only'),
};

/** The same number in every process for the same lock of the same team. */
const LOCK = "hashtextextended($1::text || ' ' || $2::text, 0)";
const SHARE: Statement = { name: 'itemwright_share', text: `select pg_advisory_xact_lock_shared(${LOCK})` };
const EXCLUDE: Statement = { name: 'itemwright_exclude', text: `select pg_advisory_xact_lock(${LOCK})` };

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
  const writes = new Map<Write<unknown>, Statement>();
  return {
    ofLookup: (lookup: Lookup): LookupStatements => {
      let statement = lookups.get(lookup);
      if (statement === undefined) {
        statement = compileLookup(lookup, queries);
        lookups.set(lookup, statement);
      }
      return statement;
    },
    ofWrite: (write: Write<unknown>): Statement => {
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

/** A transaction on a pooled connection. */
export class PostgresSession implements Session {
  readonly #client: Client;
  readonly #purpose: Purpose;
  readonly #statements: Statements;
  readonly #giveBack: () => void;
  #settings: Statement | null;
  #begun: Promise<unknown> = Promise.resolve();
  #isCommitted = false;

  constructor(client: Client, purpose: Purpose, statements: Statements, giveBack: () => void) {
    this.#client = client;
    this.#purpose = purpose;
    this.#statements = statements;
    this.#giveBack = giveBack;
    this.#settings = SETTINGS[purpose];
  }

  get queries(): Queries {
    // Later queries wait for these on the connection, and fail if they did.
    this.#configure(true)?.catch(() => {});
    return this.#client.queries;
  }

  begin(): void {
    this.#begun = this.#client.control(BEGIN[this.#purpose]);
    // The next operation reports the error.
    this.#begun.catch(() => {});
  }

  async ask(questions: readonly Question[]): Promise<unknown[][][]> {
    const configured = this.#configure(questions.some((question) => this.#needsSettings(question)));
    const lock = questions.find(({ lookup }) => lookup.shares !== null);
    const shared = lock && this.#client.run(SHARE, [lock.teamId, lock.lookup.shares]);
    const pending = questions.map((question) => this.#rowsOf(question));
    // If the transaction did not begin, these locked nothing, and nothing follows them.
    const [results] = await Promise.all([settled(pending), settled([this.#begun, configured, shared])]);
    return results;
  }

  /** The rows of each key. */
  async #rowsOf({ lookup, teamId, keys }: Question): Promise<unknown[][]> {
    const { one, many } = this.#statements.ofLookup(lookup);
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
    const values = writeValues(write, teamId, rows);
    const { rowCount } = await this.#client.run(this.#statements.ofWrite(write), values);
    if (requiresRows(write) && rowCount !== rows.length) throw new Collision(`rows of ${write.table} are missing`);
  }

  async exclude(teamId: string, lock: SharedLock): Promise<void> {
    await this.#begun;
    await this.#client.run(EXCLUDE, [teamId, lock]);
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
    if (this.#isCommitted) this.#giveBack();
    // The pool discards a connection that cannot even roll back.
    else this.#client.control('rollback').then(this.#giveBack, this.#giveBack);
  }

  /** Needed for anything that locks; a read of a single key is planned well without. */
  #needsSettings({ lookup, keys }: Question): boolean {
    return lookup.locks !== null || lookup.shares !== null || keys.length > 1;
  }

  /** Sends the settings once, before the first statement that needs them. */
  #configure(isNeeded: boolean): ReturnType<Client['run']> | undefined {
    if (this.#settings === null || !isNeeded) return undefined;
    const sent = this.#client.run(this.#settings);
    this.#settings = null;
    return sent;
  }
}
