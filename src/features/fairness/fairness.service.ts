import type { Finder, Work } from '../../database/work.ts';
import { commitmentTo } from '../../engine/fairness/links.ts';
import { EDITION, NO_PREVIOUS, type RotateReceipt } from '../../engine/fairness/receipts.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, invalid, notFound, ServiceError } from '../../shared/errors.ts';
import { newSeed } from '../../shared/randomness.ts';
import { isoTime } from '../../shared/time.ts';
import {
  beginEpoch,
  createSeeds,
  findManifest,
  findSeeds,
  holdSeeds,
  isIn,
  type Manifests,
  type Seeds,
  timeOfNext,
} from '../receipts/receipts.service.ts';
import { findLastOfSeries } from '../receipts/stored-receipts.service.ts';
import { getUser } from '../users/users.service.ts';
import type { PlayerFairness, Rotated, RotateRequest } from './fairness.contract.ts';
import { type CurrentManifest, currentManifest, keepManifest, type ManifestDeps } from './manifests.service.ts';

export interface FairnessDeps extends ManifestDeps {
  /**
   * Whether all nodes make rolls of this edition. Those of the first would move the same counters, and leave no receipt
   * that this one knows: proofs would fail.
   */
  readonly isUpgraded: () => boolean;
  readonly manifests: Manifests;
}

/** Whether something that is verifiable now is not in the manifest of the player's epoch. */
const mustRotate = async (
  finder: Finder,
  { current }: Seeds,
  { hash, entries }: CurrentManifest,
  { manifests }: FairnessDeps,
): Promise<boolean> => {
  if (current === null) return true;
  if (hash === current.manifest) return false;
  const manifest = await findManifest(finder, manifests, current.manifest);
  return entries.some(({ salted }) => !isIn(manifest, salted));
};

const showPlayer = async (
  finder: Finder,
  userId: string,
  seeds: Seeds,
  next: CurrentManifest,
  deps: FairnessDeps,
): Promise<PlayerFairness> => {
  const { current } = seeds;
  return {
    userId,
    epoch: current?.epoch ?? null,
    commitment: current === null ? null : commitmentTo(current.seed),
    clientSeed: current?.clientSeed ?? null,
    manifest: current?.manifest ?? null,
    nextCommitment: commitmentTo(seeds.nextSeed),
    nextManifest: next.hash,
    rotation: current?.rotation ?? null,
    nonce: current?.nonce ?? null,
    head: current?.head ?? null,
    mustRotate: await mustRotate(finder, seeds, next, deps),
  };
};

export const getFairness = async (finder: Finder, userId: string, deps: FairnessDeps): Promise<PlayerFairness> => {
  await getUser(finder, userId);
  const seeds = await findSeeds(finder, userId);
  if (seeds === null) throw notFound();
  return showPlayer(finder, userId, seeds, await currentManifest(finder, deps), deps);
};

/** Creates the player and their first hidden seed, if they are missing. */
export const startFairness = async (
  work: Work,
  context: Context,
  userId: string,
  deps: FairnessDeps,
): Promise<PlayerFairness> => {
  const firstSeed = (): string => {
    if (!deps.isUpgraded())
      throw new ServiceError('SERVICE_UNAVAILABLE', [
        { path: '', message: 'verifiable rolls begin when the upgrade is completed, by migrate --contract' },
      ]);
    return newSeed();
  };
  const seeds = await createSeeds(work, context, userId, firstSeed);
  return showPlayer(work, userId, seeds, await currentManifest(work, deps), deps);
};

const checkRotation = (
  { current, nextSeed }: Seeds,
  next: CurrentManifest,
  { clientSeed, commitment, manifest }: RotateRequest,
): void => {
  if (commitment !== commitmentTo(nextSeed))
    throw conflict({
      path: '/body/commitment',
      message: 'is not the next commitment: whoever chooses the client seed must have seen it before',
    });
  if (manifest !== next.hash)
    throw conflict({
      path: '/body/manifest',
      message:
        'is not the next manifest: the odds have changed since it was shown, so the player must choose another client seed',
    });
  if (clientSeed === current?.clientSeed)
    throw invalid({ path: '/body/clientSeed', message: 'must differ from the last one' });
};

/**
 * Ends an epoch and begins the next. Rolls of the player wait, so every one of them is either in the chain that ends
 * here, or in the new epoch.
 */
export const rotateFairness = async (
  work: Work,
  { teamId, nowMs }: Context,
  userId: string,
  request: RotateRequest,
  deps: FairnessDeps,
): Promise<Rotated> => {
  await getUser(work, userId);
  const manifest = await currentManifest(work, deps);
  await keepManifest(work, deps, manifest);
  const held = await holdSeeds(work, userId);
  const { seeds } = held;
  if (seeds === null) throw notFound();
  checkRotation(seeds, manifest, request);
  const { current, nextSeed } = seeds;
  const last = current === null ? {} : await findLastOfSeries(work, userId, current);
  const following = newSeed();
  const receipt: RotateReceipt = {
    v: EDITION,
    kind: 'rotate',
    teamId,
    userId,
    at: isoTime(timeOfNext(seeds, nowMs)),
    epoch: current === null ? 0 : current.epoch + 1,
    previous: current?.rotation ?? NO_PREVIOUS,
    clientSeed: request.clientSeed,
    commitment: request.commitment,
    nextCommitment: commitmentTo(following),
    revealed: current?.seed ?? null,
    manifest: manifest.hash,
    count: current?.nonce ?? 0,
    head: current?.head ?? NO_PREVIOUS,
  };
  const begun = beginEpoch(work, held, receipt, { seed: nextSeed, nextSeed: following, last });
  return { ...(await showPlayer(work, userId, begun, manifest, deps)), receipt };
};
