import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../limits.ts';
import type { Exchanges } from './exchanges.ts';

/** Takes no more connections, finishes what is under way, and closes the connections that there are. */
export type Drain = () => Promise<void>;

export const createDrain = (server: Server, exchanges: Exchanges): Drain => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  /** Connections on which nothing is asked. Node does not count those as idle on which nothing was asked yet. */
  const closeIdle = (): void => {
    server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };

  /** Connections on which a request began to arrive and never does. */
  const closeHalfSent = (): void => {
    const served = new Set<Socket>();
    for (const { request } of exchanges.all()) if (request.raw.complete) served.add(request.raw.socket);
    for (const socket of sockets) if (!served.has(socket)) socket.destroy();
  };

  return async () => {
    exchanges.stop();
    const startedMs = performance.now();
    const closed = new Promise((resolve) => server.once('close', resolve));
    // What Node does to close an HTTP server begins with closing idle connections. A busy caller's connection is idle for
    // the moment between a response and the next request, which may be on its way already, so they get that moment; the
    // next response is then the last.
    NetServer.prototype.close.call(server);
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedMs;
      if (elapsedMs >= LIMITS.stopIdleMs) closeIdle();
      if (elapsedMs >= LIMITS.stopArrivalMs) closeHalfSent();
      exchanges.sweep();
    }, LIMITS.stopCheckMs);
    await closed;
    // A name such as localhost may stand for several addresses, each with a server of its own.
    while (!exchanges.all()[Symbol.iterator]().next().done) await delay(LIMITS.stopCheckMs);
    clearInterval(timer);
  };
};
