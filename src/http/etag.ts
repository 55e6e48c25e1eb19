import type { onSendHookHandler } from 'fastify';

/** Adds the `ETag` of a response that is JSON already, and may be too long to be parsed. */
export const sendTextEtag =
  (etagOf: (text: string) => string): onSendHookHandler =>
  (_request, reply, payload, done) => {
    if (reply.statusCode === 200 && typeof payload === 'string') reply.header('etag', etagOf(payload));
    done(null, payload);
  };

/**
 * Adds the `ETag` of the entity in a response. It is made from what is sent, so that a stored response, which is sent
 * again, has it too.
 */
export const sendEtag = (etagOf: (body: object) => string): onSendHookHandler =>
  sendTextEtag((text) => etagOf(JSON.parse(text)));
