import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from './server.ts';

const TYPE = 'application/x-ndjson';

/** Whether a client asks for lines of JSON, to see how far a long request is. */
export const wantsLines = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers.accept?.includes(TYPE) === true;

/**
 * Responds with lines of JSON as the work reports them; the last one is what the work returns. An error before the first
 * line is a response of its own; after it, the last line is `{ error }`.
 */
export const sendLines = async (
  reply: FastifyReply,
  work: (send: (line: string) => void) => Promise<string>,
): Promise<FastifyReply> => {
  const lines = new Readable({ read: () => {} });
  const started = Promise.withResolvers<void>();
  let hasStarted = false;
  const send = (line: string): void => {
    hasStarted = true;
    started.resolve();
    if (!lines.destroyed) lines.push(`${line}\n`);
  };
  const end = (): void => {
    if (!lines.destroyed) lines.push(null);
  };
  const fail = (error: unknown): void => {
    if (!hasStarted) {
      started.reject(error);
      return;
    }
    const { code, issues } = reply.server.explainFailure(error, reply.request);
    send(JSON.stringify({ error: errorBody(code, issues) }));
    end();
  };
  work(send)
    .then((last) => {
      send(last);
      end();
    })
    .catch(fail);
  await started.promise;
  return reply.type(TYPE).send(lines);
};
