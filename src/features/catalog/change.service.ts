import {
  type ChangeRecord,
  changesBetween,
  type EntityChange,
  rowsOfChanges,
  type Times,
} from '../../catalog/change.ts';
import { type ClassifierEntity, type Entities, entityOf, type Given, type ItemEntity } from '../../catalog/entities.ts';
import { type Findings, issuesOfChange, listFindings } from '../../catalog/findings.ts';
import { type Planned, type Touched, touchedBy } from '../../catalog/plan.ts';
import { type CheckedChange, checkEntities, checkGiven, type GivenMembers } from '../../catalog/rules.ts';
import { type CatalogState, copyOf, entitiesOf, put } from '../../catalog/state.ts';
import { optionsIn, targetOf } from '../../catalog/target.ts';
import type { Compute } from '../../compute/compute.ts';
import type { Read, Transaction } from '../../database/work.ts';
import type { CatalogOption } from '../../engine/pool/catalog.ts';
import type { Context, EntityKind } from '../../shared/context.ts';
import { notFound, throwIfAny } from '../../shared/errors.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { refit } from '../placements/refit.service.ts';
import { countOtherCurrencies, countOtherVerifiable, findEntity, loadConcerned } from './concerned.service.ts';
import type { ReadWhole } from './document.service.ts';
import { requireMatch } from './entities.service.ts';
import { findObstacles } from './obstacles.service.ts';
import { readRows, writeRows } from './publishing.service.ts';
import { createRollChecks } from './roll-checks.service.ts';
import { makeVersion } from './versions.service.ts';

/** A request to create, change or delete one entity. */
export interface EntityRequest<K extends EntityKind> {
  readonly kind: K;
  readonly id: string;
  /** What it becomes; null to delete it. It gets what there is, which must be there unless it is to be created. */
  readonly edit: (present: Entities[K]) => Given<K> | null;
  /** What the request says about it: always the same for the same request. */
  readonly given?: GivenMembers;
  readonly isNew?: boolean;
  readonly ifMatch?: string;
  readonly times?: Partial<Times>;
  /** Whether nobody may place items meanwhile. */
  readonly excludesGrids?: boolean;
}

/** An entity after a change. */
export interface ChangedEntity<K extends EntityKind> {
  readonly entity: Entities[K];
  /** The options that it refers to. */
  readonly options: ReadonlyMap<string, CatalogOption>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Changes one entity of a catalog, as one version, by the rules of publications. */
export type ChangeEntity = <K extends EntityKind>(
  tx: Transaction,
  context: Context,
  request: EntityRequest<K>,
) => Promise<ChangedEntity<K>>;

interface Deps {
  readonly catalogs: Catalogs;
  readonly compute: Compute;
  readonly read: Read;
  readonly readWhole: ReadWhole;
}

/** A request while it is carried out. */
interface AnyPass {
  readonly tx: Transaction;
  readonly request: { readonly kind: EntityKind; readonly id: string; readonly given?: GivenMembers };
  readonly before: object | null;
  /** What it becomes; ids that were made up differ each time. */
  readonly after: object | null;
  /** Names the request, for what is prepared outside of its transaction. */
  readonly key: string;
  readonly faults: Findings;
}

interface Pass<K extends EntityKind> extends AnyPass {
  readonly request: EntityRequest<K>;
  readonly before: Entities[K] | null;
  readonly after: Given<K> | null;
}

/** Throws what is wrong with a request, if anything is. */
const rejectFaults = ({ request: { kind, id }, after, faults }: AnyPass): void => {
  const { isConflict, issues } = issuesOfChange({ kind, id, isDeleted: after === null }, faults.found);
  throwIfAny(issues, isConflict ? 'CONFLICT' : 'BAD_REQUEST');
};

const rejectGiven = ({ kind, id, given = {} }: AnyPass['request']): void => {
  const faults = listFindings();
  checkGiven(kind, id, given, faults);
  throwIfAny(issuesOfChange({ kind, id, isDeleted: false }, faults.found).issues);
};

/** What there is, or must not be there yet. */
const begin = <K extends EntityKind>(
  tx: Transaction,
  request: EntityRequest<K>,
  found: Entities[K] | undefined,
): Pass<K> => {
  const { kind, id, edit, given = {}, isNew = false, ifMatch } = request;
  if (found === undefined && !isNew) throw notFound();
  const before = isNew ? null : (found ?? null);
  if (before !== null) requireMatch(ifMatch, kind, before);
  const after = edit(before as Entities[K]);
  const faults = listFindings();
  const key = JSON.stringify([kind, isNew ? '' : id, after === null, given]);
  const pass = { tx, request, before, after, key, faults };
  if (isNew && found !== undefined) {
    faults.add(kind, id, '/id', 'is already in use');
    // Only what is wrong with an item is told completely.
    if (kind !== 'item') rejectFaults(pass);
  }
  return pass;
};

/** A configuration that was not bound yet is new, and the only one to be checked. */
const isReconfigured = (template: object | null): boolean => template !== null && !('bindings' in template);

/** What a change leads to. */
interface Effect<K extends EntityKind> {
  readonly entity: Entities[K] | null;
  readonly options: ReadonlyMap<string, CatalogOption>;
  readonly records: readonly ChangeRecord[];
  readonly moreItems: number;
}

export const createEntityChanges = ({ catalogs, compute, read, readWhole }: Deps): ChangeEntity => {
  const rollChecks = createRollChecks(catalogs);

  /** The catalog as the request wants it, as far as it is concerned. */
  const targetFor = async ({ tx, request, after, faults }: AnyPass, base: CatalogState): Promise<CatalogState> => {
    const { kind, id } = request;
    if (kind !== 'template' || after === null)
      return targetOf(base, [{ kind, id, after }], { replace: false, takesNames: false }, faults);
    if (isReconfigured(after)) {
      const { options } = (await catalogs.current(tx)).catalog;
      return targetOf(base, [{ kind, id, after }], { replace: false, takesNames: false, options }, faults);
    }
    const target = copyOf(base);
    put(target, kind, id, entityOf(kind, after));
    return target;
  };

  const checkedChange = async (
    { tx, request: { kind, id, given }, before }: AnyPass,
    base: CatalogState,
    target: CatalogState,
    itemCount: number,
  ): Promise<CheckedChange> => {
    const entity = entitiesOf(target, kind).get(id) ?? null;
    const changes = changesBetween(base, target);
    // A request that changes nothing makes a version all the same.
    if (!changes.some((change) => change.kind === kind && change.id === id))
      changes.push({ kind, id, before, after: entity });
    const isCurrency = kind === 'item' && entity !== null && 'currency' in entity;
    const isVerifiable = kind === 'template' && entity !== null && 'verifiable' in entity;
    return {
      ...{ base, target, changes, given },
      items: itemCount + touchedBy(changes).moreItems,
      currencies: isCurrency ? 1 + (await countOtherCurrencies(tx, id)) : 0,
      verifiable: isVerifiable ? 1 + (await countOtherVerifiable(tx, id)) : 0,
    };
  };

  /** Finds everything that is wrong with a change. */
  const check = async (pass: AnyPass, change: CheckedChange, touched: Touched): Promise<void> => {
    const { tx, request, before, after, key, faults } = pass;
    const { kind, id } = request;
    const whole = { tx, key, change, faults };
    if (kind === 'template' && isReconfigured(after)) {
      await rollChecks.templates(whole);
      rejectFaults(pass);
    }
    checkEntities(change, faults);
    rejectFaults(pass);
    const entity = entitiesOf(change.target, kind).get(id) ?? null;
    if (kind === 'item') await rollChecks.item(whole, before as ItemEntity | null, entity as ItemEntity | null);
    if (kind === 'classifier')
      await rollChecks.options(whole, before as ClassifierEntity | null, entity as ClassifierEntity | null);
    await findObstacles(tx, touched, faults);
    rejectFaults(pass);
  };

  const change = async <K extends EntityKind>(
    pass: Pass<K>,
    base: CatalogState,
    itemCount: number,
    times: Times,
  ): Promise<Effect<K>> => {
    const { tx, request } = pass;
    const { kind, id } = request;
    const target = await targetFor(pass, base);
    const checked = await checkedChange(pass, base, target, itemCount);
    const touched = touchedBy(checked.changes);
    await check(pass, checked, touched);
    const isMeant = (one: EntityChange): boolean => one.kind === kind && one.id === id;
    const { writes, records } = rowsOfChanges(checked.changes, times, isMeant);
    for (const [write, rows] of writes) writeRows(tx, [{ write, rows }]);
    for (const { before, after } of touched.resizedItems)
      await refit(tx, {
        itemId: id,
        before,
        after,
        path: before.width !== after.width ? '/body/width' : '/body/height',
      });
    const entity = (entitiesOf(target, kind).get(id) ?? null) as Entities[K] | null;
    return { entity, options: optionsIn(target), records, moreItems: touched.moreItems };
  };

  /** The same by a worker, on the whole catalog: for changes that concern very many entities. */
  const changeWhole = async <K extends EntityKind>(pass: Pass<K>, { teamId, nowMs }: Context): Promise<Effect<K>> => {
    const { tx, request, after, key, faults } = pass;
    const { kind, id } = request;
    const team = await catalogs.current(tx);
    const { versionId, planned, writes, records } = team.prepared(tx, 'change', `plan ${key}`, async () => {
      const { chunks, versionId } = await read(teamId, readWhole);
      const bytes = Buffer.from(JSON.stringify({ changes: [{ kind, id, after }], baseVersion: team.version }));
      const input = { base: chunks, wanted: { type: 'body', bytes }, purpose: 'publish', nowMs } as const;
      const planned = (await compute.run(teamId, 'plan', input)) as Planned;
      return { versionId, planned, ...(await readRows(planned)) };
    });
    // The catalog was changed before it was read, or after.
    if (versionId !== team.versionId) return tx.rerunAfter(Promise.resolve());
    faults.found.push(...planned.faults);
    rejectFaults(pass);
    writeRows(tx, writes);
    const text = records.find((record) => record.kind === kind && record.id === id)?.after ?? null;
    return { entity: text === null ? null : JSON.parse(text), options: new Map(), records, moreItems: 0 };
  };

  return async (tx, context, request) => {
    const { kind, id, isNew = false, times, excludesGrids = false } = request;
    rejectGiven(request);
    if (excludesGrids) await tx.exclude('grids');
    const updatedAt = times?.updatedAt ?? context.nowMs;
    const createdAt = times?.createdAt ?? (isNew ? context.nowMs : undefined);
    const { result } = await makeVersion(tx, context, { message: null }, async ({ itemCount }) => {
      const found = await findEntity(tx, kind, id);
      const pass = begin(tx, request, found?.entity);
      const base = await loadConcerned(tx, kind, pass);
      const effect =
        base === undefined
          ? await changeWhole(pass, context)
          : await change(pass, base, itemCount, { createdAt, updatedAt });
      return { result: { ...effect, createdAt: found?.createdAt }, ...effect };
    });
    const { entity, options } = result;
    return {
      entity: entity as Entities[typeof kind],
      options,
      createdAt: createdAt ?? (result.createdAt as number),
      updatedAt,
    };
  };
};
