import { sortedBy } from '../byte-order.ts';
import type { RolledItem } from '../pool/pool.ts';
import type { RollResult, TemplateState } from '../systems/state.ts';

/** Stands for the rotation before the first. */
export const NO_PREVIOUS = '0'.repeat(64);

/** The scope of plain rolls. A scope has one chain of receipts per epoch. */
export const PLAIN_SCOPE = 'plain';

/** The scope of a template's calls: those of one pity group share a chain, because they share counters. */
export const scopeOf = (templateId: string, pityGroup: string | null): string =>
  pityGroup === null ? `template:${templateId}` : `group:${pityGroup}`;

interface Receipt {
  readonly v: 1;
  readonly teamId: string;
  readonly userId: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  readonly epoch: number;
  /** The hash of the receipt before this one. */
  readonly previous: string;
}

/** A scope, the number of its receipts in the epoch that ends, and the hash of the last. */
export type ChainEnd = readonly [scope: string, count: number, head: string];

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
  /** In byte order of the scopes. */
  readonly chains: readonly ChainEnd[];
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
  /** From 0 in each epoch and scope. */
  readonly nonce: number;
  /** Empty for plain rolls. */
  readonly templateId: string;
  readonly config: string;
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
    const { chains, clientSeed, commitment, kind, manifest, nextCommitment, revealed } = receipt;
    return JSON.stringify({
      at,
      chains,
      clientSeed,
      commitment,
      epoch,
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
  const { config, draws, kind, nonce, pool, results, scope, templateId } = receipt;
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
    scope,
    teamId,
    templateId,
    userId,
    v,
  });
};

/** A template, empty for plain rolls, and the hash of its configuration. */
export type ManifestEntry = readonly [templateId: string, config: string];

/** The text of a manifest: everything that is verifiable when a rotation fixes it. */
export const manifestText = (entries: Iterable<ManifestEntry>): string =>
  JSON.stringify({ templates: sortedBy(entries, ([templateId]) => templateId), v: 1 });
