import type { ChangeRecord, WriteName } from '../../catalog/change.ts';
import { findingOf, issuesOfFaults, listFindings } from '../../catalog/findings.ts';
import type { Planned, Wanted } from '../../catalog/plan.ts';
import { type Purpose, readRequest } from '../../catalog/request.ts';
import type { Compute } from '../../compute/compute.ts';
import { outside } from '../../database/outside.ts';
import type { Read, Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, invalid, notFound, type ServiceError, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { readSharedText } from '../../shared/shared-text.ts';
import { takeTurns } from '../../shared/turns.ts';
import { refit } from '../placements/refit.service.ts';
import { WRITES } from './change.store.ts';
import {
  type BaseCatalog,
  type ReadWhole,
  readChangedSince,
  readChangesOf,
  readChangesSince,
} from './document.service.ts';
import { countConcerned, findObstacles } from './obstacles.service.ts';
import type { Version } from './versions.contract.ts';
import { makeVersion, requireBase } from './versions.service.ts';

export interface PublishingDeps {
  readonly read: Read;
  readonly compute: Compute;
  readonly readWhole: ReadWhole;
}

/** A change that can be applied, as long as the catalog is at the version that it was made on. */
export interface Prepared {
  readonly base: BaseCatalog;
  readonly planned: Planned;
  /** Read from the text of the plan before the transaction, which others wait for. */
  readonly writes: readonly { readonly write: WriteName; readonly rows: readonly object[] }[];
  readonly records: readonly ChangeRecord[];
}

export const readRows = async ({ writes, records }: Planned): Promise<Pick<Prepared, 'writes' | 'records'>> => {
  const read: { write: WriteName; rows: object[] }[] = [];
  for (const { write, text } of writes) {
    read.push({ write, rows: JSON.parse(readSharedText(text)) });
    await takeTurns();
  }
  const recorded: ChangeRecord[] = [];
  for (const text of records) {
    recorded.push(...(JSON.parse(readSharedText(text)) as ChangeRecord[]));
    await takeTurns();
  }
  return { writes: read, records: recorded };
};

/** Writes rows of catalog tables: nothing else does. */
export const writeRows = (tx: Transaction, writes: Prepared['writes']): void => {
  for (const { write, rows } of writes) tx.write(WRITES[write], ...(rows as never[]));
};

/** The version that a body names, if that is all it does. Such bodies are small. */
const versionToUndo = (bytes: Uint8Array, purpose: Purpose) => {
  if (bytes.length > LIMITS.inlineBodyBytes) return undefined;
  const read = readRequest(Buffer.from(bytes).toString(), purpose);
  if ('issues' in read) throw invalid(...read.issues);
  const { request, options } = read;
  return request.type === 'rollback' || request.type === 'undo' ? { ...request, options } : undefined;
};

/** The body of a request. Changes that were made on an earlier version can be moved to the current one. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly rebaseFrom?: number;
}

const readWanted = async (
  reader: Reader,
  { bytes, rebaseFrom }: Body,
  named: ReturnType<typeof versionToUndo>,
  { version: current }: BaseCatalog,
): Promise<Wanted> => {
  if (named === undefined) {
    const changedSince = rebaseFrom === undefined ? [] : await readChangedSince(reader, rebaseFrom);
    return { type: 'body', bytes, changedSince };
  }
  const { type, version, options } = named;
  if (version > current) throw notFound();
  const changes = type === 'rollback' ? await readChangesSince(reader, version) : await readChangesOf(reader, version);
  return { type, changes, options };
};

/** Compares the catalog with what a body wants of it, in another thread. */
export const compareWith = async (
  { read, compute, readWhole }: PublishingDeps,
  { teamId, nowMs }: Pick<Context, 'teamId' | 'nowMs'>,
  body: Body,
  purpose: Purpose,
  signal: AbortSignal | undefined,
): Promise<Pick<Prepared, 'base' | 'planned'>> => {
  const named = versionToUndo(body.bytes, purpose);
  const { base, chunks, wanted } = await read(teamId, async (reader) => {
    const { chunks, ...base } = await readWhole(reader);
    if (named?.options.baseVersion !== undefined) requireBase(base.version, named.options.baseVersion);
    return { base, chunks, wanted: await readWanted(reader, body, named, base) };
  });
  const outcome = await compute.run(teamId, 'plan', { base: chunks, wanted, purpose, nowMs }, signal);
  if ('issues' in outcome) throw invalid(...outcome.issues);
  return { base, planned: outcome };
};

/** The plan of a change, as the JSON of the response. */
export const planChange = async (
  deps: PublishingDeps,
  context: Pick<Context, 'teamId' | 'nowMs'>,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array[]> => {
  const { base, planned } = await compareWith(deps, context, { bytes }, 'plan', signal);
  const [faults, warnings] = [listFindings(), listFindings()];
  faults.found.push(...planned.faults);
  warnings.found.push(...planned.warnings);
  const { withState, orphaned } = await deps.read(context.teamId, async (reader) => {
    const held = await findObstacles(reader, planned.touched, faults);
    return countConcerned(reader, planned.touched, held, warnings);
  });
  const start = JSON.stringify({ baseVersion: base.version, summary: planned.summary }).slice(0, -1);
  const end = JSON.stringify({ players: { withState }, instances: { orphaned } }).slice(1);
  const findings = `"faults":${JSON.stringify(faults.found.map(findingOf))},"warnings":${JSON.stringify(warnings.found.map(findingOf))}`;
  const odds = `"odds":${planned.odds},"oddsLeftOut":${planned.oddsLeftOut}`;
  return [Buffer.from(`${start},"changes":`), planned.changes, Buffer.from(`,${findings},${odds},${end}`)];
};

/** Everything about a change that can be done before its transaction. */
export const prepareChange = async (
  deps: PublishingDeps,
  context: Pick<Context, 'teamId' | 'nowMs'>,
  body: Body,
  signal?: AbortSignal,
): Promise<Prepared> => {
  const { base, planned } = await compareWith(deps, context, body, 'publish', signal);
  if (body.rebaseFrom === undefined) requireBase(base.version, planned.options.baseVersion ?? base.version);
  throwIfAny(issuesOfFaults(planned.faults), 'CONFLICT');
  if (planned.records.length === 0) throw conflict({ path: '/body', message: 'changes nothing' });
  return { base, planned, ...(await readRows(planned)) };
};

/** Gives placed instances the cells of the new footprints of their items. */
const refitItems = async (tx: Transaction, { touched }: Planned): Promise<void> => {
  for (const { before, after } of touched.resizedItems) {
    const path = `/item/${after.id}/${before.width !== after.width ? 'width' : 'height'}`;
    await refit(tx, { itemId: after.id, before, after, path });
  }
};

/** Applies a prepared change, as one version. */
export const applyChange = async (
  tx: Transaction,
  context: Pick<Context, 'nowMs' | 'author'>,
  { base, planned, writes, records }: Prepared,
  message = planned.options.message ?? null,
): Promise<Version> => {
  const { touched } = planned;
  // Nobody creates or places instances in the meantime, so none can appear that would stand in the way.
  const { deletedItems, resizedItems, recastItems, resizesSpaces } = touched;
  if (deletedItems.length + resizedItems.length + recastItems.length > 0 || resizesSpaces) await tx.exclude('grids');
  const source = planned.type === 'rollback' || planned.type === 'undo' ? 'rollback' : 'publish';
  const { version } = await makeVersion(tx, { ...context, source }, { message, base }, async () => {
    const faults = listFindings();
    await findObstacles(tx, touched, faults);
    throwIfAny(issuesOfFaults(faults.found), 'CONFLICT');
    writeRows(tx, writes);
    await refitItems(tx, planned);
    return { result: undefined, records, moreItems: touched.moreItems };
  });
  return version;
};

/** What a change that was rejected is told to its author, who is not there to read a response. */
export const explainRejection = ({ message, issues }: ServiceError): string =>
  issues.length === 0
    ? message
    : issues
        .map(({ path, ...issue }) => (path.startsWith('/body') ? issue.message : `${path} ${issue.message}`))
        .join('; ');

/** Publishes a change. What takes long is done before the transaction, outside of any. */
export const publish = (deps: PublishingDeps, context: Context, body: Body, signal?: AbortSignal) => {
  const prepared = outside(() => prepareChange(deps, context, body, signal));
  return async (tx: Transaction): Promise<Version> => applyChange(tx, context, prepared(tx));
};
