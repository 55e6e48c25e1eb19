/**
 * Likelihood ratios of rolled counts. A hit has odds `p`; the alternative is that its odds ratio is e^θ times as large.
 */
export interface Cell {
  readonly rolls: number;
  readonly odds: number;
}

/** Rolls under different odds, and how many of all of them were hits. */
export interface Hits {
  readonly cells: readonly Cell[];
  readonly hits: number;
}

/** The alternatives: effects from 2 % to a factor of about e^2.6, in both directions. */
export const EFFECTS = Float64Array.from({ length: 30 }, (_, index) => {
  const size = 0.02 * 2 ** ((index >> 1) / 2);
  return index % 2 === 0 ? size : -size;
});

/** ln Σ e^x, without overflow. */
export const logSumExp = (logs: ArrayLike<number>): number => {
  let largest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < logs.length; index += 1) largest = Math.max(largest, logs[index] as number);
  if (!Number.isFinite(largest)) return largest;
  let sum = 0;
  for (let index = 0; index < logs.length; index += 1) sum += Math.exp((logs[index] as number) - largest);
  return largest + Math.log(sum);
};

/** ln of the mean of e^x. */
export const logMeanExp = (logs: ArrayLike<number>): number => logSumExp(logs) - Math.log(logs.length);

/** The log likelihood ratio of odds times e^θ. */
export const logRatio = ({ cells, hits }: Hits, theta: number): number => {
  const grown = Math.expm1(theta);
  let log = theta * hits;
  // What was due stays due. Written apart, since e^θ - 1 may be rounded to -1.
  for (const { rolls, odds } of cells) log -= rolls * (odds === 1 ? theta : Math.log1p(odds * grown));
  return log;
};

/** What one roll takes from the log likelihood ratio of each alternative, whatever its result. */
export const logOfEffects = (odds: number): Float64Array =>
  EFFECTS.map((theta) => Math.log1p(odds * Math.expm1(theta)));

/** ln M: the likelihood ratio averaged over the alternatives. */
export const logMixture = (hits: Hits): number => {
  const logs = new Float64Array(EFFECTS.length);
  for (let index = 0; index < EFFECTS.length; index += 1) logs[index] = logRatio(hits, EFFECTS[index] as number);
  return logMeanExp(logs);
};

/** The expected share of hits if the odds were e^θ times as large. */
const shareAt = ({ cells }: Hits, theta: number): number => {
  let [expected, rolls] = [0, 0];
  for (const cell of cells) {
    rolls += cell.rolls;
    // Written so that neither a large nor a small e^θ overflows.
    if (cell.odds > 0) expected += (cell.rolls * cell.odds) / (cell.odds + (1 - cell.odds) * Math.exp(-theta));
  }
  return rolls === 0 ? 0 : expected / rolls;
};

const FARTHEST = 60;
const BISECTIONS = 60;
/** ln 0.05: the range is right at all times with 95 %. */
const ALLOWED = Math.log(0.05);

/** The effect that explains the hits best. The log likelihood is concave, so its slope tells the direction. */
const likeliest = (hits: Hits): number => {
  const rolls = hits.cells.reduce((sum, cell) => sum + cell.rolls, 0);
  let [low, high] = [-FARTHEST, FARTHEST];
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2;
    if (hits.hits > shareAt(hits, middle) * rolls) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};

/**
 * The rates that the hits do not contradict, whenever one looks: those whose likelihood is not too far below that of
 * the alternatives.
 */
export const rangeOf = (hits: Hits): { readonly low: number; readonly high: number } => {
  const least = logMixture(hits) + ALLOWED;
  const best = likeliest(hits);
  const isIn = (theta: number): boolean => logRatio(hits, theta) > least;
  if (!isIn(best)) return { low: shareAt(hits, best), high: shareAt(hits, best) };
  const edge = (outside: number): number => {
    if (isIn(outside)) return outside;
    let [within, beyond] = [best, outside];
    for (let step = 0; step < BISECTIONS; step += 1) {
      const middle = (within + beyond) / 2;
      if (isIn(middle)) within = middle;
      else beyond = middle;
    }
    return within;
  };
  return { low: shareAt(hits, edge(-FARTHEST)), high: shareAt(hits, edge(FARTHEST)) };
};

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** ln Γ(x) for x > 0. */
export const logGamma = (x: number): number => {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  // Beyond this, a few terms of Stirling's series are exact to the last digits.
  if (x > 20) {
    const inverse = 1 / x;
    const square = inverse * inverse;
    return (
      (x - 0.5) * Math.log(x) -
      x +
      0.5 * Math.log(2 * Math.PI) +
      inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    );
  }
  let sum = 0.9999999999998099;
  for (let index = 0; index < LANCZOS.length; index += 1) sum += (LANCZOS[index] as number) / (x + index);
  const t = x + LANCZOS.length - 1.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
};

const CONCENTRATIONS = [1e2, 1e3, 1e4, 1e5];

/** ln of the likelihood ratio of odds spread around the true ones, averaged over how far they are spread. */
export const spreadOf = (odds: readonly number[]): ((counts: ArrayLike<number>) => number) => {
  const logs = odds.map((p) => Math.log(p));
  const known = CONCENTRATIONS.map((c) => ({ c, ofAll: logGamma(c), ofEach: odds.map((p) => logGamma(c * p)) }));
  return (counts) => {
    let rolls = 0;
    for (let index = 0; index < counts.length; index += 1) rolls += counts[index] as number;
    return logMeanExp(
      known.map(({ c, ofAll, ofEach }) => {
        let log = ofAll - logGamma(c + rolls);
        for (let index = 0; index < odds.length; index += 1) {
          const count = counts[index] as number;
          if (count === 0) continue;
          const p = odds[index] as number;
          log += logGamma(c * p + count) - (ofEach[index] as number) - count * (logs[index] as number);
        }
        return log;
      }),
    );
  };
};
