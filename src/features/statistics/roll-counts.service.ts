import { ask } from '../../database/declarations.ts';
import type { Reader, Transaction, Work } from '../../database/work.ts';
import { addCount, type ItemCounts, textOfCounts } from '../../shared/counts.ts';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import { foldEvidence } from '../evidence/roll-evidence.service.ts';
import * as store from './roll-counts.store.ts';
import type { StatisticsFilter } from './statistics.contract.ts';

/** Counts the rolls of a command, within its transaction. */
export const countRolls = (work: Work, counted: store.Counted): void => work.write(store.insertPending, counted);

/** Adds counts, of which there may be as many as items in a catalog, yielding to others in between. */
const addCounts = async (counts: ItemCounts, text: string): Promise<void> => {
  const list = JSON.parse(text) as (string | number)[];
  for (let start = 0; start < list.length; start += 2 * LIMITS.countedItemsPerTurn) {
    if (start > 0) await takeTurns();
    const end = Math.min(list.length, start + 2 * LIMITS.countedItemsPerTurn);
    for (let index = start; index < end; index += 2) addCount(counts, list[index] as string, list[index + 1] as number);
  }
};

/** Number of parts of a counter: a hundred thousand items make several hundred kilobytes of JSON. */
const PARTS = 16;

/** The part of an item. Must never change. */
const partOf = (itemId: string): number => {
  let hash = 0;
  for (let index = 0; index < itemId.length; index += 1) hash = (Math.imul(hash, 31) + itemId.charCodeAt(index)) | 0;
  return (hash >>> 0) % PARTS;
};

interface Part {
  readonly day: string;
  readonly templateId: string;
  readonly part: number;
  readonly counts: ItemCounts;
}

/** What pending rows add to each part of the counters, both daily and all-time. */
const partsOf = async (waiting: Awaited<ReturnType<typeof store.takePending>>): Promise<Part[]> => {
  const parts = new Map<string, Part>();
  const addTo = (day: string, templateId: string, itemId: string, count: number): void => {
    const part = partOf(itemId);
    const key = JSON.stringify([day, templateId, part]);
    let found = parts.get(key);
    if (found === undefined) {
      found = { day, templateId, part, counts: new Map() };
      parts.set(key, found);
    }
    addCount(found.counts, itemId, count);
  };
  for (const { template_id, day, counts } of waiting) {
    const list = JSON.parse(counts) as (string | number)[];
    for (let index = 0; index < list.length; index += 2)
      for (const when of [day, store.EVER]) addTo(when, template_id, list[index] as string, list[index + 1] as number);
    await takeTurns();
  }
  return [...parts.values()];
};

/** Adds some pending rows to the daily and all-time counters, and to the evidence; returns how many rows it took. */
export const foldCounts = async (tx: Transaction, most: number): Promise<number> => {
  const taken = await store.takePending(tx, most);
  const parts = await partsOf(taken);
  const held = await tx.hold(
    ...parts.map(({ day, templateId, part }) => ask(store.holdCounts, { day, templateId, part })),
  );
  for (const [index, { day, templateId, part, counts }] of parts.entries()) {
    await takeTurns();
    const [before] = held[index] ?? [];
    if (before !== undefined) await addCounts(counts, before.counts);
    const rolls = counts.values().reduce((sum, count) => sum + count, 0);
    const row = { day, template_id: templateId, part, rolls, counts: textOfCounts(counts) };
    tx.write(before === undefined ? store.insertCounts : store.updateCounts, row);
  }
  await foldEvidence(tx, taken);
  return taken.length;
};

/** Teams with so many pending rows that folding them is worth it; readers include the others anyway. */
export const teamsToFold = (reader: Reader, least: number = LIMITS.rollCountsFoldedFrom): Promise<string[]> =>
  store.selectTeamsWithPending(reader, least);

type CountsKey = Awaited<ReturnType<typeof store.selectDays>>[number];

/**
 * Splits days into batches with a bounded number of items, which is at most the number of rolls. A single day may
 * contain the whole catalog.
 */
const batchesOf = (days: readonly CountsKey[]): CountsKey[][] => {
  const batches: CountsKey[][] = [];
  let items = Number.POSITIVE_INFINITY;
  for (const day of days) {
    const more = Math.min(day.rolls, LIMITS.itemsPerTeam);
    if (items + more > LIMITS.countedItemsRead) {
      batches.push([]);
      items = 0;
    }
    items += more;
    batches.at(-1)?.push(day);
  }
  return batches;
};

/** The counts per item on these days, read in batches of days. */
const readCounters = async (reader: Reader, days: readonly CountsKey[]): Promise<ItemCounts> => {
  const byItem: ItemCounts = new Map();
  for (const batch of batchesOf(days)) {
    const found = await Promise.all(
      batch.map(({ day, template_id: templateId }) => reader.find(store.countsOf, { day, templateId })),
    );
    for (const { counts } of found.flat()) await addCounts(byItem, counts);
    await takeTurns();
  }
  return byItem;
};

/**
 * How often each item was rolled, as selected by a filter: the counters (daily, or all-time if the filter has no dates)
 * plus pending rows. Also returns the rolls per day and template.
 */
const readItems = async (reader: Reader, filter: StatisticsFilter) => {
  const { teamId } = reader;
  const pending = await store.selectPending(reader, teamId, filter);
  const days = await store.selectDays(reader, teamId, filter);
  const isRange = filter.from !== undefined || filter.to !== undefined;
  const byItem = await readCounters(reader, isRange ? days : await store.selectEver(reader, teamId, filter));
  for (const { counts } of pending) await addCounts(byItem, counts);
  return { byItem, days: [...days, ...pending] };
};

export const readItemCounts = async (reader: Reader, filter: StatisticsFilter): Promise<ItemCounts> =>
  (await readItems(reader, filter)).byItem;

/** The same, with the number of rolls per day and per template. */
export const readRollCounts = async (reader: Reader, filter: StatisticsFilter) => {
  const { byItem, days } = await readItems(reader, filter);
  const [byDay, byTemplate] = [new Map<string, number>(), new Map<string, number>()];
  for (const { day, template_id, rolls } of days) {
    addCount(byDay, day, rolls);
    if (template_id !== store.NO_TEMPLATE) addCount(byTemplate, template_id, rolls);
  }
  return { byItem, byDay, byTemplate };
};
