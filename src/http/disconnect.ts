import type { FastifyReply } from 'fastify';

/** Returns a signal that aborts when the client disconnects before the response is sent. */
export const disconnectSignal = ({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal => {
  const controller = new AbortController();
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort(new Error('the client disconnected'));
  });
  return controller.signal;
};
