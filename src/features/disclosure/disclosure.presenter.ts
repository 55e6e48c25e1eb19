import { itemSection, tierSection } from './page-odds.presenter.ts';
import {
  body,
  cell,
  column,
  hasHelp,
  head,
  linkTo,
  note,
  type PageContent,
  paragraph,
  row,
  section,
  smallTable,
  table,
  tierName,
  wordsOf,
} from './page-parts.presenter.ts';
import { featuredSection, packSection, pitySection } from './page-rules.presenter.ts';
import { STYLE } from './page-style.presenter.ts';
import { count, escaped, moment, percent, shortMoment } from './page-words.presenter.ts';

const periodText = ({ startsAt, endsAt }: PageContent): string => {
  if (startsAt === null) return endsAt === null ? 'no time limit' : `until ${moment(endsAt)}`;
  return endsAt === null ? `from ${moment(startsAt)}` : `${moment(startsAt)} to ${moment(endsAt)}`;
};

const packText = ({ type, pack }: PageContent): string => {
  const cards = `${count(pack?.cards ?? 0)}${pack?.unique ? ' different' : ''}`;
  return type === 'roguelike' ? `${cards} items to choose from` : `${cards} cards`;
};

const facts = (content: PageContent): string => {
  const fact = (title: string, text: string): string => `<div><dt>${title}</dt><dd>${text}</dd></div>`;
  return `<dl class="facts">${[
    content.pack === null ? '' : fact(`One ${wordsOf(content).roll}`, packText(content)),
    fact('Available', periodText(content)),
    fact('In force since', moment(content.from)),
  ].join('')}</dl>`;
};

/** From here on, results are remarkable. */
const REMARKABLE = 10;

const verdict = ({ results: { evidence }, alarmedAt }: PageContent): string => {
  const against = `Evidence 1 : ${count(evidence)} against the published odds.`;
  if (alarmedAt !== null) return `<p class="verdict bad">${against} The alarm was raised on ${moment(alarmedAt)}.</p>`;
  return `<p class="verdict">${
    evidence < REMARKABLE
      ? 'There is no evidence against the published odds.'
      : `${against} This is too little for an alarm, and may be chance.`
  }</p>`;
};

const resultSection = (content: PageContent): string => {
  const { results, tiers, pack, pity } = content;
  const { roll, result } = wordsOf(content);
  if (results.rolls === 0)
    return section('results', 'Results so far', paragraph('Nothing has been rolled with these odds yet.'));
  const shares = new Map(results.tiers.map(({ tier, share }) => [tier, share]));
  const rows = tiers.map((tier) =>
    row(tierName(tier), cell(percent(shares.get(tier.tier) ?? 0)), cell(percent(tier.effective))),
  );
  const columns = [column('Tier'), column('So far'), column(hasHelp(content) ? 'Published, overall' : 'Published')];
  return section(
    'results',
    'Results so far',
    paragraph(`These odds have applied to about ${count(results.rolls)} ${result}s so far.`),
    results.tiers.length > 0 && smallTable('Results so far', head(...columns), body(rows)),
    verdict(content),
    note(
      `Every ${roll} is compared with the odds that applied to it. The more the results speak against them, the greater the evidence; 1 or less is none.`,
      pack !== null && pity.length > 0 && `Shares leave out ${result}s that pity decided.`,
    ),
  );
};

const oddsText = ({ config, tiers }: PageContent['history'][number]): string => {
  if (config === null) return 'could not be rolled on';
  if (tiers === null) return 'not computed';
  return tiers.map((tier) => `<span class="whole">${tierName(tier)} ${percent(tier.base)}</span>`).join(' ');
};

const historySection = ({ history, isWholeHistory }: PageContent): string => {
  const rows = history.map((past) => {
    const { from, to, config, version } = past;
    return `<tr>${[
      cell(shortMoment(from), 'when'),
      cell(to === null ? 'now' : shortMoment(to), 'when'),
      cell(oddsText(past), 'text'),
      cell(count(version), 'wide'),
      cell(config === null ? '' : `<code>${config.slice(0, 8)}</code>`, 'wide'),
    ].join('')}</tr>`;
  });
  return section(
    'history',
    'History of these odds',
    table(
      'History of these odds',
      head(
        column('From (UTC)', 'text'),
        column('Until', 'text'),
        column('Chance by tier', 'text'),
        column('Version', 'wide'),
        column('Configuration', 'wide'),
      ),
      body(rows),
    ),
    !isWholeHistory && note('Earlier versions are not listed.'),
  );
};

const footer = (content: PageContent): string =>
  `<footer>${[
    paragraph(`Version ${count(content.version)} of the catalog, configuration <code>${content.config}</code>`),
    note(
      'The odds are computed from the rules that every roll uses, not sampled.',
      `As data: ${linkTo(content, 'odds', 'odds and results')}, ${linkTo(content, 'history', 'history')}.`,
    ),
  ].join('')}</footer>`;

/** The page of a template for players: no script, and nothing is loaded. */
export const disclosurePage = (content: PageContent): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Odds of ${escaped(content.name)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1 dir="auto">${escaped(content.name)}</h1>
<p class="kind">${wordsOf(content).system}: odds, rules and results</p>
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
