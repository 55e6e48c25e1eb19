import type { ItemRow, TierRow } from '../../engine/systems/odds.ts';
import {
  body,
  cell,
  column,
  hasHelp,
  head,
  linkTo,
  more,
  note,
  type PageContent,
  row,
  section,
  table,
  tierName,
  wordsOf,
} from './page-parts.presenter.ts';
import { count, listed, many, mean, nameIn, percent } from './page-words.presenter.ts';

const UNLIMITED = '<span aria-hidden="true">–</span><span class="unseen">no limit</span>';

const mostRolls = (worst: number | null): string => (worst === null ? UNLIMITED : count(worst));

/** The columns that tiers and items have in common. */
const columnsOf = (content: PageContent) => {
  const { roll, result } = wordsOf(content);
  const helps = hasHelp(content);
  return {
    chance: column(`Chance${more(`per ${result}`)}`),
    overall: helps && column(`Overall${more('with pity')}`),
    average: column(`Average ${roll}s${more('until the first')}`),
    most: column(`At most${more(`that many ${roll}s`)}`),
    cells: (odds: TierRow | ItemRow) => ({
      chance: cell(percent(odds.base)),
      overall: helps && cell(percent(odds.effective)),
      average: cell(mean(odds.expectedRolls)),
      most: cell(mostRolls(odds.worstRolls)),
    }),
  };
};

const tierNote = (content: PageContent): string => {
  const { roll, aRoll, result } = wordsOf(content);
  const { pack, pity, featured } = content;
  const helps = [pity.length > 0 && 'pity', featured?.guaranteeAfterLosses && 'the guarantee'].filter(
    (help) => typeof help === 'string',
  );
  return note(
    `“Chance” is the chance of one ${result} without any help${pack === null ? '' : `, on average over all ${result}s of ${aRoll}`}.`,
    helps.length > 0 && `“Overall” is the share of all ${result}s in the long run, with ${listed(helps)}.`,
    `“Average ${roll}s” is how many it takes until the first one, “at most” how many it can take; a dash means that there is no limit.`,
    'Percentages are rounded to four digits, so a column may add up to slightly more or less than 100 %.',
  );
};

export const tierSection = (content: PageContent): string => {
  const { tiers, pack } = content;
  const { roll, aRoll } = wordsOf(content);
  const { chance, overall, average, most, cells } = columnsOf(content);
  const contains = new Map(pack?.contains.map(({ tier, rate }) => [tier, rate]));
  const rows = tiers.map((tier) => {
    const odds = cells(tier);
    const inPack = pack !== null && cell(percent(contains.get(tier.tier) ?? 0));
    const median = cell(tier.medianRolls === null ? 'never' : many(tier.medianRolls, roll), 'wide');
    return row(tierName(tier), odds.chance, odds.overall, inPack, odds.average, median, odds.most);
  });
  const all = cell('100 %');
  const sums = [all, hasHelp(content) && all, pack !== null && cell(''), cell(''), cell('', 'wide'), cell('')];
  return section(
    'tiers',
    'Odds by tier',
    table(
      'Odds by tier',
      head(
        column('Tier'),
        chance,
        overall,
        pack !== null && column(`In ${aRoll}${more('(at least one)')}`),
        average,
        column('Half of all players have one after', 'wide'),
        most,
      ),
      body(rows),
      `<tfoot>${row('Total', ...sums)}</tfoot>`,
    ),
    tierNote(content),
  );
};

export const itemSection = (content: PageContent): string => {
  const { items, itemCount, tiers } = content;
  const { chance, overall, average, most, cells } = columnsOf(content);
  const columns = [chance, overall, average, most].filter((one) => one !== false);
  const byTier = Map.groupBy(items, ({ tier }) => tier);
  const bodies = tiers.map((tier) => {
    const rows = (byTier.get(tier.tier) ?? []).map((item) => {
      const odds = cells(item);
      const badge = item.featured ? ' <span class="badge">featured</span>' : '';
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
    const title = `<tr class="group"><th scope="rowgroup" colspan="${columns.length + 1}">${tierName(tier)}</th></tr>`;
    return body(tiers.length > 1 ? [title, ...rows] : rows);
  });
  return section(
    'items',
    'Odds of each item',
    table('Odds of each item', head(column('Item'), ...columns), ...bodies),
    items.length < itemCount
      ? note(
          `The ${count(items.length)} items of the rarest tiers are listed here.`,
          `${linkTo(content, 'odds', `All ${count(itemCount)} items as JSON`)}.`,
        )
      : note(`All ${many(itemCount, 'item')} together: 100 %, but for rounding.`),
  );
};
