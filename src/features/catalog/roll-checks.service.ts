import type { ClassifierEntity, ItemEntity, TemplateEntity } from '../../catalog/entities.ts';
import { type Fault, type Findings, listFindings } from '../../catalog/findings.ts';
import { type CheckedChange, checkTemplates, checkWeights, isExtreme } from '../../catalog/rules.ts';
import { optionsIn } from '../../catalog/target.ts';
import type { Transaction } from '../../database/work.ts';
import type { Catalog, CatalogOption } from '../../engine/pool/catalog.ts';
import { type CatalogChange, changedCatalog, weightOf } from '../../engine/pool/changed-catalog.ts';
import { allAtOnce, each, type Steps } from '../../engine/steps.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { allTemplates, areWeightsModerate, templatesWithItem, templatesWithOptions } from './concerned.service.ts';

/** A change of one entity that is being checked. */
interface Checking {
  readonly tx: Transaction;
  /** Names the request. */
  readonly key: string;
  readonly change: CheckedChange;
  readonly faults: Findings;
}

/**
 * Finds what a change of one entity does to rolls. Only templates that it concerns are compiled, and a large catalog is
 * looked through outside of the transaction.
 */
export interface RollChecks {
  /** For templates that are created or configured. */
  templates(checking: Checking): Promise<void>;
  item(checking: Checking, before: ItemEntity | null, after: ItemEntity | null): Promise<void>;
  options(checking: Checking, before: ClassifierEntity | null, after: ClassifierEntity | null): Promise<void>;
}

/** Whether a change of a weight can matter to more than the odds. */
const matters = (before: number, after: number): boolean => (before > 0 && after === 0) || isExtreme(after);

function* anyMatters(before: Catalog, after: Catalog): Steps<boolean> {
  let isAny = false;
  yield* each(before.items, ({ place, weight }) => {
    isAny ||= matters(weight, after.items[place]?.weight ?? 0);
  });
  return isAny;
}

const weightIn = (item: ItemEntity | null, options: ReadonlyMap<string, CatalogOption>): number =>
  item === null ? 0 : weightOf(item.rollNumerator, item.classifierOptionIds, options);

/** How often compiling a template looks through the catalog. */
const roundsOf = ({ config }: TemplateEntity): number => {
  const { slots = [] } = config as { readonly slots?: readonly unknown[] };
  return 1 + slots.length;
};

/** Does work now if that takes a moment, or else outside of the transaction. */
const inPassing = <T>(tx: Transaction, team: TeamCatalog, key: string, rounds: number, steps: () => Steps<T>): T =>
  team.prepared(tx, 'change', key, () =>
    rounds * team.catalog.items.length <= LIMITS.inlineItems ? allAtOnce(steps()) : inTurns(steps()),
  );

/** The same change, with templates that it concerns. */
const withTemplates = (change: CheckedChange, templates: readonly TemplateEntity[]): CheckedChange => {
  const template = new Map(templates.map((entity) => [entity.id, entity]));
  return { ...change, base: { ...change.base, template }, target: { ...change.target, template } };
};

export const createRollChecks = (catalogs: Catalogs): RollChecks => {
  /** Checks templates, and all weights if these matter, on the catalog as it will be. */
  const check = async (
    { tx, key, change, faults }: Checking,
    effect: CatalogChange,
    withWeights: boolean,
  ): Promise<void> => {
    const team = await catalogs.current(tx);
    function* find(): Steps<readonly Fault[]> {
      const found = listFindings();
      const after = yield* changedCatalog(team.catalog, effect, team.rollNumeratorOf);
      const compiled = { before: () => team.catalog, after };
      if (withWeights) yield* checkWeights(change, compiled, found);
      yield* checkTemplates(change, compiled, found);
      return found.found;
    }
    const rounds = change.target.template.values().reduce((sum, template) => sum + roundsOf(template), 1);
    const found = inPassing(tx, team, `rolls ${key}`, rounds, find);
    // What could not be bound was reported, with a reason.
    const known = new Set(faults.found.map(({ kind, id, path }) => `${kind} ${id} ${path}`));
    faults.found.push(...found.filter(({ kind, id, path }) => !known.has(`${kind} ${id} ${path}`)));
  };

  return {
    templates: (checking) => check(checking, {}, false),

    item: async (checking, before, after) => {
      const { tx, change } = checking;
      const weight = weightIn(after, optionsIn(change.target));
      const isRisky = matters(weightIn(before, optionsIn(change.base)), weight);
      const templates = await templatesWithItem(tx, before, after, isRisky);
      if (templates.length === 0 && !isExtreme(weight)) return;
      const { id, name, rollNumerator, classifierOptionIds: optionIds } = (after ?? before) as ItemEntity;
      const effect = after === null ? { deletedId: id } : { item: { id, name, rollNumerator, optionIds } };
      await check({ ...checking, change: withTemplates(change, templates) }, effect, isExtreme(weight));
    },

    options: async (checking, before, after) => {
      const { tx, key, change } = checking;
      const left = new Map(after?.classifierOptions.map((option) => [option.id, option]));
      const changed = (before?.classifierOptions ?? [])
        .map(({ id, dropRateMultiplier }) => ({
          before: dropRateMultiplier ?? 1,
          after: left.get(id)?.dropRateMultiplier ?? 1,
        }))
        .filter((factor) => factor.before !== factor.after);
      const naming = await templatesWithOptions(tx, { before, after });
      const mayMatter =
        changed.some((factor) => factor.before === 0 || factor.after === 0) ||
        (changed.length > 0 &&
          !(await areWeightsModerate(
            tx,
            changed.map((factor) => factor.after),
          )));
      if (!mayMatter && naming.length === 0) return;
      const team = await catalogs.current(tx);
      const options = new Map(team.catalog.options);
      for (const { id } of before?.classifierOptions ?? []) options.delete(id);
      for (const [id, option] of optionsIn(change.target)) if (left.has(id)) options.set(id, option);
      function* find(): Steps<boolean> {
        return yield* anyMatters(team.catalog, yield* changedCatalog(team.catalog, { options }, team.rollNumeratorOf));
      }
      const isRisky = mayMatter && inPassing(tx, team, `weights ${key}`, 1, find);
      if (!isRisky && naming.length === 0) return;
      const templates = isRisky ? await allTemplates(tx) : naming;
      await check({ ...checking, change: withTemplates(change, templates) }, { options }, isRisky);
    },
  };
};
