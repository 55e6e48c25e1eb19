import { createHash } from 'node:crypto';

/** The only form in which secrets are stored and compared. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');
