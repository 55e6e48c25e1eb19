import type { FastifyReply } from 'fastify';

/** Aborts when the caller leaves before the response is sent, so that nobody works for it any longer. */
export const signalOf = ({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal => {
  const controller = new AbortController();
  raw.on('close', () => {
    if (!raw.writableFinished) controller.abort(new Error('the caller left'));
  });
  return controller.signal;
};
