import type { List, Schemas } from '../api/client.ts';
import { type OptionsById, optionIdsOf, weightOf } from '../parts/options.tsx';
import type { ChangesOf } from './draft.ts';
import type { Entities, Kind, Rows } from './entities.ts';

/** Entities of a draft in the shape of the API, so that pages need not know where they come from. */

/** What only the service knows. */
const NOT_SAVED = { teamId: '', createdAt: '', updatedAt: '' };

type Show<K extends Kind> = (entity: Entities[K], live: Rows[K] | undefined, options: OptionsById) => Rows[K];

const SHOW: { readonly [K in Kind]: Show<K> } = {
  attribute: (entity, live) => ({ ...NOT_SAVED, ...live, ...entity }),
  classifier: (entity, live) => ({
    ...(live ?? NOT_SAVED),
    ...entity,
    classifierOptions: entity.classifierOptions.map((option) => ({ ...option, classifierId: entity.id })),
  }),
  space: (entity, live) => ({ ...NOT_SAVED, userSpaces: [], ...live, ...entity }),
  template: (entity, live) =>
    ({
      ...(live ?? NOT_SAVED),
      ...entity,
      verifiable: entity.verifiable ?? false,
      disclosure: entity.disclosure ?? 'private',
    }) as Rows['template'],
  item: ({ classifierOptionIds, itemAttributes, ...entity }, live, options) => ({
    ...(live ?? NOT_SAVED),
    ...entity,
    description: entity.description ?? null,
    data: entity.data ?? null,
    classifiers: classifierOptionIds.map((id) => {
      const { name = id, multiplier = 1, classifierId = '' } = options.get(id) ?? {};
      return { classifierId, classifierOption: { id, name, dropRateMultiplier: multiplier, classifierId } };
    }),
    attributes: itemAttributes.map((own) => ({ ...own, itemId: entity.id })),
  }),
};

/** An entity of a draft, as the API would list it. Only items refer to options. */
export const show = <K extends Kind>(kind: K, ...given: Parameters<Show<K>>): Rows[K] => SHOW[kind](...given);

/** A list as it will be: with what the draft changes and adds, without what it deletes. */
export const overlayList = <K extends Kind>(
  kind: K,
  list: List<Rows[K]>,
  changes: ChangesOf<K>,
  options: OptionsById,
): List<Rows[K]> => {
  if (changes.size === 0) return list;
  const present = new Set(list.rows.map(({ id }) => id));
  const kept = list.rows.flatMap((row) => {
    const after = changes.get(row.id);
    if (after === undefined) return [row];
    return after === null ? [] : [show(kind, after, row, options)];
  });
  const added = [...changes].flatMap(([id, after]) =>
    after === null || present.has(id) ? [] : [show(kind, after, undefined, options)],
  );
  return { rows: [...kept, ...added], isTruncated: list.isTruncated };
};

/** The odds of a plain roll: the weight of each item, of their sum. */
export const plainOdds = (items: readonly Schemas['Item'][], options: OptionsById): Schemas['ItemOdds'][] => {
  const weights = items.map((item) => weightOf(item.rollNumerator, optionIdsOf(item), options));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return items.map(({ id, name }, place) => {
    const weight = weights[place] ?? 0;
    return { itemId: id, itemName: name, weight, odds: total > 0 ? weight / total : 0 };
  });
};
