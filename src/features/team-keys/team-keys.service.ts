import { madeOutside, type Slot } from '../../database/outside.ts';
import type { Finder, RunCommand } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import { newSeed } from '../../shared/randomness.ts';
import { createRecentlyUsed } from '../../shared/recently-used.ts';
import * as store from './team-keys.store.ts';

/** Secrets that a team has for life: 32 random bytes each, in hex, made when they are needed for the first time. */
export interface TeamKeys {
  of(finder: Finder, purpose: store.KeyPurpose): string;
}

export const createTeamKeys = (write: RunCommand): TeamKeys => {
  const keys = createRecentlyUsed(LIMITS.cachedTeamKeys, (_name: string): Slot<string> => ({}));
  /** Several nodes may give a team its key at once, so it counts only once it is found. */
  const find = async (teamId: string, purpose: store.KeyPurpose): Promise<string> => {
    const found = await write(teamId, async (work) => {
      const [key] = await work.find(store.keyFor, { purpose });
      if (key === undefined) work.write(store.ensureKey, { purpose, secret: newSeed() });
      return key?.secret;
    });
    return found ?? find(teamId, purpose);
  };
  return {
    of: (finder, purpose) =>
      madeOutside(keys.get(`${purpose}\0${finder.teamId}`), finder, () => find(finder.teamId, purpose)),
  };
};
