import type { Finder, Transaction } from '../../database/work.ts';
import type { CatalogOption } from '../../engine/pool/catalog.ts';
import { type CatalogChange, type ChangedItem, changedCatalog } from '../../engine/pool/changed-catalog.ts';
import { allAtOnce, type Steps } from '../../engine/steps.ts';
import type { Fault } from '../../engine/systems/faults.ts';
import { type Issue, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../catalog/catalog.service.ts';
import { compileRow } from './compiled-templates.service.ts';
import { isQuickOn } from './config-checks.service.ts';
import * as store from './templates.store.ts';

/** Rejects changes of the catalog that would leave a saved template unable to roll. */
export interface TemplateGuard {
  /** For a change of one item, null if it does not exist before or after; `path` is what to blame. */
  itemChanges(
    tx: Transaction,
    change: { readonly before: ChangedItem | null; readonly after: ChangedItem | null; readonly weight: number },
    path: string,
  ): Promise<void>;
  /** For a change of options: those of one classifier before and after. */
  optionsChange(
    tx: Transaction,
    before: readonly CatalogOption[],
    after: readonly CatalogOption[],
    path: string,
  ): Promise<void>;
}

/** Weights outside of this range may make the sum of a tier unusable. */
const isExtreme = (weight: number): boolean => weight > 2 ** 800 || (weight > 0 && weight < 2 ** -800);
/** The same for multipliers, several of which may apply to one item. */
const isExtremeFactor = (factor: number): boolean => factor > 2 ** 60 || (factor > 0 && factor < 2 ** -60);

const describe = ({ path, message }: Fault): string => {
  const tier = /^\/baseRates\/(.+)$/.exec(path)?.[1];
  if (tier !== undefined)
    return `its tier ${JSON.stringify(tier.replaceAll('~1', '/').replaceAll('~0', '~'))} ${message}`;
  return path === '' ? message : `its ${path.slice(1).replaceAll('/', '.')} ${message}`;
};

/** What is wrong with templates after a change; one that could not be rolled before does not count. */
function* breakage(team: TeamCatalog, change: CatalogChange, rows: readonly store.TemplateRow[]): Steps<string[]> {
  const after = yield* changedCatalog(team.catalog, change, team.rollNumeratorOf);
  const broken: string[] = [];
  for (const row of rows) {
    const { faults } = yield* compileRow(after, row);
    if (faults.length === 0 || (yield* compileRow(team.catalog, row)).template === null) continue;
    for (const fault of faults.slice(0, LIMITS.issues))
      broken.push(`would leave template ${row.name} (${row.id}) unable to roll: ${describe(fault)}`);
    if (broken.length >= LIMITS.issues) break;
  }
  return broken;
}

export const createTemplateGuard = (catalogs: Catalogs): TemplateGuard => {
  /** What was found outside of a transaction, until the caller retries. */
  const byCatalog = new WeakMap<TeamCatalog, Map<string, string[]>>();

  const checkLater = async (team: TeamCatalog, key: string, steps: Steps<string[]>): Promise<void> => {
    const kept = byCatalog.get(team) ?? new Map<string, string[]>();
    byCatalog.set(team, kept);
    kept.set(key, await inTurns(steps));
    if (kept.size > LIMITS.checkedConfigs) kept.delete(kept.keys().next().value as string);
  };

  const reject = async (
    finder: Finder,
    rows: readonly store.TemplateRow[],
    change: CatalogChange,
    path: string,
  ): Promise<void> => {
    if (rows.length === 0) return;
    const team = await catalogs.current(finder);
    const isQuick =
      rows.length <= LIMITS.templatesPerRead && rows.every((row) => isQuickOn(team, JSON.parse(row.config)));
    const key = isQuick ? '' : JSON.stringify([change.item, [...(change.options?.values() ?? [])]]);
    const steps = breakage(team, change, rows);
    const broken = isQuick ? allAtOnce(steps) : byCatalog.get(team)?.get(key);
    if (broken === undefined) return finder.rerunAfter(checkLater(team, key, steps));
    const issues: Issue[] = broken.map((message) => ({ path, message }));
    throwIfAny(issues, 'CONFLICT');
  };

  return {
    itemChanges: async (tx, { before, after, weight }, path) => {
      const [options, earlier] = [after?.optionIds ?? [], before?.optionIds ?? []];
      const gains = options.some((id) => !earlier.includes(id));
      const loses = earlier.some((id) => !options.includes(id)) || after === null;
      const ceases = before !== null && before.rollNumerator > 0 && weight === 0;
      const ids = new Set<string>();
      // An item must not have the options of two tiers; and a tier must not lose what it needs.
      if (gains && options.length > 1) for (const id of await store.selectIdsNamingTwo(tx, options)) ids.add(id);
      if (before !== null && (loses || ceases))
        for (const id of await store.selectIdsRolling(tx, before.id, earlier)) ids.add(id);
      if (isExtreme(weight)) for (const id of await store.selectIdsRolling(tx, after?.id ?? '', options)) ids.add(id);
      if (ids.size === 0) return;
      const item = after ?? { id: before?.id ?? '', rollNumerator: 0, optionIds: [] };
      await reject(tx, await store.selectTemplatesById(tx, [...ids]), { item }, path);
    },
    optionsChange: async (tx, before, after, path) => {
      const factors = new Map(after.map(({ id, dropRateMultiplier }) => [id, dropRateMultiplier ?? 1]));
      const isRisky = before.some(({ id, dropRateMultiplier }) => {
        const [was, is] = [dropRateMultiplier ?? 1, factors.get(id) ?? 1];
        return was !== is && (is === 0 || isExtremeFactor(was) || isExtremeFactor(is));
      });
      const isNewRisk = after.some(({ dropRateMultiplier }) => isExtremeFactor(dropRateMultiplier ?? 1));
      if (!isRisky && !isNewRisk) return;
      const rows = await store.selectAllTemplates(tx);
      if (rows.length === 0) return;
      const { catalog } = await catalogs.current(tx);
      const options = new Map(catalog.options);
      for (const { id } of before) options.delete(id);
      for (const option of after) options.set(option.id, option);
      await reject(tx, rows, { options }, path);
    },
  };
};
