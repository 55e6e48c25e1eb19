/** A number as printed: exactly `digits × 10^exponent`. */
const decimalOf = (value: number): { digits: bigint; exponent: number } => {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
};

/** The number of decimals of a number as printed: 1 for 0.5, 7 for 1e-7, 0 for 1e21. */
export const decimalsOf = (value: number): number => Math.max(0, -decimalOf(value).exponent);

/** The number as printed times 10^decimals: exact if it has no more decimals than that, otherwise truncated. */
export const scaledBy = (value: number, decimals: number): bigint => {
  const { digits, exponent } = decimalOf(value);
  const places = exponent + decimals;
  return places >= 0 ? digits * 10n ** BigInt(places) : digits / 10n ** BigInt(-places);
};
