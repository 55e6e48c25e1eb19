/** Bounds of the 95 % Wilson score interval of a share, given `hits` in `trials`. */
export const wilson = (hits: number, trials: number): { low: number; high: number } => {
  if (trials === 0) return { low: 0, high: 1 };
  const z = 1.959963984540054;
  const share = hits / trials;
  const scale = 1 + (z * z) / trials;
  const middle = (share + (z * z) / (2 * trials)) / scale;
  const reach = (z / scale) * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials));
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
};

export type Verdict = 'fits' | 'differs' | 'too few';

/** With fewer expected drops than this there is no verdict. */
const MIN_EXPECTED = 5;

/** Whether the actual drops differ from the expected ones by more than chance explains. */
export const judge = (hits: number, trials: number, expected: number): Verdict => {
  if (expected * trials < MIN_EXPECTED && hits < MIN_EXPECTED) return 'too few';
  const { low, high } = wilson(hits, trials);
  return expected >= low && expected <= high ? 'fits' : 'differs';
};
