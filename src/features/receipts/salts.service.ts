import { createHmac } from 'node:crypto';
import type { Identity } from '../../catalog/snapshots.ts';
import type { Finder } from '../../database/work.ts';
import { type ManifestEntry, manifestEntry } from '../../engine/fairness/receipts.ts';
import type { TeamKeys } from '../team-keys/team-keys.service.ts';
import { type Identities, type Subject, teamOf, templateIdOf } from './identities.service.ts';

/** A configuration that rolls can be verified on: as a manifest has it, and the salt that opens it. */
export interface Salted extends Identity {
  readonly templateId: string;
  readonly salt: string;
  readonly entry: ManifestEntry;
  /** Whether it was found that everyone can read it. */
  isPublished: boolean;
}

/**
 * Salts hide the configurations in a manifest until somebody rolls on them. Each is derived from a key of the team, so
 * that they need not be kept; knowing one tells nothing about another.
 */
export interface Salts {
  /** Throws if the pool is too large. */
  of(finder: Finder, subject: Subject): Salted;
}

export const createSalts = (identities: Identities, teamKeys: TeamKeys): Salts => ({
  of: (finder, subject) => {
    const templateId = templateIdOf(subject);
    return teamOf(subject).prepared(finder, 'salted', templateId, () => {
      const { config, pool } = identities.of(finder, subject);
      const salt = createHmac('sha256', Buffer.from(teamKeys.of(finder, 'salts'), 'hex'))
        .update(JSON.stringify([templateId, config]))
        .digest('hex');
      return { templateId, config, pool, salt, entry: manifestEntry(templateId, config, salt), isPublished: false };
    });
  },
});
