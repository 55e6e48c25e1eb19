import type { EntityKind } from '../shared/context.ts';
import { type Issue, listIssues, pointerToken } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';

/** A fault or warning of a plan, about an entity or, without a kind, about the whole. */
export interface Finding {
  readonly kind: EntityKind | null;
  readonly id: string | null;
  readonly path: string;
  readonly message: string;
}

/** Collects findings, up to the number that is listed. */
export interface Findings {
  readonly found: Finding[];
  add(kind: EntityKind | null, id: string | null, path: string, message: string): void;
}

export const listFindings = (): Findings => {
  const found: Finding[] = [];
  return {
    found,
    add: (kind, id, path, message) => {
      if (found.length < LIMITS.listedFindings) found.push({ kind, id, path, message });
    },
  };
};

/** Faults as issues of an error. */
export const issuesOfFaults = (faults: readonly Finding[]): Issue[] =>
  listIssues(faults, ({ kind, id, path, message }) => ({
    path: kind === null ? `/body${path}` : `/${kind}/${pointerToken(id ?? '')}${path}`,
    message,
  }));
