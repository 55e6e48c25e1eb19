import type { Transaction } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import * as store from './catalog.store.ts';
import { loadCatalog } from './catalog-loader.service.ts';

/** Weights below this cannot make a finite sum infinite: next to a sum that large they are lost in rounding. */
const HARMLESS_WEIGHT = 2 ** 900;

/** The largest numerator of a team's items. Reads items in batches: there may be very many. */
const largestNumerator = async (tx: Transaction): Promise<number> => {
  let largest = 0;
  let lastId: string | undefined;
  do {
    const items = await store.selectNumeratorsAfter(tx, tx.teamId, lastId, LIMITS.numeratorsPerRead);
    for (const { rollNumerator } of items) largest = Math.max(largest, rollNumerator);
    lastId = items.length < LIMITS.numeratorsPerRead ? undefined : items.at(-1)?.id;
  } while (lastId !== undefined);
  return largest;
};

/** Whether the weights would be harmless even if one item had every option with a multiplier above 1. */
const areHarmlessAtMost = async (tx: Transaction): Promise<boolean> => {
  let most = Math.max(1, await largestNumerator(tx));
  for (const { dropRateMultiplier } of await store.selectOptions(tx, tx.teamId))
    most *= Math.max(1, dropRateMultiplier ?? 1);
  return most <= HARMLESS_WEIGHT;
};

/**
 * Whether the weights of a team's items still have a finite sum after a change. If only one item changed, `largest` is
 * its weight. The whole catalog is needed only if weights are enormous.
 */
export const hasFiniteWeights = async (tx: Transaction, largest = Number.POSITIVE_INFINITY): Promise<boolean> => {
  if (largest <= HARMLESS_WEIGHT || (await areHarmlessAtMost(tx))) return true;
  const { catalog } = await loadCatalog(tx);
  return Number.isFinite(catalog.items.reduce((sum, { weight }) => sum + weight, 0));
};
