import { unavailable } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { Client } from './client.ts';

interface Waiter {
  readonly resolve: (client: Client) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
  /** Whether a connection is being opened for it. */
  hasAttempt: boolean;
}

/** What the pool knows about a connection. */
interface Known {
  /** The generation of the pool when the connection was opened. */
  readonly generation: number;
  isIdle: boolean;
  idleSinceMs: number;
  /** Bytes received at the last check, and the number of checks since then without any more. */
  bytesRead: number;
  silentLooks: number;
}

export interface PoolOptions {
  readonly size: number;
  /** For how many checks a busy connection may receive nothing. */
  readonly silentLooks: number;
  readonly connect: () => Promise<Client>;
  /** Whether a returned connection may be used again. */
  readonly mayKeep: (client: Client) => boolean;
  /** Called when a connection was found dead. */
  readonly onSilence: () => void;
}

export interface Pool {
  /** Resolves with a connection; rejects if none is available in time. */
  take(): Promise<Client>;
  give(client: Client): void;
  /** Replaces every connection: idle ones at once, busy ones when they are returned. */
  renew(): void;
  /** Drops dead connections and closes idle ones; must be called regularly. */
  look(): void;
  /** Resolves once all connections have been returned and closed. */
  close(): Promise<void>;
}

const silent = (): Error => Object.assign(new Error('the connection stopped responding'), { code: 'ETIMEDOUT' });
const isClosed = (): Error => new Error('the database is closed');
const tooBusy = (): Error => new Error('no connection was free in time');

export const createPool = ({ size, silentLooks, connect, mayKeep, onSilence }: PoolOptions): Pool => {
  const clients = new Map<Client, Known>();
  const idle: Client[] = [];
  const waiting: Waiter[] = [];
  let opening = 0;
  let generation = 0;
  let closed: (() => void) | undefined;

  const forget = (client: Client): void => {
    const place = idle.indexOf(client);
    if (place >= 0) idle.splice(place, 1);
    if (!clients.delete(client)) return;
    if (closed !== undefined && clients.size + opening === 0) closed();
    grow();
  };

  const discard = (client: Client): void => {
    forget(client);
    client.leave();
  };

  /** Only rejects a waiter that is still waiting. */
  const refuse = (waiter: Waiter, error: unknown): void => {
    const place = waiting.indexOf(waiter);
    if (place < 0) return;
    waiting.splice(place, 1);
    clearTimeout(waiter.timer);
    waiter.reject(unavailable(error));
  };

  /** Hands a connection to the preferred waiter, or else to the first; without waiters it becomes idle. */
  const hand = (client: Client, known: Known, preferred = waiting[0]): void => {
    const place = preferred === undefined ? -1 : waiting.indexOf(preferred);
    const [waiter] = waiting.splice(Math.max(place, 0), 1);
    known.isIdle = waiter === undefined;
    if (waiter === undefined) {
      known.idleSinceMs = performance.now();
      idle.push(client);
      return;
    }
    clearTimeout(waiter.timer);
    known.silentLooks = 0;
    waiter.resolve(client);
  };

  /** Opens a connection for a waiter, which may have got another one by the time it is open. */
  const openFor = async (waiter: Waiter): Promise<void> => {
    opening += 1;
    waiter.hasAttempt = true;
    const begun = generation;
    try {
      const client = await connect();
      opening -= 1;
      const known = { generation: begun, isIdle: true, idleSinceMs: 0, bytesRead: 0, silentLooks: 0 };
      clients.set(client, known);
      client.once('end', () => forget(client));
      if (closed === undefined && begun === generation) hand(client, known, waiter);
      else {
        waiter.hasAttempt = false;
        discard(client);
      }
    } catch (error) {
      opening -= 1;
      refuse(waiter, error);
      if (closed !== undefined && clients.size + opening === 0) closed();
    }
    grow();
  };

  /** Opens connections for waiters, up to the size of the pool. */
  const grow = (): void => {
    if (closed !== undefined) return;
    for (const waiter of waiting) {
      if (clients.size + opening >= size) return;
      if (!waiter.hasAttempt) openFor(waiter);
    }
  };

  const isUsable = (client: Client, known: Known): boolean =>
    // A connection that may still be in a transaction is of no use to others.
    client.getTransactionStatus() === 'I' && known.generation === generation && closed === undefined && mayKeep(client);

  const lookAt = (client: Client, known: Known, nowMs: number): void => {
    if (known.isIdle) {
      if (nowMs - known.idleSinceMs > LIMITS.postgresIdleMs) discard(client);
      return;
    }
    const { bytesRead } = client;
    // Count checks rather than milliseconds: a process that was itself suspended must not blame the server.
    known.silentLooks = bytesRead === known.bytesRead ? known.silentLooks + 1 : 0;
    known.bytesRead = bytesRead;
    if (known.silentLooks < silentLooks) return;
    client.abort(silent());
    forget(client);
    onSilence();
  };

  return {
    take: () => {
      const client = idle.pop();
      const known = client && clients.get(client);
      if (client !== undefined && known !== undefined) {
        known.isIdle = false;
        known.silentLooks = 0;
        return Promise.resolve(client);
      }
      if (closed !== undefined) return Promise.reject(unavailable(isClosed()));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => refuse(waiter, tooBusy()), LIMITS.postgresConnectMs);
        const waiter: Waiter = { resolve, reject, timer, hasAttempt: false };
        waiting.push(waiter);
        grow();
      });
    },
    give: (client) => {
      const known = clients.get(client);
      // It broke in the meantime and has been removed.
      if (known === undefined) return;
      if (isUsable(client, known)) hand(client, known);
      else discard(client);
    },
    renew: () => {
      generation += 1;
      for (const client of [...idle]) discard(client);
    },
    look: () => {
      const nowMs = performance.now();
      for (const [client, known] of [...clients]) lookAt(client, known, nowMs);
    },
    close: () =>
      new Promise((resolve) => {
        closed = resolve;
        for (const waiter of [...waiting]) refuse(waiter, isClosed());
        for (const client of [...idle]) discard(client);
        if (clients.size + opening === 0) resolve();
      }),
  };
};
