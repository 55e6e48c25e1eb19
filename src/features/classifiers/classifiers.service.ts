import type { OptionEntity } from '../../catalog/entities.ts';
import { textPage } from '../../database/paging.ts';
import { type Issue, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import type { KindOfEntity } from '../catalog/kinds.service.ts';
import type { Classifier, ClassifierChange, NewClassifier } from './classifiers.contract.ts';
import * as store from './classifiers.store.ts';

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
  const {
    name = known?.name ?? '',
    dropRateMultiplier = known?.dropRateMultiplier ?? null,
    color = known?.color,
  } = change;
  return { id, name, dropRateMultiplier, color };
};

export const classifiers: KindOfEntity<'classifier', NewClassifier, ClassifierChange, Classifier, unknown, string> = {
  kind: 'classifier',
  create: (id, given) => ({ edit: () => ({ id, ...given }), given }),
  update: (_context, id, change) => {
    const { name, classifierOptions } = change;
    throwIfAny(shapeFaults(classifierOptions ?? []));
    return {
      edit: (present) => {
        const options = new Map(present.classifierOptions.map((option) => [option.id, option]));
        throwIfAny(unknownOptions(options, classifierOptions ?? []));
        return {
          id,
          name: name ?? present.name,
          classifierOptions:
            classifierOptions?.map((option) => changedOption(options, option)) ?? present.classifierOptions,
        };
      },
      given: change,
    };
  },
  show: ({ teamId }, { entity: { id, name, classifierOptions }, createdAt, updatedAt }) => ({
    ...{ id, name, teamId, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) },
    classifierOptions: classifierOptions.map((option) => ({ color: null, ...option, classifierId: id })),
  }),
  find: store.selectClassifier,
  list: async (reader, _query, page) =>
    textPage(await store.selectClassifierRows(reader, page), async (rows) =>
      (await store.withOptions(reader, rows)).map((classifier) => JSON.stringify(classifier)),
    ),
};
