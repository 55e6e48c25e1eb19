import type { Schemas } from '../../interface/client.ts';
import type { Config, TemplateType } from './template-values.ts';

type TierOdds = Schemas['ConfigOdds']['tiers'][number];

/** What soft pity has added to a share by roll number k. */
const softened = (segments: NonNullable<Config['softPity']>, k: number): number =>
  segments.reduce((sum, { from, add }, place) => {
    const last = Math.min(k, (segments[place + 1]?.from ?? Number.POSITIVE_INFINITY) - 1);
    return sum + add * Math.max(0, last - from + 1);
  }, 0);

/**
 * The chance of one pack or offer, which is constant until pity is due, derived from the mean that the service
 * computed.
 */
const steadyChance = (mean: number, worst: number | null): number => {
  if (worst === null) return 1 / mean;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 100; step += 1) {
    const middle = (low + high) / 2;
    const meanAt = middle === 0 ? worst : (1 - (1 - middle) ** worst) / middle;
    if (meanAt > mean) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};

const MAX_POINTS = 4_000;
const ENOUGH = 0.999;

/** The cumulative chance of the top tier by roll, from roll 1 on; undefined if there is nothing to draw. */
export const curveOf = (type: TemplateType, config: Config, top: TierOdds): readonly number[] | undefined => {
  const { base, expectedRolls, worstRolls } = top;
  if (expectedRolls === null || base >= 1) return undefined;
  const isPack = type === 'card_pack' || type === 'roguelike';
  const steady = isPack ? steadyChance(expectedRolls, worstRolls) : 0;
  const threshold = config.pityThreshold || Number.POSITIVE_INFINITY;
  const chanceAt = (k: number): number => {
    if (k >= threshold) return 1;
    return isPack ? steady : Math.min(1, base + softened(config.softPity ?? [], k));
  };
  const points: number[] = [];
  let left = 1;
  while (left > 1 - ENOUGH && points.length < MAX_POINTS) {
    left *= 1 - chanceAt(points.length + 1);
    points.push(1 - left);
  }
  return points;
};
