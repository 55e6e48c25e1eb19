/** Turns a page into HTML, and into the sections that can be searched. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked, type Token, type Tokens } from 'marked';
import type { Page } from './contents.ts';
import { type ApiDocument, anchorOf, type Links, operationLink } from './links.ts';

for (const [name, language] of Object.entries({ bash, csharp, json, python, sql, typescript, yaml }))
  hljs.registerLanguage(name, language);

/** How languages of code blocks are called in tabs, and which grammar colours them. */
const LANGUAGES: Record<string, { readonly label: string; readonly grammar: string }> = {
  sh: { label: 'curl', grammar: 'bash' },
  ts: { label: 'TypeScript', grammar: 'typescript' },
  csharp: { label: 'C#', grammar: 'csharp' },
  gdscript: { label: 'GDScript', grammar: 'python' },
  python: { label: 'Python', grammar: 'python' },
  json: { label: 'JSON', grammar: 'json' },
  yaml: { label: 'YAML', grammar: 'yaml' },
  sql: { label: 'SQL', grammar: 'sql' },
};

export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const figureOf = ({ text, lang = '' }: Tokens.Code): string => {
  const grammar = LANGUAGES[lang]?.grammar;
  const code = grammar === undefined ? escapeHtml(text) : hljs.highlight(text, { language: grammar }).value;
  return `<div class="code"><button type="button" class="copy">Copy</button><pre tabindex="0"><code>${code}\n</code></pre></div>`;
};

const isTabbed = (token: Token | undefined): token is Tokens.Code =>
  token?.type === 'code' && ['sh', 'ts', 'csharp', 'gdscript'].includes(token.lang ?? '');

/** Code blocks in several languages that follow each other without a word in between say the same: they become tabs. */
const tabsOf = (blocks: readonly Tokens.Code[], group: number): string => {
  const tabs = blocks.map(({ lang = '' }, index) => {
    const label = LANGUAGES[lang]?.label ?? lang;
    return `<button type="button" role="tab" id="tab-${group}-${index}" aria-controls="panel-${group}-${index}" aria-selected="${index === 0}" tabindex="${index === 0 ? 0 : -1}">${label}</button>`;
  });
  const panels = blocks.map(
    (block, index) =>
      `<div role="tabpanel" id="panel-${group}-${index}" aria-labelledby="tab-${group}-${index}"${index === 0 ? '' : ' hidden'}>${figureOf(block)}</div>`,
  );
  return `<div class="tabs"><div role="tablist" aria-label="Language">${tabs.join('')}</div>${panels.join('')}</div>`;
};

const groupCode = (tokens: readonly Token[]): Token[] => {
  const grouped: Token[] = [];
  let groups = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const blocks: Tokens.Code[] = [];
    let next = index;
    for (;;) {
      const token = tokens[next];
      if (!isTabbed(token) || blocks.some(({ lang }) => lang === token.lang)) break;
      blocks.push(token);
      next += tokens[next + 1]?.type === 'space' ? 2 : 1;
    }
    if (blocks.length > 1) {
      groups += 1;
      grouped.push({ type: 'html', raw: '', text: tabsOf(blocks, groups), block: true, isOurs: true } as Token);
      index = next - 1;
    } else grouped.push(tokens[index] as Token);
  }
  return grouped;
};

/** The words of a token, for searching. */
const wordsOf = (token: Token): string => {
  if (token.type === 'html') return '';
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map((cell) => wordsIn(cell.tokens)).join(' ')).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(({ tokens }) => wordsIn(tokens)).join(' ');
  if ('tokens' in token && token.tokens !== undefined) return wordsIn(token.tokens);
  return 'text' in token ? token.text : '';
};
const wordsIn = (tokens: readonly Token[]): string => tokens.map(wordsOf).join('');

const sectionsOf = (tokens: readonly Token[]): Section[] => {
  const sections: { id: string; title: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = wordsIn((token as Tokens.Heading).tokens);
      sections.push({ id: token.depth === 1 ? '' : anchorOf(title), title, text: '' });
      continue;
    }
    const last = sections.at(-1);
    if (last !== undefined) last.text += `${wordsOf(token)} `;
  }
  return sections.map((section) => ({ ...section, text: section.text.replace(/\s+/g, ' ').trim() }));
};

export const renderPage = (page: Page, links: Links, api: ApiDocument): Rendered => {
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      code: figureOf,
      codespan: ({ text }) => {
        const code = `<code>${escapeHtml(text)}</code>`;
        const link = operationLink(api, text);
        return link === undefined ? code : `<a class="operation" href="${escapeHtml(link)}">${code}</a>`;
      },
      heading({ depth, tokens }) {
        const text = wordsIn(tokens);
        const id = anchorOf(text);
        headings.push({ depth, id, text });
        const anchor =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      // Raw HTML is a comment.
      html: (token) => ('isOurs' in token ? token.text : ''),
      image: ({ href, text }) => `<img src="${links.find(page, href)}" alt="${escapeHtml(text)}" loading="lazy">`,
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = links.find(page, href);
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      table(token) {
        const rowOf = (cells: Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map(({ tokens, align }) => `<${tag}${align ? ` class="${align}"` : ''}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((row) => rowOf(row, 'td')).join('\n');
        return `<div class="table" tabindex="0"><table><thead>${rowOf(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const tokens = marked.lexer(page.text);
  const html = marked.parser(groupCode(tokens));
  return { html, headings, sections: sectionsOf(tokens) };
};
