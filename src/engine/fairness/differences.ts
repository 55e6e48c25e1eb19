import type { TemplateState } from '../systems/state.ts';
import { canonicalText } from './canonical.ts';
import type { ResultRow } from './receipts.ts';
import type { Replayed } from './replay.ts';
import { shortened } from './shape.ts';

/** Differences that are told; of more, only the number is. */
const MOST_TOLD = 3;

const shortList = (differences: readonly string[]): string[] => {
  const left = differences.length - MOST_TOLD;
  if (left <= 0) return [...differences];
  return [
    ...differences.slice(0, MOST_TOLD),
    `and ${left} more ${left === 1 ? 'difference' : 'differences'} like these`,
  ];
};

const named = (tier: string | null): string => (tier === null ? 'no tier' : `the tier ${shortened(tier)}`);
const flagged = (is: boolean): string => (is ? 'should' : 'should not');
const listed = (values: readonly number[]): string => (values.length === 0 ? 'none' : values.join(', '));

const rowDifference = (
  expected: ResultRow,
  stated: ResultRow,
  place: number,
  nameOf: (itemId: string) => string,
): string | undefined => {
  const [itemId, tier, pity, featured, values] = expected;
  const item = `item ${place + 1}`;
  if (itemId !== stated[0])
    return `${item} should be ${shortened(nameOf(itemId))}, but the receipt says ${shortened(nameOf(stated[0]))}`;
  if (values.join() !== stated[4].join())
    return `the values of ${item}, ${shortened(nameOf(itemId))}, should be ${listed(values)}, but the receipt says ${listed(stated[4])}`;
  if (tier !== stated[1]) return `${item} should be of ${named(tier)}, but the receipt says ${named(stated[1])}`;
  if (pity !== stated[2]) return `${item} ${flagged(pity)} be marked as due by pity`;
  if (featured !== stated[3]) return `${item} ${flagged(featured)} be marked as featured`;
  return undefined;
};

/** Results that differ from those of the draws, item by item. Both have as many. */
export const resultDifferences = (
  expected: readonly ResultRow[],
  stated: readonly ResultRow[],
  nameOf: (itemId: string) => string,
): string[] =>
  shortList(expected.flatMap((row, place) => rowDifference(row, stated[place] as ResultRow, place, nameOf) ?? []));

/** The numbers of a state, by what a player would call them. */
const numbersOf = (state: TemplateState | null): Map<string, number> => {
  if (state === null) return new Map();
  const { own, pity } = state;
  const numbers = new Map([
    ['the number of rolls', own.rolls],
    ['the spark points', own.sparkPoints],
    ['the losses in a row', pity.losses],
  ]);
  for (const { tier, since } of pity.counters) numbers.set(`the pity counter of ${named(tier)}`, since);
  if (own.idle !== null) {
    numbers.set('the time of the last claim', own.idle.atMs);
    numbers.set('the rolls left to claim', own.idle.rolls);
    numbers.set('the progress to the next roll', own.idle.units);
  }
  return numbers;
};

/** How a state differs from the one it should be; empty if it does not. */
export const stateDifferences = (expected: TemplateState | null, stated: TemplateState | null): string[] => {
  if (canonicalText(expected) === canonicalText(stated)) return [];
  const [due, given] = [numbersOf(expected), numbersOf(stated)];
  const names = new Set([...due.keys(), ...given.keys()]);
  const differing = [...names].filter((name) => due.get(name) !== given.get(name));
  if (differing.length === 0) return ['the counters should be in another form'];
  return shortList(
    differing.map((name) => `${name} should be ${due.get(name) ?? 'missing'}, not ${given.get(name) ?? 'missing'}`),
  );
};

/** How a receipt differs from what its call gives when it is run again; empty if it does not. */
export const replayDifferences = (
  expected: Replayed,
  stated: { readonly results: readonly ResultRow[]; readonly after: TemplateState | null; readonly draws: number },
  nameOf: (itemId: string) => string,
): string[] => {
  const reasons = resultDifferences(expected.rows, stated.results, nameOf);
  const state = stateDifferences(expected.after, stated.after);
  if (state.length > 0) reasons.push(`after it, ${state.join('; ')}`);
  if (expected.draws !== stated.draws)
    reasons.push(`it takes ${expected.draws} draws, but the receipt says ${stated.draws}`);
  return reasons;
};
