import assert from 'node:assert/strict';
import { openDatabase } from '../../src/database/open.ts';
import type { Draws } from '../../src/engine/random.ts';
import { assertInventoriesHold } from '../inventories.ts';
import { cheapDraws } from '../statistics.ts';
import { type Image, REMAINS, type Remains } from './disk.ts';
import { readState, type States, writeImage } from './states.ts';
import { type Story, walk } from './story.ts';
import type { Did } from './trace.ts';

/** SQLite checks the result of every cut; the service itself, which takes longer, only one in so many. */
const CUTS_PER_OPENING = 10;

/** Where to cut: anywhere, right before or after a sync ends, or when a response has just arrived. */
const chooseCuts = (all: readonly Did[], { acknowledged }: Story, count: number, draws: Draws): number[] => {
  const syncs = all.flatMap(({ kind }, index) => (kind === 'sync is done' ? [index - 1, index] : []));
  const answers: number[] = [];
  let last = 0;
  for (const { timeNs } of acknowledged) {
    while (last + 1 < all.length && (all[last + 1] as Did).timeNs < timeNs) last += 1;
    answers.push(last);
  }
  const places = [[...all.keys()], [...all.keys()], syncs, answers].filter(({ length }) => length > 0);
  return Array.from({ length: count }, (_, number) => {
    const indexes = places[number % places.length] as number[];
    return indexes[Math.floor(draws() * indexes.length)] as number;
  });
};

/** The first state that contains everything acknowledged before a moment. */
const firstStateWithAll = (story: Story, { firstWith }: States): ((timeNs: number) => number) => {
  let least = 0;
  let next = 0;
  return (timeNs) => {
    for (; next < story.acknowledged.length; next += 1) {
      const acknowledged = story.acknowledged[next] as Story['acknowledged'][number];
      if (acknowledged.timeNs >= timeNs) break;
      const first = firstWith.get(acknowledged.mark);
      assert.ok(first !== undefined, `${acknowledged.mark} never existed`);
      least = Math.max(least, first);
    }
    return least;
  };
};

/** What is wrong with the result of a cut; `least` is the first state that contains everything acknowledged. */
const faultOf = (image: Image, least: number, states: States, story: Story, folder: string): string | undefined => {
  try {
    const { soundness, fingerprint } = readState(writeImage(image, story, folder));
    if (soundness !== 'ok') return `unsound: ${soundness}`;
    const number = states.numbers.get(fingerprint);
    if (number === undefined) return 'half done: a state that never was';
    return number < least ? `lost: state ${number} is left, but ${least} was acknowledged` : undefined;
  } catch (error) {
    return `unreadable: ${(error as Error).message}`;
  }
};

/** The service itself opens the result of a cut, and finds no problems. */
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
  /** Syncs to ignore. */
  readonly isSeen?: (did: Did) => boolean;
}

/** Cuts the power at several moments of a story, and returns what is wrong afterwards. */
export const cutPower = async (story: Story, { folder, states, count, seed, isSeen }: Cuts): Promise<string[]> => {
  const draws = cheapDraws(seed);
  const all = story.lives.flat();
  const cuts = Map.groupBy(chooseCuts(all, story, count, draws), (index) => index);
  const leastBefore = firstStateWithAll(story, states);
  const faults: string[] = [];
  let made = 0;
  for (const { disk, index } of walk(story, isSeen)) {
    for (const _ of cuts.get(index) ?? []) {
      // The disk does not change until the next operation, so everything acknowledged by then must be on it.
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
