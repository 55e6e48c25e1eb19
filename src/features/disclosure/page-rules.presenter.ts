import type { DisclosedPity } from '../../engine/systems/disclosed-rules.ts';
import {
  body,
  capitalized,
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
  smallTable,
  table,
  tierName,
  withoutTags,
  wordsOf,
} from './page-parts.presenter.ts';
import { count, listed, many, nameIn, ordinal, percent } from './page-words.presenter.ts';

const strong = (text: string): string => `<strong>${text}</strong>`;

/** The rate by roll as a curve. The table beside it says the same. */
const curve = ({ byRoll, threshold }: DisclosedPity, name: string, roll: string): string => {
  const [width, height, edge] = [600, 120, 2];
  const x = (rolls: number): string => ((rolls / threshold) * width).toFixed(1);
  const y = (rate: number): string => ((1 - rate) * (height - 2 * edge) + edge).toFixed(1);
  const points = byRoll.flatMap(({ from, to, rate }) => [`${x(from - 1)},${y(rate)}`, `${x(to)},${y(rate)}`]).join(' ');
  return [
    `<div class="curve" aria-hidden="true"><div>Chance of ${name}, by ${roll}s since the last one</div>`,
    `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">`,
    `<polygon class="area" points="0,${height} ${points} ${width},${height}"/>`,
    `<polyline class="line" points="${points}" vector-effect="non-scaling-stroke"/></svg>`,
    `<div class="ends"><span>1st ${roll}</span><span>${ordinal(threshold)} ${roll}: 100 %</span></div></div>`,
  ].join('');
};

const pityText = (content: PageContent, pity: DisclosedPity, isTop: boolean): string => {
  const { roll } = wordsOf(content);
  const { threshold, higherResets, byRoll } = pity;
  const gives = content.pack === null ? 'give' : 'contain';
  const name = strong(namesOf(content)(pity.tier));
  const due = isTop ? name : `${name} or a rarer tier`;
  if (threshold === 1) return paragraph(`Every ${roll} ${gives}s ${due}.`);
  const rises = byRoll.find(({ from, to }) => from > 1 && to < threshold)?.from;
  return paragraph(
    [
      `After ${many(threshold - 1, roll)} in a row without ${higherResets ? due : name}, the next ${roll} is certain to ${gives} ${due}.`,
      ...(rises === undefined ? [] : [`From the ${ordinal(rises)} ${roll} on, the chance is higher than usual.`]),
    ].join(' '),
  );
};

/** The most rows of a table that are always shown. */
const SHORT = 12;

const pityTable = (content: PageContent, { tier, byRoll }: DisclosedPity): string => {
  const { roll } = wordsOf(content);
  const rates = smallTable(
    `Chance of ${withoutTags(namesOf(content)(tier))}`,
    head(column(`${capitalized(roll)}s since the last one`), column(content.pack === null ? 'Chance' : 'At least one')),
    body(byRoll.map(({ from, to, rate }) => row(range(from, to), cell(percent(rate))))),
  );
  return byRoll.length <= SHORT
    ? rates
    : `<details><summary>Show the chance of each ${roll}</summary>${rates}</details>`;
};

export const pitySection = (content: PageContent): string => {
  const { pity, tiers, sharesPity } = content;
  if (pity.length === 0) return '';
  const { roll } = wordsOf(content);
  const [top] = tiers;
  const parts = pity.map((one) => {
    const name = namesOf(content)(one.tier);
    const isTop = one.tier === top?.tier;
    return [
      pity.length > 1 ? `<h3>${name}</h3>` : '',
      pityText(content, one, isTop),
      one.byRoll.length > 2 && isTop ? curve(one, name, roll) : '',
      pityTable(content, one),
      isTop
        ? ''
        : note('While no rarer tier is near its own pity. Rarer tiers keep their chance when this one is due.'),
    ].join('');
  });
  const group = sharesPity ? ', together with other banners of the same group' : '';
  return section('pity', 'Pity: how the chance rises', ...parts, note(`Counted for each player${group}.`));
};

/** The most featured items that a sentence names. */
const NAMED = 20;

const featuredNames = ({ featuredNames: names }: PageContent): string =>
  names.length > NAMED
    ? `${count(names.length)} items, marked in the list of all items`
    : listed(names.map((name) => strong(nameIn(name))));

export const featuredSection = (content: PageContent): string => {
  const { featured, sparkCurrency: price, tiers } = content;
  if (featured === null) return '';
  const { roll } = wordsOf(content);
  const { share, guaranteeAfterLosses: losses } = featured;
  const top = tierName(tiers[0] ?? { name: null, tier: null });
  const lost = losses === 1 ? `one result of ${top} that was` : `${losses} results of ${top} in a row that were`;
  const sentences = [
    `Featured: ${featuredNames(content)}.`,
    ...(share === null ? [] : [`A result of ${top} is featured with a chance of ${strong(percent(share))}.`]),
    ...(losses === null ? [] : [`After ${lost} not featured, the next one is certain to be.`]),
  ];
  const spark = `Every ${roll} also gives one point. For ${strong(many(price ?? 0, 'point'))}, players can choose a featured item, so nobody needs more than ${many(price ?? 0, roll)} for one.`;
  return section('featured', 'Featured items', paragraph(sentences.join(' ')), price !== null && paragraph(spark));
};

export const packSection = (content: PageContent): string => {
  const { pack, tiers } = content;
  if (pack === null) return '';
  const { aRoll, result } = wordsOf(content);
  const title = `What each ${result} of ${aRoll} can be`;
  let cards = 0;
  const rows = pack.slots.map(({ count: more, tiers: rates }) => {
    cards += more;
    return row(range(cards - more + 1, cards), ...rates.map(({ rate }) => cell(percent(rate))));
  });
  const scaled = pack.depthScaling.map(({ tier, factor }) => `that of ${namesOf(content)(tier)} by ${factor}`);
  return section(
    'pack',
    title,
    table(title, head(column(capitalized(result)), ...tiers.map((tier) => column(tierName(tier)))), body(rows)),
    scaled.length > 0 &&
      paragraph(`These are the odds at depth 0. Each level further down multiplies rates: ${listed(scaled)}.`),
    pack.unique &&
      note(`All ${result}s of ${aRoll} are different. When a tier is used up, the others keep their proportions.`),
  );
};
