import type { DisclosedPity, DisclosedRules } from '../../engine/systems/disclosed-rules.ts';
import type { ItemRow, TierRow } from '../../engine/systems/odds.ts';
import type { PublicOddsInForce, PublicResults } from './disclosure.contract.ts';
import { STYLE } from './page-style.presenter.ts';
import {
  count,
  escaped,
  listed,
  many,
  mean,
  moment,
  nameIn,
  ordinal,
  percent,
  shortMoment,
} from './page-words.presenter.ts';

/** Everything that a page shows. Times are ISO 8601. */
export interface PageContent extends DisclosedRules {
  readonly templateId: string;
  readonly name: string;
  readonly type: 'gacha' | 'idle' | 'card_pack' | 'roguelike';
  readonly config: string;
  readonly version: number;
  readonly from: string;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly tiers: readonly TierRow[];
  /** Grouped by tier, rarest first; perhaps not all of them. */
  readonly items: readonly ItemRow[];
  readonly itemCount: number;
  readonly featuredNames: readonly string[];
  readonly sharesPity: boolean;
  readonly results: PublicResults;
  readonly alarmedAt: string | null;
  readonly history: readonly PublicOddsInForce[];
  readonly isWholeHistory: boolean;
}

/** What players call one roll, and one item that it gives. */
const WORDS = {
  gacha: { system: 'Banner', roll: 'roll', result: 'roll' },
  idle: { system: 'Idle drops', roll: 'roll', result: 'roll' },
  card_pack: { system: 'Card pack', roll: 'pack', result: 'card' },
  roguelike: { system: 'Offer', roll: 'offer', result: 'choice' },
} as const;

type Content = PageContent & { readonly words: (typeof WORDS)[PageContent['type']] };

const section = (id: string, title: string, ...parts: readonly string[]): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts.join('')}</section>`;

const paragraph = (text: string, kind?: string): string =>
  `<p${kind === undefined ? '' : ` class="${kind}"`}>${text}</p>`;

/** A table that scrolls on its own if it is too wide. */
const table = (title: string, ...parts: readonly string[]): string =>
  `<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table>${parts.join('')}</table></div>`;

const heads = (...titles: readonly (string | false)[]): string =>
  `<thead><tr>${titles
    .filter((title) => title !== false)
    .map((title) => (title.startsWith('<th') ? title : `<th scope="col">${title}</th>`))
    .join('')}</tr></thead>`;

const cells = (...texts: readonly (string | false)[]): string =>
  texts
    .filter((text) => text !== false)
    .map((text) => (text.startsWith('<t') ? text : `<td>${text}</td>`))
    .join('');

const row = (first: string, ...texts: readonly (string | false)[]): string =>
  `<tr><th scope="row">${first}</th>${cells(...texts)}</tr>`;

/** Only a wide screen shows it, and paper. */
const wideHead = (text: string): string => `<th scope="col" class="wide">${text}</th>`;
const wideCell = (text: string): string => `<td class="wide">${text}</td>`;

const ONLY_TIER = 'All items';
const tierName = ({ name, tier }: Pick<TierRow, 'name' | 'tier'>): string =>
  name === null && tier === null ? ONLY_TIER : nameIn(name ?? tier ?? '');

const namesOf = ({ tiers }: Pick<PageContent, 'tiers'>) => {
  const names = new Map(tiers.map((row) => [row.tier, tierName(row)]));
  return (tier: string | null): string => names.get(tier) ?? nameIn(tier ?? '');
};

/** Whether pity or a guarantee changes anything in the long run. */
const hasHelp = ({ pity, featured }: PageContent): boolean =>
  pity.length > 0 || (featured?.guaranteeAfterLosses ?? null) !== null;

const facts = ({ startsAt, endsAt, from, type, pack, words }: Content): string => {
  const fact = (title: string, text: string): string => `<div><dt>${title}</dt><dd>${text}</dd></div>`;
  const period =
    startsAt === null && endsAt === null
      ? 'no time limit'
      : [startsAt === null ? '' : `from ${moment(startsAt)}`, endsAt === null ? '' : `until ${moment(endsAt)}`]
          .filter((text) => text !== '')
          .join(' ');
  return `<dl class="facts">${[
    fact('Kind', words.system),
    ...(pack === null
      ? []
      : [
          fact(
            `One ${words.roll} is`,
            `${pack.unique ? `${count(pack.cards)} different` : count(pack.cards)} ${type === 'roguelike' ? 'items to choose from' : 'cards'}`,
          ),
        ]),
    fact('Available', period),
    fact('These odds apply since', moment(from)),
  ].join('')}</dl>`;
};

/** Odds of tiers or items, as cells. */
const oddsCells = (content: Content, odds: TierRow | ItemRow): (string | false)[] => [
  percent(odds.base),
  hasHelp(content) && percent(odds.effective),
  mean(odds.expectedRolls),
  odds.worstRolls === null ? 'no limit' : count(odds.worstRolls),
];

const oddsHeads = (content: Content): (string | false)[] => {
  const { roll, result } = content.words;
  return [
    `Chance per ${result}`,
    hasHelp(content) && 'Overall, with pity',
    `Average ${roll}s until the first`,
    `At most`,
  ];
};

const tierSection = (content: Content): string => {
  const { tiers, pack, words } = content;
  const chances = new Map(pack?.contains.map(({ tier, rate }) => [tier, rate]));
  const { roll, result } = words;
  return section(
    'tiers',
    'Odds by tier',
    table(
      'Odds by tier',
      heads(
        'Tier',
        ...oddsHeads(content).slice(0, 2),
        pack !== null && `At least one in ${roll === 'offer' ? 'an' : 'a'} ${roll}`,
        ...oddsHeads(content).slice(2, 3),
        wideHead('Half of all players have one after'),
        ...oddsHeads(content).slice(3),
      ),
      `<tbody>${tiers
        .map((odds) => {
          const [base = false, overall = false, average = false, worst = false] = oddsCells(content, odds);
          const median = odds.medianRolls === null ? 'never' : many(odds.medianRolls, roll);
          const contains = pack !== null && percent(chances.get(odds.tier) ?? 0);
          return row(tierName(odds), base, overall, contains, average, wideCell(median), worst);
        })
        .join('')}</tbody>`,
      `<tfoot>${row(
        'Together',
        '100 %',
        hasHelp(content) && '100 %',
        pack !== null && '',
        '',
        wideCell(''),
        '',
      )}</tfoot>`,
    ),
    paragraph(
      [
        `“Chance per ${result}” is the chance without any help${pack === null ? '' : `, as a share of all ${result}s`}.`,
        hasHelp(content)
          ? `“Overall” is the share in the long run, with ${listed([...(content.pity.length > 0 ? ['pity'] : []), ...(content.featured?.guaranteeAfterLosses ? ['the guarantee'] : [])])}.`
          : '',
        `“Average ${roll}s” and “at most” count from a player's first ${roll} until the first one.`,
        'Percentages are rounded to four digits, so a column may add up to a little more or less than 100 %.',
      ].join(' '),
      'note',
    ),
  );
};

/** The most rows of a table that are always shown. */
const SHORT = 12;

const chart = ({ byRoll, threshold }: DisclosedPity, roll: string): string => {
  const [width, height] = [600, 120];
  const x = (before: number): string => ((before / threshold) * width).toFixed(1);
  const y = (rate: number): string => ((1 - rate) * (height - 4) + 2).toFixed(1);
  const points = byRoll.flatMap(({ from, to, rate }) => [`${x(from - 1)},${y(rate)}`, `${x(to)},${y(rate)}`]).join(' ');
  return `<div class="chart" aria-hidden="true"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><polygon class="area" points="0,${height} ${points} ${width},${height}"/><polyline class="line" points="${points}" vector-effect="non-scaling-stroke"/></svg><div class="ends"><span>1st ${roll}</span><span>${ordinal(threshold)} ${roll}</span></div></div>`;
};

const rangeOf = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  from === to ? count(from) : `${count(from)}–${count(to)}`;

const pityText = (content: Content, pity: DisclosedPity, isTop: boolean): string => {
  const { pack, words } = content;
  const { roll } = words;
  const { threshold, higherResets, byRoll } = pity;
  const name = `<strong>${namesOf(content)(pity.tier)}</strong>`;
  const due = isTop ? name : `${name} or a rarer tier`;
  const rises = byRoll.find(({ from, to }) => from > 1 && to < threshold)?.from;
  return [
    threshold === 1
      ? `Every ${roll} ${pack === null ? 'gives' : 'contains'} ${due}.`
      : `After ${many(threshold - 1, roll)} in a row without ${higherResets ? due : name}, the next ${roll} is certain to ${pack === null ? 'give' : 'contain'} ${due}.`,
    rises === undefined ? '' : `From the ${ordinal(rises)} ${roll} on, the chance is higher than usual.`,
  ].join(' ');
};

const pityTable = (content: Content, pity: DisclosedPity): string => {
  const { pack, words } = content;
  const { byRoll } = pity;
  const title = `Chance of ${namesOf(content)(pity.tier).replaceAll(/<\/?bdi>/g, '')}`;
  const body = table(
    title,
    heads(
      `${words.roll[0]?.toUpperCase()}${words.roll.slice(1)}s since the last one`,
      pack === null ? 'Chance' : 'Chance of at least one',
    ),
    `<tbody>${byRoll.map((range) => row(rangeOf(range), percent(range.rate))).join('')}</tbody>`,
  );
  return byRoll.length <= SHORT
    ? body
    : `<details><summary>Show the chance of each ${words.roll}</summary>${body}</details>`;
};

const pitySection = (content: Content): string => {
  const { pity, tiers, sharesPity, words } = content;
  if (pity.length === 0) return '';
  const top = tiers[0]?.tier;
  const parts = pity.map((one) =>
    [
      pity.length > 1 ? `<h3>${namesOf(content)(one.tier)}</h3>` : '',
      paragraph(pityText(content, one, one.tier === top)),
      one.byRoll.length > 2 ? chart(one, words.roll) : '',
      pityTable(content, one),
      one.tier === top
        ? ''
        : paragraph(
            'While no rarer tier is close to its own pity. Rarer tiers keep their chance, also when this one is due.',
            'note',
          ),
    ].join(''),
  );
  const shared = `Counted for each player${sharesPity ? ', together with other banners of the same group' : ''}.`;
  return section('pity', 'Pity: how the chance rises', ...parts, paragraph(shared, 'note'));
};

/** The most featured items that a sentence names. */
const NAMED = 20;

const namesOfFeatured = ({ featuredNames }: PageContent): string =>
  featuredNames.length > NAMED
    ? `${count(featuredNames.length)} items, marked in the list below`
    : listed(featuredNames.map((name) => `<strong>${nameIn(name)}</strong>`));

const featuredSection = (content: Content): string => {
  const { featured, sparkCurrency, tiers, words } = content;
  if (featured === null) return '';
  const { share, guaranteeAfterLosses: losses } = featured;
  const top = tierName(tiers[0] ?? { name: null, tier: null });
  const sentences = [
    `Featured: ${namesOfFeatured(content)}.`,
    share === null ? '' : `A result of ${top} is featured with a chance of <strong>${percent(share)}</strong>.`,
    losses === null
      ? ''
      : `After ${losses === 1 ? 'one result' : `${count(losses)} results in a row`} of ${top} that ${losses === 1 ? 'was' : 'were'} not featured, the next one is certain to be.`,
  ];
  const spark = `Every ${words.roll} also gives one point. For <strong>${many(sparkCurrency ?? 0, 'point')}</strong>, players can choose a featured item, so nobody needs more than ${many(sparkCurrency ?? 0, words.roll)} for it.`;
  return section(
    'featured',
    'Featured items',
    paragraph(sentences.filter((text) => text !== '').join(' ')),
    sparkCurrency === null ? '' : paragraph(spark),
  );
};

const packSection = (content: Content): string => {
  const { pack, words, tiers } = content;
  if (pack === null) return '';
  const nameOf = namesOf(content);
  let card = 0;
  const slots = pack.slots.map(({ count: cards, tiers: rates }) => {
    const range = { from: card + 1, to: card + cards };
    card += cards;
    return row(rangeOf(range), ...rates.map(({ rate }) => percent(rate)));
  });
  const title = `What each ${words.result} of ${words.roll === 'offer' ? 'an' : 'a'} ${words.roll} can be`;
  return section(
    'pack',
    title,
    table(
      title,
      heads(`${words.result[0]?.toUpperCase()}${words.result.slice(1)}`, ...tiers.map(tierName)),
      `<tbody>${slots.join('')}</tbody>`,
    ),
    pack.unique
      ? paragraph(
          `All ${words.result}s of ${words.roll === 'offer' ? 'an' : 'a'} ${words.roll} are different. When a tier is used up, the others keep their proportions.`,
          'note',
        )
      : '',
    pack.depthScaling.length > 0
      ? paragraph(
          `These are the odds at depth 0. With each further level, the rate of ${listed(pack.depthScaling.map(({ tier, factor }) => `${nameOf(tier)} is multiplied by ${factor}`))}.`,
        )
      : '',
  );
};

const itemSection = (content: Content): string => {
  const { items, itemCount, tiers } = content;
  const width = 1 + oddsHeads(content).filter((head) => head !== false).length;
  const groups = Map.groupBy(items, ({ tier }) => tier);
  const bodies = tiers.flatMap((tier) => {
    const found = groups.get(tier.tier) ?? [];
    if (found.length === 0) return [];
    const head =
      tiers.length > 1 ? `<tr class="group"><th scope="rowgroup" colspan="${width}">${tierName(tier)}</th></tr>` : '';
    const rows = found.map((item) => {
      const badge = item.featured ? '<span class="badge">featured</span>' : '';
      return `<tr><td class="name">${nameIn(item.itemName)}${badge}</td>${cells(...oddsCells(content, item))}</tr>`;
    });
    return `<tbody>${head}${rows.join('')}</tbody>`;
  });
  const rest =
    items.length < itemCount
      ? paragraph(
          `The ${count(items.length)} items of the rarest tiers are listed here. <a href="${escaped(encodeURIComponent(content.templateId))}/odds" target="_blank" rel="noopener">All ${count(itemCount)} items as JSON</a>.`,
          'note',
        )
      : paragraph('All items together: 100 %.', 'note');
  return section(
    'items',
    `Odds of each item`,
    table('Odds of each item', heads('Item', ...oddsHeads(content)), ...bodies),
    rest,
  );
};

/** From here on, results are remarkable. */
const REMARKABLE = 10;

const verdict = ({ results: { evidence }, alarmedAt }: PageContent): string => {
  if (alarmedAt !== null)
    return paragraph(
      `Evidence 1 : ${count(evidence)} against the published odds. The alarm was raised on ${moment(alarmedAt)}.`,
      'verdict bad',
    );
  if (evidence < REMARKABLE) return paragraph('There is no evidence against the published odds.', 'verdict');
  return paragraph(
    `Evidence 1 : ${count(evidence)} against the published odds. This is below the level of an alarm, and may be chance.`,
    'verdict',
  );
};

const resultSection = (content: Content): string => {
  const { results, tiers, type, pack, words } = content;
  if (results.rolls === 0)
    return section('results', 'Results so far', paragraph('Nothing was rolled with these odds yet.'));
  const shares = new Map(results.tiers.map(({ tier, share }) => [tier, share]));
  const unit = pack === null ? 'rolls' : type === 'roguelike' ? 'choices' : 'cards';
  return section(
    'results',
    'Results so far',
    paragraph(`About ${count(results.rolls)} ${unit} with these odds, by all players:`),
    results.tiers.length === 0
      ? ''
      : table(
          'Results so far',
          heads('Tier', `Share of ${unit}`, hasHelp(content) ? 'Published, overall' : 'Published'),
          `<tbody>${tiers.map((tier) => row(tierName(tier), percent(shares.get(tier.tier) ?? 0), percent(tier.effective))).join('')}</tbody>`,
        ),
    verdict(content),
    paragraph(
      [
        `Every ${words.roll} is compared with the odds that it had. The more the results speak against the published odds, the greater the evidence; 1 or less is none.`,
        pack !== null && content.pity.length > 0 ? `Shares leave out ${unit} that pity decided.` : '',
      ].join(' '),
      'note',
    ),
  );
};

const historySection = ({ history, isWholeHistory }: Content): string => {
  const rows = history.map(({ from, to, config, version, tiers }) => {
    const odds =
      config === null
        ? 'could not be rolled on'
        : tiers === null
          ? 'not computed'
          : tiers.map((tier) => `${tierName(tier)} ${percent(tier.base)}`).join(', ');
    const until = to === null ? 'now' : shortMoment(to);
    const hash = config === null ? '' : `<code>${config.slice(0, 8)}</code>`;
    return `<tr><td class="when">${shortMoment(from)}</td><td class="when text">${until}</td><td class="text">${odds}</td>${wideCell(count(version))}${wideCell(hash)}</tr>`;
  });
  return section(
    'history',
    'History of these odds',
    table(
      'History of these odds',
      heads(
        'From (UTC)',
        '<th scope="col" class="text">Until</th>',
        '<th scope="col" class="text">Chance by tier</th>',
        wideHead('Version'),
        wideHead('Configuration'),
      ),
      `<tbody>${rows.join('')}</tbody>`,
    ),
    isWholeHistory ? '' : paragraph(`Earlier versions are not listed.`, 'note'),
  );
};

const footer = ({ config, version, templateId }: Content): string => {
  const path = escaped(encodeURIComponent(templateId));
  const link = (name: string, text: string): string =>
    `<a href="${path}/${name}" target="_blank" rel="noopener">${text}</a>`;
  return `<footer>${paragraph(`Version ${count(version)} of the catalog. Configuration <code>${config}</code>`)}${paragraph(
    `The same as data: ${link('odds', 'odds')}, ${link('history', 'history')}. The odds are computed from the rules that every roll uses, not sampled.`,
    'soft',
  )}</footer>`;
};

/** The page of a template for players: no script, and nothing is loaded. */
export const disclosurePage = (given: PageContent): string => {
  const content: Content = { ...given, words: WORDS[given.type] };
  const title = escaped(content.name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Odds of ${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 dir="auto">${title}</h1>
<p class="soft">Odds, rules and results</p>
${facts(content)}
${tierSection(content)}
${pitySection(content)}
${featuredSection(content)}
${packSection(content)}
${itemSection(content)}
${resultSection(content)}
${historySection(content)}
</main>
${footer(content)}
</body>
</html>
`;
};
