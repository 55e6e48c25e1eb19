import { LIMITS } from '../../shared/limits.ts';
import {
  type Attribute,
  type Change,
  type Classifier,
  type Effect,
  type Entity,
  type Item,
  KINDS,
  LIST_OF,
  type PlanRequest,
  type Template,
} from './api.ts';
import type { Service } from './service.ts';
import { printable } from './terminal.ts';

interface NamedOption {
  readonly name: string;
  readonly classifier: string;
}

/** The names of what entities refer to by id, ready to be printed. */
export interface Names {
  readonly options: ReadonlyMap<string, NamedOption>;
  readonly attributes: ReadonlyMap<string, string>;
  readonly items: ReadonlyMap<string, string>;
  /** Entities that findings are about, by kind and id. */
  find(kind: string | null, id: string | null): string | undefined;
}

const entitiesOf = (changes: readonly Change[], kind: Change['kind']): Entity[] =>
  changes
    .filter((change) => change.kind === kind)
    .flatMap(({ before, after }) => [before, after].filter((one) => one !== null));

const addClassifiers = (options: Map<string, NamedOption>, classifiers: readonly Classifier[]): void => {
  for (const { name, classifierOptions } of classifiers)
    for (const option of classifierOptions)
      options.set(option.id, { name: printable(option.name), classifier: printable(name) });
};

const addNamed = (names: Map<string, string>, entities: readonly { id: string; name: string }[]): void => {
  for (const { id, name } of entities) names.set(id, printable(name));
};

/** The lists of items in the configuration of a template. */
const itemIdsIn = (template: Entity | null): string[] => {
  const { featuredItemIds = [], pool } = ((template as Template | null)?.config ?? {}) as {
    featuredItemIds?: string[];
    pool?: { itemIds?: string[] };
  };
  return [...featuredItemIds, ...(pool?.itemIds ?? [])];
};

/** Items that a template lists before or after, but not both: the others are not printed. */
const relistedItems = ({ before, after }: Change): string[] => {
  const [earlier, later] = [itemIdsIn(before), itemIdsIn(after)];
  return [...earlier.filter((id) => !later.includes(id)), ...later.filter((id) => !earlier.includes(id))];
};

/** What a request says that entities are called: an invalid one is in no change of the plan. */
const requestedNames = (request: PlanRequest | undefined): [key: string, name: unknown][] => {
  if (request === undefined || 'rollbackTo' in request) return [];
  if ('changes' in request) return request.changes.map(({ kind, id, after }) => [keyOf(kind, id), after?.name]);
  return KINDS.flatMap((kind) =>
    (request[LIST_OF[kind]] ?? []).map((entity): [string, unknown] => [keyOf(kind, entity?.id), entity?.name]),
  );
};

const keyOf = (kind: string | null, id: string | null): string => `${kind} ${id}`;

const entityNames = ({ changes, odds = [] }: Effect, request: PlanRequest | undefined): Names['find'] => {
  const names = new Map<string, unknown>([
    ...requestedNames(request),
    ...odds.map(({ pool, name }): [string, unknown] => [keyOf('template', pool), name]),
    ...changes.map(({ kind, id, before, after }): [string, unknown] => [keyOf(kind, id), (after ?? before)?.name]),
  ]);
  return (kind, id) => {
    const name = names.get(keyOf(kind, id));
    return typeof name === 'string' && name !== '' ? printable(name) : undefined;
  };
};

const lacks = (known: ReadonlyMap<string, unknown>, ids: readonly string[]): boolean =>
  ids.some((id) => !known.has(id));

/** Finds the names that changes refer to: in the changes themselves if possible, otherwise from the service. */
export const findNames = async (effect: Effect, service: Service, request?: PlanRequest): Promise<Names> => {
  const { changes, odds = [] } = effect;
  const options = new Map<string, NamedOption>();
  const attributes = new Map<string, string>();
  const items = new Map<string, string>();
  const changedItems = entitiesOf(changes, 'item') as unknown as Item[];
  const addChanged = (): void => {
    addClassifiers(options, entitiesOf(changes, 'classifier') as unknown as Classifier[]);
    addNamed(attributes, entitiesOf(changes, 'attribute') as unknown as Attribute[]);
  };
  addChanged();
  const hasTemplates = changes.some(({ kind }) => kind === 'template');
  if (
    hasTemplates ||
    lacks(
      options,
      changedItems.flatMap(({ classifierOptionIds }) => classifierOptionIds),
    )
  ) {
    addClassifiers(options, await service.classifiers());
    // Again, since a plan knows better than the present catalog.
    addChanged();
  }
  const carried = changedItems.flatMap(({ itemAttributes }) => itemAttributes.map(({ attributeId }) => attributeId));
  if (lacks(attributes, carried)) {
    addNamed(attributes, await service.attributes());
    addChanged();
  }
  for (const pool of odds)
    addNamed(
      items,
      pool.items.map(({ itemId, itemName }) => ({ id: itemId, name: itemName })),
    );
  addNamed(items, changedItems);
  const relisted = changes.filter(({ kind }) => kind === 'template').flatMap(relistedItems);
  const unknown = [...new Set(relisted)].filter((id) => !items.has(id));
  for (const id of unknown.slice(0, LIMITS.printedNames)) {
    const item = await service.item(id);
    if (item !== undefined) addNamed(items, [item]);
  }
  return { options, attributes, items, find: entityNames(effect, request) };
};
