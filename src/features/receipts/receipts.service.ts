import { ask, type Hold, holding } from '../../database/declarations.ts';
import { type Finder, holdAll, type Transaction, type Work } from '../../database/work.ts';
import { bytesOfHex } from '../../engine/fairness/bytes.ts';
import { drawsByNonce, type VerifiableDraws } from '../../engine/fairness/draws.ts';
import {
  EDITION,
  type ManifestEntry,
  ROTATION_NONCE,
  type RollReceipt,
  type RotateReceipt,
  receiptText,
  type SparkReceipt,
} from '../../engine/fairness/receipts.ts';
import {
  type CallReceipt,
  type End,
  endText,
  lengthOfRun,
  readEnd,
  runWith,
  termsOfRun,
} from '../../engine/fairness/runs.ts';
import type { Context } from '../../shared/context.ts';
import { digestOf } from '../../shared/digest.ts';
import { conflict } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createRecentlyUsed, type RecentlyUsed } from '../../shared/recently-used.ts';
import { isoTime } from '../../shared/time.ts';
import { addToLog } from '../log/log.service.ts';
import { findHidden, findKept, findSnapshot, keepSnapshots, publishSnapshots } from '../snapshots/snapshots.service.ts';
import { findReceiptsEnd, type HeldEnd, holdReceipts } from '../user-states/user-states.service.ts';
import { askLockedUser, ensureUser, findKnownUser, type KnownUser } from '../users/users.service.ts';
import type { RollFairness } from './receipts.contract.ts';
import * as store from './receipts.store.ts';
import type { Salted, Salts } from './salts.service.ts';
import type { LastOfSeries } from './stored-receipts.service.ts';

/** The hidden configurations that a player may roll on until the next rotation, by the hash of the template. */
export type Manifest = ReadonlyMap<string, string>;

/** Manifests never change, and all players who rotated on the same catalog have the same one. */
export type Manifests = RecentlyUsed<string, { manifest?: Manifest }>;

export const createManifests = (): Manifests => createRecentlyUsed(LIMITS.cachedManifests, () => ({}));

export const findManifest = async (finder: Finder, manifests: Manifests, hash: string): Promise<Manifest> => {
  const kept = manifests.get(hash);
  if (kept.manifest === undefined) {
    const text = await findSnapshot(finder, hash);
    if (text === undefined) throw new Error(`The manifest ${hash} is missing.`);
    kept.manifest = new Map((JSON.parse(text) as { templates: ManifestEntry[] }).templates);
  }
  return kept.manifest;
};

export const isIn = (manifest: Manifest, { entry: [template, config] }: Salted): boolean =>
  manifest.get(template) === config;

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

/** What stays the same during an epoch of a player. */
interface Epoch extends Omit<PlayerEpoch, 'nonce' | 'head' | 'atMs'> {
  readonly nextSeed: string;
}

/** An epoch, and who it belongs to: as long as the receipts end in the epoch, the player exists. */
interface KnownEpoch extends Epoch {
  readonly user: KnownUser;
}

/** An epoch in which a player rolled recently, and what the draws of its rolls have in common, digested. */
interface RecentEpoch {
  known?: KnownEpoch;
  rotation?: string;
  byNonce?: (nonce: number) => VerifiableDraws;
}

export type RecentSeeds = RecentlyUsed<string, RecentEpoch>;

export const createRecentSeeds = (): RecentSeeds => createRecentlyUsed(LIMITS.cachedSeeds, () => ({}));

const recentOf = (recentSeeds: RecentSeeds, { teamId }: Pick<Finder, 'teamId'>, userId: string): RecentEpoch =>
  recentSeeds.get(`${teamId}\0${userId}`);

const toEpoch = (row: Omit<store.SeedsRow, 'team_id'>): Epoch | null =>
  row.epoch === null
    ? null
    : {
        epoch: row.epoch,
        seed: row.seed as string,
        clientSeed: row.client_seed as string,
        manifest: row.manifest as string,
        rotation: row.rotation as string,
        nextSeed: row.next_seed,
      };

const toSeeds = (epoch: Epoch | null, nextSeed: string, end: End | null): Seeds => {
  if (epoch === null) return { current: null, nextSeed };
  if (end?.rotation !== epoch.rotation) throw new Error('The receipts of a player end in another epoch.');
  const { nonce, head, atMs } = end;
  return { current: { ...epoch, nonce, head, atMs }, nextSeed };
};

export const findSeeds = async (finder: Finder, userId: string): Promise<Seeds | null> => {
  const [[row], end] = await Promise.all([finder.find(store.seedsOf, { userId }), findReceiptsEnd(finder, userId)]);
  return row === undefined ? null : toSeeds(toEpoch(row), row.next_seed, readEnd(end));
};

/** The seeds of a player, and the end of their receipts, until the end of the transaction. */
export interface HeldSeeds {
  readonly seeds: Seeds | null;
  /** The last receipts of rolls, as far as they are stored with the end. */
  readonly run: string | null;
  readonly save: HeldEnd['save'];
}

/**
 * Locks what a rotation changes, the seeds of a player and the end of their receipts: verifiable rolls and rotations of a
 * player happen one after the other.
 */
export const holdSeeds = async (work: Work, userId: string): Promise<HeldSeeds> => {
  const [[row], held] = await holdAll(
    work,
    holding([ask(store.holdSeeds, { userId })], (rows) => rows),
    holdReceipts(work, userId, (end) => end),
  );
  const end = readEnd(held.end);
  const seeds = row === undefined ? null : toSeeds(toEpoch(row), row.next_seed, end);
  return { seeds, run: end?.run ?? null, save: held.save };
};

/** The epoch of a player who rolls. */
export interface HeldEpoch extends HeldSeeds {
  readonly userId: string;
  readonly on: Salted;
  readonly recent: RecentEpoch;
  /** Null before the first rotation, as is the manifest. */
  readonly user: KnownUser | null;
  readonly manifest: Manifest | null;
  /** What is rolled on and not everyone can read yet. */
  readonly hidden: readonly string[];
  readonly areTermsKept: boolean;
}

const findKnownEpoch = async (finder: Finder, userId: string): Promise<KnownEpoch | undefined> => {
  const [[row], user] = await Promise.all([finder.find(store.seedsOf, { userId }), findKnownUser(finder, userId)]);
  const epoch = row === undefined ? null : toEpoch(row);
  return epoch === null || user === undefined ? undefined : { ...epoch, user };
};

/**
 * The end of a player's receipts, to be locked for a roll. That is enough: seeds change only with it. Whatever else the
 * roll needs to know is read at most once.
 */
export const holdEpoch = (
  work: Work,
  userId: string,
  on: Salted,
  { recentSeeds, manifests }: VerifiableDeps,
): Hold<HeldEpoch> =>
  holdReceipts(work, userId, async (held) => {
    const { save } = held;
    const end = readEnd(held.end);
    const recent = recentOf(recentSeeds, work, userId);
    if (end !== null && recent.known?.rotation !== end.rotation) {
      recent.known = await findKnownEpoch(work, userId);
    }
    const { known } = recent;
    const fresh = { userId, on, recent, run: end?.run ?? null, save, hidden: [], areTermsKept: true };
    if (end === null || known === undefined) return { ...fresh, user: null, seeds: null, manifest: null };
    const manifest = manifests.get(known.manifest).manifest ?? (await findManifest(work, manifests, known.manifest));
    const seeds = toSeeds(known, known.nextSeed, end);
    const epoch = { ...fresh, user: known.user, seeds, manifest };
    if (on.isPublished) return epoch;
    const [hidden, kept] = await Promise.all([findHidden(work, [on.config, on.pool]), findKept(work, [on.terms.hash])]);
    if (hidden.length === 0 && kept.size > 0)
      work.remember(() => {
        on.isPublished = true;
      });
    return { ...epoch, hidden, areTermsKept: kept.size > 0 };
  });

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
  const [[users, [known]], end] = await Promise.all([
    work.hold(askLockedUser(userId), ask(store.seedsOf, { userId })),
    findReceiptsEnd(work, userId),
  ]);
  if (known !== undefined) return toSeeds(toEpoch(known), known.next_seed, readEnd(end));
  ensureUser(work, context, userId, users);
  const seeds = {
    ...{ user_id: userId, epoch: null, seed: null, client_seed: null, manifest: null, rotation: null },
    next_seed: newSeed(),
  };
  // Concurrent commands that would create the same seeds are retried and then find them.
  work.claim(`player_seeds\0${userId}`);
  work.write(store.insertSeeds, seeds);
  return toSeeds(null, seeds.next_seed, null);
};

/** Stores receipts of rolls that are not stored with the end any more. */
const keepRun = (
  work: Work,
  userId: string,
  { epoch, nonce, head }: Pick<PlayerEpoch, 'epoch' | 'nonce' | 'head'>,
  run: string,
): void => {
  const count = lengthOfRun(run);
  work.write(store.insertReceipts, {
    user_id: userId,
    ...{ epoch, nonce: nonce - count, count, series: termsOfRun(run), hash: head, receipts: run },
  });
};

/** Begins an epoch with the receipt of its rotation. */
export const beginEpoch = (
  work: Work,
  held: HeldSeeds,
  receipt: RotateReceipt,
  { seed, nextSeed, last }: { readonly seed: string; readonly nextSeed: string; readonly last: LastOfSeries },
): Seeds => {
  const { userId, epoch, clientSeed, manifest } = receipt;
  const { seeds, run, save } = held;
  if (seeds?.current && run !== null) keepRun(work, userId, seeds.current, run);
  const text = receiptText(receipt);
  const rotation = digestOf(text);
  const series = JSON.stringify(last);
  work.write(store.insertReceipts, {
    user_id: userId,
    ...{ epoch, nonce: ROTATION_NONCE, count: 1, series, hash: rotation, receipts: text },
  });
  const row = { user_id: userId, epoch, seed, client_seed: clientSeed, manifest, rotation, next_seed: nextSeed };
  const end: End = { rotation, nonce: 0, head: rotation, atMs: Date.parse(receipt.at), run: null };
  work.write(store.updateSeeds, row);
  save(endText(end));
  addToLog(work, { kind: 'rotation', subject: rotation }, { kind: 'manifest', subject: manifest });
  return toSeeds(toEpoch(row), nextSeed, end);
};

const NO_CLIENT_SEED = 'has no client seed yet: the player must choose one before the first verifiable roll';
const MUST_ROTATE =
  'must rotate first: what is rolled on has changed since the player chose a client seed, and nobody may know the seed before';

type Call =
  | Pick<RollReceipt, 'kind' | 'request' | 'before' | 'after' | 'results'>
  | Pick<SparkReceipt, 'kind' | 'request' | 'before' | 'after' | 'results'>;

/** A verifiable roll: its draws, and the receipt that it leaves. */
export interface VerifiableRoll {
  readonly draws: VerifiableDraws['draws'];
  /** Writes the receipt; returns what the response says about it. */
  leaveReceipt(call: Call): RollFairness;
}

/** What verifiable rolls are checked against and made from. */
export interface VerifiableDeps {
  readonly manifests: Manifests;
  readonly salts: Salts;
  readonly recentSeeds: RecentSeeds;
}

const drawsFor = (
  recent: RecentEpoch,
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
export const beginRoll = (
  work: Work,
  { teamId, nowMs }: Pick<Context, 'teamId' | 'nowMs'>,
  { userId, on, recent, seeds, run, save, manifest, hidden, areTermsKept }: HeldEpoch,
): VerifiableRoll => {
  const current = seeds?.current ?? null;
  if (current === null || manifest === null) throw conflict({ path: '/body/userId', message: NO_CLIENT_SEED });
  if (!isIn(manifest, on)) throw conflict({ path: '/body/userId', message: MUST_ROTATE });
  publishSnapshots(work, hidden);
  if (!areTermsKept) keepSnapshots(work, on.terms);
  const { draws, used } = drawsFor(recent, current, { teamId, userId });
  const { templateId, config, pool, salt, scope, terms, tiers } = on;
  const { epoch, rotation, nonce, head: previous } = current;
  const atMs = timeOfNext(seeds, nowMs);
  return {
    draws,
    leaveReceipt: (call) => {
      const receipt = {
        v: EDITION,
        ...call,
        ...{ teamId, userId, at: isoTime(atMs), epoch, nonce, previous, scope, templateId, config, salt, pool },
        draws: used(),
      } as CallReceipt;
      const head = digestOf(receiptText(receipt));
      let stored = runWith(run, terms.hash, tiers, receipt, atMs);
      if (stored === undefined) {
        if (run !== null) keepRun(work, userId, current, run);
        stored = runWith(null, terms.hash, tiers, receipt, atMs) as string;
      }
      const isFull = stored.length > LIMITS.openReceiptsLength || lengthOfRun(stored) >= LIMITS.receiptsPerRow;
      if (isFull) keepRun(work, userId, { epoch, nonce: nonce + 1, head }, stored);
      save(endText({ rotation, nonce: nonce + 1, head, atMs, run: isFull ? null : stored }));
      return { epoch, nonce, receipt: head };
    },
  };
};

/** What the response to a roll says about its receipt: JSON of an additional member, preceded by a comma. */
export const fairnessText = (fairness: RollFairness | undefined): string =>
  fairness === undefined ? '' : `,"fairness":${JSON.stringify(fairness)}`;

/** Keeps verifiable rolls out while a user is deleted. */
export const holdSeedsOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.holdSeedsOf(tx, userId);
};

/** Deletes the seeds and receipts of a user. A new user with the same id starts from scratch. */
export const deleteReceiptsOf = (tx: Transaction, userId: string): Promise<void> => store.deleteOf(tx, userId);
