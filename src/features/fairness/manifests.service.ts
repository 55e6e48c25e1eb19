import type { Identity } from '../../catalog/snapshots.ts';
import type { Finder } from '../../database/work.ts';
import { type ManifestEntry, manifestText } from '../../engine/fairness/receipts.ts';
import { digestOf } from '../../shared/digest.ts';
import { unlessInvalid } from '../../shared/errors.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import type { Identities, Subject } from '../receipts/identities.service.ts';
import type { Salts } from '../receipts/salts.service.ts';
import { findKept, type KeepSnapshots } from '../snapshots/snapshots.service.ts';
import type { ReadyTemplates } from '../templates/compiled-templates.service.ts';
import { listVerifiable } from '../templates/templates.service.ts';

export interface ManifestDeps {
  readonly keepSnapshots: KeepSnapshots;
  readonly catalogs: Catalogs;
  readonly identities: Identities;
  readonly readyTemplates: ReadyTemplates;
  readonly salts: Salts;
}

/** Something verifiable. */
interface Verifiable {
  /** As the manifest has it. */
  readonly entry: ManifestEntry;
  readonly identity: Identity;
  readonly subject: Subject;
}

/** What is verifiable now. */
export interface CurrentManifest {
  readonly hash: string;
  readonly text: string;
  readonly entries: readonly Verifiable[];
}

/** The manifest that a rotation would fix. */
export const currentManifest = async (finder: Finder, deps: ManifestDeps): Promise<CurrentManifest> => {
  const { catalogs, identities, readyTemplates, salts } = deps;
  const [team, isPlain, ids] = await Promise.all([
    catalogs.current(finder),
    catalogs.verifiesRolls(finder),
    listVerifiable(finder),
  ]);
  const subjects = new Map<string, Subject>(isPlain ? [['', team]] : []);
  for (const id of ids) {
    const ready = await readyTemplates(finder, id);
    // What a later change of the catalog broke, or made too large, cannot be rolled on, so it is left out.
    if (unlessInvalid(() => ready.template()) !== undefined) subjects.set(id, ready);
  }
  const unknown = [...subjects.values()].filter((subject) => !identities.isKnown(subject));
  if (unknown.length > 1) finder.rerunAfter(identities.prepare(team, unknown));
  const entries: Verifiable[] = [];
  for (const [templateId, subject] of subjects) {
    const identity = unlessInvalid(() => identities.of(finder, subject));
    if (identity === undefined) continue;
    const { entry } = await salts.of(finder, templateId, identity);
    entries.push({ entry, identity, subject });
  }
  const text = manifestText(entries.map(({ entry }) => entry));
  return { hash: digestOf(text), text, entries };
};

/** Keeps what is not kept yet. Most of it was, by the chore that notes configurations. */
const keep = async (
  { keepSnapshots, identities }: ManifestDeps,
  teamId: string,
  kept: ReadonlySet<string>,
  { hash, text, entries }: CurrentManifest,
): Promise<void> => {
  for (const { identity, subject } of entries) {
    if (kept.has(identity.config) && kept.has(identity.pool)) continue;
    const made = await identities.snapshotsOf(subject);
    if (made === null) continue;
    await keepSnapshots(teamId, [
      { hash: made.config, text: made.configText },
      { hash: made.pool, text: made.poolText },
    ]);
  }
  await keepSnapshots(teamId, [{ hash, text }]);
};

/** Keeps everything that a manifest refers to. Whatever is long is written before the rotation. */
export const keepManifest = async (finder: Finder, deps: ManifestDeps, manifest: CurrentManifest): Promise<void> => {
  const hashes = [manifest.hash, ...manifest.entries.flatMap(({ identity }) => [identity.config, identity.pool])];
  const kept = await findKept(finder, [...new Set(hashes)]);
  if (!hashes.every((hash) => kept.has(hash))) finder.rerunAfter(keep(deps, finder.teamId, kept, manifest));
};
