import {
  body,
  cell,
  column,
  head,
  namesOf,
  note,
  type PageContent,
  paragraph,
  range,
  row,
  section,
  table,
  tierName,
} from './page-parts.presenter.ts';

const tierColumns = (content: PageContent): string[] => content.tiers.map((tier) => column(tierName(content, tier)));

export const packSection = (content: PageContent): string => {
  const { words, type, pack } = content;
  if (pack === null) return '';
  const title = words.cards(type);
  let cards = 0;
  const rows = pack.slots.map(({ count, tiers: rates }) => {
    cards += count;
    return row(range(cards - count + 1, cards), ...rates.map(({ rate }) => cell(words.formats.percent(rate))));
  });
  return section(
    'pack',
    title,
    table(title, head(column(words.card(type)), ...tierColumns(content)), body(rows)),
    pack.unique && note(words, words.areDifferent(type)),
  );
};

/** What offers contain further down. */
export const depthSection = (content: PageContent): string => {
  const { words, pack, depths } = content;
  if (pack === null || depths.length === 0) return '';
  const { percent, count, listed } = words.formats;
  const scaled = pack.depthScaling.map(({ tier, factor }) => words.scaledBy(namesOf(content)(tier), factor));
  const rows = depths.map(({ depth, tiers }) =>
    row(count(depth), ...tiers.map(({ contains }) => cell(percent(contains)))),
  );
  return section(
    'depths',
    words.depths,
    paragraph(words.deeper(listed(scaled))),
    table(words.depths, head(column(words.depth), ...tierColumns(content)), body(rows)),
    note(words, words.depthsNote),
  );
};
