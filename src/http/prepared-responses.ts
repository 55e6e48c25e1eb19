import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../shared/errors.ts';
import { ENCODINGS, type Encoding, type Prepared } from '../shared/prepared.ts';

/** The encoding to use for an `Accept-Encoding`; undefined for none. */
export const acceptedEncoding = (header = ''): Encoding | undefined => {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  const best = ENCODINGS.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one));
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined;
};

const etagOf = (tag: string, encoding: Encoding | undefined): string =>
  encoding === undefined ? `"${tag}"` : `"${tag}-${encoding}"`;

/** Whether a list of tags has one of this response, in whatever encoding. Proxies that compress make tags weak. */
const lists = (header: string, tag: string): boolean => {
  const known = [undefined, ...ENCODINGS].map((encoding) => etagOf(tag, encoding));
  return header.split(',').some((text) => {
    const given = text.trim().replace(/^W\//, '');
    return given === '*' || known.includes(given);
  });
};

interface Kind {
  readonly type: string;
  readonly cacheControl: string;
}

/** Sends what was prepared, in the encoding that the client prefers; only its tag if the client has it already. */
export const sendPrepared = async (
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: Pick<FastifyReply, 'headers'>,
  prepared: Prepared,
  { type, cacheControl }: Kind,
): Promise<never> => {
  const full = reply as FastifyReply;
  const preferred = prepared.isCompressed ? acceptedEncoding(headers['accept-encoding']) : undefined;
  const vary = [full.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ');
  if (headers['if-match'] !== undefined && !lists(headers['if-match'], prepared.tag))
    throw new ServiceError('PRECONDITION_FAILED', [{ path: '/headers/if-match', message: 'does not match' }]);
  full.headers({ vary, 'cache-control': cacheControl });
  if (headers['if-none-match'] !== undefined && lists(headers['if-none-match'], prepared.tag))
    return full.header('etag', etagOf(prepared.tag, preferred)).code(304).send() as never;
  const encoded = preferred === undefined ? undefined : await prepared.encoded(preferred);
  const encoding = encoded === undefined ? undefined : preferred;
  if (encoding !== undefined) full.header('content-encoding', encoding);
  return full
    .header('etag', etagOf(prepared.tag, encoding))
    .type(type)
    .send(encoded ?? prepared.bytes) as never;
};
