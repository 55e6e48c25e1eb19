import { createHash } from 'node:crypto';
import type { Snapshot } from '../../database/work.ts';
import { utcDay } from '../../shared/time.ts';
import * as store from './queries.ts';

/** The largest prime below 2^47, so that sums of two remainders stay exact. */
const PRIME = 140_737_488_355_213;

/**
 * Rolls of one day and one template: their number, and a fingerprint of the items, which is the sum of one number per
 * roll. Keeping the items themselves would take memory for all items of all days.
 */
interface Sum {
  rolls: number;
  print: number;
}

const EVER = '';

const createSums = () => {
  const sums = new Map<string, Sum>();
  return {
    keys: () => sums.keys(),
    of: (day: string, templateId: string): Sum => {
      const key = `${day}\n${templateId}`;
      let sum = sums.get(key);
      if (sum === undefined) {
        sum = { rolls: 0, print: 0 };
        sums.set(key, sum);
      }
      return sum;
    },
  };
};

const createPrints = () => {
  const known = new Map<string, number>();
  return (itemId: string): number => {
    let print = known.get(itemId);
    if (print === undefined) {
      print = createHash('sha256').update(itemId).digest().readUIntBE(0, 6) % PRIME;
      known.set(itemId, print);
    }
    return print;
  };
};

type Prints = ReturnType<typeof createPrints>;

const listOf = (text: string): unknown[] | undefined => {
  try {
    const value = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Adds up a flat list of items and counts; undefined if it is malformed. */
const sumOf = (counts: string, prints: Prints): Sum | undefined => {
  const list = listOf(counts);
  if (list === undefined || list.length % 2 !== 0) return undefined;
  let rolls = 0;
  let print = 0n;
  for (let index = 0; index < list.length; index += 2) {
    const [itemId, count] = [list[index], list[index + 1]];
    if (typeof itemId !== 'string' || !Number.isSafeInteger(count) || (count as number) < 1) return undefined;
    rolls += count as number;
    print += BigInt(count as number) * BigInt(prints(itemId));
  }
  return { rolls, print: Number(print % BigInt(PRIME)) };
};

const add = (sum: Sum, { rolls, print }: Sum): void => {
  sum.rolls += rolls;
  sum.print = (sum.print + print) % PRIME;
};

const named = (day: string, templateId: string): string =>
  `${templateId === '' ? 'rolls without a template' : `rolls on template ${templateId}`}${day === EVER ? ', all days together' : ` on ${day}`}`;

/** Adds up the roll record of a team and returns its number of rows. */
const readRecord = async (
  snapshot: Snapshot,
  teamId: string,
  prints: Prints,
  report: (finding: string) => void,
): Promise<{ recorded: ReturnType<typeof createSums>; rows: number }> => {
  const recorded = createSums();
  let rows = 0;
  for await (const events of snapshot.stream(store.selectRolls(snapshot.queries, teamId))) {
    rows += events.length;
    for (const { id, template_id, rolled_at, results } of events) {
      const rolled = listOf(results);
      if (rolled === undefined || !rolled.every((one) => Array.isArray(one) && typeof one[0] === 'string')) {
        report(`the results of roll ${id} cannot be read`);
        continue;
      }
      for (const sum of [recorded.of(utcDay(rolled_at), template_id ?? ''), recorded.of(EVER, template_id ?? '')])
        for (const [itemId] of rolled as [string][]) add(sum, { rolls: 1, print: prints(itemId) });
    }
  }
  return { recorded, rows };
};

/** Adds up the counters of a team, including pending rows. */
const readCounters = async (
  snapshot: Snapshot,
  teamId: string,
  prints: Prints,
  report: (finding: string) => void,
): Promise<ReturnType<typeof createSums>> => {
  const counted = createSums();
  const take = (row: { day: string; template_id: string; rolls: number; counts: string }, days: readonly string[]) => {
    const sum = sumOf(row.counts, prints);
    if (sum === undefined) report(`the counters of ${named(row.day, row.template_id)} cannot be read`);
    else if (sum.rolls !== row.rolls)
      report(
        `the counters of ${named(row.day, row.template_id)} say ${row.rolls}, but their items add up to ${sum.rolls}`,
      );
    for (const day of days) add(counted.of(day, row.template_id), { rolls: row.rolls, print: sum?.print ?? 0 });
  };
  for await (const rows of snapshot.stream(store.selectCounts(snapshot.queries, teamId)))
    for (const row of rows) take(row, [row.day]);
  for await (const rows of snapshot.stream(store.selectPendingCounts(snapshot.queries, teamId)))
    for (const row of rows) take(row, [row.day, EVER]);
  return counted;
};

/** Whether a flat list of classes, outcomes and counts can be read. */
const isEvidence = (text: string): boolean => {
  const list = listOf(text);
  return (
    list !== undefined &&
    list.length % 3 === 0 &&
    list.every((value, index) =>
      index % 3 === 2 ? Number.isSafeInteger(value) && (value as number) > 0 : typeof value === 'string',
    )
  );
};

/** Compares what was observed of rolls with the counters. Not every roll is observed, but every observed one is counted. */
const checkEvidence = async (
  snapshot: Snapshot,
  teamId: string,
  counted: ReturnType<typeof createSums>,
  report: (finding: string) => void,
): Promise<void> => {
  const observed = createSums();
  const { queries } = snapshot;
  for (const query of [store.selectEvidence(queries, teamId), store.selectPendingEvidence(queries, teamId)])
    for await (const rows of snapshot.stream(query))
      for (const { day, template_id, version, rolls, counts } of rows) {
        if (!isEvidence(counts))
          report(`the evidence of ${named(day, template_id)}, version ${version}, cannot be read`);
        observed.of(day, template_id).rolls += rolls;
      }
  for await (const rows of snapshot.stream(store.selectFrozenEvidence(queries, teamId)))
    for (const { template_id, config, rolls, counts } of rows) {
      if (!isEvidence(counts))
        report(`the evidence of ${named(EVER, template_id)}, configuration ${config}, cannot be read`);
      observed.of(EVER, template_id).rolls += rolls;
    }
  for (const key of observed.keys()) {
    const [day = '', templateId = ''] = key.split('\n');
    const [seen, all] = [observed.of(day, templateId).rolls, counted.of(day, templateId).rolls];
    if (seen > all) report(`${named(day, templateId)}: the evidence has ${seen}, but the counters say ${all}`);
  }
};

/** The last day of which rolls may be missing. */
const lastDayBefore = (removedUntilMs: number): string => {
  if (removedUntilMs === 0) return '';
  return Number.isFinite(removedUntilMs) ? utcDay(removedUntilMs) : '9999';
};

/** The counters of all days, by template. */
const sumsOfDays = (counted: ReturnType<typeof createSums>): ReturnType<typeof createSums> => {
  const sums = createSums();
  for (const key of [...counted.keys()]) {
    const [day = '', templateId = ''] = key.split('\n');
    if (day !== EVER) add(sums.of(EVER, templateId), counted.of(day, templateId));
  }
  return sums;
};

/**
 * Compares the counters of a team with its roll record and returns the number of rows of the record. If old rolls were
 * removed, the record may have fewer of these days, and the counters of all days together are compared with those of
 * each.
 */
export const checkRollCounts = async (
  snapshot: Snapshot,
  teamId: string,
  removedUntilMs: number,
  report: (finding: string) => void,
): Promise<number> => {
  const prints = createPrints();
  const { recorded, rows } = await readRecord(snapshot, teamId, prints, report);
  const counted = await readCounters(snapshot, teamId, prints, report);
  await checkEvidence(snapshot, teamId, counted, report);
  const isWhole = removedUntilMs === 0;
  const lastRemoved = lastDayBefore(removedUntilMs);
  const ofDays = sumsOfDays(counted);
  for (const key of [...new Set([...recorded.keys(), ...counted.keys()])].sort()) {
    const [day = '', templateId = ''] = key.split('\n');
    const [known, what] =
      day === EVER && !isWhole
        ? ([ofDays, 'those of each day have'] as const)
        : ([recorded, 'the record has'] as const);
    const [inRecord, inCounters] = [known.of(day, templateId), counted.of(day, templateId)];
    if (day !== EVER && day <= lastRemoved && inRecord.rolls < inCounters.rolls) continue;
    if (inRecord.rolls !== inCounters.rolls)
      report(`${named(day, templateId)}: the counters say ${inCounters.rolls}, ${what} ${inRecord.rolls}`);
    else if (inRecord.print !== inCounters.print)
      report(
        `${named(day, templateId)}: the counters say ${inCounters.rolls}, ${what} as many, but of different items`,
      );
  }
  return rows;
};
