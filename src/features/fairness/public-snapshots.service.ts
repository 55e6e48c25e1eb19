import type { PublicReads } from '../../database/public-reads.ts';
import type { Reader } from '../../database/work.ts';
import { notFound, unlessInvalid } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type Prepared, prepare } from '../../shared/prepared.ts';
import type { Identities } from '../receipts/identities.service.ts';
import { findPublished, findSnapshot } from '../snapshots/snapshots.service.ts';
import type { ReadyTemplates } from '../templates/compiled-templates.service.ts';
import { listVerifiable } from '../templates/templates.service.ts';

/** What verifiable rolls were made from, for anyone, by its hash. */
export type PublicSnapshots = (teamId: string, hash: string) => Promise<Prepared>;

export interface PublicSnapshotDeps {
  readonly reads: PublicReads;
  readonly clock: () => number;
  readonly readyTemplates: ReadyTemplates;
  readonly identities: Identities;
}

/** Whether a snapshot is that of a verifiable template which can be rolled on since a time that has come. */
const hasStarted = async (
  reader: Reader,
  hash: string,
  { clock, readyTemplates, identities }: PublicSnapshotDeps,
): Promise<boolean> => {
  for (const id of await listVerifiable(reader)) {
    const ready = await readyTemplates(reader, id);
    const startsAtMs = unlessInvalid(() => ready.template().startsAtMs) ?? null;
    if (startsAtMs === null || startsAtMs > clock()) continue;
    const identity = unlessInvalid(() => identities.of(reader, ready));
    if (identity !== undefined && [identity.config, identity.pool].includes(hash)) return true;
  }
  return false;
};

/** The text of a hash never changes, so it is kept as long as there is room. */
export const createPublicSnapshots = (deps: PublicSnapshotDeps): PublicSnapshots => {
  const { reads } = deps;
  const find = async (reader: Reader, hash: string): Promise<string> => {
    const published = await findPublished(reader, hash);
    if (published !== undefined) return published;
    const text = (await hasStarted(reader, hash, deps)) ? await findSnapshot(reader, hash) : undefined;
    if (text === undefined) throw notFound();
    return text;
  };
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
      (await reads.find(teamId, `snapshot ${hash}`, async (reader) => prepare(await find(reader, hash), hash)));
    kept.delete(key);
    kept.set(key, text);
    if (known === undefined) makeRoom();
    return text;
  };
};
