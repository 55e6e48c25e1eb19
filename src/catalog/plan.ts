import { sortedBy } from '../engine/byte-order.ts';
import { once } from '../engine/once.ts';
import { allAtOnce } from '../engine/steps.ts';
import type { TemplateConfig } from '../engine/systems/config.ts';
import type { EntityKind } from '../shared/context.ts';
import type { Issue } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { type SharedText, shareText } from '../shared/shared-text.ts';
import { actionOf, changesBetween, type EntityChange, fieldsOf, rowsOfChanges, type WriteName } from './change.ts';
import type { ItemEntity, SpaceEntity, TemplateEntity } from './entities.ts';
import { type Fault, type Findings, listFindings } from './findings.ts';
import { changedPools, PLAIN_POOL, type PoolChange } from './odds-changes.ts';
import { periodOf } from './period.ts';
import { type PlanRequest, type Purpose, type RequestOptions, readRequest, type WantedEntity } from './request.ts';
import {
  type CheckedChange,
  type CompiledCatalogs,
  type CompiledTemplates,
  checkEntities,
  checkTemplates,
  checkWeights,
  compileState,
} from './rules.ts';
import {
  type CatalogState,
  type ChangeChunks,
  copyOf,
  type EntityChunk,
  entitiesOf,
  isSame,
  put,
  readChanges,
  readState,
  undoChanges,
} from './state.ts';
import { targetOf } from './target.ts';
import { findWarnings } from './warnings.ts';

/** What to plan: the body of a request, or versions to undo with their changes, newest first. */
export type Wanted =
  | {
      readonly type: 'body';
      readonly bytes: Uint8Array;
      /** Entities that were changed since the version that the changes were made on, and must not be changed again. */
      readonly changedSince?: readonly ChangedEntity[];
    }
  | { readonly type: 'rollback' | 'undo'; readonly changes: ChangeChunks; readonly options: RequestOptions };

export interface ChangedEntity {
  readonly kind: EntityKind;
  readonly id: string;
  readonly version: number;
}

export interface PlanInput {
  readonly base: readonly EntityChunk[];
  readonly wanted: Wanted;
  readonly purpose: Purpose;
  readonly nowMs: number;
}

/** What users have of an entity must be looked up in the database. */
export interface Touched {
  readonly deletedItems: readonly { readonly id: string; readonly name: string }[];
  readonly resizedItems: readonly { readonly before: ItemEntity; readonly after: ItemEntity }[];
  /** Items that become a currency, or are none any more. */
  readonly recastItems: readonly { readonly id: string; readonly name: string }[];
  readonly deletedSpaces: readonly { readonly id: string; readonly name: string }[];
  readonly shrunkSpaces: readonly SpaceEntity[];
  /** Whether the size of any space changes. */
  readonly resizesSpaces: boolean;
  readonly templates: readonly { readonly id: string; readonly name: string; readonly isDeleted: boolean }[];
  /** How many more items there are afterwards. */
  readonly moreItems: number;
}

/** Some rows of one write, as a JSON array: sent from a worker as text, they cost the event loop little. */
export interface RowChunk {
  readonly write: WriteName;
  readonly text: SharedText;
}

export interface Planned {
  readonly type: PlanRequest['type'];
  readonly options: RequestOptions;
  readonly summary: { readonly create: number; readonly update: number; readonly delete: number };
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  readonly touched: Touched;
  /** For a plan: lists as JSON. */
  readonly changes: SharedText;
  readonly odds: string;
  readonly oddsLeftOut: string;
  /** For publishing: what to write. */
  readonly writes: readonly RowChunk[];
  readonly records: readonly SharedText[];
}

export type PlanOutcome = { readonly issues: readonly Issue[] } | Planned;

export const touchedBy = (changes: readonly EntityChange[]): Touched => {
  const of = <T>(kind: EntityChange['kind']) =>
    changes.filter((change) => change.kind === kind) as unknown as { before: T | null; after: T | null }[];
  const items = of<ItemEntity>('item');
  const spaces = of<SpaceEntity>('space');
  const deleted = <T extends { readonly id: string; readonly name: string }>(
    all: readonly { before: T | null; after: T | null }[],
  ) =>
    all.flatMap(({ before, after }) => (before !== null && after === null ? { id: before.id, name: before.name } : []));
  return {
    deletedItems: deleted(items),
    resizedItems: items.flatMap(({ before, after }) =>
      before !== null && after !== null && (before.width !== after.width || before.height !== after.height)
        ? { before, after }
        : [],
    ),
    recastItems: items.flatMap(({ before, after }) =>
      before !== null && after !== null && before.currency !== after.currency ? { id: after.id, name: after.name } : [],
    ),
    deletedSpaces: deleted(spaces),
    shrunkSpaces: spaces.flatMap(({ before, after }) =>
      before !== null && after !== null && (after.cols < before.cols || after.rows < before.rows) ? after : [],
    ),
    resizesSpaces: spaces.some(({ before, after }) => before?.cols !== after?.cols || before?.rows !== after?.rows),
    templates: of<TemplateEntity>('template').flatMap(({ before, after }) =>
      before === null ? [] : { id: before.id, name: before.name, isDeleted: after === null },
    ),
    moreItems:
      items.filter(({ before }) => before === null).length - items.filter(({ after }) => after === null).length,
  };
};

/** Changes that were made on an earlier version must not undo what was changed since. */
const rejectClashes = (
  wanted: readonly WantedEntity[],
  changedSince: readonly ChangedEntity[],
  faults: Findings,
): void => {
  const versions = new Map(changedSince.map(({ kind, id, version }) => [`${kind} ${id}`, version]));
  for (const { kind, id } of wanted) {
    const version = versions.get(`${kind} ${id}`);
    if (version !== undefined) faults.add(kind, id, '', `was also changed by version ${version}`);
  }
};

interface ReadTarget {
  readonly type: PlanRequest['type'];
  readonly options: RequestOptions;
  readonly target: CatalogState;
  /** Whether the request mentions what changes. */
  readonly isMeant: (change: EntityChange) => boolean;
}

/** The state that is wanted, and everything that is known about the request. */
const readTarget = (
  base: CatalogState,
  wanted: Wanted,
  purpose: Purpose,
  faults: Findings,
): { issues: readonly Issue[] } | ReadTarget => {
  if (wanted.type !== 'body') {
    const target = copyOf(base);
    if (wanted.type === 'rollback') undoChanges(target, readChanges(wanted.changes));
    else
      for (const { kind, id, before, after } of readChanges(wanted.changes)) {
        if (isSame(entitiesOf(base, kind).get(id), after)) put(target, kind, id, before);
        else faults.add(kind, id, '', 'was changed again by a later version');
      }
    return { type: wanted.type, options: wanted.options, target, isMeant: () => true };
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(wanted.bytes);
  } catch {
    return { issues: [{ path: '/body', message: 'is not valid JSON' }] };
  }
  const read = readRequest(text, purpose);
  if ('issues' in read) return read;
  const { request, options } = read;
  // Small bodies are read before, so that the versions they name are known.
  if (request.type === 'rollback' || request.type === 'undo')
    throw new Error('A version to undo came without its changes.');
  rejectClashes(request.wanted, wanted.changedSince ?? [], faults);
  const replace = request.type === 'document' && !request.merge;
  const mentioned = new Set(request.wanted.map(({ kind, id }) => `${kind} ${id}`));
  const isMeant = ({ kind, id }: EntityChange): boolean => mentioned.has(`${kind} ${id}`);
  const target = targetOf(base, request.wanted, { replace, takesNames: true }, faults);
  return { type: request.type, options, target, isMeant };
};

const poolsOf = ({ base, target, before, after }: Change, templates: CompiledTemplates) => {
  const names = new Map([...base.template, ...target.template]);
  return changedPools(before(), after, {
    ids: sortedBy(names.keys(), (id) => id),
    nameOf: (id) => names.get(id)?.name ?? id,
    before: templates.before,
    after: templates.after,
  });
};

/** Computes the odds of changed pools, as many as are asked for and do not take too long together. */
const oddsOf = (change: Change, templates: CompiledTemplates, pools: readonly string[] | undefined) => {
  const odds: PoolChange[] = [];
  const leftOut: { pool: string; name: string }[] = [];
  let steps = 0;
  for (const changed of poolsOf(change, templates)) {
    const isAsked = pools === undefined || pools.includes(changed.pool);
    const isTooMuch = steps > 0 && steps + changed.steps > 2 * LIMITS.oddsSteps;
    if (!isAsked || isTooMuch) {
      leftOut.push({ pool: changed.pool, name: changed.name });
      continue;
    }
    steps += changed.steps;
    const computed = changed.compute();
    if (computed !== undefined) odds.push(computed);
  }
  return { odds, leftOut };
};

/** Odds that change while players can roll on them may have to be announced. */
const warnAboutOpen = (
  pools: readonly { readonly pool: string }[],
  { base }: Change,
  nowMs: number,
  warnings: Findings,
): void => {
  for (const { pool } of pools) {
    const template = pool === PLAIN_POOL ? undefined : base.template.get(pool);
    if (template === undefined) continue;
    const { startsAtMs, endsAtMs } = periodOf(template.config as TemplateConfig);
    if ((startsAtMs ?? nowMs) > nowMs || (endsAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
    warnings.add(
      'template',
      pool,
      '/config',
      `the odds of ${template.name} change while it is open: players may have to be told`,
    );
  }
};

const changesText = (changes: readonly EntityChange[]): SharedText => {
  const texts = changes.map((change) => {
    const { kind, id, before, after } = change;
    return JSON.stringify({ kind, id, action: actionOf(change), before, after, fields: fieldsOf(change) });
  });
  return shareText(`[${texts.join()}]`);
};

const summaryOf = (changes: readonly EntityChange[]) => {
  const summary = { create: 0, update: 0, delete: 0 };
  for (const change of changes) summary[actionOf(change)] += 1;
  return summary;
};

/** A change of whole catalogs, with both compiled. */
type Change = CheckedChange & CompiledCatalogs;

const changeOf = (base: CatalogState, target: CatalogState): Change => ({
  ...{ base, target, changes: changesBetween(base, target), items: target.item.size },
  currencies: target.item.values().reduce((count, { currency }) => count + Number(currency === true), 0),
  verifiable: target.template.values().reduce((count, { verifiable }) => count + Number(verifiable === true), 0),
  before: once(() => compileState(base)),
  after: compileState(target),
});

/** Finds everything that is wrong with a change of whole catalogs, as far as these can tell. */
const checkCatalog = (change: Change, faults: Findings): CompiledTemplates => {
  checkEntities(change, faults);
  allAtOnce(checkWeights(change, change, faults));
  return allAtOnce(checkTemplates(change, change, faults));
};

const inChunks = (rows: readonly object[]): SharedText[] => {
  const chunks: SharedText[] = [];
  for (let start = 0; start < rows.length; start += LIMITS.changesPerWrite)
    chunks.push(shareText(JSON.stringify(rows.slice(start, start + LIMITS.changesPerWrite))));
  return chunks;
};

const rowChunks = (
  changes: readonly EntityChange[],
  isMeant: (change: EntityChange) => boolean,
  nowMs: number,
): Pick<Planned, 'writes' | 'records'> => {
  const { writes, records } = rowsOfChanges(changes, { updatedAt: nowMs }, isMeant);
  return {
    writes: [...writes].flatMap(([write, rows]) => inChunks(rows).map((text) => ({ write, text }))),
    records: inChunks(records),
  };
};

/** Compares a catalog with what is wanted: the changes, everything wrong with them, and what they do to the odds. */
export const planCatalog = ({ base: chunks, wanted, purpose, nowMs }: PlanInput): PlanOutcome => {
  const faults = listFindings();
  const warnings = listFindings();
  const base = readState(chunks);
  const read = readTarget(base, wanted, purpose, faults);
  if ('issues' in read) return read;
  const { type, options, target, isMeant } = read;
  const change = changeOf(base, target);
  const { changes } = change;
  const templates = checkCatalog(change, faults);
  const planned = { type, options, summary: summaryOf(changes), touched: touchedBy(changes) };
  const done = { faults: faults.found, warnings: warnings.found };
  if (purpose === 'publish') {
    const rows = faults.found.length > 0 ? { writes: [], records: [] } : rowChunks(changes, isMeant, nowMs);
    return { ...planned, ...done, ...rows, changes: shareText(''), odds: '[]', oddsLeftOut: '[]' };
  }
  findWarnings(change, change, templates, warnings);
  const { odds, leftOut } = oddsOf(change, templates, options.pools);
  warnAboutOpen([...odds, ...leftOut], change, nowMs, warnings);
  return {
    ...planned,
    ...done,
    changes: changesText(changes),
    odds: JSON.stringify(odds),
    oddsLeftOut: JSON.stringify(leftOut),
    writes: [],
    records: [],
  };
};

/** The catalog now, and all changes since a version and in it, newest first. */
export interface EffectInput {
  readonly base: readonly EntityChunk[];
  readonly later: ChangeChunks;
  readonly own: ChangeChunks;
  readonly pools?: readonly string[];
}

/** What a version did to the odds, as two JSON lists. */
export const effectOfVersion = ({ base, later, own, pools }: EffectInput): { odds: string; oddsLeftOut: string } => {
  const target = readState(base);
  undoChanges(target, readChanges(later));
  const before = copyOf(target);
  undoChanges(before, readChanges(own));
  const change = changeOf(before, target);
  const { odds, leftOut } = oddsOf(change, checkCatalog(change, listFindings()), pools);
  return { odds: JSON.stringify(odds), oddsLeftOut: JSON.stringify(leftOut) };
};
