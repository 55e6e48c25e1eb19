import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import type { EventStreams } from '../../http/event-streams.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { type App, sendText } from '../../http/server.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import * as contract from './events.contract.ts';
import * as service from './events.service.ts';
import * as reading from './reading.service.ts';
import type { FeedWatch } from './watching.service.ts';

interface Parts extends RequestRunners {
  readonly database: Database;
  readonly read: Database['read'];
  readonly catalogs: Catalogs;
  readonly feedWatch: FeedWatch;
  readonly streams: EventStreams;
}

export const eventRoutes = (app: App, parts: Parts): void => {
  const { database, inTransaction, streams } = parts;

  app.get('/events', { schema: contract.listEvents }, async (request, reply) => {
    const { context, query, headers, exchange } = request;
    const { teamId } = context;
    if (headers.accept?.includes('text/event-stream')) {
      const given = headers['last-event-id'];
      const from = reading.streamFrom(query, typeof given === 'string' && given !== '' ? given : undefined);
      return streams.serve(request, reply, (signal) => reading.streamEvents(parts, teamId, from, signal));
    }
    const waiting = { exchange, signal: AbortSignal.any([app.stopSignal, disconnectSignal(reply)]) };
    const page = await reading.listEvents(parts, teamId, query, async (wait) => {
      waiting.exchange.giveSlot();
      return exchange.allow(LIMITS.requestTimeoutMs + LIMITS.eventsWaitS * 1000, wait(waiting.signal));
    });
    return sendText(reply, page);
  });

  app.get('/team/events', { schema: contract.getEventSettings }, ({ context }) =>
    database.read(context.teamId, service.getSettings),
  );

  app.put('/team/events', { schema: contract.updateEventSettings, config: { access: 'admin' } }, (request) =>
    inTransaction(request, (tx, { body }) => service.saveSettings(tx, body.types)),
  );
};
