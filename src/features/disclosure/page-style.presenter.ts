/**
 * The style of a page, for any game: neutral, in the colours that the reader prefers, on narrow and wide screens and on
 * paper. The page has no other style, so that its policy can allow this one alone.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1d2129; --soft: #555d6b; --line: #dfe3ea; --ground: #fff; --raised: #f5f6f9;
  --accent: #2f56c4; --mark: #e8edfb; --bad: #a4161a; --bad-ground: #fdecec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e7e9ee; --soft: #a6aebc; --line: #343a46; --ground: #14171d; --raised: #1d212a;
    --accent: #8fb0ff; --mark: #24304f; --bad: #ff9a9a; --bad-ground: #3a1d20;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 1.5rem 1.25rem 2rem; max-width: 56rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: break-word;
}
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.2rem; line-height: 1.3; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
p { margin: .5rem 0; max-width: 44rem; }
a { color: var(--accent); }
:lang(ko) { word-break: keep-all; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: flex-end; margin-bottom: 1rem; font-size: .875rem; }
nav span { font-weight: 600; }
.kind, .note, .soft { color: var(--soft); }
.kind { margin: .25rem 0 0; }
.note { font-size: .875rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .5rem; margin: 1rem 0 0; }
h1, .facts dd { overflow-wrap: anywhere; }
.facts div { padding: .5rem .75rem; border-radius: .5rem; background: var(--raised); }
.facts dt { color: var(--soft); font-size: .8125rem; }
.facts dd { margin: 0; font-weight: 600; }
.scroll { position: relative; overflow-x: auto; margin: .75rem 0; border: 1px solid var(--line); border-radius: .5rem; }
.small { max-width: 26rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .75rem; text-align: end; vertical-align: baseline; border-top: 1px solid var(--line); }
thead th { vertical-align: bottom; border-top: 0; background: var(--raised); color: var(--soft); font-size: .8125rem; font-weight: 600; line-height: 1.25; }
th:first-child, td:first-child, .text { text-align: start; }
tbody th { font-weight: 600; }
td { white-space: nowrap; }
td.name { min-width: 7rem; white-space: normal; }
td.text { white-space: normal; min-width: 10rem; }
td.when, td.start { text-align: start; }
.whole { display: inline-block; margin-inline-end: .75em; }
tr.group th { background: var(--raised); color: var(--soft); font-size: .8125rem; font-weight: 600; }
tfoot td, tfoot th { color: var(--soft); font-weight: 600; }
.badge { display: inline-block; margin-inline-start: .375rem; padding: 0 .4rem; border-radius: .25rem; background: var(--mark); color: var(--accent); font-size: .75rem; font-weight: 600; line-height: 1.4; }
.curve { margin: .75rem 0; color: var(--soft); font-size: .8125rem; }
.curve svg { display: block; width: 100%; height: 7rem; border-bottom: 1px solid var(--line); }
.curve .area { fill: var(--mark); }
.curve .line { fill: none; stroke: var(--accent); stroke-width: 2; }
.curve .ends { display: flex; justify-content: space-between; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.verdict { padding: .625rem .75rem; border-radius: .5rem; background: var(--raised); max-width: none; }
.verdict.bad { background: var(--bad-ground); color: var(--bad); font-weight: 600; }
details { margin: .75rem 0; }
summary { cursor: pointer; color: var(--accent); }
code { font: .8125rem/1.4 ui-monospace, "SF Mono", Consolas, monospace; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem; }
footer p { max-width: none; }
@media (max-width: 34rem) {
  body { padding: 1rem .75rem 1.5rem; }
  h1 { font-size: 1.4rem; }
  th, td { padding: .4rem .35rem; }
  th:first-child, td:first-child { padding-inline-start: .6rem; }
  th:last-child, td:last-child { padding-inline-end: .6rem; }
  table { font-size: .8125rem; }
  thead th, tr.group th { font-size: .75rem; }
  .wide { display: none; }
  td.name, td.text { min-width: 6rem; }
  td.when { white-space: normal; }
  .badge { margin-inline-start: 0; }
}
@media (max-width: 26rem) {
  .badge { padding: 0 .2rem; font-size: .6875rem; }
  th, td { padding-inline: .2rem; }
  th:first-child, td:first-child { padding-inline-start: .4rem; }
  th:last-child, td:last-child { padding-inline-end: .4rem; }
  td, tbody th, tfoot th { font-size: .75rem; }
  thead th { font-size: .6875rem; }
  td.name, td.when, td.text { font-size: .8125rem; }
  td.name { min-width: 4.5rem; }
}
@media print {
  :root { --text: #000; --soft: #333; --line: #999; --ground: #fff; --raised: #fff; --accent: #000; --mark: #eee; --bad: #000; --bad-ground: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; border-radius: 0; }
  p { max-width: none; }
  nav { display: none; }
  .facts div { padding: 0; }
  th.wide, td.wide { display: table-cell; }
  span.wide { display: inline; }
  thead { display: table-header-group; }
  tr, h2, h3, .curve { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
