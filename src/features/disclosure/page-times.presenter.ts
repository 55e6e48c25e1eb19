import { nameIn } from './page-formats.presenter.ts';
import {
  body,
  cell,
  column,
  head,
  note,
  type PageContent,
  paragraph,
  row,
  section,
  smallTable,
  table,
  tierName,
} from './page-parts.presenter.ts';

/** What players will get, if their team announces it. */
export const announcedSection = (content: PageContent): string => {
  const { words, announced } = content;
  if (announced.length === 0) return '';
  const { moment, percent } = words.formats;
  const shareCell = (share: number | null): string => cell(share === null ? '–' : percent(share));
  const changes = announced.map(({ at, tiers, items, moreItems }) => {
    const rows = (name: string, list: readonly string[]) => [
      head(column(name), column(words.now), column(words.afterwards)),
      body(list),
    ];
    const byTier = tiers.map((tier) => row(tierName(content, tier), shareCell(tier.before), shareCell(tier.after)));
    const byItem = items.map(({ itemName, before, after }) =>
      row(nameIn(itemName), shareCell(before), shareCell(after)),
    );
    return [
      paragraph(`<strong>${words.announcedFrom(moment(at))}</strong>`),
      tiers.length > 0 ? smallTable(`${words.announced}: ${words.tier}`, ...rows(words.tier, byTier)) : '',
      items.length > 0 ? smallTable(`${words.announced}: ${words.item}`, ...rows(words.item, byItem)) : '',
      moreItems > 0 ? note(words, words.moreItemsChange(moreItems)) : '',
    ].join('');
  });
  return section('announced', words.announced, ...changes, note(words, words.announcedNote));
};

const oddsText = (content: PageContent, { config, tiers }: PageContent['history'][number]): string => {
  const { words } = content;
  if (config === null) return words.notRollable;
  if (tiers === null) return words.notComputed;
  return tiers
    .map((tier) => `<span class="whole">${tierName(content, tier)} ${words.formats.percent(tier.base)}</span>`)
    .join(' ');
};

export const historySection = (content: PageContent): string => {
  const { words, history, isWholeHistory } = content;
  const { count, shortMoment } = words.formats;
  const rows = history.map((past) => {
    const { from, to, config, version } = past;
    return `<tr>${[
      cell(shortMoment(from), 'when'),
      cell(to === null ? words.current : shortMoment(to), 'when'),
      cell(oddsText(content, past), 'text'),
      cell(count(version), 'wide'),
      cell(config === null ? '' : `<code>${config.slice(0, 8)}</code>`, 'wide'),
    ].join('')}</tr>`;
  });
  return section(
    'history',
    words.history,
    table(
      words.history,
      head(
        column(words.historyFrom, 'text'),
        column(words.historyUntil, 'text'),
        column(words.historyOdds, 'text'),
        column(words.version, 'wide'),
        column(words.configuration, 'wide'),
      ),
      body(rows),
    ),
    !isWholeHistory && note(words, words.earlierLeftOut),
  );
};
