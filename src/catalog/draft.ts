import type { Issue } from '../shared/errors.ts';
import { compileShape } from '../shared/shape.ts';
import { DraftChange, NewDraft } from './bodies.ts';
import { readMembers, type WantedEntity } from './request.ts';

const SHAPES = { create: compileShape(NewDraft), update: compileShape(DraftChange) };

/** The members of a draft that a request contains. */
export interface GivenDraft {
  readonly id?: string;
  readonly name?: string;
  readonly baseVersion?: number;
  /** As JSON, and how many there are. */
  readonly changes?: string;
  readonly count?: number;
}

const repeated = (changes: readonly WantedEntity[]): Issue[] => {
  const first = new Map<string, number>();
  return changes.flatMap(({ kind, id }, index) => {
    const earlier = first.get(`${kind} ${id}`);
    if (earlier !== undefined)
      return { path: `/body/changes/${index}/id`, message: `duplicates the entry at ${earlier}` };
    first.set(`${kind} ${id}`, index);
    return [];
  });
};

/** Reads the body of a request that creates or updates a draft. Whether its changes make sense, only a plan can tell. */
export const readDraft = (text: string, purpose: 'create' | 'update'): GivenDraft | { issues: readonly Issue[] } => {
  const read = readMembers(text);
  if ('issues' in read) return read;
  const issues = SHAPES[purpose](read.members, '/body');
  if (issues.length > 0) return { issues };
  const { id, name, baseVersion, changes } = read.members as {
    id?: string;
    name?: string;
    baseVersion?: number;
    changes?: readonly WantedEntity[];
  };
  if (changes === undefined) return { id, name, baseVersion };
  const duplicates = repeated(changes);
  if (duplicates.length > 0) return { issues: duplicates };
  const kept = changes.map(({ kind, id, after }) => ({ kind, id, after }));
  return { id, name, baseVersion, changes: JSON.stringify(kept), count: kept.length };
};

export interface DraftInput {
  readonly bytes: Uint8Array;
  readonly purpose: 'create' | 'update';
}

/** The same for bytes, in a worker. */
export const readDraftBytes = ({ bytes, purpose }: DraftInput) => readDraft(Buffer.from(bytes).toString(), purpose);
