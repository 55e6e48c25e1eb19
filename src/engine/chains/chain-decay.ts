import { type Chain, lastLayerOf, statesOf } from './chain.ts';
import type { Decay } from './survival.ts';

export const MAX_SWEEPS = 3000;
const CONVERGED = 1e-14;
/** Rounding error of a sum of probabilities. */
const ROUNDING = 1e-15;

/** The probabilities of edges without a hit, when an edge marked as a hit is one with probability `part`. */
export const keptChances = ({ chances, hits }: Chain, part: number): Float64Array =>
  chances.map((chance, edge) => (hits[edge] === 1 ? chance * (1 - part) : chance));

const sumOver = (values: Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};

/** The L1 distance of two distributions. */
const distance = (left: Float64Array, right: Float64Array): number => {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1)
    sum += Math.abs((left[index] as number) - (right[index] as number));
  return sum;
};

/**
 * The decay factor and the limiting distribution, by sweeps through the layers. One sweep moves the mass of layer 0
 * through all layers, which does the work of a whole cycle of rolls. Newton's method then adjusts the factor until as
 * much mass returns to layer 0 as started there. Null if none returns, or if it does not converge.
 */
const sweepForward = (chain: Chain, kept: Float64Array): { lnFactor: number; states: Float64Array } | null => {
  const { width, targets, starts, lingers } = chain;
  const count = statesOf(chain);
  const last = lastLayerOf(chain);
  const states = new Float64Array(count);
  let beginning = new Float64Array(width).fill(1 / width);
  let lingering = new Float64Array(count - last);
  let lnFactor = 0;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    const growth = Math.exp(-lnFactor);
    const returning = new Float64Array(width);
    const staying = new Float64Array(count - last);
    states.fill(0);
    states.set(beginning, 0);
    if (lingers) states.set(lingering, last);
    for (let state = 0; state < count; state += 1) {
      const here = (states[state] as number) * growth;
      if (here === 0) continue;
      for (let edge = starts[state] as number; edge < (starts[state + 1] as number); edge += 1) {
        const target = targets[edge] as number;
        const moved = here * (kept[edge] as number);
        if (target < width) returning[target] = (returning[target] as number) + moved;
        else if (state >= last) staying[target - last] = (staying[target - last] as number) + moved;
        else states[target] = (states[target] as number) + moved;
      }
    }
    const returned = sumOver(returning);
    if (!(returned > 0)) return null;
    const rollsPerCycle = sumOver(states) / returned;
    const change = Math.log(returned) / rollsPerCycle;
    for (let index = 0; index < width; index += 1) returning[index] = (returning[index] as number) / returned;
    for (let index = 0; index < staying.length; index += 1) staying[index] = (staying[index] as number) / returned;
    const settled = distance(returning, beginning) + distance(staying, lingering) < CONVERGED * width;
    beginning = returning;
    lingering = staying;
    lnFactor += change;
    if (settled && Math.abs(change) <= CONVERGED * Math.abs(lnFactor) + ROUNDING) return { lnFactor, states };
  }
  return null;
};

/**
 * The relative values of the states in the limit (the right eigenvector), by sweeps from the last
 * layer back.
 */
const sweepBack = (chain: Chain, kept: Float64Array, lnFactor: number): Float64Array | null => {
  const { width, targets, starts } = chain;
  const count = statesOf(chain);
  const growth = Math.exp(-lnFactor);
  let worth = new Float64Array(count).fill(1);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    const next = worth.slice();
    for (let state = count - 1; state >= 0; state -= 1) {
      let sum = 0;
      for (let edge = starts[state] as number; edge < (starts[state + 1] as number); edge += 1) {
        const target = targets[edge] as number;
        // Layer 0 still has its value of the previous sweep; layers after this one already have their new value.
        sum += (kept[edge] as number) * ((target < width ? worth[target] : next[target]) as number);
      }
      next[state] = sum * growth;
    }
    let greatest = 0;
    for (let index = 0; index < width; index += 1) greatest = Math.max(greatest, next[index] as number);
    if (!(greatest > 0)) return null;
    for (let state = 0; state < count; state += 1) next[state] = (next[state] as number) / greatest;
    const settled = distance(next, worth) < CONVERGED * count;
    worth = next;
    if (settled) return worth;
  }
  return null;
};

/**
 * The factor again, computed from what a roll loses: all terms of that sum are positive, so small hits keep their
 * precision.
 */
const lnFactorOf = (chain: Chain, part: number, states: Float64Array): number => {
  let taken = 0;
  for (let edge = 0; edge < chain.sources.length; edge += 1) {
    if (chain.hits[edge] === 1)
      taken += (states[chain.sources[edge] as number] as number) * (chain.chances[edge] as number);
  }
  return Math.log1p(-Math.min(1, (taken * part) / sumOver(states)));
};

/** The asymptotic decay; null if a hit is certain after some number of rolls, or if the chain converges too slowly. */
export const decayOf = (chain: Chain, part: number): Decay | null => {
  const kept = keptChances(chain, part);
  const forward = sweepForward(chain, kept);
  const worth = forward && sweepBack(chain, kept, forward.lnFactor);
  if (forward === null || worth === null) return null;
  let meeting = 0;
  for (const [state, share] of forward.states.entries()) meeting += share * (worth[state] as number);
  const scale = ((worth[0] as number) * sumOver(forward.states)) / meeting;
  return scale > 0 ? { lnScale: Math.log(scale), lnFactor: lnFactorOf(chain, part, forward.states) } : null;
};
