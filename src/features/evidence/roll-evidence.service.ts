import { ask } from '../../database/declarations.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import { sortedBy } from '../../engine/byte-order.ts';
import { createSeenCounts } from '../../shared/counts.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import * as store from './roll-evidence.store.ts';

/** Rolls that were counted, and what was observed of them. */
export interface ObservedRolls {
  readonly template_id: string;
  readonly day: string;
  readonly rolls: number;
  readonly version: number | null;
  readonly evidence: string | null;
}

interface Added {
  readonly templateId: string;
  readonly version: number;
  readonly day: string;
  rolls: number;
  readonly texts: string[];
}

/** What rolls add to each row, by key. */
const gather = (observed: readonly ObservedRolls[]): Added[] => {
  const byKey = new Map<string, Added>();
  for (const { template_id: templateId, version, day, rolls, evidence } of observed) {
    if (version === null || evidence === null) continue;
    const key = `${templateId}\n${version}\n${day}`;
    let added = byKey.get(key);
    if (added === undefined) {
      added = { templateId, version, day, rolls: 0, texts: [] };
      byKey.set(key, added);
    }
    added.rolls += rolls;
    added.texts.push(evidence);
  }
  return [...byKey.values()];
};

/** Writes a row with what it had and what is added. */
const addTo = async (
  tx: Transaction,
  before: { readonly rolls: number; readonly counts: string } | undefined,
  { templateId, version, day, rolls, texts }: Added,
  mostClasses: number,
): Promise<void> => {
  await takeTurns();
  const seen = createSeenCounts();
  if (before !== undefined) seen.add(before.counts);
  for (const text of texts) {
    // Which classes are left out does not depend on what was rolled in them, so the rest stays unbiased.
    seen.add(text, mostClasses);
    await takeTurns();
  }
  const sum = (before?.rolls ?? 0) + rolls;
  const row = { template_id: templateId, version, day, rolls: sum, counts: seen.text() };
  tx.write(before === undefined ? store.insertEvidence : store.updateEvidence, row);
};

/** Adds what was observed of rolls to what was observed on the same day before. */
export const foldEvidence = async (tx: Transaction, observed: readonly ObservedRolls[]): Promise<void> => {
  const all = gather(observed);
  const held = await tx.hold(
    ...all.map(({ templateId, version, day }) => ask(store.holdEvidence, { templateId, version, day })),
  );
  for (const [index, added] of all.entries()) await addTo(tx, held[index]?.[0], added, LIMITS.evidenceClasses);
  const stamp = newId();
  const due = new Map(all.map(({ templateId, version }) => [`${templateId}\n${version}`, { templateId, version }]));
  for (const { templateId, version } of due.values())
    tx.write(store.markDue, { template_id: templateId, version, stamp });
};

/**
 * Adds what was observed of rolls on a version to an earlier one with the same configuration, so that there is a row per
 * day and configuration, however many versions there are in a day.
 */
export const mergeVersions = async (
  tx: Transaction,
  { templateId, from, to }: { readonly templateId: string; readonly from: number; readonly to: number },
): Promise<void> => {
  const days = await store.selectDays(tx, templateId, from);
  const hold = (version: number) => days.map((day) => ask(store.holdEvidence, { templateId, version, day }));
  const held = await tx.hold(...hold(from), ...hold(to));
  for (const [index, day] of days.entries()) {
    const [added] = held[index] ?? [];
    if (added === undefined) continue;
    const { rolls, counts } = added;
    const into = held[days.length + index]?.[0];
    await addTo(tx, into, { templateId, version: to, day, rolls, texts: [counts] }, Number.POSITIVE_INFINITY);
    tx.write(store.removeEvidence, { template_id: templateId, version: from, day });
  }
};

/** What was observed on a day, in one or more parts. */
export interface ObservedDay {
  readonly day: string;
  rolls: number;
  readonly texts: string[];
}

/** Collects what was observed by day. */
const createDays = () => {
  const days = new Map<string, ObservedDay>();
  return {
    add: ({ day, rolls, counts }: { readonly day: string; readonly rolls: number; readonly counts: string }): void => {
      const known = days.get(day) ?? { day, rolls: 0, texts: [] };
      known.rolls += rolls;
      known.texts.push(counts);
      days.set(day, known);
    },
    inOrder: (): ObservedDay[] => sortedBy(days.values(), ({ day }) => day),
  };
};

/** What was observed of rolls on some versions, by day, including what is not added up yet if asked for. */
export const readObserved = async (
  reader: Reader,
  { templateId, versions }: { templateId: string; versions: ReadonlySet<number> },
  { withPending }: { readonly withPending: boolean },
): Promise<ObservedDay[]> => {
  const days = createDays();
  for (const version of versions)
    for (let offset = 0, isLast = false; !isLast; offset += LIMITS.evidencePerRead) {
      const rows = await store.selectEvidence(reader, { templateId, version, offset }, LIMITS.evidencePerRead);
      for (const row of rows) days.add(row);
      isLast = rows.length < LIMITS.evidencePerRead;
      await takeTurns();
    }
  if (withPending)
    for (const row of await store.selectPending(reader, templateId)) if (versions.has(row.version)) days.add(row);
  return days.inOrder();
};

/** The versions of which anything was observed, by template; of one template if it is given. */
export const findObserved = async (
  reader: Reader,
  templateId: string | undefined,
): Promise<{ templateId: string; version: number }[]> => [
  ...(await store.selectObserved(reader, templateId)),
  ...(await store.selectPending(reader, templateId)),
];
