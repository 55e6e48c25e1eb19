import { ask } from '../../database/declarations.ts';
import type { Finder, Transaction, Work } from '../../database/work.ts';
import { bytesOfHex } from '../../engine/fairness/bytes.ts';
import { drawsByNonce, type VerifiableDraws } from '../../engine/fairness/draws.ts';
import {
  type AnyReceipt,
  EDITION,
  type ManifestEntry,
  ROTATION_NONCE,
  type RollReceipt,
  type RotateReceipt,
  receiptText,
  type SparkReceipt,
} from '../../engine/fairness/receipts.ts';
import type { Context } from '../../shared/context.ts';
import { digestOf } from '../../shared/digest.ts';
import { conflict } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createRecentlyUsed, type RecentlyUsed } from '../../shared/recently-used.ts';
import { isoTime } from '../../shared/time.ts';
import { addToLog } from '../log/log.service.ts';
import { findSnapshot, publishSnapshots } from '../snapshots/snapshots.service.ts';
import { askLockedUser, ensureUser } from '../users/users.service.ts';
import type { Identity } from './identities.service.ts';
import type { RollFairness } from './receipts.contract.ts';
import * as store from './receipts.store.ts';
import type { Salts } from './salts.service.ts';

/** The hidden configurations that a player may roll on until the next rotation, by the hash of the template. */
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

/** The epoch of a player: its seeds, and where the chain of its receipts ends. */
export interface PlayerEpoch {
  readonly epoch: number;
  readonly seed: string;
  readonly clientSeed: string;
  readonly manifest: string;
  readonly rotation: string;
  /** The nonce of the next roll. */
  readonly nonce: number;
  /** The hash of the last receipt, and its time. */
  readonly head: string;
  readonly atMs: number;
}

/** The seeds of a player. */
export interface Seeds {
  /** Null before the first rotation. */
  readonly current: PlayerEpoch | null;
  readonly nextSeed: string;
}

/** What the draws of a player's rolls in an epoch have in common, digested. */
interface RecentDraws {
  rotation?: string;
  byNonce?: (nonce: number) => VerifiableDraws;
}

export type RecentSeeds = RecentlyUsed<string, RecentDraws>;

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
          nonce: Number(row.nonce),
          head: row.head as string,
          atMs: Number(row.at_ms),
        },
  nextSeed: row.next_seed,
});

export const findSeeds = async (finder: Finder, userId: string): Promise<Seeds | null> => {
  const [row] = await finder.find(store.seedsOf, { userId });
  return row === undefined ? null : toSeeds(row);
};

/**
 * Locks the seeds of a player until the end of the transaction: verifiable rolls and rotations of a player happen one
 * after the other. To be called together with all other locks.
 */
export const holdSeeds = async (work: Work, userId: string): Promise<Seeds | null> => {
  const [[row]] = await work.hold(ask(store.holdSeeds, { userId }));
  return row === undefined ? null : toSeeds(row);
};

/** The time of a player's next receipt: never before the last one, whatever happens to clocks. */
export const timeOfNext = (seeds: Seeds | null, nowMs: number): number =>
  Math.max(nowMs, seeds?.current?.atMs ?? nowMs);

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
    ...{ user_id: userId, epoch: null, seed: null, client_seed: null, manifest: null, rotation: null },
    ...{ next_seed: newSeed(), nonce: 0, head: null, at_ms: 0 },
  };
  // Concurrent commands that would create the same seeds are retried and then find them.
  work.claim(`player_seeds\0${userId}`);
  work.write(store.insertSeeds, seeds);
  return toSeeds(seeds);
};

/** The last receipt of each series, by its place. */
export type LastOfSeries = Readonly<Record<string, readonly [epoch: number, nonce: number]>>;

/** The last receipts before a roll of an epoch: those of the epoch, and of earlier ones for the rest. */
export const findLastOfSeries = async (
  finder: Finder,
  userId: string,
  { epoch, nonce }: store.ReceiptPosition,
): Promise<LastOfSeries> => {
  const [[rotation], rows] = await Promise.all([
    finder.find(store.receiptAt, { userId, epoch, nonce: ROTATION_NONCE }),
    finder.find(store.lastOfSeries, { userId, epoch, before: nonce }),
  ]);
  const earlier: LastOfSeries = JSON.parse(rotation?.series ?? '{}');
  return { ...earlier, ...Object.fromEntries(rows.map((row) => [row.series, [epoch, Number(row.nonce)]])) };
};

/** Begins an epoch with the receipt of its rotation. */
export const beginEpoch = (
  work: Work,
  receipt: RotateReceipt,
  { seed, nextSeed, last }: { readonly seed: string; readonly nextSeed: string; readonly last: LastOfSeries },
): Seeds => {
  const { userId, epoch, clientSeed, manifest } = receipt;
  const place = { userId, epoch, nonce: ROTATION_NONCE, series: JSON.stringify(last) };
  const rotation = writeReceipt(work, place, receipt);
  const row = {
    ...{ user_id: userId, epoch, seed, client_seed: clientSeed, manifest, rotation, next_seed: nextSeed },
    ...{ nonce: 0, head: rotation, at_ms: Date.parse(receipt.at) },
  };
  work.write(store.updateSeeds, row);
  addToLog(work, { kind: 'rotation', subject: rotation }, { kind: 'manifest', subject: manifest });
  return toSeeds(row);
};

const NO_CLIENT_SEED = 'has no client seed yet: the player must choose one before the first verifiable roll';
const MUST_ROTATE =
  'must rotate first: what is rolled on has changed since the player chose a client seed, and nobody may know the seed before';

type Call =
  | Pick<RollReceipt, 'kind' | 'scope' | 'request' | 'before' | 'after' | 'results'>
  | Pick<SparkReceipt, 'kind' | 'scope' | 'request' | 'before' | 'after' | 'results'>;

/** A verifiable roll: its draws, and the receipt that it leaves. */
export interface VerifiableRoll {
  readonly draws: VerifiableDraws['draws'];
  /** Writes the receipt; returns what the response says about it. */
  leaveReceipt(call: Call): RollFairness;
}

/** Lets everyone read what is rolled on, with the first roll. */
export type Published = (work: Work, identity: Identity) => Promise<void>;

export const createPublished = (): Published => {
  const known = new WeakSet<Identity>();
  return async (work, identity) => {
    if (known.has(identity)) return;
    if (await publishSnapshots(work, [identity.config, identity.pool])) known.add(identity);
  };
};

/** What verifiable rolls are checked against and made from. */
export interface VerifiableDeps {
  readonly manifests: Manifests;
  readonly salts: Salts;
  readonly recentSeeds: RecentSeeds;
  readonly published: Published;
}

const drawsFor = (
  recent: RecentDraws,
  { seed, clientSeed, rotation, nonce }: PlayerEpoch,
  player: { readonly teamId: string; readonly userId: string },
): VerifiableDraws => {
  if (recent.byNonce === undefined || recent.rotation !== rotation) {
    recent.byNonce = drawsByNonce({ ...player, serverSeed: bytesOfHex(seed), clientSeed });
    recent.rotation = rotation;
  }
  return recent.byNonce(nonce);
};

/**
 * Begins a verifiable roll of a player whose seeds are locked. Nothing has been drawn yet, and from here on nothing may
 * refuse the roll: otherwise refusing could be used to avoid a result.
 */
export const beginRoll = async (
  work: Work,
  { teamId, nowMs }: Pick<Context, 'teamId' | 'nowMs'>,
  { manifests, salts, recentSeeds, published }: VerifiableDeps,
  roll: {
    readonly userId: string;
    readonly templateId: string;
    readonly identity: Identity;
    readonly seeds: Seeds | null;
  },
): Promise<VerifiableRoll> => {
  const { userId, templateId, identity, seeds } = roll;
  const current = seeds?.current ?? null;
  if (current === null) throw conflict({ path: '/body/userId', message: NO_CLIENT_SEED });
  const { salt, entry } = await salts.of(work, templateId, identity);
  const manifest = await manifests(work, current.manifest);
  if (manifest.get(entry[0]) !== entry[1]) throw conflict({ path: '/body/userId', message: MUST_ROTATE });
  await published(work, identity);
  const { draws, used } = drawsFor(recentSeeds.get(`${teamId}\0${userId}`), current, { teamId, userId });
  const { config, pool } = identity;
  const { epoch, nonce, head: previous } = current;
  const atMs = timeOfNext(seeds, nowMs);
  return {
    draws,
    leaveReceipt: (call) => {
      const receipt = {
        v: EDITION,
        ...call,
        ...{ teamId, userId, at: isoTime(atMs), epoch, nonce, previous, templateId, config, salt, pool },
        draws: used(),
      } as AnyReceipt;
      const series = JSON.stringify([call.scope, templateId]);
      const head = writeReceipt(work, { userId, epoch, nonce, series }, receipt);
      work.write(store.updatePosition, { user_id: userId, nonce: nonce + 1, head, at_ms: atMs });
      return { epoch, nonce, receipt: head };
    },
  };
};

/** What the response to a roll says about its receipt: JSON of an additional member, preceded by a comma. */
export const fairnessText = (fairness: RollFairness | undefined): string =>
  fairness === undefined ? '' : `,"fairness":${JSON.stringify(fairness)}`;

/** Writes a receipt, and returns its hash. */
const writeReceipt = (
  work: Work,
  place: store.ReceiptPosition & { readonly userId: string; readonly series: string },
  receipt: AnyReceipt,
): string => {
  const text = receiptText(receipt);
  const hash = digestOf(text);
  const { userId, epoch, nonce, series } = place;
  work.write(store.insertReceipt, { user_id: userId, epoch, nonce, series, hash, receipt: text });
  return hash;
};

/** Keeps verifiable rolls out while a user is deleted. */
export const holdSeedsOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.holdSeedsOf(tx, userId);
};

/** Deletes the seeds and receipts of a user: the same id begins anew. */
export const deleteReceiptsOf = (tx: Transaction, userId: string): Promise<void> => store.deleteOf(tx, userId);
