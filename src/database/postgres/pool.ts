import { unavailable } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { Client } from './client.ts';

interface Waiter {
  readonly resolve: (client: Client) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
  /** Whether a connection is being opened on its behalf. */
  hasAttempt: boolean;
}

/** What the pool knows of a connection. */
interface Known {
  /** How often the pool had been renewed when it was opened. */
  readonly generation: number;
  isIdle: boolean;
  idleSinceMs: number;
  /** How much it had brought at the last look, and at how many looks since then it had brought no more. */
  bytesRead: number;
  silentLooks: number;
}

export interface PoolOptions {
  readonly size: number;
  /** For how many looks a connection in use may bring nothing. */
  readonly silentLooks: number;
  readonly connect: () => Promise<Client>;
  /** Whether a connection that is given back may be used again. */
  readonly mayKeep: (client: Client) => boolean;
  /** Called when a connection was found dead. */
  readonly onSilence: () => void;
}

export interface Pool {
  /** A connection, once there is one; whoever waits too long is refused. */
  take(): Promise<Client>;
  give(client: Client): void;
  /** Replaces every connection: idle ones at once, those in use when they are given back. */
  renew(): void;
  /** Breaks off what has died and closes what is not needed; to be called regularly. */
  look(): void;
  /** Done once all connections were given back and closed. */
  close(): Promise<void>;
}

const silent = (): Error => Object.assign(new Error('the connection went silent'), { code: 'ETIMEDOUT' });
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

  /** Only those who still wait are told. */
  const refuse = (waiter: Waiter, error: unknown): void => {
    const place = waiting.indexOf(waiter);
    if (place < 0) return;
    waiting.splice(place, 1);
    clearTimeout(waiter.timer);
    waiter.reject(unavailable(error));
  };

  /** Gives a connection to the one who waits for it, else to the first who waits, else to nobody. */
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

  /** Opens a connection on behalf of one who waits, who may have got another by the time it is open. */
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

  /** Opens connections for those who wait, as many as there may be. */
  const grow = (): void => {
    if (closed !== undefined) return;
    for (const waiter of waiting) {
      if (clients.size + opening >= size) return;
      if (!waiter.hasAttempt) openFor(waiter);
    }
  };

  const isUsable = (client: Client, known: Known): boolean =>
    // A connection that is not known to be outside of a transaction is of no use to anybody else.
    client.getTransactionStatus() === 'I' && known.generation === generation && closed === undefined && mayKeep(client);

  const lookAt = (client: Client, known: Known, nowMs: number): void => {
    if (known.isIdle) {
      if (nowMs - known.idleSinceMs > LIMITS.postgresIdleMs) discard(client);
      return;
    }
    const { bytesRead } = client;
    // Looks are counted, not milliseconds: a process that stood still itself must not blame the server.
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
      // One that broke meanwhile is forgotten already.
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
