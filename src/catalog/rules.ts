import { type Catalog, compileCatalog } from '../engine/pool/catalog.ts';
import { weightOf } from '../engine/pool/changed-catalog.ts';
import { allAtOnce, type Steps } from '../engine/steps.ts';
import { type Bindings, referencedIds } from '../engine/systems/binding.ts';
import type { TemplateConfig, TemplateType } from '../engine/systems/config.ts';
import { stepsOfOdds } from '../engine/systems/odds.ts';
import {
  type CompiledOrFaults,
  type CompiledTemplate,
  compileTemplateInSteps,
  type TemplateSource,
} from '../engine/systems/templates.ts';
import type { EntityKind } from '../shared/context.ts';
import { LIMITS } from '../shared/limits.ts';
import type { EntityChange } from './change.ts';
import type { AttributeEntity, ItemEntity, TemplateEntity } from './entities.ts';
import type { Findings } from './findings.ts';
import { periodOf } from './period.ts';
import { configIssues } from './shapes.ts';
import type { CatalogState } from './state.ts';
import { optionsIn } from './target.ts';

/**
 * A change, with what it concerns: whole catalogs or, for a change of one entity, the parts that the rules look at. What
 * is not there is not checked.
 */
export interface CheckedChange {
  readonly base: CatalogState;
  readonly target: CatalogState;
  readonly changes: readonly EntityChange[];
  /** How many items there are afterwards, how many currencies among them, and how many verifiable templates. */
  readonly items: number;
  readonly currencies: number;
  readonly verifiable: number;
  /** What a request says about the one entity that it changes, if that may be less than all of it. */
  readonly given?: GivenMembers;
}

export type GivenMembers = Readonly<Record<string, unknown>>;

const changedOf = <T>(changes: readonly EntityChange[], kind: EntityKind): T[] =>
  changes.filter((change) => change.kind === kind && change.after !== null).map(({ after }) => after as T);

/** The name of an entity that a change does not mention. */
const nameOfOther = (
  changes: readonly EntityChange[],
  kind: EntityKind,
): (({ id, name }: { id: string; name: string }) => { name?: string }) => {
  const changed = new Set(changes.filter((change) => change.kind === kind).map(({ id }) => id));
  return ({ id, name }) => (changed.has(id) ? {} : { name });
};

const checkRange = (
  kind: EntityKind,
  id: string,
  { min, max }: { readonly min: number; readonly max: number },
  path: string,
  faults: Findings,
  given: GivenMembers = { min, max },
): void => {
  // To blame is what the request says.
  if (min > max)
    if (given.min === undefined) faults.add(kind, id, `${path}/max`, `must not be below min (${min})`);
    else faults.add(kind, id, `${path}/min`, `must not be above max (${max})`);
  else if (!Number.isFinite(max - min))
    faults.add(
      kind,
      id,
      `${path}/${given.max === undefined ? 'min' : 'max'}`,
      'makes the range infinite: the bounds are too far apart',
    );
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
const checkOptions = ({ base, target }: CheckedChange, faults: Findings): void => {
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

/** What is wrong with an item by itself. */
const checkItem = (
  {
    id,
    classifierOptionIds,
    itemAttributes,
    data,
  }: Pick<ItemEntity, 'id' | 'classifierOptionIds' | 'itemAttributes' | 'data'>,
  faults: Findings,
): void => {
  if (data && Buffer.byteLength(JSON.stringify(data)) > LIMITS.itemDataBytes)
    faults.add('item', id, '/data', `must be at most ${LIMITS.itemDataBytes} bytes long, as JSON`);
  checkRepeats(id, classifierOptionIds, (index) => `/classifierOptionIds/${index}`, faults);
  const attributeIds = itemAttributes.map(({ attributeId }) => attributeId);
  checkRepeats(id, attributeIds, (index) => `/itemAttributes/${index}/attributeId`, faults);
  for (const [index, range] of itemAttributes.entries())
    checkRange('item', id, range, `/itemAttributes/${index}`, faults);
};

/** A currency is nothing that could be placed or differ from others of its kind. */
const checkCurrency = ({ id, currency, spend, width, height, itemAttributes }: ItemEntity, faults: Findings): void => {
  if (currency !== true) {
    if (spend !== undefined) faults.add('item', id, '/spend', 'is for currencies only');
    return;
  }
  const message = 'must be 1 for a currency, which is never placed';
  if (width !== 1) faults.add('item', id, '/width', message);
  if (height !== 1) faults.add('item', id, '/height', message);
  if (itemAttributes.length > 0) faults.add('item', id, '/itemAttributes', 'must be empty for a currency');
};

/** Each currency that a roll may give is locked before it is drawn. */
const checkCurrencies = ({ changes, currencies }: CheckedChange, faults: Findings): void => {
  const last = changedOf<ItemEntity>(changes, 'item').findLast(({ currency }) => currency);
  if (currencies > LIMITS.currenciesPerTeam && last !== undefined)
    faults.add('item', last.id, '/currency', `a team can have at most ${LIMITS.currenciesPerTeam} currencies`);
};

/** What is wrong with the members of a request by themselves, whatever there is. */
export const checkGiven = (kind: EntityKind, id: string, given: GivenMembers, faults: Findings): void => {
  const { min, max } = given as Partial<AttributeEntity>;
  if (kind === 'attribute' && min !== undefined && max !== undefined) checkRange(kind, id, { min, max }, '', faults);
  const { classifierOptionIds = [], itemAttributes = [], data } = given as Partial<ItemEntity>;
  if (kind === 'item') checkItem({ id, classifierOptionIds, itemAttributes, data }, faults);
  const { type, config } = given as Partial<TemplateEntity>;
  if (kind === 'template' && type !== undefined && config !== undefined)
    for (const { path, message } of configIssues(type, config, '/config')) faults.add(kind, id, path, message);
};

/** What an item refers to must exist, and its ranges must be within those of its attributes. */
const checkItemReferences = (
  { id, classifierOptionIds, itemAttributes }: ItemEntity,
  { attribute: attributes }: CatalogState,
  options: ReadonlyMap<string, unknown>,
  other: { readonly name?: string },
  faults: Findings,
): void => {
  const reportMissing = (path: string, what: string): void => {
    // What a request names was looked up before.
    if (!faults.found.some((known) => known.kind === 'item' && known.id === id && known.path === path))
      faults.add('item', id, path, `has ${what}, which does not exist`, { ...other, conflict: 'reference' });
  };
  for (const [index, optionId] of classifierOptionIds.entries())
    if (!options.has(optionId)) reportMissing(`/classifierOptionIds/${index}`, `option ${optionId}`);
  for (const [index, { attributeId, min, max }] of itemAttributes.entries()) {
    const path = `/itemAttributes/${index}`;
    const attribute = attributes.get(attributeId);
    if (attribute === undefined) {
      reportMissing(`${path}/attributeId`, `attribute ${attributeId}`);
      continue;
    }
    const of = `that of attribute ${attribute.name} (${attribute.id})`;
    if (min < attribute.min) faults.add('item', id, `${path}/min`, `must not be below ${of}, ${attribute.min}`, other);
    if (max > attribute.max) faults.add('item', id, `${path}/max`, `must not be above ${of}, ${attribute.max}`, other);
  }
};

/** Ids of item attributes are unique in a team, and belong to one item and attribute for good. */
const checkItemAttributeIds = (
  { base, target }: CheckedChange,
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

const checkItems = (change: CheckedChange, faults: Findings): void => {
  const { base, target, changes, items } = change;
  const changed = changedOf<ItemEntity>(changes, 'item');
  for (const item of changed) {
    checkItem(item, faults);
    checkCurrency(item, faults);
  }
  checkCurrencies(change, faults);
  checkItemAttributeIds(change, changed, faults);
  if (items > LIMITS.itemsPerTeam && target.item.size > base.item.size)
    faults.add(null, null, '', `a team can have at most ${LIMITS.itemsPerTeam} items, and this makes ${items}`);
  // A change of an attribute or classifier concerns every item.
  const concerned = changes.some(({ kind }) => kind === 'attribute' || kind === 'classifier')
    ? target.item.values()
    : changed;
  const options = optionsIn(target);
  const nameOf = nameOfOther(changes, 'item');
  for (const item of concerned) checkItemReferences(item, target, options, nameOf(item), faults);
  for (const { id, rollNumerator, classifierOptionIds } of changed)
    if (!Number.isFinite(weightOf(rollNumerator, classifierOptionIds, options)))
      faults.add('item', id, '/rollNumerator', NOT_FINITE);
};

const NOT_FINITE = 'gives a weight that is not finite';

/** The pity group of a configuration, if it shares its pity with other templates. */
export const pityGroupOf = ({ config }: Pick<TemplateEntity, 'config'>): string | undefined =>
  (config as { readonly pityGroup?: string }).pityGroup;

/** Templates that share their pity have one chain of receipts, so all of them are verifiable, or none. */
const checkVerifiable = ({ target, changes, verifiable: count }: CheckedChange, faults: Findings): void => {
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
  const last = changed.findLast(({ verifiable }) => verifiable);
  if (count > LIMITS.verifiableTemplates && last !== undefined)
    faults.add(
      'template',
      last.id,
      path,
      `at most ${LIMITS.verifiableTemplates} templates of a team can be verifiable`,
    );
};

/** Finds everything that is wrong with a change, apart from what it does to rolls. */
export const checkEntities = (change: CheckedChange, faults: Findings): void => {
  for (const attribute of changedOf<AttributeEntity>(change.changes, 'attribute'))
    checkRange('attribute', attribute.id, attribute, '', faults, change.given);
  if (change.changes.some(({ kind }) => kind === 'classifier')) checkOptions(change, faults);
  checkItems(change, faults);
  checkVerifiable(change, faults);
};

/** Catalogs before and after a change, compiled for rolling. The first only if it is needed. */
export interface CompiledCatalogs {
  readonly before: () => Catalog;
  readonly after: Catalog;
}

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

/**
 * Whether a weight can make a sum of weights 0 or infinite, or too imprecise to roll on, in which it is not alone: there
 * are fewer than 2^17 items, so sums of other weights stay far from the limits of a double.
 */
export const isExtreme = (weight: number): boolean => !(weight <= 2 ** 800) || (weight > 0 && weight < 2 ** -800);

export function* checkWeights(
  { changes }: CheckedChange,
  { after }: Pick<CompiledCatalogs, 'after'>,
  faults: Findings,
): Steps<void> {
  const nameOf = nameOfOther(changes, 'item');
  let total = 0;
  for (const item of after.items) {
    const { id, place, weight } = item;
    const other = nameOf(item);
    // What a change mentions was looked at before.
    if (!Number.isFinite(weight) && other.name !== undefined)
      faults.add('item', id, '/rollNumerator', NOT_FINITE, other);
    total += weight;
    if (place % 1024 === 1023) yield;
  }
  if (!Number.isFinite(total) && faults.found.length === 0)
    faults.add(null, null, '', 'makes the sum of all weights infinite', { member: '/rollNumerator' });
}

export const sourceOf = ({ id, type, config, bindings }: TemplateEntity): TemplateSource => ({
  id,
  type,
  config: config as TemplateConfig,
  bindings: bindings as Bindings,
  ...periodOf(config as TemplateConfig),
});

export const compileEntity = (entity: TemplateEntity, catalog: Catalog): Steps<CompiledOrFaults> =>
  compileTemplateInSteps(sourceOf(entity), catalog);

/** What a template refers to and does not exist; if it stays as it is, only what is taken from it. */
const missingReferences = (
  { config, bindings }: TemplateEntity,
  { before, after }: CompiledCatalogs,
  isChanged: boolean,
): string[] => {
  const { optionIds, itemIds } = referencedIds(config as TemplateConfig, bindings as Bindings);
  const missing = (what: string, id: string, known: { readonly name: string } | undefined): string =>
    `uses ${what} ${known === undefined ? id : `${known.name} (${id})`}, which would not exist`;
  return [
    ...optionIds
      .filter((id) => !after.options.has(id) && (isChanged || before().options.has(id)))
      .map((id) => missing('option', id, before().options.get(id))),
    ...itemIds
      .filter((id) => !after.itemsById.has(id) && (isChanged || before().itemsById.has(id)))
      .map((id) => missing('item', id, before().itemsById.get(id))),
  ];
};

/** Compiled templates before and after, each once. */
export interface CompiledTemplates {
  before(id: string): CompiledTemplate | null;
  after(id: string): CompiledTemplate | null;
}

const inMillions = (steps: number): string =>
  steps > Number.MAX_SAFE_INTEGER ? 'countless' : Math.ceil(steps / 1e6).toLocaleString('en');

const ADVICE = {
  gacha: 'lower the thresholds, or have fewer tiers with a pity, or fewer items of different weights',
  idle: 'lower the thresholds, or have fewer tiers with a pity, or fewer items of different weights',
  card_pack: 'have fewer cards, fewer tiers that a pack can use up, or fewer items of different weights',
  roguelike: 'have fewer choices, fewer tiers that an offer can use up, or fewer items of different weights',
};

/** Why the exact odds of a template take too long to be computed, and what to change; undefined if they do not. */
export const tooManySteps = (type: TemplateType, steps: number): string | undefined =>
  steps > LIMITS.oddsSteps
    ? `needs about ${inMillions(steps)} million steps to compute its exact odds, more than the ${inMillions(LIMITS.oddsSteps)} million allowed: ${ADVICE[type]}`
    : undefined;

/** A template that cannot be rolled on is a fault, unless it is as it was and could not be rolled on before. */
export function* checkTemplates(
  { base, target, changes }: CheckedChange,
  catalogs: CompiledCatalogs,
  faults: Findings,
): Steps<CompiledTemplates> {
  const { before, after } = catalogs;
  const compiled = new Map<string, CompiledTemplate | null>();
  const earlier = new Map<string, CompiledTemplate | null>();
  const nameOf = nameOfOther(changes, 'template');
  const compileBefore = (id: string): CompiledTemplate | null => {
    const known = earlier.get(id);
    if (known !== undefined) return known;
    const entity = base.template.get(id);
    const template = entity === undefined ? null : allAtOnce(compileEntity(entity, before())).template;
    earlier.set(id, template);
    return template;
  };
  for (const entity of target.template.values()) {
    const { id } = entity;
    const other = nameOf(entity);
    const isChanged = other.name === undefined;
    const result = yield* compileEntity(entity, after);
    // What is wrong with a new configuration has a path.
    const missing = isChanged && result.faults.length > 0 ? [] : missingReferences(entity, catalogs, isChanged);
    compiled.set(id, result.template);
    for (const message of missing)
      faults.add('template', id, '/config', message, isChanged ? {} : { ...other, conflict: 'reference' });
    if (result.faults.length > 0 && missing.length === 0) {
      if (!isChanged && compileBefore(id) === null) continue;
      const reported = new Set(
        faults.found.filter((found) => found.kind === 'template' && found.id === id).map(({ path }) => path),
      );
      for (const fault of result.faults.filter(({ path }) => !reported.has(`/config${path}`)))
        if (isChanged) faults.add('template', id, `/config${fault.path}`, fault.message);
        else faults.add('template', id, `/config${fault.path}`, describe(fault), { ...other, conflict: 'rolls' });
    }
    const steps =
      result.template === null || !isChanged ? undefined : tooManySteps(entity.type, stepsOfOdds(result.template));
    if (steps !== undefined) faults.add('template', id, '/config', steps);
  }
  return { before: compileBefore, after: (id) => compiled.get(id) ?? null };
}

/** A fault of a configuration, as the rest of a sentence about the template. */
const describe = ({ path, message }: { readonly path: string; readonly message: string }): string => {
  const tier = /^\/baseRates\/(.+)$/.exec(path)?.[1];
  if (tier !== undefined)
    return `its tier ${JSON.stringify(tier.replaceAll('~1', '/').replaceAll('~0', '~'))} ${message}`;
  return path === '' ? message : `its ${path.slice(1).replaceAll('/', '.')} ${message}`;
};
