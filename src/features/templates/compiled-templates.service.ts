import { periodOf } from '../../catalog/period.ts';
import type { Compute } from '../../compute/compute.ts';
import type { Shared } from '../../compute/shared.ts';
import { outside } from '../../database/outside.ts';
import type { Finder, Work } from '../../database/work.ts';
import { createObserver, type Observer } from '../../engine/evidence/observation.ts';
import { largestFootprint } from '../../engine/grid/grid.ts';
import { once } from '../../engine/once.ts';
import type { Catalog, CompiledItem } from '../../engine/pool/catalog.ts';
import { allAtOnce, type Steps } from '../../engine/steps.ts';
import type { Bindings } from '../../engine/systems/binding.ts';
import { stepsOfChances } from '../../engine/systems/card-pack/pack-counts.ts';
import type { TemplateConfig } from '../../engine/systems/config.ts';
import { findLongestItems, type LongestItems } from '../../engine/systems/longest.ts';
import { oddsInputOf, plainOddsInputOf } from '../../engine/systems/odds-input.ts';
import {
  type CompiledOrFaults,
  type CompiledTemplate,
  compileTemplateInSteps,
  type TemplateSource,
} from '../../engine/systems/templates.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createQueues, inTurns } from '../../shared/turns.ts';
import type { Catalogs, PlacingCatalog, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import type { Givable } from '../item-instances/giving.service.ts';
import { isQuickOn } from './config-checks.service.ts';
import { createOdds } from './template-odds.service.ts';
import { type TemplateRow, templateById } from './templates.store.ts';

/** A template with the catalog of the current transaction. */
export interface ReadyTemplate {
  readonly id: string;
  readonly team: TeamCatalog;
  readonly type: CompiledTemplate['type'];
  readonly isVerifiable: boolean;
  /** The compiled template. If a later change to the catalog broke it, throws the same issues as saving it would. */
  template(): CompiledTemplate;
  /** What it was compiled from. */
  source(): TemplateSource;
  /** Its exact odds, as members of a JSON object. Must not be awaited in a transaction. */
  readonly odds: Shared<readonly string[]>;
  /** What can be rolled, as far as whoever gives it must know beforehand. */
  givable(): Givable;
  /** What is observed of its results. */
  observer(): Observer;
  /** What decides how long the results of a call can be. */
  longestItems(finder: Finder): LongestItems;
}

type PlacingTemplate = ReadyTemplate & { readonly team: PlacingCatalog };

/** Finds templates, prepared once and cached until they or their catalog change. */
export interface ReadyTemplates {
  (finder: Finder, id: string): Promise<ReadyTemplate>;
  /** The same for a command that creates item instances. */
  forPlacing(work: Work, id: string): Promise<PlacingTemplate>;
}

const CONFIG_PATH = '/template/config';

const sourceOf = (row: TemplateRow): TemplateSource => {
  const config = JSON.parse(row.config) as TemplateConfig;
  const bindings = JSON.parse(row.bindings) as Bindings;
  return { id: row.id, type: row.type as CompiledTemplate['type'], config, bindings, ...periodOf(config) };
};

/** Compiles a stored template against a catalog. */
export const compileRow = (catalog: Catalog, row: TemplateRow): Steps<CompiledOrFaults> =>
  compileTemplateInSteps(sourceOf(row), catalog);

function* rollableItems({ tiers }: CompiledTemplate): Generator<CompiledItem> {
  for (const { items } of tiers.all) for (const item of items) if (item.weight > 0) yield item;
}

const givableOf = ({ currencies }: Catalog, template: CompiledTemplate): Givable => {
  const items = [...rollableItems(template)];
  const placed = items.filter(({ id }) => !currencies.has(id));
  const ids = new Set(items.map(({ id }) => id));
  return {
    largest: placed.length === 0 && items.length > 0 ? null : largestFootprint(placed),
    currencyIds: [...currencies.keys()].filter((id) => ids.has(id)),
  };
};

/** Whether the chances of the next pack or offer take more than a moment to compute. */
const needsChances = (template: CompiledTemplate): boolean => {
  const input = oddsInputOf(template);
  return input.kind === 'packs' && stepsOfChances(input.plan) > LIMITS.inlineSteps;
};

export const createReadyTemplates = (catalogs: Catalogs, compute: Compute): ReadyTemplates => {
  const makeReady = (
    team: TeamCatalog,
    row: TemplateRow,
    { template: compiled, faults }: CompiledOrFaults,
  ): ReadyTemplate => {
    const template = (): CompiledTemplate => {
      if (compiled !== null) return compiled;
      throw invalid(...faults.map(({ path, message }) => ({ path: `${CONFIG_PATH}${path}`, message })));
    };
    return {
      id: row.id,
      team,
      type: row.type as CompiledTemplate['type'],
      isVerifiable: row.verifiable === 1,
      template,
      source: () => sourceOf(row),
      odds: createOdds(compute, row.team_id, template, CONFIG_PATH),
      givable: once(() => givableOf(team.catalog, template())),
      observer: once(() => createObserver(template())),
      // Found on first use: few calls come near the limit.
      longestItems: outside(() => inTurns(findLongestItems(template(), team.rollLength))),
    };
  };

  /** One at a time, so that many templates of a team that are rolled on at once do not exceed the team's share. */
  const inTurn = createQueues();

  /** Adds the chances that states are shown with, which may take long to compute. */
  const withChances = async (
    { team_id: teamId }: TemplateRow,
    compiled: CompiledOrFaults,
  ): Promise<CompiledOrFaults> => {
    const { template } = compiled;
    if (template === null || !needsChances(template)) return compiled;
    const input = plainOddsInputOf(template);
    if (input.kind !== 'packs') return compiled;
    const chances = await inTurn(teamId, () => compute.run(teamId, 'chances', input.plan));
    return { template: { ...template, chances: () => chances } as CompiledTemplate, faults: [] };
  };

  /** A template, at once if that takes only a moment. */
  const makeTemplate = (team: TeamCatalog, row: TemplateRow): ReadyTemplate | Promise<ReadyTemplate> => {
    const compiled = isQuickOn(team, JSON.parse(row.config)) ? allAtOnce(compileRow(team.catalog, row)) : undefined;
    if (compiled !== undefined && (compiled.template === null || !needsChances(compiled.template)))
      return makeReady(team, row, compiled);
    return (async () => {
      const made = compiled ?? (await inTurns(compileRow(team.catalog, row)));
      return makeReady(team, row, await withChances(row, made));
    })();
  };

  const readyOn = async (finder: Finder, id: string, team: TeamCatalog): Promise<ReadyTemplate> => {
    const known = team.kept<ReadyTemplate>('template', id);
    if (known !== undefined) return known;
    const [row] = await finder.find(templateById, { id });
    // It may have changed since the version was read, and must not be rolled on as part of the earlier one.
    if (!(await catalogs.isCurrent(finder, team))) return finder.rerunAfter(Promise.resolve());
    if (row === undefined) throw notFound();
    return team.prepared(finder, 'template', id, () => makeTemplate(team, row));
  };

  const ready = async (finder: Finder, id: string) => readyOn(finder, id, await catalogs.current(finder));
  const forPlacing: ReadyTemplates['forPlacing'] = async (work, id) => {
    const team = await catalogs.currentForPlacing(work);
    return (await readyOn(work, id, team)) as PlacingTemplate;
  };
  return Object.assign(ready, { forPlacing });
};
