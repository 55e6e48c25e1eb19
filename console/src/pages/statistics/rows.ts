import type { Schemas } from '../../api/client.ts';
import type { Stream } from '../../parts/evidence.ts';
import type { EvidenceRow } from './streams.ts';

/** How often something came, and how often it would have come on average, by the odds that each of the same rolls had. */
interface Compared {
  readonly rolls: number;
  readonly hits: number;
  readonly expected: number;
}

export interface TierRow extends Compared {
  readonly tier: string;
}

export interface DropRow {
  readonly itemId: string;
  readonly itemName: string;
  readonly drops: number;
  readonly share: number;
  /** Undefined if nothing is known about what was promised for it. */
  readonly compared: Compared | undefined;
}

/** Rows of all configurations together, by id: each of their rolls has the odds of its own configuration. */
const addUp = (streams: readonly Stream[], kind: EvidenceRow['kind']): Map<string, Compared> => {
  const sums = new Map<string, Compared>();
  for (const row of streams.flatMap(({ rows }) => rows)) {
    if (row.kind !== kind || row.id === null) continue;
    const { rolls, hits, expected } = sums.get(row.id) ?? { rolls: 0, hits: 0, expected: 0 };
    sums.set(row.id, { rolls: rolls + row.rolls, hits: hits + row.hits, expected: expected + row.expected });
  }
  return sums;
};

/** The tiers of templates, the rarest first. */
export const tiersOf = (streams: readonly Stream[]): TierRow[] =>
  [...addUp(streams, 'tier')]
    .map(([tier, compared]) => ({ tier, ...compared }))
    .filter(({ rolls }) => rolls > 0)
    .toSorted((one, other) => one.expected / one.rolls - other.expected / other.rolls);

/** Drops, and what was to be expected, including items that could have dropped and never did. */
export const rowsOf = (
  rates: readonly Schemas['DropRate'][],
  streams: readonly Stream[],
  nameOf: (itemId: string) => string | undefined,
): DropRow[] => {
  const total = rates.reduce((sum, { dropCount }) => sum + dropCount, 0);
  const compared = addUp(streams, 'item');
  const row = (itemId: string, itemName: string, drops: number): DropRow => ({
    itemId,
    itemName,
    drops,
    share: total === 0 ? 0 : drops / total,
    compared: compared.get(itemId),
  });
  const seen = new Set(rates.map(({ itemId }) => itemId));
  const missed = [...compared].filter(([itemId, { expected }]) => expected > 0 && !seen.has(itemId));
  return [
    ...rates.map(({ itemId, itemName, dropCount }) => row(itemId, itemName, dropCount)),
    ...(total === 0 ? [] : missed.map(([itemId]) => row(itemId, nameOf(itemId) ?? 'A deleted item', 0))),
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
    ['itemId', 'itemName', 'drops', 'share', 'compared', 'expected'],
    ...rows.map(({ itemId, itemName, drops, share, compared }) => [
      ...[itemId, itemName, drops, share],
      ...[compared?.hits, compared?.expected],
    ]),
  ]
    .map((cells) => cells.map(field).join(','))
    .join('\r\n');
