import type { ItemRow, TierRow } from '../../engine/systems/odds.ts';
import { nameIn } from './page-formats.presenter.ts';
import {
  body,
  cell,
  column,
  hasHelp,
  head,
  headed,
  linkTo,
  note,
  type PageContent,
  row,
  section,
  table,
  tierName,
} from './page-parts.presenter.ts';

const mostRolls = ({ words }: PageContent, worst: number | null): string =>
  worst === null
    ? `<span aria-hidden="true">–</span><span class="unseen">${words.noLimit}</span>`
    : words.formats.count(worst);

/** The columns that tiers and items have in common. */
const columnsOf = (content: PageContent) => {
  const { words, type } = content;
  const { percent, mean } = words.formats;
  const helps = hasHelp(content);
  return {
    chance: headed(words.chance(type)),
    overall: helps && headed(words.overall),
    average: headed(words.average(type)),
    most: headed(words.most(type)),
    cells: (odds: TierRow | ItemRow) => ({
      chance: cell(percent(odds.base)),
      overall: helps && cell(percent(odds.effective)),
      average: cell(odds.expectedRolls === null ? words.never : mean(odds.expectedRolls)),
      most: cell(mostRolls(content, odds.worstRolls)),
    }),
  };
};

const tierNote = (content: PageContent): string => {
  const { words, type, pity, featured } = content;
  const helps = { pity: pity.length > 0, guarantee: (featured?.guaranteeAfterLosses ?? null) !== null };
  return note(
    words,
    words.chanceNote(type),
    hasHelp(content) && words.overallNote(type, helps),
    words.averageNote(type),
    words.roundingNote,
  );
};

export const tierSection = (content: PageContent): string => {
  const { words, type, tiers, pack } = content;
  const { percent } = words.formats;
  const { chance, overall, average, most, cells } = columnsOf(content);
  const contains = new Map(pack?.contains.map(({ tier, rate }) => [tier, rate]));
  const rows = tiers.map((tier) => {
    const odds = cells(tier);
    const inPack = pack !== null && cell(percent(contains.get(tier.tier) ?? 0));
    const median = cell(tier.medianRolls === null ? words.never : words.rolls(type, tier.medianRolls), 'wide');
    return row(tierName(content, tier), odds.chance, odds.overall, inPack, odds.average, median, odds.most);
  });
  const all = cell(percent(1));
  const sums = [all, hasHelp(content) && all, pack !== null && cell(''), cell(''), cell('', 'wide'), cell('')];
  return section(
    'tiers',
    words.oddsByTier,
    table(
      words.oddsByTier,
      head(
        column(words.tier),
        chance,
        overall,
        pack !== null && headed(words.inRoll(type)),
        average,
        column(words.half, 'wide'),
        most,
      ),
      body(rows),
      `<tfoot>${row(words.total, ...sums)}</tfoot>`,
    ),
    tierNote(content),
  );
};

export const itemSection = (content: PageContent): string => {
  const { words, items, itemCount, tiers } = content;
  const { chance, overall, average, most, cells } = columnsOf(content);
  const columns = [chance, overall, average, most].filter((one) => one !== false);
  const byTier = Map.groupBy(items, ({ tier }) => tier);
  const bodies = tiers.map((tier) => {
    const rows = (byTier.get(tier.tier) ?? []).map((item) => {
      const odds = cells(item);
      const badge = item.featured ? ` <span class="badge">${words.featuredBadge}</span>` : '';
      return `<tr>${[
        cell(`${nameIn(item.itemName)}${badge}`, 'name'),
        odds.chance,
        odds.overall,
        odds.average,
        odds.most,
      ]
        .filter((one) => one !== false)
        .join('')}</tr>`;
    });
    if (rows.length === 0) return false;
    const title = `<tr class="group"><th scope="rowgroup" colspan="${columns.length + 1}">${tierName(content, tier)}</th></tr>`;
    return body(tiers.length > 1 ? [title, ...rows] : rows);
  });
  return section(
    'items',
    words.oddsOfItems,
    table(words.oddsOfItems, head(column(words.item), ...columns), ...bodies),
    items.length < itemCount
      ? note(words, words.itemsListed(items.length), `${linkTo(content, 'odds', words.allItemsAsJson(itemCount))}.`)
      : note(words, words.itemsTogether(itemCount)),
  );
};
