import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../shared/limits.ts';
import type { Exchanges } from './exchanges.ts';

/** Stops accepting connections, finishes the open requests, and closes all connections. */
export type Drain = () => Promise<void>;

export const createDrain = (server: Server, exchanges: Exchanges): Drain => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  /** Closes idle connections. Node does not count a connection as idle before its first request. */
  const closeIdle = (): void => {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };

  /** Closes connections whose request has not arrived completely. */
  const closeHalfSent = (): void => {
    const served = new Set<Socket>();
    for (const { request } of exchanges.all()) if (request.raw.complete) served.add(request.raw.socket);
    for (const socket of sockets) if (!served.has(socket)) socket.destroy();
  };

  return async () => {
    exchanges.stop();
    const startedMs = performance.now();
    const closed = new Promise((resolve) => server.once('close', resolve));
    // Node's own `close` starts by closing idle connections. A busy client's connection is idle for a moment between a
    // response and the next request, which may already be on its way, so connections get that moment; the next response
    // is then the last.
    NetServer.prototype.close.call(server);
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedMs;
      // Immediates run once everything that has arrived is read: on a busy machine, that may be another request.
      if (elapsedMs >= LIMITS.stopIdleMs) setImmediate(closeIdle);
      if (elapsedMs >= LIMITS.stopArrivalMs) closeHalfSent();
      exchanges.sweep();
    }, LIMITS.stopCheckMs);
    await closed;
    // A name such as localhost may resolve to several addresses, each with its own server.
    while (!exchanges.all()[Symbol.iterator]().next().done) await delay(LIMITS.stopCheckMs);
    clearInterval(timer);
  };
};
