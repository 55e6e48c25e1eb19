import type { Transaction } from '../../database/work.ts';
import { loadCatalog } from './catalog-loader.service.ts';

/** Weights below this cannot bring a finite sum to infinity: they are lost in the rounding of one that is near it. */
const HARMLESS_WEIGHT = 2 ** 900;

/** Whether the weights of a team's items still have a finite sum, after a change that made one as large as given. */
export const hasFiniteWeights = async (tx: Transaction, largest: number): Promise<boolean> => {
  if (largest <= HARMLESS_WEIGHT) return true;
  const { catalog } = await loadCatalog(tx);
  return Number.isFinite(catalog.items.reduce((sum, { weight }) => sum + weight, 0));
};
