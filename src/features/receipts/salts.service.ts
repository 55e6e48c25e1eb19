import { createHmac } from 'node:crypto';
import type { Identity } from '../../catalog/snapshots.ts';
import type { Finder } from '../../database/work.ts';
import { type ManifestEntry, manifestEntry } from '../../engine/fairness/receipts.ts';
import type { TeamKeys } from '../team-keys/team-keys.service.ts';

/** A configuration as a manifest has it, and the salt that opens it. */
export interface Salted {
  readonly salt: string;
  readonly entry: ManifestEntry;
}

/**
 * Salts hide the configurations in a manifest until somebody rolls on them. Each is derived from a key of the team, so
 * that they need not be kept; knowing one tells nothing about another.
 */
export interface Salts {
  of(finder: Finder, templateId: string, identity: Identity): Promise<Salted>;
}

export const createSalts = (teamKeys: TeamKeys): Salts => {
  const known = new WeakMap<Identity, Salted>();
  return {
    of: async (finder, templateId, identity) => {
      const before = known.get(identity);
      if (before !== undefined) return before;
      const key = await teamKeys.of(finder, 'salts');
      const salt = createHmac('sha256', Buffer.from(key, 'hex'))
        .update(JSON.stringify([templateId, identity.config]))
        .digest('hex');
      const salted = { salt, entry: manifestEntry(templateId, identity.config, salt) };
      known.set(identity, salted);
      return salted;
    },
  };
};
