import type { PlayerFairness } from '../server/itemwright.ts';
import { CallError, chooseSeed, getMe } from './calls.ts';

/** A proof has at most 1,000 receipts in one file, so a new epoch begins well before. */
const MAX_RECEIPTS = 500;

/** Made on the player's device, so that nobody else had a part in it. Unlike `randomUUID`, it needs no HTTPS. */
export const randomText = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

export const receiptsIn = ({ nonce }: PlayerFairness): number => nonce ?? 0;

const MAX_ATTEMPTS = 3;

/**
 * Chooses a seed where one is needed to roll. Commitment and manifest came first: nothing can be adapted to the seed. If
 * they have changed since, the seed was refused, and is known: another one is chosen.
 */
export const ensureSeed = async (fairness: PlayerFairness): Promise<boolean> => {
  let shown = fairness;
  for (let attempt = 1; ; attempt += 1) {
    const { epoch, mustRotate, nextCommitment, nextManifest } = shown;
    if (epoch !== null && !mustRotate && receiptsIn(shown) < MAX_RECEIPTS) return attempt > 1;
    try {
      await chooseSeed({ clientSeed: randomText(), commitment: nextCommitment, manifest: nextManifest });
      return true;
    } catch (error) {
      const me = error instanceof CallError && !error.isTemporary && attempt < MAX_ATTEMPTS ? await getMe() : null;
      if (me === null) throw error;
      shown = me.fairness;
    }
  }
};
