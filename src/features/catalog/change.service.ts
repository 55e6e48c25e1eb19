import { changesBetween, rowsOfChanges, type Times } from '../../catalog/change.ts';
import { type ClassifierEntity, type Entities, entityOf, type Given, type ItemEntity } from '../../catalog/entities.ts';
import { type Changed, type Fault, type Findings, issuesOfChange, listFindings } from '../../catalog/findings.ts';
import { type Planned, touchedBy } from '../../catalog/plan.ts';
import {
  type CheckedChange,
  checkEntities,
  checkGiven,
  checkTemplates,
  checkWeights,
  type GivenMembers,
  isExtreme,
} from '../../catalog/rules.ts';
import { type CatalogState, copyOf, entitiesOf, put } from '../../catalog/state.ts';
import { optionsIn, targetOf } from '../../catalog/target.ts';
import type { Compute } from '../../compute/compute.ts';
import type { Read, Transaction } from '../../database/work.ts';
import type { Catalog, CatalogOption } from '../../engine/pool/catalog.ts';
import { type CatalogChange, changedCatalog, weightOf } from '../../engine/pool/changed-catalog.ts';
import { allAtOnce, each, type Steps } from '../../engine/steps.ts';
import type { Context, EntityKind } from '../../shared/context.ts';
import { notFound, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { refit } from '../placements/refit.service.ts';
import {
  allTemplates,
  countOtherVerifiable,
  findEntity,
  loadConcerned,
  templatesWithItem,
  templatesWithOptions,
} from './concerned.service.ts';
import type { ReadWhole } from './document.service.ts';
import { requireMatch } from './entities.service.ts';
import { findObstacles } from './obstacles.service.ts';
import { type Prepared, readRows, writeRows } from './publishing.service.ts';
import { makeVersion } from './versions.service.ts';

/** A request to create, change or delete one entity. */
export interface EntityRequest<K extends EntityKind> {
  readonly kind: K;
  readonly id: string;
  /** What it becomes; null to delete it. It gets what there is, which must be there unless it is to be created. */
  readonly edit: (present: Entities[K]) => Given<K> | null;
  /** What the request says about it. */
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

const itemWeight = (item: ItemEntity | null, options: ReadonlyMap<string, CatalogOption>): number =>
  item === null ? 0 : weightOf(item.rollNumerator, item.classifierOptionIds, options);

/** Whether a change of a weight can matter to more than the odds. */
const matters = (before: number, after: number): boolean => (before > 0 && after === 0) || isExtreme(after);

function* anyMatters(before: Catalog, after: Catalog): Steps<boolean> {
  let isAny = false;
  yield* each(before.items, ({ place, weight }) => {
    isAny ||= matters(weight, after.items[place]?.weight ?? 0);
  });
  return isAny;
}

const slotsOf = (config: object): number => {
  const { slots } = config as { readonly slots?: readonly unknown[] };
  return slots?.length ?? 0;
};

/** Does work now if that takes a moment, or else outside of the transaction. */
const inPassing = <T>(tx: Transaction, team: TeamCatalog, key: string, rounds: number, steps: () => Steps<T>): T =>
  team.prepared(tx, key, () =>
    rounds * team.catalog.items.length <= LIMITS.inlineItems ? allAtOnce(steps()) : inTurns(steps()),
  );

export const createEntityChanges = ({ catalogs, compute, read, readWhole }: Deps): ChangeEntity => {
  /** Checks the templates of a change, and all weights if these matter, on the catalog as it will be. */
  const checkRolls = async (
    tx: Transaction,
    key: string,
    change: CheckedChange,
    effect: CatalogChange,
    withWeights: boolean,
    faults: Findings,
  ): Promise<void> => {
    const team = await catalogs.current(tx);
    function* check(): Steps<readonly Fault[]> {
      const found = listFindings();
      const after = yield* changedCatalog(team.catalog, effect, team.rollNumeratorOf);
      const compiled = { before: () => team.catalog, after };
      if (withWeights) yield* checkWeights(change, compiled, found);
      yield* checkTemplates(change, compiled, found);
      return found.found;
    }
    const rounds = change.target.template.values().reduce((sum, { config }) => sum + 1 + slotsOf(config), 1);
    const known = new Set(faults.found.map(({ kind, id, path }) => `${kind} ${id} ${path}`));
    const found = inPassing(tx, team, `rolls ${team.versionId} ${key}`, rounds, check);
    faults.found.push(...found.filter(({ kind, id, path }) => !known.has(`${kind} ${id} ${path}`)));
  };

  const checkItemRolls = async (
    tx: Transaction,
    key: string,
    change: CheckedChange,
    before: ItemEntity | null,
    after: ItemEntity | null,
    faults: Findings,
  ): Promise<void> => {
    const weight = itemWeight(after, optionsIn(change.target));
    const isRisky = matters(itemWeight(before, optionsIn(change.base)), weight);
    const templates = await templatesWithItem(tx, before, after, isRisky);
    if (templates.length === 0 && !isExtreme(weight)) return;
    const { id } = (after ?? before) as ItemEntity;
    const effect =
      after === null
        ? { deletedId: id }
        : { item: { id, name: after.name, rollNumerator: after.rollNumerator, optionIds: after.classifierOptionIds } };
    await checkRolls(tx, key, withTemplates(change, templates), effect, isExtreme(weight), faults);
  };

  const checkOptionRolls = async (
    tx: Transaction,
    key: string,
    change: CheckedChange,
    before: ClassifierEntity | null,
    after: ClassifierEntity | null,
    faults: Findings,
  ): Promise<void> => {
    const left = new Map(after?.classifierOptions.map((option) => [option.id, option]));
    const changed = (before?.classifierOptions ?? []).filter(
      ({ id, dropRateMultiplier }) => (left.get(id)?.dropRateMultiplier ?? 1) !== (dropRateMultiplier ?? 1),
    );
    const naming = await templatesWithOptions(tx, { before, after });
    if (changed.length === 0 && naming.length === 0) return;
    const team = await catalogs.current(tx);
    const options = new Map(team.catalog.options);
    for (const { id } of before?.classifierOptions ?? []) options.delete(id);
    for (const option of left.values())
      options.set(option.id, { ...option, classifierId: (after ?? before)?.id ?? '' });
    function* find(): Steps<boolean> {
      return yield* anyMatters(team.catalog, yield* changedCatalog(team.catalog, { options }, team.rollNumeratorOf));
    }
    const isRisky = changed.length > 0 && inPassing(tx, team, `weights ${key}`, 1, find);
    if (!isRisky && naming.length === 0) return;
    const templates = isRisky ? await allTemplates(tx) : naming;
    await checkRolls(tx, key, withTemplates(change, templates), { options }, isRisky, faults);
  };

  /** The same in a worker, on the whole catalog: for changes that concern very many entities. */
  const planWhole = async <K extends EntityKind>(
    tx: Transaction,
    { teamId, nowMs }: Context,
    key: string,
    wanted: { readonly kind: K; readonly id: string; readonly after: Given<K> | null },
  ): Promise<Pick<Prepared, 'planned' | 'writes' | 'records'>> => {
    const team = await catalogs.current(tx);
    const { versionId, ...prepared } = team.prepared(tx, `plan ${team.versionId} ${key}`, async () => {
      const { chunks, versionId } = await read(teamId, readWhole);
      const bytes = Buffer.from(JSON.stringify({ changes: [wanted], baseVersion: team.version }));
      const input = { base: chunks, wanted: { type: 'body', bytes }, purpose: 'publish', nowMs } as const;
      const planned = (await compute.run(teamId, 'plan', input)) as Planned;
      return { versionId, planned, ...(await readRows(planned)) };
    });
    // The catalog was changed before it was read, or after.
    if (versionId !== team.versionId) return tx.rerunAfter(Promise.resolve());
    return prepared;
  };

  return (tx, context, request) => changeEntity(tx, context, request);

  async function changeEntity<K extends EntityKind>(
    tx: Transaction,
    context: Context,
    { kind, id, edit, given = {}, isNew = false, ifMatch, times, excludesGrids = false }: EntityRequest<K>,
  ): Promise<ChangedEntity<K>> {
    const alone = listFindings();
    checkGiven(kind, id, given, alone);
    throwIfAny(issuesOfChange({ kind, id, isDeleted: false }, alone.found).issues);
    if (excludesGrids) await tx.exclude('grids');
    const updatedAt = times?.updatedAt ?? context.nowMs;
    const createdAt = times?.createdAt ?? (isNew ? context.nowMs : undefined);
    const { result } = await makeVersion(tx, context, { message: null }, async ({ itemCount }) => {
      const found = await findEntity(tx, kind, id);
      if (found === undefined && !isNew) throw notFound();
      const before = isNew ? null : (found?.entity ?? null);
      if (before !== null) requireMatch(ifMatch, kind, before);
      const after = edit(before as Entities[K]);
      const changed: Changed = { kind, id, isDeleted: after === null };
      const faults = listFindings();
      const key = JSON.stringify([kind, id, after]);
      const rejectFaults = (): void => {
        const { isConflict, issues } = issuesOfChange(changed, faults.found);
        throwIfAny(issues, isConflict ? 'CONFLICT' : 'BAD_REQUEST');
      };
      if (isNew && found !== undefined) {
        faults.add(kind, id, '/id', 'is already in use');
        // Only what is wrong with an item is told completely.
        if (kind !== 'item') rejectFaults();
      }
      const base = await loadConcerned(tx, kind, { before, after });
      if (base === undefined) {
        const { planned, writes, records } = await planWhole(tx, context, key, { kind, id, after });
        faults.found.push(...planned.faults);
        rejectFaults();
        writeRows(tx, writes);
        const { after: text = null } = records.find((record) => record.kind === kind && record.id === id) ?? {};
        const entity = text === null ? null : JSON.parse(text);
        return { result: { entity, options: new Map(), createdAt: found?.createdAt }, records, moreItems: 0 };
      }
      const target = await targetFor(tx, { kind, id, after }, base, faults);
      const entity = (entitiesOf(target, kind).get(id) ?? null) as Entities[K] | null;
      const changes = changesBetween(base, target);
      // A request that changes nothing makes a version all the same.
      if (!changes.some((change) => change.kind === kind && change.id === id))
        changes.push({ kind, id, before, after: entity });
      const touched = touchedBy(changes);
      const verifiable =
        kind === 'template' && (entity as Entities['template'] | null)?.verifiable
          ? 1 + (await countOtherVerifiable(tx, id))
          : 0;
      const change: CheckedChange = { base, target, changes, items: itemCount + touched.moreItems, verifiable, given };
      if (kind === 'template' && isReconfigured(after)) {
        await checkRolls(tx, key, change, {}, false, faults);
        rejectFaults();
      }
      checkEntities(change, faults);
      if (faults.found.length === 0) {
        if (kind === 'item')
          await checkItemRolls(tx, key, change, before as ItemEntity | null, entity as ItemEntity | null, faults);
        if (kind === 'classifier')
          await checkOptionRolls(
            tx,
            key,
            change,
            before as ClassifierEntity | null,
            entity as ClassifierEntity | null,
            faults,
          );
        await findObstacles(tx, touched, faults);
      }
      rejectFaults();
      const { writes, records } = rowsOfChanges(
        changes,
        { createdAt, updatedAt },
        (one) => one.kind === kind && one.id === id,
      );
      writeRows(
        tx,
        [...writes].map(([write, rows]) => ({ write, rows })),
      );
      for (const resized of touched.resizedItems) {
        const path = resized.before.width !== resized.after.width ? '/body/width' : '/body/height';
        await refit(tx, { itemId: id, before: resized.before, after: resized.after, path });
      }
      return {
        result: { entity, options: optionsIn(target), createdAt: found?.createdAt },
        records,
        moreItems: touched.moreItems,
      };
    });
    const { entity, options } = result;
    return { entity: entity as Entities[K], options, createdAt: createdAt ?? (result.createdAt as number), updatedAt };
  }

  /** The catalog as the request wants it. */
  async function targetFor<K extends EntityKind>(
    tx: Transaction,
    { kind, id, after }: { kind: K; id: string; after: Given<K> | null },
    base: CatalogState,
    faults: Findings,
  ): Promise<CatalogState> {
    if (kind === 'template' && after !== null && !isReconfigured(after)) {
      const target = copyOf(base);
      put(target, kind, id, entityOf(kind, after));
      return target;
    }
    const options = kind === 'template' && after !== null ? (await catalogs.current(tx)).catalog.options : undefined;
    return targetOf(base, [{ kind, id, after }], { replace: false, takesNames: false, options }, faults);
  }
};

/** A configuration that was not bound yet is new, and the only one to be checked. */
const isReconfigured = (template: object | null): boolean => template !== null && !('bindings' in template);

/** The same change, with templates that it concerns. */
const withTemplates = (change: CheckedChange, templates: readonly Entities['template'][]): CheckedChange => {
  const template = new Map(templates.map((entity) => [entity.id, entity]));
  return { ...change, base: { ...change.base, template }, target: { ...change.target, template } };
};
