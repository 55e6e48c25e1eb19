import { ask } from '../../database/declarations.ts';
import type { Transaction } from '../../database/work.ts';
import type { Observe } from '../../engine/evidence/observation.ts';
import { newId } from '../../ids.ts';
import { LIMITS } from '../../limits.ts';
import { takeTurns } from '../../turns.ts';
import * as store from './roll-evidence.store.ts';

/** How often each outcome was observed, by class. */
export interface SeenCounts {
  readonly observe: Observe;
  /** Adds what a text lists. Of a class that is new, nothing is added if there are `most` classes already. */
  add(text: string, most?: number): void;
  /** A flat list of class, outcome and count. */
  text(): string;
}

export const createSeenCounts = (): SeenCounts => {
  const classes = new Map<string, Map<string, number>>();
  const addTo = (kind: string, outcome: string, count: number, most: number): void => {
    let outcomes = classes.get(kind);
    if (outcomes === undefined) {
      if (classes.size >= most) return;
      outcomes = new Map();
      classes.set(kind, outcomes);
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
  };
  return {
    observe: (kind, outcome) => addTo(kind, outcome, 1, Number.POSITIVE_INFINITY),
    add: (text, most = Number.POSITIVE_INFINITY) => {
      const list = JSON.parse(text) as (string | number)[];
      for (let index = 0; index < list.length; index += 3)
        addTo(list[index] as string, list[index + 1] as string, list[index + 2] as number, most);
    },
    text: () => {
      const list: (string | number)[] = [];
      for (const [kind, outcomes] of classes) for (const [outcome, count] of outcomes) list.push(kind, outcome, count);
      return JSON.stringify(list);
    },
  };
};

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

/** Adds what was observed of rolls to what was observed on the same day before. */
export const foldEvidence = async (tx: Transaction, observed: readonly ObservedRolls[]): Promise<void> => {
  const all = gather(observed);
  const held = await tx.hold(
    ...all.map(({ templateId, version, day }) => ask(store.holdEvidence, { templateId, version, day })),
  );
  for (const [index, { templateId, version, day, rolls, texts }] of all.entries()) {
    await takeTurns();
    const [before] = held[index] ?? [];
    const seen = createSeenCounts();
    if (before !== undefined) seen.add(before.counts);
    for (const text of texts) {
      // Which classes are left out does not depend on what was rolled in them, so the rest stays unbiased.
      seen.add(text, LIMITS.evidenceClasses);
      await takeTurns();
    }
    const row = {
      template_id: templateId,
      version,
      day,
      rolls: (before?.rolls ?? 0) + rolls,
      counts: seen.text(),
    };
    tx.write(before === undefined ? store.insertEvidence : store.updateEvidence, row);
  }
  const stamp = newId();
  const due = new Map(all.map(({ templateId, version }) => [`${templateId}\n${version}`, { templateId, version }]));
  for (const { templateId, version } of due.values())
    tx.write(store.markDue, { template_id: templateId, version, stamp });
};
