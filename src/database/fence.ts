import { ServiceError } from '../shared/errors.ts';
import { fitOf, numberOf } from './migrate.ts';
import type { Migrations } from './work.ts';

/**
 * Keeps this process from working on a schema that it does not know. Every transaction that writes reads the last
 * migration that was completed, while it keeps others from completing the next; reads rely on what was seen before, by
 * these or by the regular check. Once it has met a newer schema, the process serves nothing any more: it must be
 * replaced.
 */
export interface Fence {
  /** Why this process serves nothing any more, if a newer schema was met. */
  refusal(): ServiceError | undefined;
  /** Throws that. */
  pass(): void;
  /** Takes the last migration that was completed; throws if it is newer. */
  met(contracted: string | null | undefined): void;
  /** Whether a migration was seen to be completed, so that no node of an earlier version writes any more. */
  hasCompleted(migration: string): boolean;
}

/** The last migration that was completed. */
export const LAST_MIGRATION = 'select max(name) as name from migrations';

export const createFence = (migrations?: Migrations): Fence => {
  let refusal: ServiceError | undefined;
  let last = '';
  const pass = (): void => {
    if (refusal !== undefined) throw refusal;
  };
  return {
    refusal: () => refusal,
    pass,
    met: (contracted) => {
      last = contracted ?? '';
      if (contracted && fitOf({ contracted, expanded: contracted }, migrations) === 'newer') {
        const message = `the database was migrated to ${contracted}, which this version of the service does not know: replace it by the one that migrated`;
        refusal ??= new ServiceError('SERVICE_UNAVAILABLE', [{ path: '', message }], { reason: 'database' });
      }
      pass();
    },
    hasCompleted: (migration) => numberOf(last) >= numberOf(migration),
  };
};
