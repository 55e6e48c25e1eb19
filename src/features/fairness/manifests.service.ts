import type { Finder } from '../../database/work.ts';
import { digestOf } from '../../digest.ts';
import { type ManifestEntry, manifestText } from '../../engine/fairness/receipts.ts';
import { ServiceError } from '../../errors.ts';
import type { Catalogs } from '../catalog/catalog.service.ts';
import type { Identities, Identity, Subject } from '../receipts/identities.service.ts';
import { findPublished, type KeepPublic, type PublishKept } from '../snapshots/snapshots.service.ts';
import type { ReadyTemplates } from '../templates/compiled-templates.service.ts';
import { listVerifiable } from '../templates/templates.service.ts';

export interface ManifestDeps {
  readonly keepPublic: KeepPublic;
  readonly publishKept: PublishKept;
  readonly catalogs: Catalogs;
  readonly identities: Identities;
  readonly readyTemplates: ReadyTemplates;
}

/** Something verifiable. */
interface Entry {
  readonly templateId: string;
  readonly identity: Identity;
  readonly subject: Subject;
}

/** What is verifiable now. */
export interface CurrentManifest {
  readonly hash: string;
  readonly text: string;
  readonly entries: readonly Entry[];
}

/** A template that a later change to the catalog broke, or made too large, cannot be rolled on, so it is left out. */
const unlessBroken = <T>(make: () => T): T | undefined => {
  try {
    return make();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'BAD_REQUEST') return undefined;
    throw error;
  }
};

/** The manifest that a rotation would fix. */
export const currentManifest = async (finder: Finder, deps: ManifestDeps): Promise<CurrentManifest> => {
  const { catalogs, identities, readyTemplates } = deps;
  const [team, isPlain, ids] = await Promise.all([
    catalogs.current(finder),
    catalogs.verifiesRolls(finder),
    listVerifiable(finder),
  ]);
  const subjects = new Map<string, Subject>(isPlain ? [['', team]] : []);
  for (const id of ids) {
    const ready = await readyTemplates(finder, id);
    if (unlessBroken(() => ready.template()) !== undefined) subjects.set(id, ready);
  }
  const unknown = [...subjects.values()].filter((subject) => !identities.isKnown(subject));
  if (unknown.length > 1) finder.rerunAfter(identities.prepare(team, unknown));
  const entries = [...subjects].flatMap(([templateId, subject]): Entry[] => {
    const identity = unlessBroken(() => identities.of(finder, subject));
    return identity === undefined ? [] : [{ templateId, identity, subject }];
  });
  const text = manifestText(entries.map(({ templateId, identity }): ManifestEntry => [templateId, identity.config]));
  return { hash: digestOf(text), text, entries };
};

/** Keeps what is not kept yet. Most of it was, by the chore that notes configurations. */
const keep = async (
  { publishKept, keepPublic, identities }: ManifestDeps,
  teamId: string,
  manifest: CurrentManifest,
) => {
  const { hash, text, entries } = manifest;
  const hashes = entries.flatMap(({ identity }) => [identity.config, identity.pool]);
  const kept = await publishKept(teamId, [...new Set(hashes)]);
  for (const { identity, subject } of entries) {
    if (kept.has(identity.config) && kept.has(identity.pool)) continue;
    const made = await identities.snapshotsOf(subject);
    if (made === null) continue;
    await keepPublic(teamId, [
      { hash: made.config, text: made.configText },
      { hash: made.pool, text: made.poolText },
    ]);
    kept.add(made.config).add(made.pool);
  }
  await keepPublic(teamId, [{ hash, text }]);
};

/** Keeps everything that a manifest refers to, for anyone to read. Whatever is long is written before the rotation. */
export const keepManifest = async (finder: Finder, deps: ManifestDeps, manifest: CurrentManifest): Promise<void> => {
  const hashes = manifest.entries.flatMap(({ identity }) => [identity.config, identity.pool]);
  if (await findPublished(finder, [manifest.hash, ...new Set(hashes)])) return;
  finder.rerunAfter(keep(deps, finder.teamId, manifest));
};
