import { ConflictError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Client, Rotated } from './schema.ts';

/** What the service has committed to, before the client seed is known. */
export interface Shown {
  readonly commitment: string;
  readonly manifest: string;
}

const MOST_REFUSED = 4;

/**
 * Begins an epoch of a player, creating the player if needed. `choose` gets what the service has committed to and returns
 * the client seed, which must come from the player's device. If the service has committed to something else in the
 * meantime, after a rotation elsewhere or a change of the catalog, it rejects the client seed, which it knows by then: so
 * `choose` is called again, and must return another one.
 */
export const rotateSeeds = async (
  client: Pick<Client, 'fairness'>,
  userId: string,
  choose: (shown: Shown) => string | Promise<string>,
  options: CallOptions = {},
): Promise<Rotated> => {
  const refused = new Set<string>();
  for (;;) {
    const { nextCommitment: commitment, nextManifest: manifest } = await client.fairness.start(userId, options);
    const clientSeed = await choose({ commitment, manifest });
    if (refused.has(clientSeed)) throw new TypeError('choose must return another client seed after a rejected one.');
    try {
      return await client.fairness.rotate(userId, { clientSeed, commitment, manifest }, options);
    } catch (error) {
      if (!(error instanceof ConflictError) || refused.size >= MOST_REFUSED) throw error;
      refused.add(clientSeed);
    }
  }
};
