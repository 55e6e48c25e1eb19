import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Rolled, RollRequest } from './api.ts';
import { Refusal } from './refusal.ts';

/** Made up, free, and new every day. */
export const ALLOWANCE = 100;
const DAY_MS = 24 * 3_600_000;
const SESSION_DAYS = 30;

export interface Player {
  readonly id: string;
  readonly name: string;
}

/** A roll that was paid for: finished if it has a result. */
export interface Spending {
  readonly request: RollRequest;
  readonly rolled: Rolled | undefined;
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * What the game itself remembers: players, their sessions, and what they spent. It is written before the service is asked
 * to roll, so that a roll can be finished after anything that goes wrong.
 */
export class Ledger {
  readonly #database: DatabaseSync;
  readonly #clock: () => number;

  constructor(path: string, clock: () => number = Date.now) {
    this.#clock = clock;
    this.#database = new DatabaseSync(path);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS players (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS sessions (
        digest TEXT PRIMARY KEY, player_id TEXT NOT NULL REFERENCES players, ends_at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS spendings (
        player_id TEXT NOT NULL REFERENCES players, key TEXT NOT NULL, spent_at INTEGER NOT NULL, cost INTEGER NOT NULL,
        request TEXT NOT NULL, rolled TEXT, PRIMARY KEY (player_id, key)
      ) STRICT;`);
  }

  newPlayer(name: string): Player {
    return { id: `player-${randomUUID()}`, name };
  }

  /** Starts a session; the token is for the cookie, and only its digest is kept. */
  startSession({ id, name }: Player): { token: string; maxAgeS: number } {
    const token = randomBytes(32).toString('base64url');
    this.#database.prepare('INSERT INTO players VALUES (?, ?)').run(id, name);
    this.#database
      .prepare('INSERT INTO sessions VALUES (?, ?, ?)')
      .run(digestOf(token), id, this.#clock() + SESSION_DAYS * DAY_MS);
    return { token, maxAgeS: (SESSION_DAYS * DAY_MS) / 1000 };
  }

  playerOf(token: string): Player | undefined {
    const found = this.#database
      .prepare('SELECT id, name FROM sessions JOIN players ON id = player_id WHERE digest = ? AND ends_at > ?')
      .get(digestOf(token), this.#clock());
    return found as Player | undefined;
  }

  endSession(token: string): void {
    this.#database.prepare('DELETE FROM sessions WHERE digest = ?').run(digestOf(token));
  }

  /** What is left of today's allowance; days begin at midnight UTC. */
  embersOf(playerId: string): number {
    const today = this.#clock() - (this.#clock() % DAY_MS);
    const row = this.#database
      .prepare('SELECT coalesce(sum(cost), 0) AS spent FROM spendings WHERE player_id = ? AND spent_at >= ?')
      .get(playerId, today);
    return ALLOWANCE - Number(row?.spent);
  }

  /** Pays for a roll, unless it was paid for under this key. */
  spend(playerId: string, request: RollRequest, cost: number): Spending {
    const row = this.#database
      .prepare('SELECT request, rolled FROM spendings WHERE player_id = ? AND key = ?')
      .get(playerId, request.key);
    if (row !== undefined) {
      const known = JSON.parse(String(row.request)) as RollRequest;
      if (known.what !== request.what || known.count !== request.count)
        throw new Refusal(409, 'This key belongs to another roll.');
      return { request: known, rolled: row.rolled === null ? undefined : (JSON.parse(String(row.rolled)) as Rolled) };
    }
    // Nothing else runs between these two statements: the calls of `node:sqlite` do not wait.
    if (this.embersOf(playerId) < cost)
      throw new Refusal(409, 'You do not have enough embers. There are new ones at midnight UTC.');
    this.#database
      .prepare('INSERT INTO spendings VALUES (?, ?, ?, ?, ?, NULL)')
      .run(playerId, request.key, this.#clock(), cost, JSON.stringify(request));
    return { request, rolled: undefined };
  }

  finish(playerId: string, rolled: Rolled): void {
    this.#database
      .prepare('UPDATE spendings SET rolled = ? WHERE player_id = ? AND key = ?')
      .run(JSON.stringify(rolled), playerId, rolled.key);
  }

  /** Undoes a spending whose roll the service refused. */
  refund(playerId: string, key: string): void {
    this.#database
      .prepare('DELETE FROM spendings WHERE player_id = ? AND key = ? AND rolled IS NULL')
      .run(playerId, key);
  }

  /**
   * Rolls that were paid for, but whose result never arrived. The service remembers keys for 24 hours; what is older
   * could roll twice, and its embers belong to a day that is over, so it is dropped.
   */
  unfinished(playerId: string): RollRequest[] {
    this.#database
      .prepare('DELETE FROM spendings WHERE player_id = ? AND rolled IS NULL AND spent_at < ?')
      .run(playerId, this.#clock() - DAY_MS);
    return this.#database
      .prepare('SELECT request FROM spendings WHERE player_id = ? AND rolled IS NULL ORDER BY spent_at')
      .all(playerId)
      .map(({ request }) => JSON.parse(String(request)) as RollRequest);
  }

  close(): void {
    this.#database.close();
  }
}
