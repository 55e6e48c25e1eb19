import { LIMITS } from '../../shared/limits.ts';
import { countOf, formatCount } from '../shared.ts';
import { type Change, type Effect, type Finding, KINDS, type Kind, type Plan } from './api.ts';
import { creationLines, type Line, summaryOf, updateLines } from './diff.ts';
import type { Names } from './names.ts';
import { oddsTable } from './odds-table.ts';
import { type Colour, clip, padEnd, printableValue, type Terminal, widthOf, wrap } from './terminal.ts';

const TITLES: Readonly<Record<Kind, string>> = {
  attribute: 'Attributes',
  classifier: 'Classifiers',
  space: 'Spaces',
  item: 'Items',
  template: 'Templates',
};

const ACTIONS = [
  { action: 'create', sign: '+', colour: 'green' },
  { action: 'update', sign: '~', colour: 'yellow' },
  { action: 'delete', sign: '-', colour: 'red' },
] as const;

/** Beyond this, labels are no longer put in line. */
const WIDEST_LABEL = 32;
const INDENT = '      ';

/** How plans are printed: where to, and how much of them. */
export interface Style {
  readonly terminal: Pick<Terminal, 'columns' | 'paint'>;
  readonly isVerbose: boolean;
}

const nameOf = ({ before, after, id }: Change): string => {
  const { name } = (after ?? before ?? {}) as { name?: string };
  return name === undefined || name === '' ? id : name;
};

/** An entity as it is mentioned: its name, and its id if that is not the same. */
const mention = (name: string, id: string): string => (name === id ? name : `${name} (${id})`);

/** Two long texts, cut so that the first difference is seen. */
const aroundDifference = (before: string, after: string, most: number): [string, string] => {
  const [left, right] = [[...before], [...after]];
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  const from = Math.max(0, start - Math.floor(most / 3));
  const cut = (text: readonly string[]): string => clip(`${from > 0 ? '…' : ''}${text.slice(from).join('')}`, most);
  return [cut(left), cut(right)];
};

/** Formats a line of an update; long values stand below each other. */
const formatLine = ({ label, before, after, note }: Line, labelWidth: number, { terminal }: Style): string[] => {
  const { columns, paint } = terminal;
  const head = `${INDENT}${padEnd(`${label}:`, labelWidth)} `;
  const room = columns - widthOf(head);
  if (note !== undefined) return [head + note];
  if (before === undefined) return [head + paint('green', `+ ${clip(after ?? '', room - 2)}`)];
  if (after === undefined) return [head + paint('red', `- ${clip(before, room - 2)}`)];
  if (widthOf(before) + 3 + widthOf(after) <= room) return [`${head}${before} → ${after}`];
  const [earlier, later] = aroundDifference(before, after, columns - INDENT.length - 4);
  return [head.trimEnd(), `${INDENT}  ${paint('red', `- ${earlier}`)}`, `${INDENT}  ${paint('green', `+ ${later}`)}`];
};

const formatLines = (lines: readonly Line[], style: Style): string[] => {
  const most = style.isVerbose ? lines.length : LIMITS.printedLines;
  const shown = lines.slice(0, most);
  const labelWidth = Math.min(WIDEST_LABEL, Math.max(...shown.map(({ label }) => widthOf(label)), 0) + 1);
  return [
    ...shown.flatMap((line) => formatLine(line, labelWidth, style)),
    ...(lines.length > most ? [`${INDENT}… and ${countOf(lines.length - most, 'more line')}`] : []),
  ];
};

const formatChange = (change: Change, names: Names, style: Style): string[] => {
  const { terminal } = style;
  const { sign, colour } = ACTIONS.find(({ action }) => action === change.action) ?? ACTIONS[1];
  const head = `  ${terminal.paint(colour, `${sign} ${clip(mention(nameOf(change), change.id), terminal.columns - 4)}`)}`;
  if (change.action === 'delete') return [head];
  if (change.action === 'update') return [head, ...formatLines(updateLines(change, names), style)];
  const summary = wrap(summaryOf(change, names), terminal.columns - INDENT.length).map((line) => INDENT + line);
  return [head, ...summary, ...formatLines(creationLines(change, names), style)];
};

const WORDS = { create: 'to create', update: 'to change', delete: 'to delete' } as const;
const PAST_WORDS = { create: 'created', update: 'changed', delete: 'deleted' } as const;

const formatKind = (kind: Kind, changes: readonly Change[], names: Names, style: Style): string[] => {
  const ofKind = changes.filter((change) => change.kind === kind);
  if (ofKind.length === 0) return [];
  const most = style.isVerbose ? ofKind.length : LIMITS.printedChanges;
  const groups = ACTIONS.flatMap(({ action, sign, colour }) => {
    const all = ofKind.filter((change) => change.action === action);
    const rest = all.length - most;
    return [
      ...all.slice(0, most).flatMap((change) => formatChange(change, names, style)),
      ...(rest > 0
        ? [`  ${style.terminal.paint(colour, sign)} … and ${formatCount(rest)} more; --verbose shows them`]
        : []),
    ];
  });
  return [style.terminal.paint('bold', TITLES[kind]), ...groups, ''];
};

const formatOdds = ({ odds = [], oddsLeftOut = [] }: Effect, style: Style): string[] => {
  const { columns, paint } = style.terminal;
  const mostItems = style.isVerbose ? Number.POSITIVE_INFINITY : LIMITS.printedOdds;
  const tables = odds.flatMap((pool) => [
    paint('bold', clip(`Odds: ${pool.pool === 'plain' ? pool.name : mention(pool.name, pool.pool)}`, columns)),
    ...oddsTable(pool, columns - 2, mostItems).map((line) => `  ${line}`.trimEnd()),
    '',
  ]);
  if (oddsLeftOut.length === 0) return tables;
  const leftOut = wrap(
    oddsLeftOut.map(({ pool, name }) => (pool === 'plain' ? name : mention(name, pool))),
    columns - 2,
  );
  return [
    ...tables,
    paint('bold', 'Odds that change, too, but are too much to compute at once'),
    ...leftOut.map((line) => `  ${line}`),
    '',
  ];
};

/** A finding with what it is about: by name, unless the message has the name anyway. */
const showFinding = ({ kind, id, path, message }: Finding, names: Names): string => {
  const name = names.find(kind, id);
  const entity = name === undefined || message.includes(name) ? id : mention(name, id ?? name);
  const subject = [kind, entity, path].filter((part) => part !== null && part !== '').join(' ');
  return subject === '' ? message : `${subject}: ${message}`;
};

/** Breaks a text into lines between words. */
const paragraphs = (text: string, most: number): string[] => wrap(text.split(' '), most, '');

const formatFindings = (
  title: string,
  colour: Colour,
  findings: readonly Finding[],
  names: Names,
  { terminal, isVerbose }: Style,
): string[] => {
  if (findings.length === 0) return [];
  const most = isVerbose ? findings.length : LIMITS.printedFindings;
  const lines = findings.slice(0, most).flatMap((finding) => {
    const text = paragraphs(showFinding(finding, names), terminal.columns - 4);
    return text.map((line, index) => `  ${index === 0 ? '' : '  '}${line}`);
  });
  const rest = findings.length - most;
  return [terminal.paint(colour, title), ...lines, ...(rest > 0 ? [`  … and ${formatCount(rest)} more`] : []), ''];
};

const countsOf = (changes: readonly Change[], words: Readonly<Record<Change['action'], string>>): string =>
  ACTIONS.map(({ action }) => {
    const count = changes.filter((change) => change.action === action).length;
    return `${formatCount(count)} ${words[action]}`;
  }).join(', ');

const poolsOf = ({ odds = [], oddsLeftOut = [] }: Effect): number => odds.length + oddsLeftOut.length;

/** The last line of a plan. */
const summarize = (plan: Plan): string => {
  const pools = poolsOf(plan);
  const effect =
    plan.faults.length > 0
      ? `it cannot be published: ${countOf(plan.faults.length, 'fault')}`
      : pools === 0
        ? 'no odds change'
        : `odds of ${countOf(pools, 'pool')} change`;
  return `Plan: ${countsOf(plan.changes, WORDS)}; ${effect}.`;
};

const formatChanges = (changes: readonly Change[], names: Names, style: Style): string[] =>
  KINDS.flatMap((kind) => formatKind(kind, changes, names, style));

/** A plan as lines for a terminal. */
export const formatPlan = (plan: Plan, names: Names, style: Style): string[] => {
  const shown = printableValue(plan);
  if (shown.changes.length === 0 && shown.faults.length === 0)
    return [
      ...formatFindings('Warnings', 'yellow', shown.warnings, names, style),
      `Nothing to do: version ${shown.baseVersion} of the catalog is like this already.`,
    ];
  const withState = shown.players?.withState ?? 0;
  return [
    ...formatChanges(shown.changes, names, style),
    ...formatFindings('Faults', 'red', shown.faults, names, style),
    ...formatFindings('Warnings', 'yellow', shown.warnings, names, style),
    // As long as there are faults, odds are of something that will not happen, and faults would be far above.
    ...(shown.faults.length > 0 && !style.isVerbose ? [] : formatOdds(shown, style)),
    ...(withState > 0 ? [`Players with counters on templates that this changes: ${formatCount(withState)}`, ''] : []),
    summarize(shown),
  ];
};

/** What a version changed, as lines for a terminal. */
export const formatEffect = (effect: Effect, names: Names, style: Style): string[] => {
  const shown = printableValue(effect);
  const pools = poolsOf(shown);
  return [
    ...formatChanges(shown.changes, names, style),
    ...formatOdds(shown, style),
    `${countsOf(shown.changes, PAST_WORDS)}${pools === 0 ? '' : `; odds of ${countOf(pools, 'pool')} changed`}.`,
  ];
};
