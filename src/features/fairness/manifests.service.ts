import type { Finder } from '../../database/work.ts';
import { digestOf } from '../../digest.ts';
import { type ManifestEntry, manifestText } from '../../engine/fairness/receipts.ts';
import { ServiceError } from '../../errors.ts';
import type { Catalogs } from '../catalog/catalog.service.ts';
import type { Identities, Identity, Snapshots } from '../receipts/identities.service.ts';
import { findPublished, type KeepPublic } from '../snapshots/snapshots.service.ts';
import type { ReadyTemplates } from '../templates/compiled-templates.service.ts';
import { listVerifiable } from '../templates/templates.service.ts';

export interface ManifestDeps {
  readonly keepPublic: KeepPublic;
  readonly catalogs: Catalogs;
  readonly identities: Identities;
  readonly readyTemplates: ReadyTemplates;
}

/** Something verifiable, and how to make the texts behind its hashes. */
interface Entry {
  readonly templateId: string;
  readonly identity: Identity;
  snapshots(): Promise<Snapshots | null>;
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
  const entries: Entry[] = [];
  const add = (templateId: string, identity: Identity | undefined, snapshots: Entry['snapshots']): void => {
    if (identity !== undefined) entries.push({ templateId, identity, snapshots });
  };
  if (isPlain)
    add(
      '',
      unlessBroken(() => identities.ofPlain(finder, team)),
      () => identities.snapshotsOfPlain(team),
    );
  for (const id of ids) {
    const ready = await readyTemplates(finder, id);
    add(
      id,
      unlessBroken(() => {
        ready.template();
        return identities.ofTemplate(finder, ready);
      }),
      () => identities.snapshotsOfTemplate(ready),
    );
  }
  const text = manifestText(entries.map(({ templateId, identity }): ManifestEntry => [templateId, identity.config]));
  return { hash: digestOf(text), text, entries };
};

const keep = async ({ keepPublic }: ManifestDeps, teamId: string, { hash, text, entries }: CurrentManifest) => {
  for (const { snapshots } of entries) {
    const made = await snapshots();
    if (made !== null)
      await keepPublic(teamId, [
        { hash: made.config, text: made.configText },
        { hash: made.pool, text: made.poolText },
      ]);
  }
  await keepPublic(teamId, [{ hash, text }]);
};

/** Keeps everything that a manifest refers to, for anyone to read. Whatever is long is written before the rotation. */
export const keepManifest = async (finder: Finder, deps: ManifestDeps, manifest: CurrentManifest): Promise<void> => {
  const hashes = manifest.entries.flatMap(({ identity }) => [identity.config, identity.pool]);
  if (await findPublished(finder, [manifest.hash, ...hashes])) return;
  finder.rerunAfter(keep(deps, finder.teamId, manifest));
};
