import { hash } from 'node:crypto';

/** SHA-256 in hex: the only form in which secrets are stored and compared, and what snapshots are known by. */
export const digestOf = (text: string): string => hash('sha256', text, 'hex');
