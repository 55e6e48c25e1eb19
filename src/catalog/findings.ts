import type { EntityKind } from '../shared/context.ts';
import { type Issue, listIssues, pointerToken } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';

/** What is wrong with an entity or, without a kind, with the whole. */
export interface Finding {
  readonly kind: EntityKind | null;
  readonly id: string | null;
  readonly path: string;
  readonly message: string;
}

interface More {
  /** The name of an entity that the change does not mention: the message is then the rest of a sentence about it. */
  readonly name?: string;
  /**
   * Why the change conflicts with what there is: something refers to what would be gone, a template could not be rolled
   * on, or what players have stands in the way.
   */
  readonly conflict?: 'reference' | 'rolls' | 'players';
  /** Which member is to blame if one item is changed. */
  readonly member?: string;
}

/** A finding before it is put into words, for a plan or for the author of a single change. */
export type Fault = Finding & More;

/** Collects findings, up to the number that is listed. */
export interface Findings {
  readonly found: Fault[];
  add(kind: EntityKind | null, id: string | null, path: string, message: string, more?: More): void;
}

export const listFindings = (): Findings => {
  const found: Fault[] = [];
  return {
    found,
    add: (kind, id, path, message, more) => {
      if (found.length < LIMITS.listedFindings) found.push({ kind, id, path, message, ...more });
    },
  };
};

/** As a plan lists it. */
export const findingOf = ({ kind, id, path, message, name, conflict }: Fault): Finding => {
  if (name === undefined || (path !== '' && conflict === undefined)) return { kind, id, path, message };
  const about = conflict === 'rolls' ? `${name} could no longer be rolled on:` : name;
  return { kind, id, path, message: `${about} ${message}` };
};

/** Faults of a publication as issues of an error. */
export const issuesOfFaults = (faults: readonly Fault[]): Issue[] =>
  listIssues(faults.map(findingOf), ({ kind, id, path, message }) => ({
    path: kind === null ? `/body${path}` : `/${kind}/${pointerToken(id ?? '')}${path}`,
    message,
  }));

/** The one entity that a request changes. */
export interface Changed {
  readonly kind: EntityKind;
  readonly id: string;
  readonly isDeleted: boolean;
}

/** Which member of a changed entity is to blame for what happens to others. */
const blamed = ({ kind, isDeleted }: Changed, { kind: other, path, member = '' }: Fault): string => {
  if (isDeleted) return '/path/id';
  if (kind === 'classifier') return '/body/classifierOptions';
  if (kind === 'attribute' && other === 'item') return `/body${path.slice(path.lastIndexOf('/'))}`;
  return `/body${member}`;
};

const issueOf = (changed: Changed, fault: Fault): Issue => {
  const { kind, id, path, message, name } = fault;
  if (kind === changed.kind && id === changed.id)
    return { path: changed.isDeleted ? '/path/id' : `/body${path}`, message };
  if (kind === null) return { path: blamed(changed, fault), message };
  const other = name === undefined ? `${kind} ${id}` : `${kind} ${name} (${id})`;
  return { path: blamed(changed, fault), message: sentenceAbout(other, changed, fault) };
};

const sentenceAbout = (other: string, { kind, isDeleted }: Changed, { path, message, conflict }: Fault): string => {
  if (conflict === 'rolls') return `would leave ${other} unable to roll: ${message}`;
  if (conflict === undefined) return `${other}: its ${path.split('/').at(-1)} ${message}`;
  return isDeleted && kind !== 'classifier' ? `is used by ${other}` : `${other} ${message}`;
};

/** Whether a fault says that the request is right by itself, but not now. */
const isConflict = ({ conflict }: Fault, { isDeleted }: Changed): boolean =>
  conflict === 'reference' ? !isDeleted : conflict !== undefined;

/** Faults of a single change as issues: those of the request itself or, if it has none, what it conflicts with. */
export const issuesOfChange = (
  changed: Changed,
  faults: readonly Fault[],
): { readonly isConflict: boolean; readonly issues: Issue[] } => {
  const own = faults.filter((fault) => !isConflict(fault, changed));
  const shown = own.length > 0 ? own : faults;
  return { isConflict: own.length === 0, issues: listIssues(shown, (fault) => issueOf(changed, fault)) };
};
