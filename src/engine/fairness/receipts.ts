import { sortedBy } from '../byte-order.ts';
import type { RolledItem } from '../pool/pool.ts';
import type { RollResult, TemplateState } from '../systems/state.ts';
import { bytesOfHex, hexOf } from './bytes.ts';
import { hashOfText, sha256 } from './sha256.ts';

/** Stands for the rotation before the first. */
export const NO_PREVIOUS = '0'.repeat(64);

/** Receipts, manifests and proofs of the first edition had the number 1. */
export const EDITION = 2;

/** The nonce under which a rotation is kept, in the epoch that it begins: all rolls come after it. */
export const ROTATION_NONCE = -1;

/** The scope of plain rolls, which have no counters. */
export const PLAIN_SCOPE = 'plain';

/** The scope of a template's calls: calls of one scope share pity counters. */
export const scopeOf = (templateId: string, pityGroup: string | null): string =>
  pityGroup === null ? `template:${templateId}` : `group:${pityGroup}`;

interface Receipt {
  readonly v: typeof EDITION;
  readonly teamId: string;
  readonly userId: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  readonly epoch: number;
  /** The hash of the receipt before this one. */
  readonly previous: string;
}

/** Ends an epoch, whose seed it reveals, and begins the next. Its `previous` is the rotation before. */
export interface RotateReceipt extends Receipt {
  readonly kind: 'rotate';
  readonly clientSeed: string;
  /** The hash of the seed of the epoch that begins. */
  readonly commitment: string;
  /** The hash of the seed of the epoch after that. */
  readonly nextCommitment: string;
  /** The seed of the epoch that ends, in hex; null at the first rotation. */
  readonly revealed: string | null;
  readonly manifest: string;
  /** The number of calls in the epoch that ends, and the hash of its last receipt, which may be its rotation. */
  readonly count: number;
  readonly head: string;
}

/** An item of a call. Tiers are null in plain rolls and exchanges. */
export type ResultRow = readonly [
  itemId: string,
  tier: string | null,
  pity: boolean,
  featured: boolean,
  values: readonly number[],
];

interface CallReceipt extends Receipt {
  readonly scope: string;
  /** From 0 in each epoch. */
  readonly nonce: number;
  /** Empty for plain rolls. */
  readonly templateId: string;
  readonly config: string;
  /** Opens the entry of the manifest that hides the configuration. */
  readonly salt: string;
  readonly pool: string;
  /** Null for plain rolls, as is `after`. */
  readonly before: TemplateState | null;
  readonly after: TemplateState | null;
  readonly results: readonly ResultRow[];
  readonly draws: number;
}

/** What was asked for. An idle template has no members: it rolls what has accrued. */
export interface RollReceiptRequest {
  /** Gacha, card packs and offers. */
  readonly count?: number;
  /** Offers only. */
  readonly depth?: number;
  /** Plain rolls only, as given. */
  readonly classifierOptionIds?: readonly string[];
}

export interface RollReceipt extends CallReceipt {
  readonly kind: 'roll';
  readonly request: RollReceiptRequest;
}

export interface SparkReceipt extends CallReceipt {
  readonly kind: 'spark';
  readonly request: { readonly itemId: string };
}

export type AnyReceipt = RotateReceipt | RollReceipt | SparkReceipt;

const valuesOf = ({ values }: Pick<RolledItem, 'values'>): number[] => values.map(({ value }) => value);

/** An item that was rolled on a template. */
export const templateRow = (result: RollResult): ResultRow => [
  result.item.id,
  result.tier,
  result.pity,
  result.featured,
  valuesOf(result),
];

/** The item of a plain roll. */
export const plainRow = (rolled: RolledItem): ResultRow => [rolled.item.id, null, false, false, valuesOf(rolled)];

/** The item of an exchange. */
export const sparkRow = (rolled: RolledItem): ResultRow => [rolled.item.id, null, false, true, valuesOf(rolled)];

/** The members in canonical order, as everywhere below: then the fast printer of the platform gives the canonical text. */
const orderedState = (state: TemplateState | null): object | null => {
  if (state === null) return null;
  const { own, pity } = state;
  const { idle } = own;
  return {
    own: {
      idle: idle === null ? null : { atMs: idle.atMs, rolls: idle.rolls, units: idle.units },
      rolls: own.rolls,
      sparkPoints: own.sparkPoints,
    },
    pity: { counters: pity.counters.map(({ since, tier }) => ({ since, tier })), losses: pity.losses },
  };
};

const orderedRequest = (receipt: RollReceipt | SparkReceipt): object => {
  if (receipt.kind === 'spark') return { itemId: receipt.request.itemId };
  const { classifierOptionIds, count, depth } = receipt.request;
  return { classifierOptionIds, count, depth };
};

/**
 * The canonical text of a receipt, whose hash the player keeps. Every verifiable roll has one, so the members are put in
 * order here and not sorted: `canonicalText` gives the same.
 */
export const receiptText = (receipt: AnyReceipt): string => {
  const { at, epoch, previous, teamId, userId, v } = receipt;
  if (receipt.kind === 'rotate') {
    const { clientSeed, commitment, count, head, kind, manifest, nextCommitment, revealed } = receipt;
    return JSON.stringify({
      at,
      clientSeed,
      commitment,
      count,
      epoch,
      head,
      kind,
      manifest,
      nextCommitment,
      previous,
      revealed,
      teamId,
      userId,
      v,
    });
  }
  const { config, draws, kind, nonce, pool, results, salt, scope, templateId } = receipt;
  return JSON.stringify({
    after: orderedState(receipt.after),
    at,
    before: orderedState(receipt.before),
    config,
    draws,
    epoch,
    kind,
    nonce,
    pool,
    previous,
    request: orderedRequest(receipt),
    results,
    salt,
    scope,
    teamId,
    templateId,
    userId,
    v,
  });
};

/**
 * An entry of a manifest. It says nothing about a template that nobody has rolled on yet: the configuration is hidden by a
 * salt, which receipts name. A template has one entry at most, whatever the salt.
 */
export type ManifestEntry = readonly [template: string, config: string];

export const manifestEntry = (templateId: string, config: string, salt: string): ManifestEntry => [
  hashOfText(templateId),
  hexOf(sha256(bytesOfHex(salt + config))),
];

/** The text of a manifest: everything that is verifiable when a rotation fixes it. */
export const manifestText = (entries: Iterable<ManifestEntry>): string =>
  JSON.stringify({ templates: sortedBy(entries, ([template]) => template), v: EDITION });
