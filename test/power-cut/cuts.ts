import assert from 'node:assert/strict';
import { openDatabase } from '../../src/database/open.ts';
import type { Draws } from '../../src/engine/random.ts';
import { assertInventoriesHold } from '../inventories.ts';
import { cheapDraws } from '../statistics.ts';
import { type Image, REMAINS, type Remains } from './disk.ts';
import { readState, type States, writeImage } from './states.ts';
import { type Story, walk } from './story.ts';
import type { Did } from './trace.ts';

/** SQLite looks at what every cut leaves; the service itself, which takes longer, at one in so many. */
const CUTS_PER_OPENING = 10;

/** Where to cut: anywhere, right before or after a sync is done, or when an answer has just arrived. */
const chooseCuts = (all: readonly Did[], { answered }: Story, count: number, draws: Draws): number[] => {
  const syncs = all.flatMap(({ kind }, index) => (kind === 'sync is done' ? [index - 1, index] : []));
  const answers: number[] = [];
  let last = 0;
  for (const { timeNs } of answered) {
    while (last + 1 < all.length && (all[last + 1] as Did).timeNs < timeNs) last += 1;
    answers.push(last);
  }
  const places = [[...all.keys()], [...all.keys()], syncs, answers].filter(({ length }) => length > 0);
  return Array.from({ length: count }, (_, number) => {
    const indexes = places[number % places.length] as number[];
    return indexes[Math.floor(draws() * indexes.length)] as number;
  });
};

/** The first state in which all that was answered before a moment is there. */
const firstStateWithAll = (story: Story, { firstWith }: States): ((timeNs: number) => number) => {
  let least = 0;
  let next = 0;
  return (timeNs) => {
    for (; next < story.answered.length; next += 1) {
      const answered = story.answered[next] as Story['answered'][number];
      if (answered.timeNs >= timeNs) break;
      const first = firstWith.get(answered.mark);
      assert.ok(first !== undefined, `${answered.mark} was never there`);
      least = Math.max(least, first);
    }
    return least;
  };
};

/** What is wrong with what is left; `least` is the first state that has all that was answered. */
const faultOf = (image: Image, least: number, states: States, story: Story, folder: string): string | undefined => {
  try {
    const { soundness, fingerprint } = readState(writeImage(image, story, folder));
    if (soundness !== 'ok') return `unsound: ${soundness}`;
    const number = states.numbers.get(fingerprint);
    if (number === undefined) return 'half done: a state that never was';
    return number < least ? `lost: state ${number} is left, and ${least} was answered` : undefined;
  } catch (error) {
    return `unreadable: ${(error as Error).message}`;
  }
};

/** The service itself opens what is left, and finds nothing wrong with it. */
const openByService = async (image: Image, story: Story, folder: string): Promise<void> => {
  const database = openDatabase(`sqlite:${writeImage(image, story, folder)}`);
  try {
    await database.migrate();
    await assertInventoriesHold({ database });
  } finally {
    await database.close();
  }
};

interface Cuts {
  readonly folder: string;
  readonly states: States;
  readonly count: number;
  readonly seed: number;
  /** Syncs that are taken for not made. */
  readonly isSeen?: (did: Did) => boolean;
}

/** Cuts the power at so many moments of a story, and tells what is wrong with what is left. */
export const cutPower = async (story: Story, { folder, states, count, seed, isSeen }: Cuts): Promise<string[]> => {
  const draws = cheapDraws(seed);
  const all = story.lives.flat();
  const cuts = Map.groupBy(chooseCuts(all, story, count, draws), (index) => index);
  const leastBefore = firstStateWithAll(story, states);
  const faults: string[] = [];
  let made = 0;
  for (const { disk, index } of walk(story, isSeen)) {
    for (const _ of cuts.get(index) ?? []) {
      // Until the next thing is done, the disk stays as it is, and what is answered meanwhile must be on it.
      const least = leastBefore(all[index + 1]?.timeNs ?? Number.POSITIVE_INFINITY);
      const remains = REMAINS[Math.floor(draws() * REMAINS.length)] as Remains;
      const image = disk.cut(remains, draws);
      const fault = faultOf(image, least, states, story, folder);
      if (fault !== undefined) faults.push(`cut after ${index + 1} of ${all.length}, with ${remains} left: ${fault}`);
      else if (made % CUTS_PER_OPENING === 0) await openByService(image, story, folder);
      made += 1;
    }
  }
  assert.equal(made, count);
  return faults;
};
