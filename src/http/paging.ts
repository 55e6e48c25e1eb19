import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeCursor, encodeCursor, type Page, type Paged, type Position } from '../database/paging.ts';
import { invalid } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { sendText } from './server.ts';

const decode = (cursor: string): Position => {
  const position = decodeCursor(cursor);
  if (position === undefined) throw invalid({ path: '/query/cursor', message: 'is not a valid cursor' });
  return position;
};

/** What the query of every list has. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

export const pageOf = ({ limit = LIMITS.pageRows, cursor }: PageQuery): Page =>
  cursor === undefined ? { limit } : { limit, after: decode(cursor) };

/** Links to the same request with another parameter, in a header. The link is relative, so it works behind any proxy. */
export const linkTo = (request: FastifyRequest, reply: FastifyReply, name: string, value: string): void => {
  // Only the first question mark starts the query; others are part of it.
  const [path, query] = request.originalUrl.split(/\?(.*)/s, 2) as [string, string?];
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  reply.header('link', `<${path}?${parameters}>; rel="next"`);
};

/** Links to the next page, if there is one. */
const linkToNext = (request: FastifyRequest, reply: FastifyReply, next: Position | undefined): void => {
  if (next !== undefined) linkTo(request, reply, 'cursor', encodeCursor(next));
};

/** Sends the rows of a page. */
export const sendPage = <T>(request: FastifyRequest, reply: FastifyReply, { rows, next }: Paged<T>): T[] => {
  linkToNext(request, reply, next);
  return rows;
};

/**
 * Like `sendPage`, for rows that are already JSON. They are sent as a buffer, which is outside the heap: the garbage
 * collector would copy a long string for as long as the socket has not consumed it.
 */
export const sendTextPage = (request: FastifyRequest, reply: FastifyReply, { rows, next }: Paged<string>): never => {
  linkToNext(request, reply, next);
  return sendText(reply, Buffer.from(`[${rows.join(',')}]`));
};
