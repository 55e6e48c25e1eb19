import {
  type EvidenceRow,
  evidenceRows,
  freezeDays,
  logEvidenceOfDays,
  type TierResults,
  tierResults,
} from '../engine/evidence/evidence.ts';
import { type EvidenceModel, evidenceModel, plainEvidenceModel } from '../engine/evidence/model.ts';
import type { FrozenStarts } from '../engine/evidence/starts.ts';
import { type ConfigSnapshot, itemsFromSnapshot, templateFromSnapshot } from '../engine/fairness/snapshots.ts';
import { LIMITS } from '../shared/limits.ts';

/** Days that are no longer kept one by one: what was observed on them, and what began on them. */
export interface FrozenTexts {
  readonly texts: readonly string[];
  readonly starts: FrozenStarts;
}

/** All that was observed of a configuration. */
interface ObservedInput {
  /** The texts of a configuration and its pool. */
  readonly config: string;
  readonly pool: string;
  readonly frozen: FrozenTexts;
  /** What was observed on each further day, in order: flat lists of class, outcome and count. */
  readonly days: readonly (readonly string[])[];
}

export interface EvidenceInput extends ObservedInput {
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

const daysOf = ({ frozen, days }: ObservedInput) => ({
  days: days.map(countsOf),
  frozen: { observed: countsOf(frozen.texts), starts: frozen.starts },
});

/** The evidence against the odds of a configuration, from nothing but its snapshot and what was observed. */
export const computeEvidence = ({ withRows, ...input }: EvidenceInput): Evidence => {
  const model = modelOf(input.config, input.pool);
  const { days, frozen } = daysOf(input);
  const all = [...input.frozen.texts, ...input.days.flat()];
  return {
    logEvidence: logEvidenceOfDays(model, days, frozen),
    rows: withRows ? listedRows(evidenceRows(model, countsOf(all))) : [],
  };
};

export interface FreezeInput extends ObservedInput {
  /** How many of the days are to be kept no longer. */
  readonly count: number;
}

/** What began on the first days, as it is at this moment. */
export const freeze = ({ count, ...input }: FreezeInput): FrozenStarts => {
  const { days, frozen } = daysOf(input);
  return freezeDays(modelOf(input.config, input.pool), days, count, frozen);
};

export interface TierResultsInput {
  /** The texts of a configuration and its pool. */
  readonly config: string;
  readonly pool: string;
  /** What was observed, as flat lists of class, outcome and count. */
  readonly texts: readonly string[];
}

/** How often each tier was rolled, beside what was promised for these rolls. */
export const computeTierResults = ({ config, pool, texts }: TierResultsInput): TierResults =>
  tierResults(modelOf(config, pool), countsOf(texts));
