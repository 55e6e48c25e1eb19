import type { Finder, RunCommand } from '../../database/work.ts';
import { manifestText } from '../../engine/fairness/receipts.ts';
import { digestOf } from '../../shared/digest.ts';
import { unlessInvalid } from '../../shared/errors.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import type { Identities, Subject } from '../receipts/identities.service.ts';
import type { Salted, Salts } from '../receipts/salts.service.ts';
import { findKept, keepSnapshots } from '../snapshots/snapshots.service.ts';
import type { ReadyTemplates } from '../templates/compiled-templates.service.ts';
import { listVerifiable } from '../templates/templates.service.ts';

export interface ManifestDeps {
  readonly write: RunCommand;
  readonly catalogs: Catalogs;
  readonly identities: Identities;
  readonly readyTemplates: ReadyTemplates;
  readonly salts: Salts;
}

/** What rolls can be verified on. */
interface Verifiable {
  readonly salted: Salted;
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
  const subjects: Subject[] = isPlain ? [team] : [];
  for (const id of ids) {
    const ready = await readyTemplates(finder, id);
    // What a later change of the catalog broke, or made too large, cannot be rolled on, so it is left out.
    if (unlessInvalid(() => ready.template()) !== undefined) subjects.push(ready);
  }
  identities.prepare(finder, team, subjects);
  const entries: Verifiable[] = [];
  for (const subject of subjects) {
    const salted = unlessInvalid(() => salts.of(finder, subject));
    if (salted !== undefined) entries.push({ salted, subject });
  }
  const text = manifestText(entries.map(({ salted }) => salted.entry));
  return { hash: digestOf(text), text, entries };
};

/** Keeps what is not kept yet. Most of it was, by the chore that notes configurations. */
const keep = async (
  { write, identities }: ManifestDeps,
  teamId: string,
  kept: ReadonlySet<string>,
  { hash, text, entries }: CurrentManifest,
): Promise<void> => {
  for (const { salted, subject } of entries) {
    if (kept.has(salted.config) && kept.has(salted.pool)) continue;
    const made = await identities.snapshotsOf(subject);
    if (made === null) continue;
    await write(teamId, async (work) =>
      keepSnapshots(work, { hash: made.config, text: made.configText }, { hash: made.pool, text: made.poolText }),
    );
  }
  await write(teamId, async (work) => keepSnapshots(work, { hash, text }));
};

/** Keeps everything that a manifest refers to. Whatever is long is written before the rotation. */
export const keepManifest = async (finder: Finder, deps: ManifestDeps, manifest: CurrentManifest): Promise<void> => {
  const hashes = [manifest.hash, ...manifest.entries.flatMap(({ salted }) => [salted.config, salted.pool])];
  const kept = await findKept(finder, [...new Set(hashes)]);
  if (!hashes.every((hash) => kept.has(hash))) finder.rerunAfter(keep(deps, finder.teamId, kept, manifest));
};
