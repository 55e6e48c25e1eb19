import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '../limits.ts';

/** Whether one of the tags in `If-None-Match` is this one. Proxies that compress responses make tags weak. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  (header ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*');

/** Sends a text that anyone may keep for a minute; only its tag if the caller has it already. */
export const sendCached = (
  request: Pick<FastifyRequest, 'headers'>,
  reply: Pick<FastifyReply, 'headers'>,
  { text, etag }: { readonly text: string; readonly etag: string },
  type = 'application/json; charset=utf-8',
): never => {
  const full = reply as FastifyReply;
  full.headers({ etag, 'cache-control': `public, max-age=${LIMITS.disclosureAgeS}` });
  const sent = isKnown(request.headers['if-none-match'], etag) ? full.code(304).send() : full.type(type).send(text);
  return sent as never;
};
