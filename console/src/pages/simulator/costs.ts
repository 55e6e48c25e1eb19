import { formatCount, formatNumber } from '../../parts/format.ts';

/** An amount with as many digits as matter. */
export const formatAmount = (amount: number): string =>
  amount >= 1000 ? formatCount(amount) : formatNumber(amount, 2);

/** An amount with its currency: a symbol stands in front, a word behind. */
export const formatCost = (amount: number, currency: string): string => {
  const text = formatAmount(amount);
  const unit = currency.trim();
  if (unit === '') return text;
  return /^\p{Sc}$/u.test(unit) ? `${unit}${text}` : `${text}\u00a0${unit}`;
};
