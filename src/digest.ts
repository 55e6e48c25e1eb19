import { createHash } from 'node:crypto';

/** The only form in which a secret is kept, and the form in which one that is brought is compared. */
export const digestOf = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');
