import type { Context } from '../../context.ts';
import { ask } from '../../database/declarations.ts';
import type { Finder, Transaction, Work } from '../../database/work.ts';
import { digestOf } from '../../digest.ts';
import { bytesOfHex } from '../../engine/fairness/bytes.ts';
import { type VerifiableDraws, verifiableDraws } from '../../engine/fairness/draws.ts';
import {
  type AnyReceipt,
  type ManifestEntry,
  type RollReceipt,
  receiptText,
  type SparkReceipt,
} from '../../engine/fairness/receipts.ts';
import { conflict } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { createRecentlyUsed } from '../../recently-used.ts';
import { isoTime } from '../../time.ts';
import { findSnapshot } from '../snapshots/snapshots.service.ts';
import type { Identity } from './identities.service.ts';
import * as store from './receipts.store.ts';

/** The templates that a player may roll on until the next rotation, each with the hash of its configuration. */
export type Manifest = ReadonlyMap<string, string>;

export type Manifests = (finder: Finder, hash: string) => Promise<Manifest>;

/** Manifests never change, and all players who rotated on the same catalog have the same one. */
export const createManifests = (): Manifests => {
  const cached = createRecentlyUsed(LIMITS.cachedManifests, (_hash: string): { manifest?: Manifest } => ({}));
  return async (finder, hash) => {
    const kept = cached.get(hash);
    if (kept.manifest === undefined) {
      const text = await findSnapshot(finder, hash);
      if (text === undefined) throw new Error(`The manifest ${hash} is missing.`);
      kept.manifest = new Map((JSON.parse(text) as { templates: ManifestEntry[] }).templates);
    }
    return kept.manifest;
  };
};

/** Where the next receipt of a player goes. The player's seeds are locked until the roll ends. */
interface Chain {
  readonly epoch: number;
  readonly seed: string;
  readonly clientSeed: string;
  readonly manifest: string;
  readonly scope: string;
  readonly nonce: number;
  readonly previous: string;
}

const NO_CLIENT_SEED = 'has no client seed yet: the player must choose one before the first verifiable roll';
const MUST_ROTATE =
  'must rotate first: what is rolled on has changed since the player chose a client seed, and nobody may know the seed before';

/** Locks the seeds of a player, and finds the end of a chain. To be called together with all other locks of a roll. */
export const holdChain = async (work: Work, userId: string, scope: string): Promise<Chain> => {
  const [[seeds], [last]] = await work.hold(
    ask(store.holdSeeds, { userId }),
    ask(store.lastReceipt, { userId, scope }),
  );
  if (seeds === undefined || seeds.epoch === null)
    throw conflict({ path: '/body/userId', message: NO_CLIENT_SEED });
  return {
    epoch: seeds.epoch,
    seed: seeds.seed as string,
    clientSeed: seeds.client_seed as string,
    manifest: seeds.manifest as string,
    scope,
    nonce: last === undefined ? 0 : Number(last.nonce) + 1,
    previous: last === undefined ? (seeds.rotation as string) : last.hash,
  };
};

type Call = Pick<RollReceipt, 'kind' | 'request' | 'before' | 'after' | 'results'> | Pick<SparkReceipt, 'kind' | 'request' | 'before' | 'after' | 'results'>;

/** A verifiable roll: its draws, and the receipt that it leaves. */
export interface VerifiableRoll {
  readonly draws: VerifiableDraws['draws'];
  /** Writes the receipt; returns what the response says about it, as JSON. */
  leaveReceipt(call: Call): string;
}

/**
 * Begins a verifiable roll. Nothing has been drawn yet, and from here on nothing may refuse the roll: otherwise refusing
 * could be used to avoid a result.
 */
export const beginRoll = async (
  work: Work,
  { teamId, nowMs }: Pick<Context, 'teamId' | 'nowMs'>,
  manifests: Manifests,
  roll: { readonly userId: string; readonly templateId: string; readonly identity: Identity; readonly chain: Chain },
): Promise<VerifiableRoll> => {
  const { userId, templateId, identity, chain } = roll;
  const { epoch, scope, nonce, previous, clientSeed } = chain;
  if ((await manifests(work, chain.manifest)).get(templateId) !== identity.config)
    throw conflict({ path: '/body/userId', message: MUST_ROTATE });
  const { config, pool } = identity;
  const source = { serverSeed: bytesOfHex(chain.seed), teamId, userId, templateId, config, clientSeed, nonce };
  const { draws, used } = verifiableDraws(source);
  return {
    draws,
    leaveReceipt: (call) => {
      const receipt = {
        v: 1,
        ...call,
        ...{ teamId, userId, at: isoTime(nowMs), epoch, scope, nonce, previous, templateId, config, pool },
        draws: used(),
      } as AnyReceipt;
      const hash = writeReceipt(work, { userId, epoch, scope, nonce }, receipt);
      return `{"epoch":${epoch},"scope":${JSON.stringify(scope)},"nonce":${nonce},"receipt":"${hash}"}`;
    },
  };
};

/** What the response to a roll says about its receipt: JSON of an additional member, preceded by a comma. */
export const fairnessText = (fairness: string | undefined): string =>
  fairness === undefined ? '' : `,"fairness":${fairness}`;

/** Writes a receipt, and returns its hash. */
export const writeReceipt = (
  work: Work,
  { userId, epoch, scope, nonce }: store.ReceiptPosition & { readonly userId: string },
  receipt: AnyReceipt,
): string => {
  const text = receiptText(receipt);
  const hash = digestOf(text);
  work.write(store.insertReceipt, { user_id: userId, epoch, scope, nonce, hash, receipt: text });
  return hash;
};

/** Keeps verifiable rolls out while a user is deleted. */
export const holdSeedsOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.holdSeedsOf(tx, userId);
};

/** Deletes the seeds and receipts of a user: the same id begins anew. */
export const deleteReceiptsOf = (tx: Transaction, userId: string): Promise<void> => store.deleteOf(tx, userId);
