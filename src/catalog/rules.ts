import { type Catalog, compileCatalog } from '../engine/pool/catalog.ts';
import { type Bindings, referencedIds } from '../engine/systems/binding.ts';
import type { TemplateConfig } from '../engine/systems/config.ts';
import { stepsOfOdds } from '../engine/systems/odds.ts';
import { type CompiledOrFaults, type CompiledTemplate, compileTemplate } from '../engine/systems/templates.ts';
import type { EntityKind } from '../shared/context.ts';
import { LIMITS } from '../shared/limits.ts';
import { type EntityChange, fieldsOf } from './diff.ts';
import type { AttributeEntity, ItemEntity, TemplateEntity } from './entities.ts';
import type { Findings } from './findings.ts';
import { periodOf } from './period.ts';
import type { CatalogState } from './state.ts';
import { optionsIn } from './target.ts';

const changedOf = <T>(changes: readonly EntityChange[], kind: EntityKind): T[] =>
  changes.filter((change) => change.kind === kind && change.after !== null).map(({ after }) => after as T);

const checkRange = (
  kind: EntityKind,
  id: string,
  { min, max }: { readonly min: number; readonly max: number },
  path: string,
  faults: Findings,
): void => {
  if (min > max) faults.add(kind, id, `${path}/min`, `must not be above max (${max})`);
  else if (!Number.isFinite(max - min))
    faults.add(kind, id, `${path}/max`, 'makes the range infinite: the bounds are too far apart');
};

const checkRepeats = (
  id: string,
  values: readonly string[],
  pathOf: (index: number) => string,
  faults: Findings,
): void => {
  const first = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const earlier = first.get(value);
    if (earlier === undefined) first.set(value, index);
    else faults.add('item', id, pathOf(index), `duplicates the entry at ${earlier}`);
  }
};

/** Options belong to one classifier for good, since items and templates refer to them. */
const checkOptions = (base: CatalogState, target: CatalogState, faults: Findings): void => {
  const before = optionsIn(base);
  const owners = new Map<string, string>();
  for (const { id, classifierOptions } of target.classifier.values())
    for (const [index, option] of classifierOptions.entries()) {
      const path = `/classifierOptions/${index}/id`;
      const owner = owners.get(option.id);
      const earlier = before.get(option.id)?.classifierId;
      if (owner !== undefined) faults.add('classifier', id, path, `is already an option of classifier ${owner}`);
      else if (earlier !== undefined && earlier !== id)
        faults.add('classifier', id, path, `is an option of classifier ${earlier}, and cannot move to another`);
      owners.set(option.id, id);
    }
};

const named = ({ name, id }: { readonly name: string; readonly id: string }): string => `${name} (${id})`;

/** What an item refers to must exist, and its ranges must be within those of its attributes. */
const checkItemReferences = (
  item: ItemEntity,
  { attribute: attributes }: CatalogState,
  options: ReadonlyMap<string, unknown>,
  faults: Findings,
): void => {
  for (const [index, id] of item.classifierOptionIds.entries())
    if (!options.has(id)) faults.add('item', item.id, `/classifierOptionIds/${index}`, `option ${id} does not exist`);
  for (const [index, { attributeId, min, max }] of item.itemAttributes.entries()) {
    const path = `/itemAttributes/${index}`;
    const attribute = attributes.get(attributeId);
    if (attribute === undefined) {
      faults.add(
        'item',
        item.id,
        `${path}/attributeId`,
        `${item.name} has attribute ${attributeId}, which does not exist`,
      );
      continue;
    }
    if (min < attribute.min)
      faults.add(
        'item',
        item.id,
        `${path}/min`,
        `must not be below that of attribute ${named(attribute)}, ${attribute.min}`,
      );
    if (max > attribute.max)
      faults.add(
        'item',
        item.id,
        `${path}/max`,
        `must not be above that of attribute ${named(attribute)}, ${attribute.max}`,
      );
  }
};

/** Ids of item attributes are unique in a team, and belong to one item and attribute for good. */
const checkItemAttributeIds = (
  base: CatalogState,
  target: CatalogState,
  changed: readonly ItemEntity[],
  faults: Findings,
): void => {
  const given = new Set(changed.flatMap(({ itemAttributes }) => itemAttributes.map(({ id }) => id)));
  if (given.size === 0) return;
  const keyOf = (itemId: string, attributeId: string): string => `${itemId} ${attributeId}`;
  const before = new Map<string, string>();
  for (const item of base.item.values())
    for (const { id, attributeId } of item.itemAttributes)
      if (given.has(id)) before.set(id, keyOf(item.id, attributeId));
  const seen = new Set<string>();
  for (const item of target.item.values())
    for (const [index, { id, attributeId }] of item.itemAttributes.entries()) {
      if (!given.has(id)) continue;
      const path = `/itemAttributes/${index}/id`;
      const known = before.get(id);
      if (seen.has(id) || (known !== undefined && known !== keyOf(item.id, attributeId)))
        faults.add('item', item.id, path, 'is already in use');
      seen.add(id);
    }
};

const checkItems = (
  base: CatalogState,
  target: CatalogState,
  changes: readonly EntityChange[],
  faults: Findings,
): void => {
  const changed = changedOf<ItemEntity>(changes, 'item');
  for (const item of changed) {
    checkRepeats(item.id, item.classifierOptionIds, (index) => `/classifierOptionIds/${index}`, faults);
    const attributeIds = item.itemAttributes.map(({ attributeId }) => attributeId);
    checkRepeats(item.id, attributeIds, (index) => `/itemAttributes/${index}/attributeId`, faults);
    for (const [index, range] of item.itemAttributes.entries())
      checkRange('item', item.id, range, `/itemAttributes/${index}`, faults);
  }
  checkItemAttributeIds(base, target, changed, faults);
  if (target.item.size > LIMITS.itemsPerTeam)
    faults.add(
      null,
      null,
      '',
      `a team can have at most ${LIMITS.itemsPerTeam} items, and this makes ${target.item.size}`,
    );
  // A change of an attribute or classifier concerns every item.
  const concerned = changes.some(({ kind }) => kind === 'attribute' || kind === 'classifier')
    ? target.item.values()
    : changed;
  const options = optionsIn(target);
  for (const item of concerned) checkItemReferences(item, target, options, faults);
};

/** A catalog compiled for rolling. References that do not exist were reported, and are left out. */
export const compileState = (state: CatalogState): Catalog => {
  const options = optionsIn(state);
  const items = [...state.item.values()].map(({ id, name, rollNumerator, width, height, classifierOptionIds }) => ({
    id,
    name,
    rollNumerator,
    width,
    height,
    optionIds: classifierOptionIds.filter((optionId) => options.has(optionId)),
    // Values of attributes have no effect on odds.
    attributes: [],
  }));
  return compileCatalog(options.values(), items);
};

const checkWeights = (catalog: Catalog, faults: Findings): void => {
  let total = 0;
  for (const { id, weight } of catalog.items) {
    if (!Number.isFinite(weight)) faults.add('item', id, '/rollNumerator', 'gives a weight that is not finite');
    total += weight;
  }
  if (!Number.isFinite(total) && faults.found.length === 0)
    faults.add(null, null, '', 'makes the sum of all weights infinite');
};

export const compileEntity = ({ id, type, config, bindings }: TemplateEntity, catalog: Catalog): CompiledOrFaults =>
  compileTemplate(
    {
      id,
      type: type as CompiledTemplate['type'],
      config: config as TemplateConfig,
      bindings: bindings as Bindings,
      ...periodOf(config as TemplateConfig),
    },
    catalog,
  );

/** Templates may only refer to what exists, whether or not they change. */
const missingReferences = ({ config, bindings }: TemplateEntity, catalog: Catalog): string[] => {
  const { optionIds, itemIds } = referencedIds(config as TemplateConfig, bindings as Bindings);
  return [
    ...optionIds.filter((id) => !catalog.options.has(id)).map((id) => `uses option ${id}, which would not exist`),
    ...itemIds.filter((id) => !catalog.itemsById.has(id)).map((id) => `uses item ${id}, which would not exist`),
  ];
};

/** Compiles templates before and after, each once. */
export interface CompiledTemplates {
  before(id: string): CompiledTemplate | null;
  after(id: string): CompiledTemplate | null;
}

const inMillions = (steps: number): string => Math.ceil(steps / 1e6).toLocaleString('en');

/**
 * A template that cannot be rolled on is a fault, unless it is as it was and could not be rolled on before.
 */
const checkTemplates = (
  { base, target, changes, before, after }: CheckedCatalogs,
  faults: Findings,
): CompiledTemplates => {
  const compiled = new Map<string, CompiledTemplate | null>();
  const isChanged = new Set(changes.filter(({ kind }) => kind === 'template').map(({ id }) => id));
  const compileBefore = (id: string): CompiledTemplate | null => {
    const entity = base.template.get(id);
    return entity === undefined ? null : compileEntity(entity, before()).template;
  };
  for (const entity of target.template.values()) {
    const missing = missingReferences(entity, after);
    const result = compileEntity(entity, after);
    compiled.set(entity.id, result.template);
    const label = isChanged.has(entity.id) ? '' : `${entity.name} could no longer be rolled on: `;
    for (const message of missing) faults.add('template', entity.id, '/config', `${label}${message}`);
    if (result.faults.length > 0 && missing.length === 0) {
      if (!isChanged.has(entity.id) && compileBefore(entity.id) === null) continue;
      const reported = new Set(
        faults.found.filter(({ kind, id }) => kind === 'template' && id === entity.id).map(({ path }) => path),
      );
      for (const { path, message } of result.faults)
        if (!reported.has(`/config${path}`)) faults.add('template', entity.id, `/config${path}`, `${label}${message}`);
    }
    if (result.template !== null && isChanged.has(entity.id)) {
      const steps = stepsOfOdds(result.template);
      if (steps > LIMITS.oddsSteps)
        faults.add(
          'template',
          entity.id,
          '/config',
          `needs about ${inMillions(steps)} million steps to compute its exact odds, more than the ${inMillions(LIMITS.oddsSteps)} million allowed`,
        );
    }
  }
  const known = new Map<string, CompiledTemplate | null>();
  return {
    before: (id) => {
      let template = known.get(id);
      if (template === undefined) {
        template = compileBefore(id);
        known.set(id, template);
      }
      return template;
    },
    after: (id) => compiled.get(id) ?? null,
  };
};

const pityGroupOf = ({ config }: TemplateEntity): string | undefined =>
  (config as { readonly pityGroup?: string }).pityGroup;

/** Templates that share their pity have one chain of receipts, so all of them are verifiable, or none. */
const checkVerifiable = ({ target, changes }: CheckedCatalogs, faults: Findings): void => {
  const templates = [...target.template.values()];
  const changed = changedOf<TemplateEntity>(changes, 'template');
  const path = '/verifiable';
  for (const template of changed) {
    const group = pityGroupOf(template);
    const other =
      group === undefined
        ? undefined
        : templates.find((one) => pityGroupOf(one) === group && one.verifiable !== template.verifiable);
    if (other !== undefined)
      faults.add(
        'template',
        template.id,
        path,
        `must be the same as for ${other.name}, which is in the same pity group`,
      );
  }
  const count = templates.filter(({ verifiable }) => verifiable).length;
  const last = changed.findLast(({ verifiable }) => verifiable);
  if (count > LIMITS.verifiableTemplates && last !== undefined)
    faults.add(
      'template',
      last.id,
      path,
      `at most ${LIMITS.verifiableTemplates} templates of a team can be verifiable`,
    );
};

export interface CheckedCatalogs {
  readonly base: CatalogState;
  readonly target: CatalogState;
  readonly changes: readonly EntityChange[];
  /** Both compiled for rolling; the first only if it is needed. */
  readonly before: () => Catalog;
  readonly after: Catalog;
}

/** Finds everything that keeps a changed catalog from being published, as far as the catalog itself can tell. */
export const checkCatalog = (catalogs: CheckedCatalogs, faults: Findings): CompiledTemplates => {
  const { base, target, changes } = catalogs;
  for (const attribute of changedOf<AttributeEntity>(changes, 'attribute'))
    checkRange('attribute', attribute.id, attribute, '', faults);
  if (changes.some(({ kind }) => kind === 'classifier')) checkOptions(base, target, faults);
  checkItems(base, target, changes, faults);
  checkWeights(catalogs.after, faults);
  checkVerifiable(catalogs, faults);
  return checkTemplates(catalogs, faults);
};

/** What a designer should think about before publishing, as far as the catalog itself can tell. */
export const findWarnings = (
  { base, changes, before, after }: CheckedCatalogs,
  templates: CompiledTemplates,
  warnings: Findings,
): void => {
  for (const item of after.items) {
    if (item.weight > 0) continue;
    const known = base.item.has(item.id) ? before().itemsById.get(item.id) : undefined;
    if (known === undefined || known.weight > 0)
      warnings.add('item', item.id, '/rollNumerator', `${item.name} can never drop: its weight is 0`);
  }
  for (const change of changes) {
    if (change.kind !== 'template') continue;
    const {
      id,
      before: old,
      after: next,
    } = change as EntityChange & {
      before: TemplateEntity | null;
      after: TemplateEntity | null;
    };
    if (next === null) continue;
    if (old !== null && old.type !== next.type)
      warnings.add('template', id, '/type', `${next.name} becomes another game system: users lose their counters`);
    if (old !== null && !fieldsOf(change).includes('config')) continue;
    warnAboutPity(next, warnings);
    for (const tier of templates.after(id)?.tiers.all ?? [])
      if (tier.items.length === 0 && tier.key !== null)
        warnings.add('template', id, `/config/baseRates/${tier.key}`, `no item has the tier ${tier.name}`);
  }
};

interface PityConfig {
  readonly pityThreshold?: number;
  readonly softPity?: readonly { readonly from: number }[];
  readonly pities?: readonly {
    readonly tier: string;
    readonly threshold: number;
    readonly softPity?: readonly { readonly from: number }[];
  }[];
}

const warnAboutPity = ({ id, config }: TemplateEntity, warnings: Findings): void => {
  const { pityThreshold = 0, softPity, pities = [] } = config as PityConfig;
  const check = (threshold: number, segments: PityConfig['softPity'], path: string): void => {
    const from = segments?.[0]?.from;
    if (from !== undefined && threshold > 0 && threshold < from)
      warnings.add(
        'template',
        id,
        path,
        `the soft pity starts at roll ${from}, but the hard pity of ${threshold} comes before it`,
      );
  };
  check(pityThreshold, softPity, '/config/softPity');
  for (const [index, pity] of pities.entries())
    check(pity.threshold, pity.softPity, `/config/pities/${index}/softPity`);
};
