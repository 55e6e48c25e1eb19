import type { Language } from './disclosure.contract.ts';
import { attributeSection } from './page-attributes.presenter.ts';
import { escaped } from './page-formats.presenter.ts';
import { itemSection, tierSection } from './page-odds.presenter.ts';
import { depthSection, packSection } from './page-packs.presenter.ts';
import { linkTo, note, type PageContent, paragraph } from './page-parts.presenter.ts';
import { resultSection } from './page-results.presenter.ts';
import { featuredSection, pitySection } from './page-rules.presenter.ts';
import { STYLE } from './page-style.presenter.ts';
import { announcedSection, historySection } from './page-times.presenter.ts';
import type { Words } from './words.presenter.ts';
import { german } from './words-de.presenter.ts';
import { english } from './words-en.presenter.ts';
import { japanese } from './words-ja.presenter.ts';
import { korean } from './words-ko.presenter.ts';
import { chinese } from './words-zh.presenter.ts';

const WORDS: Readonly<Record<Language, Words>> = { en: english, ja: japanese, ko: korean, zh: chinese, de: german };

const periodText = ({ words, startsAt, endsAt }: PageContent): string => {
  const { moment } = words.formats;
  if (startsAt === null) return endsAt === null ? words.always : words.until(moment(endsAt));
  return endsAt === null ? words.from(moment(startsAt)) : words.between(moment(startsAt), moment(endsAt));
};

const facts = (content: PageContent): string => {
  const { words, type, pack, idle, from } = content;
  const fact = (title: string, text: string): string => `<div><dt>${title}</dt><dd>${text}</dd></div>`;
  return `<dl class="facts">${[
    pack === null ? '' : fact(words.oneRoll(type), words.contents(type, pack.cards, pack.unique)),
    idle === null ? '' : fact(words.accrual, words.accrues(idle.rollsPerHour, idle.maxHours, idle.maxRolls)),
    fact(words.available, periodText(content)),
    fact(words.inForceSince, words.formats.moment(from)),
  ].join('')}</dl>`;
};

/** The same page in other languages; each is named in its own. */
const languageLinks = (current: Language, { words, templateId }: PageContent): string => {
  const links = Object.entries(WORDS).map(([language, { tag, language: name }]) =>
    language === current
      ? `<span aria-current="true">${name}</span>`
      : `<a href="${encodeURIComponent(templateId)}?lang=${language}" lang="${tag}" hreflang="${tag}">${name}</a>`,
  );
  return `<nav aria-label="${words.languages}">${links.join(' ')}</nav>`;
};

const footer = (content: PageContent): string => {
  const { words, version, config } = content;
  return `<footer>${[
    paragraph(words.catalogVersion(version, `<code>${config}</code>`)),
    note(
      words,
      words.computed,
      words.asData(linkTo(content, 'odds', words.oddsLink), linkTo(content, 'history', words.historyLink)),
    ),
  ].join('')}</footer>`;
};

/** The page of a template for players: no script, and nothing is loaded. */
export const disclosurePage = (language: Language, given: Omit<PageContent, 'words'>): string => {
  const words = WORDS[language];
  const content: PageContent = { ...given, words };
  return `<!doctype html>
<html lang="${words.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${words.pageTitle(escaped(content.name))}</title>
<style>${STYLE}</style>
</head>
<body>
${languageLinks(language, content)}
<main>
<h1 dir="auto">${escaped(content.name)}</h1>
<p class="kind">${words.subtitle(content.type)}</p>
${facts(content)}
${announcedSection(content)}
${tierSection(content)}
${pitySection(content)}
${featuredSection(content)}
${packSection(content)}
${depthSection(content)}
${itemSection(content)}
${attributeSection(content)}
${resultSection(content)}
${historySection(content)}
</main>
${footer(content)}
</body>
</html>
`;
};
