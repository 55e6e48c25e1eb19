import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { type Issue, invalid, notFound, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { ClassifierOption } from '../catalog/catalog.contract.ts';
import { hasFiniteWeights } from '../catalog/catalog-weights.service.ts';
import { classifierEntity, requireMatch } from '../catalog/entities.service.ts';
import { findItemEntities } from '../catalog/item-entities.service.ts';
import { changeCatalog, type RecordChange } from '../catalog/versions.service.ts';
import type { TemplateGuard } from '../templates/template-guard.service.ts';
import { templatesNamingOptions } from '../templates/templates.service.ts';
import type { Classifier, ClassifierChange, NewClassifier } from './classifiers.contract.ts';
import * as store from './classifiers.store.ts';

/** Stores negative zero as 0. */
const withoutNegativeZero = (multiplier: number | null): number | null => (multiplier === null ? null : multiplier + 0);

export const createClassifier = (
  tx: Transaction,
  context: Context,
  { id = newId(), name, classifierOptions }: NewClassifier,
): Promise<Classifier> =>
  changeCatalog(tx, context, async (record) => {
    const { teamId, nowMs } = context;
    if ((await store.selectClassifier(tx, teamId, id)) !== undefined)
      throw invalid({ path: '/body/id', message: 'is already in use' });
    await store.insertClassifier(tx, { teamId, id, name }, nowMs);
    const options = classifierOptions.map((option, position) => ({
      id: newId(),
      name: option.name,
      dropRateMultiplier: withoutNegativeZero(option.dropRateMultiplier ?? null),
      classifierId: id,
      position,
    }));
    await store.saveOptions(tx, teamId, options);
    const created = await getClassifier(tx, { teamId }, id);
    record('classifier', null, classifierEntity(created));
    return created;
  });

/** A page of classifiers, each as JSON. */
export const listClassifiers = async (reader: Reader, { teamId }: Context, page: Page): Promise<Paged<string>> =>
  textPage(await store.selectClassifierRows(reader, teamId, page), async (rows) =>
    (await store.withOptions(reader, teamId, rows)).map((classifier) => JSON.stringify(classifier)),
  );

export const getClassifier = async (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  id: string,
): Promise<Classifier> => {
  const classifier = await store.selectClassifier(reader, teamId, id);
  if (classifier === undefined) throw notFound();
  return classifier;
};

type OptionChange = NonNullable<ClassifierChange['classifierOptions']>[number];

/** Issues that the request has by itself, whether or not the classifier exists. */
const shapeFaults = (changes: readonly OptionChange[]): Issue[] =>
  changes.flatMap(({ id, name }, index): Issue[] => {
    const path = `/body/classifierOptions/${index}`;
    if (id === undefined)
      return name === undefined ? [{ path: `${path}/name`, message: 'is required for a new option' }] : [];
    const first = changes.findIndex((change) => change.id === id);
    return first < index ? [{ path: `${path}/id`, message: `duplicates the entry at ${first}` }] : [];
  });

const unknownOptions = (present: ReadonlyMap<string, ClassifierOption>, changes: readonly OptionChange[]): Issue[] =>
  changes.flatMap(({ id }, index) =>
    id === undefined || present.has(id)
      ? []
      : [{ path: `/body/classifierOptions/${index}/id`, message: 'is not an option of this classifier' }],
  );

/** Removes options from the items that have them, in batches: there may be very many. */
const takeFromItems = async (tx: Transaction, optionIds: readonly string[], record: RecordChange): Promise<void> => {
  const removed = new Set(optionIds);
  for (const optionId of optionIds) {
    for (;;) {
      const ids = await store.selectItemIdsWith(tx, optionId, LIMITS.changesPerWrite);
      if (ids.length === 0) break;
      for (const item of await findItemEntities(tx, ids))
        record('item', item, {
          ...item,
          classifierOptionIds: item.classifierOptionIds.filter((other) => !removed.has(other)),
        });
      await store.takeFromItems(tx, ids, optionIds);
    }
  }
};

export const updateClassifier = async (
  tx: Transaction,
  context: Context,
  id: string,
  change: ClassifierChange,
  guard: TemplateGuard,
  ifMatch?: string,
): Promise<Classifier> => {
  throwIfAny(shapeFaults(change.classifierOptions ?? []));
  return changeCatalog(tx, context, async (record) => {
    const present = await getClassifier(tx, context, id);
    requireMatch(ifMatch, 'classifier', present);
    await store.updateClassifier(tx, context.teamId, id, change.name ?? present.name, context.nowMs);
    if (change.classifierOptions !== undefined)
      await changeOptions(tx, present, change.classifierOptions, guard, record);
    const changed = await getClassifier(tx, context, id);
    record('classifier', classifierEntity(present), classifierEntity(changed));
    return changed;
  });
};

const changeOptions = async (
  tx: Transaction,
  present: Classifier,
  classifierOptions: readonly OptionChange[],
  guard: TemplateGuard,
  record: RecordChange,
): Promise<void> => {
  const { id, teamId } = present;
  const options = new Map(present.classifierOptions.map((option) => [option.id, option]));
  throwIfAny(unknownOptions(options, classifierOptions));
  const changed = classifierOptions.map((change, position) => {
    const before = change.id === undefined ? undefined : options.get(change.id);
    const { dropRateMultiplier = before?.dropRateMultiplier ?? null } = change;
    return {
      id: before?.id ?? newId(),
      name: change.name ?? before?.name ?? '',
      dropRateMultiplier: withoutNegativeZero(dropRateMultiplier),
      classifierId: id,
      position,
    };
  });
  const removed = present.classifierOptions.filter((option) => !changed.some((kept) => kept.id === option.id));
  const naming = await templatesNaming(tx, removed);
  throwIfAny(
    naming.map(({ optionName, template }) => ({
      path: '/body/classifierOptions',
      message: `must keep option ${optionName}, which template ${template} uses`,
    })),
    'CONFLICT',
  );
  await guard.optionsChange(tx, present.classifierOptions, changed, '/body/classifierOptions');
  const removedIds = removed.map((option) => option.id);
  await takeFromItems(tx, removedIds, record);
  await store.deleteOptions(tx, teamId, removedIds);
  await store.saveOptions(tx, teamId, changed);
  if (!(await hasFiniteWeights(tx)))
    throw invalid({ path: '/body/classifierOptions', message: 'would make the weights of items infinite' });
};

export const deleteClassifier = (
  tx: Transaction,
  context: Context,
  id: string,
  guard: TemplateGuard,
  ifMatch?: string,
): Promise<void> =>
  changeCatalog(tx, context, async (record) => {
    const present = await getClassifier(tx, context, id);
    requireMatch(ifMatch, 'classifier', present);
    const { classifierOptions } = present;
    const naming = await templatesNaming(tx, classifierOptions);
    throwIfAny(
      naming.map(({ optionName, template }) => ({
        path: '/path/id',
        message: `has option ${optionName}, which template ${template} uses`,
      })),
    );
    await guard.optionsChange(tx, classifierOptions, [], '/path/id');
    const optionIds = classifierOptions.map((option) => option.id);
    await takeFromItems(tx, optionIds, record);
    record('classifier', classifierEntity(present), null);
    await store.deleteClassifier(tx, context.teamId, id);
    // Weights grow only if a multiplier below 1 is removed.
    const lowered = classifierOptions.some(({ dropRateMultiplier }) => (dropRateMultiplier ?? 1) < 1);
    if (lowered && !(await hasFiniteWeights(tx)))
      throw invalid({
        path: '/path/id',
        message: 'cannot be deleted: without it the weights of items would be infinite',
      });
  });

const templatesNaming = async (reader: Reader, options: readonly ClassifierOption[]) => {
  if (options.length === 0) return [];
  const names = new Map(options.map((option) => [option.id, option.name]));
  const rows = await templatesNamingOptions(reader, [...names.keys()]);
  return rows.map((row) => ({ optionName: names.get(row.optionId), template: `${row.name} (${row.id})` }));
};

/** The team's options with these ids. */
export const findOptions = (reader: Reader, { teamId }: Context, ids: readonly string[]): Promise<ClassifierOption[]> =>
  store.selectOptionsById(reader, teamId, ids);

/** Replaces the options of an item. */
export const setItemOptions = (tx: Transaction, itemId: string, optionIds: readonly string[]): Promise<void> =>
  store.replaceItemOptions(
    tx,
    tx.teamId,
    itemId,
    optionIds.map((optionId) => ({ id: newId(), optionId })),
  );
