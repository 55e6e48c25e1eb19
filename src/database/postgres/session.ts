import type pg from 'pg';
import { LIMITS } from '../../limits.ts';
import { takeTurns } from '../../turns.ts';
import { chunksOf } from '../chunks.ts';
import { type Lookup, namesRows, type Rows, type SharedLock, type Write } from '../declarations.ts';
import type { Purpose } from '../observer.ts';
import type { Question, Session } from '../session.ts';
import { Collision, type Queries } from '../work.ts';
import { Client } from './client.ts';
import { isRefusal, UnknownOutcome } from './errors.ts';
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
 * Lookups and writes name rows by key, so nothing but an index serves, also while a new table has no statistics yet. And a
 * group waits only so long for rows that another transaction has locked; then its commands run apart.
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
 * In one message, so that nothing takes effect where the transaction does not begin. The limits are set for each
 * transaction, since a connection of a pooler is another one after it; they cost a few microseconds.
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

/** The rows of each key, from rows that each begin with the number of their key. */
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

/** Waits for all, and fails with the first that failed. */
const settled = async <T>(promises: readonly (Promise<T> | T)[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(promises);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};

/** Statements are compiled once for each database, whatever connection they run on. */
export const createStatements = () => {
  // A client that never connects only builds queries.
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

/** One transaction on a connection of the pool. */
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
    // What is asked next waits for them on the connection, and fails if they did.
    this.#configure(true)?.catch(() => {});
    return this.#client.queries;
  }

  begin(): void {
    this.#begun = this.#client.control(BEGIN[this.#purpose]);
    // Whoever asks or sends next hears of it.
    this.#begun.catch(() => {});
  }

  async ask(questions: readonly Question[]): Promise<unknown[][][]> {
    const configured = this.#configure(questions.some((question) => this.#needsSettings(question)));
    const lock = questions.find(({ lookup }) => lookup.shares !== null);
    const shared = lock && this.#client.run(SHARE, [lock.teamId, lock.lookup.shares]);
    const answers = questions.map((question) => this.#rowsOf(question));
    // Should the transaction not have begun, these have locked nothing, and nothing follows them.
    const [results] = await Promise.all([settled(answers), settled([this.#begun, configured, shared])]);
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
    const configured = this.#configure(writes.some(({ write }) => namesRows(write)));
    configured?.catch(() => {});
    const sent: (Promise<unknown> | undefined)[] = [configured];
    for (const { write, teamId, rows } of writes)
      for (const [index, some] of chunksOf(rows, LIMITS.postgresRowsPerWrite).entries()) {
        if (index > 0) await takeTurns();
        const written = this.#write(write, teamId, some);
        // What fails while others have their turn is heard of at the end.
        written.catch(() => {});
        sent.push(written);
      }
    await settled(sent);
  }

  async #write(write: Write<unknown>, teamId: string, rows: readonly unknown[]): Promise<void> {
    const values = writeValues(write, teamId, rows);
    const { rowCount } = await this.#client.run(this.#statements.ofWrite(write), values);
    if (namesRows(write) && rowCount !== rows.length) throw new Collision(`rows of ${write.table} are missing`);
  }

  async exclude(teamId: string, lock: SharedLock): Promise<void> {
    await this.#begun;
    await this.#client.run(EXCLUDE, [teamId, lock]);
  }

  async commit(): Promise<void> {
    await this.#begun;
    const { warnings } = this.#client;
    const { command } = await this.#client.control('commit').catch((error: unknown) => {
      if (isRefusal(error)) throw error;
      const unknown = new UnknownOutcome(error);
      this.#client.abort(unknown);
      throw unknown;
    });
    // An aborted transaction answers its commit with a rollback, and no error.
    if (command === 'ROLLBACK') throw new Error('the transaction was aborted by an error that nobody passed on');
    this.#isCommitted = true;
    // A commit that was cancelled on its way to a synchronous standby is answered with a warning, and no error: should
    // the server be lost, it is lost with it.
    if (this.#client.warnings > warnings) throw new UnknownOutcome(new Error('the server warned of the commit'));
  }

  /** The server answers a commit once it is on its disk. */
  durable(): Promise<void> {
    return Promise.resolve();
  }

  end(): void {
    if (this.#isCommitted) this.#giveBack();
    // One that cannot even roll back is thrown away by whoever takes it back.
    else this.#client.control('rollback').then(this.#giveBack, this.#giveBack);
  }

  /** Whatever locks does; what only reads is planned well enough for a single key. */
  #needsSettings({ lookup, keys }: Question): boolean {
    return lookup.locks !== null || lookup.shares !== null || keys.length > 1;
  }

  /** Settings are sent once, in front of the first statement that they matter to. */
  #configure(isNeeded: boolean): ReturnType<Client['run']> | undefined {
    if (this.#settings === null || !isNeeded) return undefined;
    const sent = this.#client.run(this.#settings);
    this.#settings = null;
    return sent;
  }
}
