import { type EvidenceRow, evidenceRows, logEvidenceOfDays } from '../engine/evidence/evidence.ts';
import { type EvidenceModel, evidenceModel, plainEvidenceModel } from '../engine/evidence/model.ts';
import { type ConfigSnapshot, itemsFromSnapshot, templateFromSnapshot } from '../engine/fairness/snapshots.ts';
import { LIMITS } from '../limits.ts';

export interface EvidenceInput {
  /** The texts of a configuration and its pool. */
  readonly config: string;
  readonly pool: string;
  /** What was observed on each day, in order: flat lists of class, outcome and count. */
  readonly days: readonly (readonly string[])[];
  /** Whether to return rows as well. */
  readonly withRows: boolean;
}

export interface Evidence {
  readonly logEvidence: number;
  readonly rows: readonly EvidenceRow[];
}

type Counts = Map<string, Map<string, number>>;

const addTo = (counts: Counts, text: string): void => {
  const list = JSON.parse(text) as (string | number)[];
  for (let index = 0; index < list.length; index += 3) {
    const [kind, outcome] = [list[index] as string, list[index + 1] as string];
    let outcomes = counts.get(kind);
    if (outcomes === undefined) {
      outcomes = new Map();
      counts.set(kind, outcomes);
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + (list[index + 2] as number));
  }
};

const countsOf = (texts: Iterable<string>): Counts => {
  const counts: Counts = new Map();
  for (const text of texts) addTo(counts, text);
  return counts;
};

const modelOf = (config: string, pool: string): EvidenceModel => {
  const snapshot = JSON.parse(config) as ConfigSnapshot;
  return snapshot.type === 'plain'
    ? plainEvidenceModel(itemsFromSnapshot(pool))
    : evidenceModel(templateFromSnapshot(snapshot, pool));
};

/** All rows of tiers, and the items with the most evidence, in the same order. */
const listedRows = (rows: readonly EvidenceRow[]): readonly EvidenceRow[] => {
  const items = rows.filter(({ kind }) => kind === 'item');
  const room = LIMITS.evidenceRows - (rows.length - items.length);
  if (items.length <= room) return rows;
  const kept = new Set(items.toSorted((a, b) => b.logEvidence - a.logEvidence).slice(0, Math.max(0, room)));
  return rows.filter((row) => row.kind !== 'item' || kept.has(row));
};

/** The evidence against the odds of a configuration, from nothing but its snapshot and what was observed. */
export const computeEvidence = ({ config, pool, days, withRows }: EvidenceInput): Evidence => {
  const model = modelOf(config, pool);
  return {
    logEvidence: logEvidenceOfDays(model, days.map(countsOf)),
    rows: withRows ? listedRows(evidenceRows(model, countsOf(days.flat()))) : [],
  };
};

export interface TierHitsInput {
  /** What was observed, as flat lists of class, outcome and count. */
  readonly texts: readonly string[];
}

/** How often each tier was rolled, by its place. */
export const countTierHits = ({ texts }: TierHitsInput): number[] => {
  const hits: number[] = [];
  for (const [kind, outcomes] of countsOf(texts)) {
    if (!kind.startsWith('t')) continue;
    for (const [outcome, count] of outcomes) hits[Number(outcome)] = (hits[Number(outcome)] ?? 0) + count;
  }
  return Array.from(hits, (count) => count ?? 0);
};
