/**
 * Drawing by weight without replacement, exactly. Give every item a clock that rings after an exponential time of rate
 * w: the order of ringing is the order of drawing. So the chance that an item of weight w is the (m+1)-th drawn is
 *
 *   ∫ w e^(-wt) · P(m of the other clocks have rung by t) dt
 *
 * and by t the others have rung independently, each with 1 - e^(-wt), which makes the middle part a coefficient of a
 * product of linear factors. The integral is a sum over t = exp(x - exp(-x)) at evenly spaced x (the double exponential
 * rule), whose error for such functions falls faster than any power of the spacing: below 1e-13 for twenty draws,
 * whatever the weights.
 */
const SPACING = 1 / 12;
const FIRST_NODE = Math.floor(-3.75 / SPACING);
/** The relative contribution below which later nodes are ignored. */
const NEGLIGIBLE = 1e-17;

/** Multiplies by one factor (1 - p + p z), in place; higher coefficients are dropped. */
const multiply = (product: Float64Array, p: number, rest: number): void => {
  for (let m = product.length - 1; m >= 1; m -= 1)
    product[m] = (product[m] as number) * rest + (product[m - 1] as number) * p;
  product[0] = (product[0] as number) * rest;
};

/** Multiplies by the same factor many times, using binomial coefficients if that is faster. */
const multiplyOften = (product: Float64Array, p: number, rest: number, times: number): void => {
  if (times <= product.length) {
    for (let time = 0; time < times; time += 1) multiply(product, p, rest);
    return;
  }
  const power = new Float64Array(product.length);
  let coefficient = rest ** times;
  for (let m = 0; m < power.length; m += 1) {
    power[m] = coefficient;
    coefficient *= ((times - m) / (m + 1)) * (p / rest);
  }
  for (let m = product.length - 1; m >= 0; m -= 1) {
    let sum = 0;
    for (let k = 0; k <= m; k += 1) sum += (power[k] as number) * (product[m - k] as number);
    product[m] = sum;
  }
};

/** Divides by one factor (1 - p + p z); stable for p up to one half. */
const divide = (product: Float64Array, p: number, rest: number, quotient: Float64Array): void => {
  let before = 0;
  for (let m = 0; m < product.length; m += 1) {
    before = Math.max(0, ((product[m] as number) - p * before) / rest);
    quotient[m] = before;
  }
};

interface Group {
  readonly weight: number;
  readonly times: number;
  /** The probability of being drawn first, second, …; the result. */
  readonly positions: Float64Array;
}

/** Adds one node of the integral to every group; returns whether it was not negligible. */
const addNode = (groups: readonly Group[], t: number, width: number, most: number): boolean => {
  const rests = groups.map(({ weight }) => Math.exp(-weight * t));
  const rung = groups.map(({ weight }) => -Math.expm1(-weight * t));
  const large: number[] = [];
  const smallProduct = new Float64Array(most);
  smallProduct[0] = 1;
  for (const [index, { times }] of groups.entries()) {
    if ((rung[index] as number) > 0.5) large.push(index);
    else multiplyOften(smallProduct, rung[index] as number, rests[index] as number, times);
  }
  const product = smallProduct.slice();
  for (const index of large)
    multiplyOften(product, rung[index] as number, rests[index] as number, groups[index]?.times ?? 0);

  let added = false;
  const others = new Float64Array(most);
  for (const [index, { weight, times, positions }] of groups.entries()) {
    const rest = rests[index] as number;
    if ((rung[index] as number) <= 0.5) divide(product, rung[index] as number, rest, others);
    else {
      others.set(smallProduct);
      for (const other of large) {
        const count = (groups[other]?.times ?? 0) - (other === index ? 1 : 0);
        multiplyOften(others, rung[other] as number, rests[other] as number, count);
      }
    }
    const density = weight * rest * width;
    let before = 0;
    let now = 0;
    for (let m = 0; m < most; m += 1) {
      before += positions[m] as number;
      now += others[m] as number;
      positions[m] = (positions[m] as number) + density * (others[m] as number);
    }
    if (density * now * times > NEGLIGIBLE * before * times) added = true;
  }
  return added;
};

/** For each given weight above 0, the probabilities of being drawn first, second, … up to the last draw. */
export const drawPositions = (weights: readonly number[], draws: number): ReadonlyMap<number, Float64Array> => {
  const times = new Map<number, number>();
  for (const weight of weights) if (weight > 0) times.set(weight, (times.get(weight) ?? 0) + 1);
  const count = [...times.values()].reduce((sum, time) => sum + time, 0);
  const most = Math.min(draws, count);
  if (times.size === 1)
    return new Map([...times.keys()].map((weight) => [weight, new Float64Array(most).fill(1 / count)]));

  const total = [...times].reduce((sum, [weight, time]) => sum + weight * time, 0);
  const groups = [...times].map(([weight, time]) => ({
    weight: weight / total,
    times: time,
    positions: new Float64Array(most),
  }));
  for (let node = FIRST_NODE; most > 0; node += 1) {
    const x = node * SPACING;
    const t = Math.exp(x - Math.exp(-x));
    const worthwhile = addNode(groups, t, SPACING * t * (1 + Math.exp(-x)), most);
    if (!worthwhile && t > 1) break;
  }
  return new Map(
    [...times.keys()].map((weight, index) => [weight, groups[index]?.positions ?? new Float64Array(most)]),
  );
};
