import type { Context } from '../../context.ts';
import { ask } from '../../database/declarations.ts';
import { Collision, type Finder, type Transaction, type Work } from '../../database/work.ts';
import { digestOf } from '../../digest.ts';
import { sortedBy } from '../../engine/byte-order.ts';
import { bytesOfHex } from '../../engine/fairness/bytes.ts';
import { type DrawsStart, drawsByNonce, type VerifiableDraws } from '../../engine/fairness/draws.ts';
import {
  type AnyReceipt,
  type ChainEnd,
  type ManifestEntry,
  type RollReceipt,
  type RotateReceipt,
  receiptText,
  type SparkReceipt,
} from '../../engine/fairness/receipts.ts';
import { conflict } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { createRecentlyUsed, type RecentlyUsed } from '../../recently-used.ts';
import { isoTime } from '../../time.ts';
import { findSnapshot } from '../snapshots/snapshots.service.ts';
import type { LastReceipt } from '../user-states/user-states.service.ts';
import { askLockedUser, ensureUser } from '../users/users.service.ts';
import type { Identity } from './identities.service.ts';
import type { RollFairness } from './receipts.contract.ts';
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
  readonly seeds: EpochSeeds;
  readonly recent: RecentRoll;
  readonly scope: string;
  readonly nonce: number;
  readonly previous: string;
}

/** The seeds of an epoch, which never change. */
interface EpochSeeds {
  readonly epoch: number;
  readonly seed: string;
  readonly clientSeed: string;
  readonly manifest: string;
  readonly rotation: string;
}

/** The seeds of a player. */
export interface Seeds {
  /** Null before the first rotation. */
  readonly current: EpochSeeds | null;
  readonly nextSeed: string;
}

/** What the last roll of a player in a scope used: the seeds, and the beginning of its draws. */
interface RecentRoll {
  current?: EpochSeeds | undefined;
  draws?: {
    readonly rotation: string;
    readonly templateId: string;
    readonly config: string;
    readonly byNonce: (nonce: number) => VerifiableDraws;
  };
}

export type RecentSeeds = RecentlyUsed<string, RecentRoll>;

export const createRecentSeeds = (): RecentSeeds => createRecentlyUsed(LIMITS.cachedSeeds, () => ({}));

const toSeeds = (row: Omit<store.SeedsRow, 'team_id'>): Seeds => ({
  current:
    row.epoch === null
      ? null
      : {
          epoch: row.epoch,
          seed: row.seed as string,
          clientSeed: row.client_seed as string,
          manifest: row.manifest as string,
          rotation: row.rotation as string,
        },
  nextSeed: row.next_seed,
});

export const findSeeds = async (finder: Finder, userId: string): Promise<Seeds | null> => {
  const [row] = await finder.find(store.seedsOf, { userId });
  return row === undefined ? null : toSeeds(row);
};

/**
 * Locks the seeds of a player until the end of the transaction: meanwhile, no verifiable roll can be the first of its
 * scope. Others are kept out by locks on their states.
 */
export const holdSeeds = async (work: Work, userId: string): Promise<Seeds | null> => {
  const [[row]] = await work.hold(ask(store.holdSeeds, { userId }));
  return row === undefined ? null : toSeeds(row);
};

/** The seeds of a player; creates the player and the first seed if they are missing. */
export const createSeeds = async (
  work: Work,
  context: Context,
  userId: string,
  newSeed: () => string,
): Promise<Seeds> => {
  const [users, [known]] = await work.hold(askLockedUser(userId), ask(store.seedsOf, { userId }));
  if (known !== undefined) return toSeeds(known);
  ensureUser(work, context, userId, users);
  const seeds = {
    user_id: userId,
    epoch: null,
    seed: null,
    client_seed: null,
    manifest: null,
    rotation: null,
    next_seed: newSeed(),
  };
  // Concurrent commands that would create the same seeds are retried and then find them.
  work.claim(`fairness_seeds\0${userId}`);
  work.write(store.insertSeeds, seeds);
  return toSeeds(seeds);
};

/** The chains of an epoch: scope, number of receipts, and the hash of the last, in byte order of the scopes. */
export type Chains = readonly ChainEnd[];

export const findChains = async (finder: Finder, userId: string, { current }: Seeds): Promise<Chains> => {
  if (current === null) return [];
  const rows = await finder.find(store.chainsOf, { userId, epoch: current.epoch });
  return sortedBy(rows, ({ scope }) => scope).map(
    ({ scope, nonce, hash }): ChainEnd => [scope, Number(nonce) + 1, hash],
  );
};

/** Begins an epoch with the receipt of its rotation. */
export const beginEpoch = (
  work: Work,
  receipt: RotateReceipt,
  { seed, nextSeed }: { readonly seed: string; readonly nextSeed: string },
): Seeds => {
  const { userId, epoch, clientSeed, manifest } = receipt;
  const rotation = writeReceipt(work, { userId, epoch, scope: store.NO_SCOPE, nonce: 0 }, receipt);
  const row = {
    user_id: userId,
    epoch,
    seed,
    client_seed: clientSeed,
    manifest,
    rotation,
    next_seed: nextSeed,
  };
  work.write(store.updateSeeds, row);
  return toSeeds(row);
};

const NO_CLIENT_SEED = 'has no client seed yet: the player must choose one before the first verifiable roll';
const MUST_ROTATE =
  'must rotate first: what is rolled on has changed since the player chose a client seed, and nobody may know the seed before';

const chainAfter = (
  seeds: Pick<Seeds, 'current'> | null,
  scope: string,
  last: Pick<LastReceipt, 'nonce' | 'hash'> | undefined,
  recent: RecentRoll = {},
): Chain => {
  const current = seeds?.current ?? null;
  if (current === null) throw conflict({ path: '/body/userId', message: NO_CLIENT_SEED });
  return {
    seeds: current,
    recent,
    scope,
    nonce: last === undefined ? 0 : Number(last.nonce) + 1,
    previous: last === undefined ? current.rotation : last.hash,
  };
};

/** Locks the seeds of a player, and finds the end of a chain. To be called together with all other locks of a roll. */
export const holdChain = async (work: Work, userId: string, scope: string): Promise<Chain> => {
  const [[row], [last]] = await work.hold(ask(store.holdSeeds, { userId }), ask(store.lastReceipt, { userId, scope }));
  return chainAfter(row === undefined ? null : toSeeds(row), scope, last);
};

/**
 * The same for a scope whose state the command locks, too. Returns a function that goes on from the last receipt that the
 * state knows. A state knows one only in the epoch of its rotation, and a rotation locks the state to remove it: so if it
 * belongs to the seeds that are remembered here, these are still in force, and need be neither read nor locked.
 */
export const holdChainOfState = async (
  work: Work,
  recent: RecentSeeds,
  userId: string,
  scope: string,
): Promise<(last: LastReceipt | null) => Promise<Chain>> => {
  const kept = recent.get(`${work.teamId}\0${userId}\0${scope}`);
  const known = kept.current;
  const seeds = known === undefined ? await holdSeeds(work, userId) : { current: known };
  return async (last) => {
    if (known !== undefined && last?.rotation !== known.rotation) {
      // Begun again from the start, since locks are taken in one order.
      kept.current = undefined;
      throw new Collision();
    }
    if (last !== null && last.epoch === seeds?.current?.epoch) return chainAfter(seeds, scope, last, kept);
    const [found] = await work.find(store.lastReceipt, { userId, scope });
    return chainAfter(seeds, scope, found, kept);
  };
};

type Call =
  | Pick<RollReceipt, 'kind' | 'request' | 'before' | 'after' | 'results'>
  | Pick<SparkReceipt, 'kind' | 'request' | 'before' | 'after' | 'results'>;

/** A verifiable roll: its draws, and the receipt that it leaves. */
export interface VerifiableRoll {
  readonly draws: VerifiableDraws['draws'];
  /** Writes the receipt; returns what the response says about it. */
  leaveReceipt(call: Call): RollFairness;
  /** What a state remembers of that receipt. */
  lastOf(fairness: RollFairness): LastReceipt;
}

/** The draws of a roll. For one like the last of its scope, most of what they are derived from is digested already. */
const drawsFor = (
  { recent, seeds: { rotation, seed, clientSeed }, nonce }: Chain,
  roll: Pick<DrawsStart, 'teamId' | 'userId' | 'templateId' | 'config'>,
): VerifiableDraws => {
  const { draws } = recent;
  if (
    draws === undefined ||
    draws.rotation !== rotation ||
    draws.config !== roll.config ||
    draws.templateId !== roll.templateId
  ) {
    const byNonce = drawsByNonce({ ...roll, serverSeed: bytesOfHex(seed), clientSeed });
    recent.draws = { rotation, templateId: roll.templateId, config: roll.config, byNonce };
    return byNonce(nonce);
  }
  return draws.byNonce(nonce);
};

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
  const { recent, seeds, scope, nonce, previous } = chain;
  const { epoch, rotation } = seeds;
  if ((await manifests(work, seeds.manifest)).get(templateId) !== identity.config)
    throw conflict({ path: '/body/userId', message: MUST_ROTATE });
  const { config, pool } = identity;
  const { draws, used } = drawsFor(chain, { teamId, userId, templateId, config });
  return {
    draws,
    leaveReceipt: (call) => {
      // Not before: as long as the state knows no receipt, the next roll has to lock the seeds, too.
      recent.current = seeds;
      const receipt = {
        v: 1,
        ...call,
        ...{ teamId, userId, at: isoTime(nowMs), epoch, scope, nonce, previous, templateId, config, pool },
        draws: used(),
      } as AnyReceipt;
      return { epoch, scope, nonce, receipt: writeReceipt(work, { userId, epoch, scope, nonce }, receipt) };
    },
    lastOf: ({ receipt }) => ({ epoch, rotation, nonce, hash: receipt }),
  };
};

/** What the response to a roll says about its receipt: JSON of an additional member, preceded by a comma. */
export const fairnessText = (fairness: RollFairness | undefined): string =>
  fairness === undefined ? '' : `,"fairness":${JSON.stringify(fairness)}`;

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
