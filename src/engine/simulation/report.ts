import { rollsOfCurve } from '../chains/curve.ts';
import { decimalsOf } from '../decimal.ts';
import { type Distribution, distributionOf, type Histogram } from './histogram.ts';
import type { PityCounts, Simulation, Target, TargetKind } from './simulation.ts';

interface SimulatedPoint {
  readonly roll: number;
  readonly share: number;
  /** The exact chance. */
  readonly chance?: number;
}

/** What a simulation shows about a tier or an item. */
export interface TargetReport {
  readonly kind: TargetKind;
  readonly id: string | null;
  /** Of those who got it; null if nobody did. */
  readonly first: Distribution | null;
  readonly each: Distribution | null;
  readonly perPlayer: Distribution;
  /** What the first one cost; null without a price. */
  readonly cost: Distribution | null;
  /** The share of players who did not get it. */
  readonly never: number;
  /** The share of players who have it by a roll. */
  readonly curve: readonly SimulatedPoint[];
}

export interface SimulationReport {
  readonly targets: readonly TargetReport[];
  readonly pity: Readonly<PityCounts>;
}

export interface ReportOptions {
  readonly pricePerRoll: number | null;
  /** Points of a curve at most. */
  readonly points: number;
  /** By target: the exact chances at the points of its curve, as far as they are known. */
  readonly chances?: readonly (readonly number[] | undefined)[];
}

/** The limit of `Number.prototype.toFixed`. */
const MAX_DECIMALS = 100;

/** What a number of rolls costs, in decimals as the price is printed: three rolls at 0.1 cost 0.3. */
const costOf = (first: Distribution, pricePerRoll: number): Distribution => {
  const decimals = Math.min(decimalsOf(pricePerRoll), MAX_DECIMALS);
  const cost = (rolls: number): number => Number((rolls * pricePerRoll).toFixed(decimals));
  const entries = Object.entries(first).map(([name, rolls]) => [
    name,
    name === 'mean' ? rolls * pricePerRoll : cost(rolls),
  ]);
  return Object.fromEntries(entries) as Distribution;
};

const curveOf = (
  firsts: Histogram,
  { players, rolls }: Simulation,
  points: number,
  chances: readonly number[] | undefined,
): SimulatedPoint[] => {
  const counts = firsts.counts();
  let reached = 0;
  let counted = 0;
  return rollsOfCurve(rolls, points).map((roll, index) => {
    for (; counted <= roll; counted += 1) reached += counts[counted] ?? 0;
    return { roll, share: reached / players, ...(chances && { chance: chances[index] as number }) };
  });
};

const reportTarget = (
  simulation: Simulation,
  { kind, id, firsts, gaps, counts }: Target,
  index: number,
  { pricePerRoll, points, chances }: ReportOptions,
): TargetReport => {
  const first = distributionOf(firsts);
  const perPlayer = distributionOf(counts);
  if (perPlayer === null) throw new Error('A simulation had no players.');
  return {
    kind,
    id,
    first,
    each: distributionOf(gaps),
    perPlayer,
    cost: first === null || pricePerRoll === null ? null : costOf(first, pricePerRoll),
    never: (counts.counts()[0] ?? 0) / simulation.players,
    curve: curveOf(firsts, simulation, points, chances?.[index]),
  };
};

/** A simulation in numbers that can be shown: tiers first, rarest first, then featured items, then the others. */
export const reportSimulation = (simulation: Simulation, options: ReportOptions): SimulationReport => ({
  targets: simulation.targets.map((target, index) => reportTarget(simulation, target, index, options)),
  pity: simulation.pity,
});
