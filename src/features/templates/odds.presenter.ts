import type { Steps } from '../../engine/steps.ts';
import { type OddsTable, oddsAt } from '../../engine/systems/odds.ts';
import type { Tiers } from '../../engine/systems/tiers.ts';

/** Number of rows that are written between two steps. */
const ROWS_PER_STEP = 500;

/**
 * For each place in the catalog, the row of its item in the table or -1; for each row, the place of its tier; for each
 * tier, its first row.
 */
const rowsByPlace = ({ all }: Tiers) => {
  const last = all.reduce((most, { items }) => Math.max(most, items.at(-1)?.place ?? -1), -1);
  const rows = new Int32Array(last + 1).fill(-1);
  const tiers = new Int32Array(all.reduce((sum, { items }) => sum + items.length, 0));
  const firsts: number[] = [];
  let row = 0;
  for (const [place, { items }] of all.entries()) {
    firsts.push(row);
    for (const item of items) {
      rows[item.place] = row;
      tiers[row] = place;
      row += 1;
    }
  }
  return { rows, tiers, firsts };
};

/**
 * The odds of a template as members of a JSON object, without the braces: in parts, since there may be a hundred thousand
 * items. One row per tier, rarest first, one per item, in the order of their ids, and the curve of the top tier.
 */
export function* oddsText(tiers: Tiers, table: OddsTable): Steps<string[]> {
  const { all, ranked, featured } = tiers;
  const tierTexts = ranked.map((place) => {
    const tier = all[place];
    return JSON.stringify({ tier: tier?.optionId ?? null, name: tier?.name ?? null, ...oddsAt(table.tiers, place) });
  });
  const { rows, tiers: tierOfRow, firsts } = rowsByPlace(tiers);
  const parts = [`"tiers":[${tierTexts.join(',')}],"items":[`];
  let page: string[] = [];
  const turnPage = (): void => {
    if (page.length > 0) parts.push(`${parts.length === 1 ? '' : ','}${page.join(',')}`);
    page = [];
  };
  // Places in the catalog are in byte order of the ids.
  for (const row of rows) {
    if (row === -1) continue;
    const place = tierOfRow[row] as number;
    const tier = all[place];
    const item = tier?.items[row - (firsts[place] as number)];
    if (tier === undefined || item === undefined) throw new Error('A row of odds has no item.');
    const { id: itemId, name: itemName } = item;
    page.push(
      JSON.stringify({
        itemId,
        itemName,
        tier: tier.optionId,
        featured: featured.has(itemId),
        ...oddsAt(table.items, row),
      }),
    );
    if (page.length < ROWS_PER_STEP) continue;
    turnPage();
    yield;
  }
  turnPage();
  parts.push(`],"curve":${JSON.stringify(table.curve)}`);
  return parts;
}
