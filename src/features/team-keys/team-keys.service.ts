import type { Finder, Work } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import { newSeed } from '../../shared/randomness.ts';
import { createRecentlyUsed } from '../../shared/recently-used.ts';
import * as store from './team-keys.store.ts';

type KeyPurpose = store.KeyPurpose;

/** Secrets that a team has for life: 32 random bytes each, in hex, made when they are needed for the first time. */
export interface TeamKeys {
  of(finder: Finder, purpose: KeyPurpose): Promise<string>;
}

/** Gives a team a key, unless it has one, in a transaction of its own. */
export type KeepTeamKey = (teamId: string, purpose: KeyPurpose) => Promise<void>;

export const keepTeamKey = (work: Work, purpose: KeyPurpose): void => {
  work.write(store.ensureKey, { purpose, secret: newSeed() });
};

export const createTeamKeys = (keep: KeepTeamKey): TeamKeys => {
  const keys = createRecentlyUsed(LIMITS.cachedTeamKeys, (_name: string): { secret?: string } => ({}));
  return {
    of: async (finder, purpose) => {
      const kept = keys.get(`${purpose}\0${finder.teamId}`);
      kept.secret ??= (await finder.find(store.keyFor, { purpose }))[0]?.secret;
      return kept.secret ?? finder.rerunAfter(keep(finder.teamId, purpose));
    },
  };
};
