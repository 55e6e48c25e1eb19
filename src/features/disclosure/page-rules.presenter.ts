import type { DisclosedPity } from '../../engine/systems/disclosed-rules.ts';
import { nameIn } from './page-formats.presenter.ts';
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
  smallTable,
  tierName,
  withoutTags,
} from './page-parts.presenter.ts';

const strong = (text: string): string => `<strong>${text}</strong>`;

/** The rate by roll as a curve. The table beside it says the same. */
const curve = ({ words, type }: PageContent, { byRoll, threshold }: DisclosedPity, name: string): string => {
  const [width, height, edge] = [600, 120, 2];
  const x = (rolls: number): string => ((rolls / threshold) * width).toFixed(1);
  const y = (rate: number): string => ((1 - rate) * (height - 2 * edge) + edge).toFixed(1);
  const points = byRoll.flatMap(({ from, to, rate }) => [`${x(from - 1)},${y(rate)}`, `${x(to)},${y(rate)}`]).join(' ');
  return [
    `<div class="curve" aria-hidden="true"><div>${words.curve(type, name)}</div>`,
    `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">`,
    `<polygon class="area" points="0,${height} ${points} ${width},${height}"/>`,
    `<polyline class="line" points="${points}" vector-effect="non-scaling-stroke"/></svg>`,
    `<div class="ends"><span>${words.firstRoll(type)}</span><span>${words.certainRoll(type, threshold)}</span></div></div>`,
  ].join('');
};

const pityText = (content: PageContent, pity: DisclosedPity, isTop: boolean): string => {
  const { words, type } = content;
  const { threshold, higherResets, byRoll } = pity;
  const name = strong(namesOf(content)(pity.tier));
  const rises = threshold > 1 ? byRoll.find(({ from, to }) => from > 1 && to < threshold)?.from : undefined;
  return paragraph(
    [
      words.certain(type, name, { misses: threshold - 1, isTop, higherResets }),
      ...(rises === undefined ? [] : [words.rises(type, rises)]),
    ].join(words.gap),
  );
};

/** The most rows of a table that are always shown. */
const SHORT = 12;

const pityTable = (content: PageContent, { tier, byRoll }: DisclosedPity): string => {
  const { words, type } = content;
  const rates = smallTable(
    words.chanceOf(withoutTags(namesOf(content)(tier))),
    head(column(words.sinceLast(type)), column(content.pack === null ? words.chanceOnly : words.atLeastOne)),
    body(byRoll.map(({ from, to, rate }) => row(range(from, to), cell(words.formats.percent(rate))))),
  );
  return byRoll.length <= SHORT ? rates : `<details><summary>${words.showEach(type)}</summary>${rates}</details>`;
};

/** Whose rolls are counted together. Others of the group may not be public. */
const groupText = ({ words, pityGroup }: PageContent): string => {
  if (pityGroup === null) return words.countedAlone;
  const links = pityGroup.templates.map(
    ({ templateId, name }) => `<a href="${encodeURIComponent(templateId)}">${nameIn(name)}</a>`,
  );
  return links.length === 0 ? words.countedInHiddenGroup : words.countedInGroup(words.formats.listed(links));
};

export const pitySection = (content: PageContent): string => {
  const { words, pity, tiers } = content;
  if (pity.length === 0) return '';
  const [top] = tiers;
  const parts = pity.map((one) => {
    const name = namesOf(content)(one.tier);
    const isTop = one.tier === top?.tier;
    return [
      pity.length > 1 ? `<h3>${name}</h3>` : '',
      pityText(content, one, isTop),
      one.byRoll.length > 2 && isTop ? curve(content, one, name) : '',
      pityTable(content, one),
      isTop ? '' : note(words, words.lowerPity),
    ].join('');
  });
  return section('pity', words.pity, ...parts, note(words, groupText(content)));
};

/** The most featured items that a sentence names. */
const NAMED = 20;

const featuredNames = ({ words, featuredNames: names }: PageContent): string =>
  names.length > NAMED
    ? words.featuredMany(names.length)
    : words.formats.listed(names.map((name) => strong(nameIn(name))));

export const featuredSection = (content: PageContent): string => {
  const { words, type, featured, sparkCurrency: price, tiers } = content;
  if (featured === null) return '';
  const { share, guaranteeAfterLosses: losses } = featured;
  const top = tierName(content, tiers[0] ?? { name: null, tier: null });
  const texts = [
    words.featuredAre(featuredNames(content)),
    ...(share === null ? [] : [words.featuredShare(top, strong(words.formats.percent(share)))]),
    ...(losses === null ? [] : [words.guarantee(top, losses)]),
  ];
  return section(
    'featured',
    words.featured,
    paragraph(texts.join(words.gap)),
    price !== null && paragraph(words.spark(type, price)),
  );
};
