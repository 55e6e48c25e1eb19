import type { Schemas } from '../../interface/client.ts';
import { judge, type Verdict, wilson } from './wilson.ts';

export interface DropRow {
  readonly itemId: string;
  readonly itemName: string;
  readonly drops: number;
  readonly actual: number;
  /** Undefined without expected odds: for all sources together, or for a deleted item. */
  readonly expected: number | undefined;
  readonly low: number;
  readonly high: number;
  readonly verdict: Verdict | undefined;
}

/** Actual drops next to expected ones, including items that should have dropped and never did. */
export const rowsOf = (
  rates: readonly Schemas['DropRate'][],
  expected: ReadonlyMap<string, { readonly name: string; readonly share: number }> | undefined,
): DropRow[] => {
  const total = rates.reduce((sum, { dropCount }) => sum + dropCount, 0);
  const row = (itemId: string, itemName: string, drops: number): DropRow => {
    const share = expected?.get(itemId)?.share;
    return {
      itemId,
      itemName,
      drops,
      actual: total === 0 ? 0 : drops / total,
      expected: share,
      ...wilson(drops, total),
      verdict: share === undefined ? undefined : judge(drops, total, share),
    };
  };
  const seen = new Set(rates.map(({ itemId }) => itemId));
  const missed = [...(expected ?? [])].filter(([itemId, { share }]) => share > 0 && !seen.has(itemId));
  return [
    ...rates.map(({ itemId, itemName, dropCount }) => row(itemId, itemName, dropCount)),
    ...(total === 0 ? [] : missed.map(([itemId, { name }]) => row(itemId, name, 0))),
  ];
};

const field = (value: string | number | undefined): string => {
  const text = value === undefined ? '' : String(value);
  // A spreadsheet would interpret a leading = or + as a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvOf = (rows: readonly DropRow[]): string =>
  [
    ['itemId', 'itemName', 'drops', 'actual', 'expected', 'low95', 'high95', 'verdict'],
    ...rows.map((row) => [
      row.itemId,
      row.itemName,
      row.drops,
      row.actual,
      row.expected,
      row.low,
      row.high,
      row.verdict,
    ]),
  ]
    .map((cells) => cells.map(field).join(','))
    .join('\r\n');
