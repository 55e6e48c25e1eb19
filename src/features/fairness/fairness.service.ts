import type { Context } from '../../context.ts';
import type { Finder, Work } from '../../database/work.ts';
import { commitmentTo } from '../../engine/fairness/links.ts';
import { NO_PREVIOUS, type RotateReceipt } from '../../engine/fairness/receipts.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { newSeed } from '../../randomness.ts';
import { isoTime } from '../../time.ts';
import {
  beginEpoch,
  type Chains,
  createSeeds,
  findChains,
  findSeeds,
  holdSeeds,
  type Manifests,
  type Seeds,
} from '../receipts/receipts.service.ts';
import { endChains } from '../user-states/user-states.service.ts';
import { getUser } from '../users/users.service.ts';
import type { PlayerFairness, Rotated, RotateRequest } from './fairness.contract.ts';
import { currentManifest, keepManifest, type ManifestDeps } from './manifests.service.ts';

export interface FairnessDeps extends ManifestDeps {
  readonly manifests: Manifests;
}

const showPlayer = (userId: string, seeds: Seeds, chains: Chains, mustRotate: boolean): PlayerFairness => ({
  userId,
  epoch: seeds.current?.epoch ?? null,
  commitment: seeds.current === null ? null : commitmentTo(seeds.current.seed),
  clientSeed: seeds.current?.clientSeed ?? null,
  manifest: seeds.current?.manifest ?? null,
  nextCommitment: commitmentTo(seeds.nextSeed),
  rotation: seeds.current?.rotation ?? null,
  chains: chains.map(([scope, nonce, head]) => ({ scope, nonce, head })),
  mustRotate,
});

/** Whether something that is verifiable now is not in the manifest of the player's epoch. */
const mustRotate = async (finder: Finder, { current }: Seeds, deps: FairnessDeps): Promise<boolean> => {
  if (current === null) return true;
  const { hash, entries } = await currentManifest(finder, deps);
  if (hash === current.manifest) return false;
  const manifest = await deps.manifests(finder, current.manifest);
  return entries.some(({ templateId, identity }) => manifest.get(templateId) !== identity.config);
};

export const getFairness = async (finder: Finder, userId: string, deps: FairnessDeps): Promise<PlayerFairness> => {
  await getUser(finder, userId);
  const seeds = await findSeeds(finder, userId);
  if (seeds === null) throw notFound();
  const chains = await findChains(finder, userId, seeds);
  return showPlayer(userId, seeds, chains, await mustRotate(finder, seeds, deps));
};

/** Creates the player and their first hidden seed, if they are missing. */
export const startFairness = async (
  work: Work,
  context: Context,
  userId: string,
  deps: FairnessDeps,
): Promise<PlayerFairness> => {
  const seeds = await createSeeds(work, context, userId, newSeed);
  const chains = await findChains(work, userId, seeds);
  return showPlayer(userId, seeds, chains, await mustRotate(work, seeds, deps));
};

const checkRotation = ({ current, nextSeed }: Seeds, { clientSeed, commitment }: RotateRequest): void => {
  if (commitment !== commitmentTo(nextSeed))
    throw conflict({
      path: '/body/commitment',
      message: 'is not the next commitment: whoever chooses the client seed must have seen it before',
    });
  if (clientSeed === current?.clientSeed)
    throw invalid({ path: '/body/clientSeed', message: 'must differ from the last one' });
};

/**
 * Ends an epoch and begins the next. Rolls of the player wait, so every one of them is either in a chain that is closed
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
  const seeds = await holdSeeds(work, userId);
  if (seeds === null) throw notFound();
  checkRotation(seeds, request);
  const { current, nextSeed } = seeds;
  await endChains(work, userId);
  const chains = await findChains(work, userId, seeds);
  const following = newSeed();
  const receipt: RotateReceipt = {
    v: 1,
    kind: 'rotate',
    teamId,
    userId,
    at: isoTime(nowMs),
    epoch: current === null ? 0 : current.epoch + 1,
    previous: current?.rotation ?? NO_PREVIOUS,
    clientSeed: request.clientSeed,
    commitment: request.commitment,
    nextCommitment: commitmentTo(following),
    revealed: current?.seed ?? null,
    manifest: manifest.hash,
    chains,
  };
  const begun = beginEpoch(work, receipt, { seed: nextSeed, nextSeed: following });
  return { ...showPlayer(userId, begun, [], false), receipt };
};
