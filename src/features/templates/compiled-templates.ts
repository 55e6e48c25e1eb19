import type { Bindings } from '../../engine/binding.ts';
import type { TemplateConfig } from '../../engine/config.ts';
import { templateOdds } from '../../engine/odds.ts';
import { type CompiledTemplate, compileTemplate } from '../../engine/templates.ts';
import { invalid } from '../../errors.ts';
import type { TeamCatalog } from '../catalog/catalog.service.ts';
import type { TemplateOdds } from './template-rolls.contract.ts';
import { periodOf } from './templates.service.ts';
import type { TemplateRow } from './templates.store.ts';

/** A template made ready on one version of its catalog, and what was worked out of it. */
export interface ReadyTemplate {
  readonly template: CompiledTemplate;
  /** Worked out when first asked for, and kept as long as the template is. */
  readonly odds: () => TemplateOdds;
}

/** Makes templates ready to roll, each once for as long as neither it nor its catalog changes. */
export type ReadyTemplates = (team: TeamCatalog, row: TemplateRow) => ReadyTemplate;

interface Kept extends ReadyTemplate {
  readonly config: string;
  readonly bindings: string;
}

/** What a later change to the catalog broke is refused in the words that saving would use. */
const compile = (team: TeamCatalog, row: TemplateRow): CompiledTemplate => {
  const config = JSON.parse(row.config) as TemplateConfig;
  const bindings = JSON.parse(row.bindings) as Bindings;
  const type = row.type as CompiledTemplate['type'];
  const { template, faults } = compileTemplate(
    { id: row.id, type, config, bindings, ...periodOf(config) },
    team.catalog,
  );
  if (template === null)
    throw invalid(...faults.map(({ path, message }) => ({ path: `/template/config${path}`, message })));
  return template;
};

export const createReadyTemplates = (): ReadyTemplates => {
  // A catalog that is no longer current takes what was made ready on it along.
  const byCatalog = new WeakMap<TeamCatalog, Map<string, Kept>>();
  return (team, row) => {
    let ready = byCatalog.get(team);
    if (ready === undefined) {
      ready = new Map();
      byCatalog.set(team, ready);
    }
    const known = ready.get(row.id);
    if (known !== undefined && known.config === row.config && known.bindings === row.bindings) return known;
    const template = compile(team, row);
    let odds: TemplateOdds | undefined;
    const kept: Kept = {
      config: row.config,
      bindings: row.bindings,
      template,
      odds: (): TemplateOdds => {
        odds ??= { templateId: template.id, ...templateOdds(template) } as TemplateOdds;
        return odds;
      },
    };
    ready.set(row.id, kept);
    return kept;
  };
};
