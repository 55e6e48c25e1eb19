import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { noteConnection, startInTurn } from '../shared/turns.ts';
import { createBuckets } from './buckets.ts';
import { addressOf } from './failed-attempts.ts';

/** Returns an error if the address of a visitor has made too many requests without a valid secret. */
export type AdmitVisitor = (ip: string, nowMs: number) => ServiceError | undefined;

export const createVisitors = (requestsPerSecond: number): AdmitVisitor => {
  if (requestsPerSecond === Number.POSITIVE_INFINITY) return () => undefined;
  const rate = { burst: requestsPerSecond, perSecond: requestsPerSecond };
  const requests = createBuckets(rate, LIMITS.throttledAddresses);
  return (ip, nowMs) =>
    requests.take(addressOf(ip), nowMs) ? undefined : new ServiceError('TOO_MANY_REQUESTS', [], { reason: 'rate' });
};

/**
 * A thousand requests may arrive in one turn of the event loop. Of those without a secret, as many are handled in a turn as
 * leave time for everyone else; the others wait for the next one.
 */
export const paceVisitors = (server: Server): void => {
  server.on('connection', noteConnection);
  const handlers = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const handle = (): void => {
      // Whoever has left in the meantime will not leave again, which is what ends a request.
      if (!response.destroyed && !request.socket.destroyed)
        for (const handler of handlers) handler.call(server, request, response);
    };
    if (request.headers.authorization === undefined) startInTurn('visitors', handle);
    else handle();
  });
};
