import { createHash } from 'node:crypto';
import { ServiceError } from './errors.ts';

/** The `ETag` of something that a text identifies. */
export const etagOfText = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** Rejects a change of something whose `ETag` is no longer the one that the caller knows. */
export const requireEtag = (ifMatch: string | undefined, what: string, currentEtag: () => string): void => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = currentEtag();
  const given = ifMatch.split(',').map((one) => one.trim());
  if (given.includes(current)) return;
  throw new ServiceError('PRECONDITION_FAILED', [
    {
      path: '/headers/if-match',
      message: `does not match: the ${what} was changed in the meantime, and is now ${current}`,
    },
  ]);
};
