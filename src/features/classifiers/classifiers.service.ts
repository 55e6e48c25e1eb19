import type { ClassifierEntity, OptionEntity } from '../../catalog/entities.ts';
import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { type Issue, notFound, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import type { ChangedEntity, ChangeEntity } from '../catalog/change.service.ts';
import type { Classifier, ClassifierChange, NewClassifier } from './classifiers.contract.ts';
import * as store from './classifiers.store.ts';

const changedClassifier = (
  { teamId }: Context,
  { entity: { id, name, classifierOptions }, createdAt, updatedAt }: ChangedEntity<'classifier'>,
): Classifier => ({
  ...{ id, name, teamId, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) },
  classifierOptions: classifierOptions.map((option) => ({ ...option, classifierId: id })),
});

export const createClassifier = async (
  tx: Transaction,
  context: Context,
  { id = newId(), ...given }: NewClassifier,
  changeEntity: ChangeEntity,
): Promise<Classifier> => {
  const request = { kind: 'classifier', id, isNew: true, edit: () => ({ id, ...given }), given } as const;
  return changedClassifier(context, await changeEntity(tx, context, request));
};

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

const unknownOptions = (present: ReadonlyMap<string, unknown>, changes: readonly OptionChange[]): Issue[] =>
  changes.flatMap(({ id }, index) =>
    id === undefined || present.has(id)
      ? []
      : [{ path: `/body/classifierOptions/${index}/id`, message: 'is not an option of this classifier' }],
  );

/** An option as a request wants it, which may leave out what it has. */
const changedOption = (options: ReadonlyMap<string, OptionEntity>, { id = newId(), ...change }: OptionChange) => {
  const known = options.get(id);
  const { name = known?.name ?? '', dropRateMultiplier = known?.dropRateMultiplier ?? null } = change;
  return { id, name, dropRateMultiplier };
};

export const updateClassifier = async (
  tx: Transaction,
  context: Context,
  id: string,
  change: ClassifierChange,
  changeEntity: ChangeEntity,
  ifMatch?: string,
): Promise<Classifier> => {
  const { name, classifierOptions } = change;
  throwIfAny(shapeFaults(classifierOptions ?? []));
  const edit = (present: ClassifierEntity) => {
    const options = new Map(present.classifierOptions.map((option) => [option.id, option]));
    throwIfAny(unknownOptions(options, classifierOptions ?? []));
    return {
      id,
      name: name ?? present.name,
      classifierOptions:
        classifierOptions?.map((option) => changedOption(options, option)) ?? present.classifierOptions,
    };
  };
  return changedClassifier(
    context,
    await changeEntity(tx, context, { kind: 'classifier', id, edit, given: change, ifMatch }),
  );
};
