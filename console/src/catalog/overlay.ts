import type { List, Schemas } from '../interface/client.ts';
import type { KnownOption } from '../parts/catalog.ts';
import type { ChangesOf } from './draft.ts';
import type { Entities, Kind } from './entities.ts';

/** Entities of a draft in the shape of the API, so that pages need not know where they come from. */

/** What only the service knows. */
interface Kept {
  readonly teamId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const NOT_SAVED: Kept = { teamId: '', createdAt: '', updatedAt: '' };

export type OptionsById = ReadonlyMap<string, KnownOption>;

export const showAttribute = (entity: Entities['attribute'], live?: Schemas['Attribute']): Schemas['Attribute'] => ({
  ...entity,
  teamId: live?.teamId ?? '',
});

export const showClassifier = (
  entity: Entities['classifier'],
  live?: Schemas['Classifier'],
): Schemas['Classifier'] => ({
  ...(live ?? NOT_SAVED),
  ...entity,
  classifierOptions: entity.classifierOptions.map((option) => ({ ...option, classifierId: entity.id })),
});

export const showSpace = (
  entity: Entities['space'],
  live?: Schemas['SpaceWithUserSpaces'],
): Schemas['SpaceWithUserSpaces'] => ({ ...NOT_SAVED, userSpaces: [], ...live, ...entity });

export const showTemplate = (entity: Entities['template'], live?: Schemas['Template']): Schemas['Template'] => ({
  ...(live ?? NOT_SAVED),
  id: entity.id,
  name: entity.name,
  type: entity.type,
  config: entity.config as Schemas['Template']['config'],
  verifiable: entity.verifiable ?? false,
  disclosure: entity.disclosure ?? 'private',
});

export const showItem =
  (options: OptionsById) =>
  (entity: Entities['item'], live?: Schemas['Item']): Schemas['Item'] => {
    const { classifierOptionIds, itemAttributes, ...members } = entity;
    return {
      ...(live ?? NOT_SAVED),
      ...members,
      classifiers: classifierOptionIds.map((id) => {
        const option = options.get(id);
        const classifierId = option?.classifierId ?? '';
        return {
          classifierId,
          classifierOption: { id, name: option?.name ?? id, dropRateMultiplier: option?.multiplier ?? 1, classifierId },
        };
      }),
      attributes: itemAttributes.map((own) => ({ ...own, itemId: entity.id })),
    };
  };

/** A list as it will be: with what the draft changes and adds, without what it deletes. */
export const overlayList = <K extends Kind, S extends { readonly id: string }>(
  list: List<S>,
  changes: ChangesOf<K>,
  show: (entity: Entities[K], live?: S) => S,
): List<S> => {
  if (changes.size === 0) return list;
  const present = new Set(list.rows.map(({ id }) => id));
  const kept = list.rows.flatMap((row) => {
    const after = changes.get(row.id);
    if (after === undefined) return [row];
    return after === null ? [] : [show(after, row)];
  });
  const added = [...changes].flatMap(([id, after]) => (after === null || present.has(id) ? [] : [show(after)]));
  return { rows: [...kept, ...added], isTruncated: list.isTruncated };
};

/** The odds of a plain roll: the weight of each item, times the multipliers of its options, of their sum. */
export const plainOdds = (items: readonly Schemas['Item'][], options: OptionsById): Schemas['ItemOdds'][] => {
  const weights = items.map(({ rollNumerator, classifiers }) =>
    classifiers.reduce(
      // An option that the draft removes counts no more.
      (weight, { classifierOption: { id } }) => weight * (options.get(id)?.multiplier ?? 1),
      rollNumerator,
    ),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return items.map(({ id, name }, place) => {
    const weight = weights[place] ?? 0;
    return { itemId: id, itemName: name, weight, odds: total > 0 ? weight / total : 0 };
  });
};
