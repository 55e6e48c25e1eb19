import { formatCount } from '../shared.ts';
import type { Simulation, SimulationTarget } from './api.ts';
import { clip, padEnd, padStart, widthOf } from './terminal.ts';

/** A share in percent, with three digits that count, but never rounded to all or nothing. */
const percent = (share: number): string => {
  if (share === 0 || share === 1) return `${100 * share}%`;
  const text = (100 * share).toPrecision(3);
  return text.startsWith('100') ? '>99.9%' : `${text}%`;
};

const amount = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

interface Column {
  readonly title: string;
  /** Null if there is nothing to show. */
  readonly cell: (target: SimulationTarget) => string | null;
}

/** Players who got none are in no wait and no cost: unless there are none, a mean is only that of the others. */
const meansOf = (targets: readonly SimulationTarget[]) =>
  targets.every(({ never }) => never === 0)
    ? { first: 'first: mean', cost: 'cost: mean' }
    : { first: 'mean if any', cost: 'cost if any' };

type Means = ReturnType<typeof meansOf>;

const waitColumns = (means: Means): readonly Column[] => [
  { title: 'have one', cell: ({ never }) => percent(1 - never) },
  { title: means.first, cell: ({ first }) => first?.mean.toFixed(1) ?? null },
  { title: 'median', cell: ({ first }) => first && formatCount(first.p50) },
  { title: '95%', cell: ({ first }) => first && formatCount(first.p95) },
  { title: 'worst', cell: ({ first }) => first && formatCount(first.max) },
  { title: 'per player', cell: ({ perPlayer }) => perPlayer.mean.toFixed(2) },
];

const costColumns = (means: Means): readonly Column[] => [
  { title: means.cost, cell: ({ cost }) => cost && amount(cost.mean) },
  { title: '95%', cell: ({ cost }) => cost && amount(cost.p95) },
];

const HEADINGS = { tier: 'Tiers', featured: 'Featured items', item: 'Items' } as const;

/** What brought about the results of the top tier, as far as there is anything to tell. */
const pityLines = ({ pity: { top, hard, soft, guarantee } }: Simulation, topName: string): string[] => {
  if (top === 0) return [];
  const causes = [
    [hard, 'came by hard pity'],
    [soft, 'came by soft pity'],
    [guarantee, 'were featured by the guarantee'],
  ] as const;
  const told = causes.filter(([count]) => count > 0).map(([count, cause]) => `  ${percent(count / top)} ${cause}`);
  return told.length === 0 ? [] : ['', `Of ${formatCount(top)} results of ${topName}:`, ...told];
};

/** Whom the waits leave out, if anyone. */
const missingLines = ({ targets }: Simulation, hasCosts: boolean): string[] =>
  targets.every(({ never }) => never === 0)
    ? []
    : ['', `Waits${hasCosts ? ' and costs' : ''} are those of the players who have one; the others would wait longer.`];

/** A simulation as a table, with the waits in rolls. */
export const simulationTable = (
  simulation: Simulation,
  nameOf: (target: SimulationTarget) => string,
  columns: number,
): string[] => {
  const { targets } = simulation;
  const hasCosts = targets.some(({ cost }) => cost !== null);
  const means = meansOf(targets);
  const shown = [...waitColumns(means), ...(hasCosts ? costColumns(means) : [])].map(({ title, cell }) => {
    const cells = targets.map((target) => cell(target) ?? '–');
    return { title, cells, width: Math.max(...[title, ...cells].map(widthOf)) };
  });
  const names = targets.map(nameOf);
  const room = columns - 2 - shown.reduce((sum, { width }) => sum + width + 2, 0);
  const nameWidth = Math.max(8, Math.min(room, Math.max(...names.map(widthOf))));
  const lineOf = (name: string, cells: readonly string[]): string =>
    [
      `  ${padEnd(clip(name, nameWidth), nameWidth)}`,
      ...cells.map((cell, index) => padStart(cell, shown[index]?.width ?? 0)),
    ].join('  ');
  const lines = targets.flatMap(({ kind }, index) => {
    const cells = shown.map((column) => column.cells[index] ?? '');
    const isFirst = targets[index - 1]?.kind !== kind;
    return [...(isFirst ? [HEADINGS[kind]] : []), lineOf(names[index] ?? '', cells)];
  });
  const header = lineOf(
    '',
    shown.map(({ title }) => title),
  );
  return [header, ...lines, ...missingLines(simulation, hasCosts), ...pityLines(simulation, names[0] ?? '')];
};
