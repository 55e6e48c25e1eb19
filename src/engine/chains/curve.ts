import type { Follower } from './survival.ts';

/** The probability of at least one hit by a roll. */
export interface CurvePoint {
  readonly roll: number;
  readonly chance: number;
}

export interface CurveLimits {
  readonly points: number;
  /** The last roll, unless this chance is reached before. */
  readonly rolls: number;
  readonly chance: number;
}

/** The rolls of the points of a curve: all of them, or some at equal distances, including the last. */
export const rollsOfCurve = (last: number, points: number): number[] => {
  const count = Math.min(points, last);
  return Array.from({ length: count }, (_, index) => Math.ceil(((index + 1) * last) / count));
};

export const curveOf = (follower: Follower, { points, rolls, chance: enough }: CurveLimits): CurvePoint[] => {
  const chances: number[] = [];
  for (let chance = 0; chances.length < rolls && chance < enough; chances.push(chance)) {
    follower.advance();
    // Rounding may leave slightly more than 1.
    chance = Math.max(0, 1 - follower.left());
  }
  return rollsOfCurve(chances.length, points).map((roll) => ({ roll, chance: chances[roll - 1] as number }));
};
