import type { PublicReads } from '../../database/public-reads.ts';
import { LIMITS } from '../../limits.ts';
import { type Prepared, prepare } from '../../prepared.ts';
import { getPublishedSnapshot } from './snapshots.service.ts';

/** What verifiable rolls were made from, for anyone, by its hash. */
export type PublicSnapshots = (teamId: string, hash: string) => Promise<Prepared>;

/** The text of a hash never changes, so it is kept as long as there is room. */
export const createPublicSnapshots = (reads: PublicReads): PublicSnapshots => {
  // The first is the one that was used longest ago.
  const kept = new Map<string, Prepared>();
  const makeRoom = (): void => {
    let bytes = kept.values().reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of kept) {
      if (kept.size <= LIMITS.keptSnapshots && bytes <= LIMITS.keptSnapshotsBytes) return;
      kept.delete(oldest);
      bytes -= length;
    }
  };
  return async (teamId, hash) => {
    const key = JSON.stringify([teamId, hash]);
    const known = kept.get(key);
    const text =
      known ??
      (await reads.find(teamId, `snapshot ${hash}`, async (reader) =>
        prepare(await getPublishedSnapshot(reader, hash), hash),
      ));
    kept.delete(key);
    kept.set(key, text);
    if (known === undefined) makeRoom();
    return text;
  };
};
