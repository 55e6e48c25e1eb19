import type { Schemas } from '../../api/client.ts';

export interface DropRow {
  readonly itemId: string;
  readonly itemName: string;
  readonly drops: number;
  readonly share: number;
  /** Undefined without odds to compare with: for all sources together, or for a deleted item. */
  readonly odds: number | undefined;
}

/** Drops next to the current odds, including items that could have dropped and never did. */
export const rowsOf = (
  rates: readonly Schemas['DropRate'][],
  current: ReadonlyMap<string, { readonly name: string; readonly odds: number }> | undefined,
): DropRow[] => {
  const total = rates.reduce((sum, { dropCount }) => sum + dropCount, 0);
  const row = (itemId: string, itemName: string, drops: number): DropRow => ({
    itemId,
    itemName,
    drops,
    share: total === 0 ? 0 : drops / total,
    odds: current?.get(itemId)?.odds,
  });
  const seen = new Set(rates.map(({ itemId }) => itemId));
  const missed = [...(current ?? [])].filter(([itemId, { odds }]) => odds > 0 && !seen.has(itemId));
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
    ['itemId', 'itemName', 'drops', 'share', 'currentOdds'],
    ...rows.map(({ itemId, itemName, drops, share, odds }) => [itemId, itemName, drops, share, odds]),
  ]
    .map((cells) => cells.map(field).join(','))
    .join('\r\n');
