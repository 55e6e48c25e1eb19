import { unavailable } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Client } from './client.ts';

interface Waiter {
  readonly resolve: (client: Client) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
  /** Whether a connection is being opened for it. */
  hasAttempt: boolean;
}

/** What the pool knows about a connection. */
interface ClientState {
  /** The generation of the pool when the connection was opened. */
  readonly generation: number;
  isIdle: boolean;
  idleSinceMs: number;
  /** Bytes received at the last check, and the number of checks since then without any more. */
  bytesRead: number;
  silentChecks: number;
}

export interface PoolOptions {
  readonly size: number;
  /** For how many checks a busy connection may receive nothing. */
  readonly silentChecks: number;
  readonly connect: () => Promise<Client>;
  /** Whether a returned connection may be used again. */
  readonly canReuse: (client: Client) => boolean;
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
  check(): void;
  /** Resolves once all connections have been returned and closed. */
  close(): Promise<void>;
}

const silent = (): Error => Object.assign(new Error('the connection stopped responding'), { code: 'ETIMEDOUT' });
const isClosed = (): Error => new Error('the database is closed');
const tooBusy = (): Error => new Error('no connection was free in time');

export const createPool = ({ size, silentChecks, connect, canReuse, onSilence }: PoolOptions): Pool => {
  const clients = new Map<Client, ClientState>();
  const idle: Client[] = [];
  const waiting: Waiter[] = [];
  let opening = 0;
  let generation = 0;
  let closed: (() => void) | undefined;

  const forget = (client: Client): void => {
    const index = idle.indexOf(client);
    if (index >= 0) idle.splice(index, 1);
    if (!clients.delete(client)) return;
    if (closed !== undefined && clients.size + opening === 0) closed();
    grow();
  };

  const discard = (client: Client): void => {
    forget(client);
    client.disconnect();
  };

  /** Only rejects a waiter that is still waiting. */
  const rejectWaiter = (waiter: Waiter, error: unknown): void => {
    const index = waiting.indexOf(waiter);
    if (index < 0) return;
    waiting.splice(index, 1);
    clearTimeout(waiter.timer);
    waiter.reject(unavailable(error));
  };

  /** Hands a connection to the preferred waiter, or else to the first; without waiters it becomes idle. */
  const handOver = (client: Client, state: ClientState, preferred = waiting[0]): void => {
    const index = preferred === undefined ? -1 : waiting.indexOf(preferred);
    const [waiter] = waiting.splice(Math.max(index, 0), 1);
    state.isIdle = waiter === undefined;
    if (waiter === undefined) {
      state.idleSinceMs = performance.now();
      idle.push(client);
      return;
    }
    clearTimeout(waiter.timer);
    state.silentChecks = 0;
    waiter.resolve(client);
  };

  /** Opens a connection for a waiter, which may have got another one by the time it is open. */
  const openFor = async (waiter: Waiter): Promise<void> => {
    opening += 1;
    waiter.hasAttempt = true;
    const openedIn = generation;
    try {
      const client = await connect();
      opening -= 1;
      const state = { generation: openedIn, isIdle: true, idleSinceMs: 0, bytesRead: 0, silentChecks: 0 };
      clients.set(client, state);
      client.once('end', () => forget(client));
      if (closed === undefined && openedIn === generation) handOver(client, state, waiter);
      else {
        waiter.hasAttempt = false;
        discard(client);
      }
    } catch (error) {
      opening -= 1;
      rejectWaiter(waiter, error);
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

  const isUsable = (client: Client, state: ClientState): boolean =>
    // A connection that may still be in a transaction is of no use to others.
    client.getTransactionStatus() === 'I' &&
    state.generation === generation &&
    closed === undefined &&
    canReuse(client);

  const checkClient = (client: Client, state: ClientState, nowMs: number): void => {
    if (state.isIdle) {
      if (nowMs - state.idleSinceMs > LIMITS.postgresIdleMs) discard(client);
      return;
    }
    const { bytesRead } = client;
    // Count checks rather than milliseconds: a process that was itself suspended must not blame the server.
    state.silentChecks = bytesRead === state.bytesRead ? state.silentChecks + 1 : 0;
    state.bytesRead = bytesRead;
    if (state.silentChecks < silentChecks) return;
    client.abort(silent());
    forget(client);
    onSilence();
  };

  return {
    take: () => {
      const client = idle.pop();
      const state = client && clients.get(client);
      if (client !== undefined && state !== undefined) {
        state.isIdle = false;
        state.silentChecks = 0;
        return Promise.resolve(client);
      }
      if (closed !== undefined) return Promise.reject(unavailable(isClosed()));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => rejectWaiter(waiter, tooBusy()), LIMITS.postgresConnectMs);
        const waiter: Waiter = { resolve, reject, timer, hasAttempt: false };
        waiting.push(waiter);
        grow();
      });
    },
    give: (client) => {
      const state = clients.get(client);
      // It broke in the meantime and has been removed.
      if (state === undefined) return;
      if (isUsable(client, state)) handOver(client, state);
      else discard(client);
    },
    renew: () => {
      generation += 1;
      for (const client of [...idle]) discard(client);
    },
    check: () => {
      const nowMs = performance.now();
      for (const [client, state] of [...clients]) checkClient(client, state, nowMs);
    },
    close: () =>
      new Promise((resolve) => {
        closed = resolve;
        for (const waiter of [...waiting]) rejectWaiter(waiter, isClosed());
        for (const client of [...idle]) discard(client);
        if (clients.size + opening === 0) resolve();
      }),
  };
};
