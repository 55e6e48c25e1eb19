import type { Steps } from '../../engine/steps.ts';
import { type OddsTable, oddsAt } from '../../engine/systems/odds.ts';
import type { Tiers } from '../../engine/systems/tiers.ts';

/** So many rows are written between two steps. */
const ROWS_A_STEP = 500;

/** For each place in the catalog, the row of its item in a table, or -1; and the place of the tier of each row. */
const rowsByPlace = ({ all }: Tiers): { readonly rows: Int32Array; readonly tiers: Int32Array } => {
  const last = all.reduce((most, { items }) => Math.max(most, items.at(-1)?.place ?? -1), -1);
  const rows = new Int32Array(last + 1).fill(-1);
  const tiers = new Int32Array(all.reduce((sum, { items }) => sum + items.length, 0));
  let row = 0;
  for (const [place, { items }] of all.entries()) {
    for (const item of items) {
      rows[item.place] = row;
      tiers[row] = place;
      row += 1;
    }
  }
  return { rows, tiers };
};

/**
 * The odds of a template as JSON: the members of an object, without its braces. A row for each tier, rarest first, and
 * for each item, in the order of their ids.
 */
export function* oddsText(tiers: Tiers, table: OddsTable): Steps<string> {
  const { all, ranked, featured } = tiers;
  const tierTexts = ranked.map((place) => {
    const tier = all[place];
    return JSON.stringify({ tier: tier?.optionId ?? null, name: tier?.name ?? null, ...oddsAt(table.tiers, place) });
  });
  const itemTexts: string[] = [];
  const { rows, tiers: tierOfRow } = rowsByPlace(tiers);
  const firstRows = all.map((_, place) => tierOfRow.indexOf(place));
  // Places in the catalog are in byte order of the ids.
  for (const row of rows) {
    if (row === -1) continue;
    const place = tierOfRow[row] as number;
    const tier = all[place];
    const item = tier?.items[row - (firstRows[place] as number)];
    if (tier === undefined || item === undefined) throw new Error('a row of odds belongs to no item');
    const { id: itemId, name: itemName } = item;
    itemTexts.push(
      JSON.stringify({
        itemId,
        itemName,
        tier: tier.optionId,
        featured: featured.has(itemId),
        ...oddsAt(table.items, row),
      }),
    );
    if (itemTexts.length % ROWS_A_STEP === 0) yield;
  }
  return `"tiers":[${tierTexts.join(',')}],"items":[${itemTexts.join(',')}]`;
}
