import type { CatalogOption } from '../engine/pool/catalog.ts';
import { bindTiers, tiersIn } from '../engine/systems/binding.ts';
import type { TemplateConfig } from '../engine/systems/config.ts';
import type { EntityKind } from '../shared/context.ts';
import { newId } from '../shared/ids.ts';
import {
  type ClassifierEntity,
  entityOf,
  type Given,
  type ItemEntity,
  LISTS,
  type OptionEntity,
  type TemplateEntity,
} from './entities.ts';
import type { Findings } from './findings.ts';
import type { WantedEntity } from './request.ts';
import { shapeIssues } from './shapes.ts';
import { type CatalogState, copyOf, entitiesOf } from './state.ts';

/** An option without an id is the one with that name, or a new one. */
const classifierOf = (given: Given<'classifier'>, before: ClassifierEntity | undefined): ClassifierEntity => {
  const left = [...(before?.classifierOptions ?? [])].filter(
    (known) => !given.classifierOptions.some((option) => option.id === known.id),
  );
  const idOf = (optionName: string): string => {
    const index = left.findIndex((known) => known.name === optionName);
    return index < 0 ? newId() : (left.splice(index, 1)[0] as OptionEntity).id;
  };
  const classifierOptions = given.classifierOptions.map(({ id, name, dropRateMultiplier = null, color }) => ({
    ...{ id: id ?? idOf(name), name, dropRateMultiplier, color },
  }));
  return entityOf('classifier', { ...given, classifierOptions });
};

/** Finds entities by id, or by a name that only one of them has. */
type Resolve = (idOrName: string) => { readonly id: string } | { readonly fault: string };

const resolver = (
  entities: Iterable<{ readonly id: string; readonly name: string }>,
  noun: string,
  takesNames: boolean,
): Resolve => {
  const ids = new Set<string>();
  const named = new Map<string, string[]>();
  for (const { id, name } of entities) {
    ids.add(id);
    if (takesNames) named.set(name, [...(named.get(name) ?? []), id]);
  }
  return (idOrName) => {
    if (ids.has(idOrName)) return { id: idOrName };
    const [id, ...others] = named.get(idOrName) ?? [];
    if (id === undefined)
      return { fault: `${takesNames ? `${JSON.stringify(idOrName)} ` : ''}is not ${noun} of this team` };
    if (others.length > 0) return { fault: `${JSON.stringify(idOrName)} is the name of several; use an id` };
    return { id };
  };
};

/** An item with ids in place of names. What cannot be resolved is reported. */
const itemOf = (
  given: Given<'item'>,
  before: ItemEntity | undefined,
  { option, attribute }: { readonly option: Resolve; readonly attribute: Resolve },
  faults: Findings,
): ItemEntity => {
  const resolved = (name: string, found: ReturnType<Resolve>, path: string): string => {
    if ('id' in found) return found.id;
    faults.add('item', given.id, path, found.fault);
    return name;
  };
  const classifierOptionIds = (given.classifierOptionIds ?? []).map((name, index) =>
    resolved(name, option(name), `/classifierOptionIds/${index}`),
  );
  const known = new Map(before?.itemAttributes.map(({ attributeId, id }) => [attributeId, id]));
  const itemAttributes = (given.itemAttributes ?? []).map(({ id, attributeId: name, min, max }, index) => {
    const attributeId = resolved(name, attribute(name), `/itemAttributes/${index}/attributeId`);
    return { id: id ?? known.get(attributeId) ?? newId(), attributeId, min, max };
  });
  return entityOf('item', { ...given, classifierOptionIds, itemAttributes });
};

/** Tiers stay bound to the options they were bound to; new names are bound to the options that have them now. */
const templateOf = (
  { bindings: given = {}, ...template }: Given<'template'>,
  options: ReadonlyMap<string, CatalogOption>,
  faults: Findings,
): TemplateEntity => {
  const [system, typed] = [template.type, template.config as TemplateConfig];
  const fresh = bindTiers(system, typed, { options });
  const bindings = new Map<string, string>();
  const kept = new Set<string>();
  for (const tier of tiersIn(system, typed)) {
    const known = Object.hasOwn(given, tier) ? given[tier] : undefined;
    const isKept = known !== undefined && options.has(known);
    if (isKept) kept.add(tier);
    const optionId = isKept ? known : Object.hasOwn(fresh.bindings, tier) ? fresh.bindings[tier] : undefined;
    if (optionId !== undefined) bindings.set(tier, optionId);
  }
  for (const { path, message } of fresh.faults) {
    const tier = (path.split('/').at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
    if (!kept.has(tier) && !/^\/pit(y|ies)/.test(path)) faults.add('template', template.id, `/config${path}`, message);
  }
  return entityOf('template', {
    ...template,
    bindings: Object.fromEntries(bindings),
  });
};

/** All options of a catalog, as the engine needs them. */
export const optionsIn = (state: CatalogState): Map<string, CatalogOption> => {
  const options = new Map<string, CatalogOption>();
  for (const { id: classifierId, classifierOptions } of state.classifier.values())
    for (const { id, name, dropRateMultiplier } of classifierOptions)
      options.set(id, { id, classifierId, name, dropRateMultiplier });
  return options;
};

/** A wanted entity that is valid by itself. */
const acceptable = (wanted: readonly WantedEntity[], faults: Findings): WantedEntity[] => {
  const seen = new Set<string>();
  return wanted.filter(({ kind, id, after }) => {
    const key = `${kind} ${id}`;
    if (seen.has(key)) {
      faults.add(kind, id, '/id', 'appears more than once');
      return false;
    }
    seen.add(key);
    if (after === null) return true;
    if ((after as { id?: unknown }).id !== id) {
      faults.add(kind, id, '/id', 'must be the id of the entity that changes');
      return false;
    }
    const issues = shapeIssues(kind, after);
    for (const { path, message } of issues) faults.add(kind, id, path, message);
    return issues.length === 0;
  });
};

/** Removes options that no longer exist from the items that the request does not mention, as deleting them does. */
const takeFromItems = (target: CatalogState, base: CatalogState, mentioned: ReadonlySet<string>): void => {
  const left = optionsIn(target);
  const removed = [...optionsIn(base).keys()].filter((id) => !left.has(id));
  if (removed.length === 0) return;
  const gone = new Set(removed);
  for (const item of target.item.values()) {
    if (mentioned.has(item.id) || !item.classifierOptionIds.some((id) => gone.has(id))) continue;
    const classifierOptionIds = item.classifierOptionIds.filter((id) => !gone.has(id));
    target.item.set(item.id, { ...item, classifierOptionIds });
  }
};

interface TargetOptions {
  /** Whether whatever the request does not mention is deleted. */
  readonly replace: boolean;
  /** Whether names may stand for the ids of options and attributes. */
  readonly takesNames: boolean;
  /** All options that there are, if the base has only some of them. */
  readonly options?: ReadonlyMap<string, CatalogOption>;
}

/** The catalog as a request wants it. An entity with faults stays as it is. */
export const targetOf = (
  base: CatalogState,
  wanted: readonly WantedEntity[],
  { replace, takesNames, options: known }: TargetOptions,
  faults: Findings,
): CatalogState => {
  const target = copyOf(base);
  const accepted = acceptable(wanted, faults);
  const ofKind = Map.groupBy(accepted, ({ kind }) => kind);
  const mentionedOf = (kind: EntityKind): Set<string> =>
    new Set(wanted.filter((entity) => entity.kind === kind).map(({ id }) => id));
  if (replace)
    for (const [, kind] of LISTS) {
      const mentioned = mentionedOf(kind);
      for (const id of entitiesOf(base, kind).keys()) if (!mentioned.has(id)) entitiesOf(target, kind).delete(id);
    }
  const apply = <K extends EntityKind>(kind: K, make: (after: never, id: string) => object): void => {
    for (const { id, after } of ofKind.get(kind) ?? []) {
      if (after === null) {
        if (!entitiesOf(target, kind).delete(id)) faults.add(kind, id, '', 'does not exist');
      } else entitiesOf(target, kind).set(id, make(after as never, id));
    }
  };
  apply('attribute', (after: Given<'attribute'>) => entityOf('attribute', after));
  apply('classifier', (after: Given<'classifier'>, id) => classifierOf(after, base.classifier.get(id)));
  apply('space', (after: Given<'space'>) => entityOf('space', after));
  if (!replace) takeFromItems(target, base, mentionedOf('item'));
  const options = known ?? optionsIn(target);
  const resolve = {
    option: resolver(options.values(), 'a classifier option', takesNames),
    attribute: resolver(target.attribute.values(), 'an attribute', takesNames),
  };
  apply('item', (after: Given<'item'>, id) => itemOf(after, base.item.get(id), resolve, faults));
  apply('template', (after: Given<'template'>) => templateOf(after, options, faults));
  return target;
};
