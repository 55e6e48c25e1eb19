import { createHmac } from 'node:crypto';
import type { Identity } from '../../catalog/snapshots.ts';
import type { Finder } from '../../database/work.ts';
import { type ManifestEntry, manifestEntry, PLAIN_SCOPE, scopeOf } from '../../engine/fairness/receipts.ts';
import { termsText } from '../../engine/fairness/runs.ts';
import { digestOf } from '../../shared/digest.ts';
import type { Snapshot } from '../snapshots/snapshots.service.ts';
import type { TeamKeys } from '../team-keys/team-keys.service.ts';
import { type Identities, type Subject, teamOf, templateIdOf } from './identities.service.ts';

/** A configuration that rolls can be verified on: as a manifest has it, and the salt that opens it. */
export interface Salted extends Identity {
  readonly templateId: string;
  readonly salt: string;
  /** Of the calls on it. */
  readonly scope: string;
  readonly entry: ManifestEntry;
  /** What receipts on it have in common, as it is kept. */
  readonly terms: Snapshot;
  readonly tiers: readonly string[];
  /** Whether it was found that everyone can read it, and that the terms are kept. */
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
      const template = 'team' in subject ? subject.template() : null;
      const tiers = template?.tiers.all.flatMap(({ optionId }) => optionId ?? []) ?? [];
      const scope = template === null ? PLAIN_SCOPE : scopeOf(templateId, template.pityGroup);
      const text = termsText({ scope, templateId, config, pool, salt, tiers });
      return {
        ...{ templateId, config, pool, salt, entry: manifestEntry(templateId, config, salt), scope, tiers },
        terms: { hash: digestOf(text), text },
        isPublished: false,
      };
    });
  },
});
