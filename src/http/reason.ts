import type { FastifyRequest } from 'fastify';
import { invalid, type ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';

/** Of requests that change something, this says why. */
const HEADER = 'itemwright-reason';

const REASON_PATH = `/headers/${HEADER}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Header values are bytes. Browsers can only send ASCII, so anything else may be percent-encoded. */
const decode = (value: string): string | undefined => {
  try {
    const bytes = Buffer.from(value, 'latin1');
    return decodeURIComponent(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
};

/** The reason that a request gives, if any, or what is wrong with it. */
export const reasonOf = ({ headers }: FastifyRequest): string | null | ServiceError => {
  const value = headers[HEADER];
  if (value === undefined) return null;
  const reason = typeof value === 'string' && value.length <= LIMITS.reasonHeaderLength ? decode(value) : '';
  if (reason === undefined)
    return invalid({ path: REASON_PATH, message: 'must be UTF-8; a percent sign must be sent as %25' });
  if (reason === '' || [...reason].length > LIMITS.reasonLength)
    return invalid({ path: REASON_PATH, message: `must have 1 to ${LIMITS.reasonLength} characters` });
  if (CONTROL.test(reason)) return invalid({ path: REASON_PATH, message: 'must not contain control characters' });
  return reason;
};
