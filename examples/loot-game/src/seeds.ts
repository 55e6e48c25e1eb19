import type { PlayerFairness } from '../server/itemwright.ts';
import { chooseSeed } from './calls.ts';

/** A proof has at most 1,000 receipts in one file, so a new epoch begins well before. */
const MAX_RECEIPTS = 500;

/** Made on the player's device, so that nobody else had a part in it. Unlike `randomUUID`, it needs no HTTPS. */
export const randomText = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

export const receiptsIn = ({ chains }: PlayerFairness): number => chains.reduce((sum, { nonce }) => sum + nonce, 0);

/** Chooses a seed where one is needed to roll. The commitment came first: the server can no longer adapt to the seed. */
export const ensureSeed = async (fairness: PlayerFairness): Promise<boolean> => {
  const { epoch, mustRotate, nextCommitment } = fairness;
  if (epoch !== null && !mustRotate && receiptsIn(fairness) < MAX_RECEIPTS) return false;
  await chooseSeed({ clientSeed: randomText(), commitment: nextCommitment });
  return true;
};
