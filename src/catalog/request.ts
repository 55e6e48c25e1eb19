import { Type } from 'typebox';
import { Strict } from '../http/schemas.ts';
import type { EntityKind } from '../shared/context.ts';
import type { Issue } from '../shared/errors.ts';
import { bodyIssues, sizeIssue } from '../shared/json-text.ts';
import { LIMITS } from '../shared/limits.ts';
import { compileShape } from '../shared/shape.ts';
import { Changes, planOptions, publishOptions } from './bodies.ts';
import { FORMAT_VERSION, LISTS } from './entities.ts';

/** An entity as a request wants it; null to delete it. */
export interface WantedEntity {
  readonly kind: EntityKind;
  readonly id: string;
  readonly after: object | null;
}

export type PlanRequest =
  | { readonly type: 'document'; readonly merge: boolean; readonly wanted: readonly WantedEntity[] }
  | { readonly type: 'changes'; readonly wanted: readonly WantedEntity[] }
  | { readonly type: 'rollback'; readonly version: number }
  | { readonly type: 'undo'; readonly version: number };

export interface RequestOptions {
  readonly baseVersion?: number;
  readonly message?: string | null;
  readonly pools?: readonly string[];
}

export type ReadRequest =
  | { readonly issues: readonly Issue[] }
  | { readonly request: PlanRequest; readonly options: RequestOptions };

export type Purpose = 'plan' | 'publish';

const OPTIONS = { plan: planOptions, publish: publishOptions };

const Entity = Type.Object({});
const List = Type.Optional(Type.Array(Entity));

const shapesFor = (purpose: Purpose) => {
  const options = OPTIONS[purpose];
  return {
    document: compileShape(
      Strict({
        // For editors.
        $schema: Type.Optional(Type.String()),
        formatVersion: Type.Integer({ minimum: FORMAT_VERSION, maximum: FORMAT_VERSION }),
        ...Object.fromEntries(LISTS.map(([member]) => [member, List])),
        merge: Type.Optional(Type.Boolean()),
        ...options,
      }),
    ),
    changes: compileShape(Strict({ changes: Changes, ...options })),
    rollback: compileShape(Strict({ rollbackTo: Type.Integer({ minimum: 0 }), ...options })),
    undo: compileShape(Strict({ undo: Type.Integer({ minimum: 1 }), ...options })),
  };
};

const SHAPES = { plan: shapesFor('plan'), publish: shapesFor('publish') };

export type Members = Record<string, unknown>;

const wantedOf = (members: Members): { wanted: WantedEntity[]; issues: Issue[] } => {
  const wanted: WantedEntity[] = [];
  const issues: Issue[] = [];
  for (const [member, kind] of LISTS) {
    const list = members[member] as Members[] | undefined;
    if (list === undefined && members.merge !== true)
      issues.push({ path: `/body/${member}`, message: 'is required without merge: what is absent is deleted' });
    for (const [index, after] of (list ?? []).entries()) {
      if (typeof after.id === 'string') wanted.push({ kind, id: after.id, after });
      else
        issues.push({
          path: `/body/${member}/${index}/id`,
          message: after.id === undefined ? 'is required' : 'must be string',
        });
    }
  }
  return { wanted, issues };
};

const optionsOf = ({ baseVersion, message, pools }: Members): RequestOptions =>
  ({ baseVersion, message, pools }) as RequestOptions;

/** A member with this name would not be one of the object, so no request may have it. */
const POISON = /"__proto__"\s*:/;

/** Parses a body, which may be much larger than that of other operations. */
export const readMembers = (text: string): { readonly members: Members } | { readonly issues: readonly Issue[] } => {
  const tooDeep = sizeIssue(text, LIMITS.catalogBodyValues);
  if (tooDeep !== undefined) return { issues: [tooDeep] };
  let value: unknown;
  try {
    if (!POISON.test(text)) value = JSON.parse(text);
  } catch {}
  if (value === undefined) return { issues: [{ path: '/body', message: 'is not valid JSON' }] };
  const issues = bodyIssues(text, value);
  return issues.length > 0 ? { issues } : { members: value as Members };
};

/** Reads the body of a request, without a look at the catalog. */
export const readRequest = (text: string, purpose: Purpose): ReadRequest => {
  const read = readMembers(text);
  if ('issues' in read) return read;
  const { members } = read;
  const options = optionsOf(members);
  const shapes = SHAPES[purpose];
  if ('changes' in members) {
    const issues = shapes.changes(members, '/body');
    if (issues.length > 0) return { issues };
    const wanted = members.changes as WantedEntity[];
    return { request: { type: 'changes', wanted }, options };
  }
  if ('rollbackTo' in members) {
    const issues = shapes.rollback(members, '/body');
    return issues.length > 0
      ? { issues }
      : { request: { type: 'rollback', version: members.rollbackTo as number }, options };
  }
  if ('undo' in members) {
    const issues = shapes.undo(members, '/body');
    return issues.length > 0 ? { issues } : { request: { type: 'undo', version: members.undo as number }, options };
  }
  const issues = shapes.document(members, '/body');
  if (issues.length > 0) return { issues };
  const { wanted, issues: missing } = wantedOf(members);
  if (missing.length > 0) return { issues: missing };
  return { request: { type: 'document', merge: members.merge === true, wanted }, options };
};
