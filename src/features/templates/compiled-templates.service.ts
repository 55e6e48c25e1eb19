import type { Finder, Work } from '../../database/work.ts';
import { type Footprint, largestFootprint } from '../../engine/grid/grid.ts';
import { once } from '../../engine/once.ts';
import type { Bindings } from '../../engine/systems/binding.ts';
import type { TemplateConfig } from '../../engine/systems/config.ts';
import { templateOdds } from '../../engine/systems/odds.ts';
import { type CompiledTemplate, compileTemplate } from '../../engine/systems/templates.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Catalogs, TeamCatalog } from '../catalog/catalog.service.ts';
import type { TemplateOdds } from './template-rolls.contract.ts';
import { periodOf } from './templates.service.ts';
import { type TemplateRow, templateById } from './templates.store.ts';

/** A template with the catalog of this very moment. */
export interface ReadyTemplate {
  readonly team: TeamCatalog;
  readonly type: CompiledTemplate['type'];
  /** Ready to roll; what a later change to the catalog broke is refused in the words that saving would use. */
  template(): CompiledTemplate;
  odds(): TemplateOdds;
  /** The largest footprint among the items that can come up. */
  largest(): Footprint;
}

/**
 * Finds templates, made ready once for as long as neither they nor their catalog change. A command that places things
 * keeps the sizes of items and spaces from changing.
 */
export interface ReadyTemplates {
  (finder: Finder, id: string): Promise<ReadyTemplate>;
  (work: Work, id: string, options: { forPlacing: boolean }): Promise<ReadyTemplate>;
}

const compile = ({ catalog }: TeamCatalog, row: TemplateRow): CompiledTemplate => {
  const config = JSON.parse(row.config) as TemplateConfig;
  const bindings = JSON.parse(row.bindings) as Bindings;
  const type = row.type as CompiledTemplate['type'];
  const { template, faults } = compileTemplate({ id: row.id, type, config, bindings, ...periodOf(config) }, catalog);
  if (template === null)
    throw invalid(...faults.map(({ path, message }) => ({ path: `/template/config${path}`, message })));
  return template;
};

const makeReady = (team: TeamCatalog, row: TemplateRow): ReadyTemplate => {
  const template = once(() => compile(team, row));
  return {
    team,
    type: row.type as CompiledTemplate['type'],
    template,
    odds: once(() => ({ templateId: row.id, ...templateOdds(template()) }) as TemplateOdds),
    largest: once(() =>
      largestFootprint(template().tiers.all.flatMap(({ items }) => items.filter(({ weight }) => weight > 0))),
    ),
  };
};

export const createReadyTemplates = (catalogs: Catalogs): ReadyTemplates => {
  // A catalog that is no longer current takes what was made ready on it along.
  const byCatalog = new WeakMap<TeamCatalog, { version: string; ready: Map<string, ReadyTemplate> }>();
  return async (finder: Finder, id: string, { forPlacing = false } = {}) => {
    const { team, templatesVersion } = await catalogs.currentWithTemplates(finder, { forPlacing });
    let kept = byCatalog.get(team);
    if (kept?.version !== templatesVersion) {
      kept = { version: templatesVersion, ready: new Map() };
      byCatalog.set(team, kept);
    }
    const known = kept.ready.get(id);
    if (known !== undefined) return known;
    const [row] = await finder.find(templateById, { id });
    if (row === undefined) throw notFound();
    const ready = makeReady(team, row);
    kept.ready.set(id, ready);
    return ready;
  };
};
