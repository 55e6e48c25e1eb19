import { createHash } from 'node:crypto';

/** SHA-256 in hex: the only form in which secrets are stored and compared, and what snapshots are known by. */
export const digestOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
