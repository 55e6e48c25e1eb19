import { countOf, formatCount } from '../shared.ts';
import type { Pair, PoolOdds } from './api.ts';
import { clip, padEnd, padStart, widthOf } from './terminal.ts';

/** More decimals than this are written with an exponent. */
const MOST_DECIMALS = 12;

const isThere = (share: number | null): share is number => share !== null && share > 0;

const percent = (share: number | null, decimals: number): string => {
  if (share === null) return '–';
  if (share === 0) return '0%';
  return decimals > MOST_DECIMALS ? `${(share * 100).toExponential(2)}%` : `${(share * 100).toFixed(decimals)}%`;
};

/** Two shares in percent, with three digits that count, or as many as it takes to tell them apart. */
export const percents = ({ before, after }: Pair): [string, string] => {
  const present = [before, after].filter(isThere).map((share) => share * 100);
  if (present.length === 0) return [percent(before, 0), percent(after, 0)];
  const needed = 2 - Math.floor(Math.log10(Math.min(...present)));
  let decimals = Math.max(2, needed);
  while (before !== after && decimals < MOST_DECIMALS && percent(before, decimals) === percent(after, decimals))
    decimals += 1;
  return [percent(before, decimals), percent(after, decimals)];
};

/** How much a share changed in relation to what it was. */
export const relativeChange = ({ before, after }: Pair): string => {
  if (!isThere(before)) return isThere(after) ? 'new' : '';
  if (!isThere(after)) return 'gone';
  const ratio = after / before;
  if (ratio >= 10) return `×${ratio.toPrecision(3)}`;
  const change = (ratio - 1) * 100;
  const sign = change < 0 ? '-' : '+';
  const size = Math.abs(change);
  if (size === 0) return '';
  return `${sign}${size >= 1 ? size.toFixed(1) : size.toPrecision(2)}%`;
};

/** Pads numbers so that their decimal points are in line. */
const alignPoints = (texts: readonly string[]): string[] => {
  const parts = texts.map((text) => {
    const at = text.search(/[.%]/);
    return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  }) as [string, string][];
  const left = Math.max(...parts.map(([whole]) => whole.length));
  const right = Math.max(...parts.map(([, rest]) => rest.length));
  return parts.map(([whole, rest]) => padStart(whole, left) + padEnd(rest, right));
};

interface Row extends Pair {
  readonly label: string;
}

/** Names that several items have are told apart by their ids. */
const itemRows = (items: PoolOdds['items']): Row[] => {
  const counts = Map.groupBy(items, ({ itemName }) => itemName);
  return items.map(({ itemId, itemName, before, after }) => ({
    label: (counts.get(itemName)?.length ?? 0) > 1 ? `${itemName} (${itemId})` : itemName,
    before,
    after,
  }));
};

const formatRows = (rows: readonly Row[], columns: number): string[] => {
  const texts = rows.map(percents);
  const before = ['before', ...alignPoints(texts.map(([text]) => text))];
  const after = ['after', ...alignPoints(texts.map(([, text]) => text))];
  const change = ['change', ...rows.map(relativeChange)];
  const widths = [before, after, change].map((column) => Math.max(...column.map(widthOf)));
  const labels = ['', ...rows.map(({ label }) => label)];
  const room = columns - widths.reduce((sum, width) => sum + width + 2, 0);
  const labelWidth = Math.min(room, Math.max(...labels.map(widthOf)));
  return labels.map((label, index) =>
    [
      padEnd(clip(label, labelWidth), labelWidth),
      ...[before, after, change].map((column, at) => padStart(column[index] as string, widths[at] as number)),
    ].join('  '),
  );
};

/** Numbers of rolls with a decimal, or as many as it takes to tell them apart; whole ones without. */
const showRolls = ({ before, after }: Pair): string => {
  const show = (rolls: number | null, decimals: number): string =>
    rolls === null ? '–' : Number.isInteger(rolls) ? String(rolls) : rolls.toFixed(decimals);
  let decimals = 1;
  while (decimals < MOST_DECIMALS && show(before, decimals) === show(after, decimals)) decimals += 1;
  return `${show(before, decimals)} → ${show(after, decimals)} rolls`;
};

const rollsLine = (title: string, pair: Pair | null): string[] =>
  pair === null || pair.before === pair.after ? [] : [`${title}: ${showRolls(pair)}`];

const tierRows = (tiers: PoolOdds['tiers']): Row[] =>
  tiers.map(({ tier, name, before, after }) => ({ label: name || (tier ?? 'no tier'), before, after }));

/** How many items that change are not shown, and how to see them. */
const moreLine = (pool: PoolOdds, shown: number): string[] => {
  const hidden = pool.items.length - shown;
  const more = hidden + pool.moreItems;
  if (more === 0) return [];
  const listed = pool.moreItems > 0 ? `the first ${formatCount(pool.items.length)}` : 'all of them';
  return [`… and ${countOf(more, 'more item')}${hidden > 0 ? `; --verbose shows ${listed}` : ''}`];
};

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`.trimEnd())];

const isGone = ({ tiers, items }: PoolOdds): boolean => [...tiers, ...items].every(({ after }) => after === null);

/** The odds of a pool before and after: tiers first, then items, largest change first. */
export const oddsTable = (pool: PoolOdds, columns: number, mostItems: number): string[] => {
  if (isGone(pool))
    return [`Nothing can be rolled here any more; before, ${countOf(pool.items.length + pool.moreItems, 'item')}.`];
  const tiers = tierRows(pool.tiers);
  const items = itemRows(pool.items).slice(0, mostItems);
  const [header = '', ...lines] = formatRows([...tiers, ...items], columns - 2);
  return [
    ...(lines.length === 0 ? [] : [`  ${header}`]),
    ...section('Tiers', lines.slice(0, tiers.length)),
    ...section('Items', [...lines.slice(tiers.length), ...moreLine(pool, items.length)]),
    ...rollsLine('Until a featured item, on average', pool.featuredMean),
    ...rollsLine('Until the rarest tier, at most', pool.worst),
  ];
};
