import { periodOf } from '../../catalog/period.ts';
import { configIssues } from '../../catalog/shapes.ts';
import type { Finder } from '../../database/work.ts';
import { allAtOnce, type Steps } from '../../engine/steps.ts';
import type { Bindings } from '../../engine/systems/binding.ts';
import type { TemplateConfig } from '../../engine/systems/config.ts';
import { stepsOfOdds } from '../../engine/systems/odds.ts';
import { type BoundOrFaults, bindTemplateInSteps, type CompiledTemplate } from '../../engine/systems/templates.ts';
import { throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { rejectLongOdds } from './template-odds.service.ts';
import type { Template } from './templates.contract.ts';

export const CONFIG_PATH = '/body/config';

type ConfigInput = Pick<Template, 'type' | 'config'>;

/** Rejects a configuration that is not valid for its type. */
const checkShape = ({ type, config }: ConfigInput): void => throwIfAny(configIssues(type, config, CONFIG_PATH));

/** Whether preparing a template takes only a few milliseconds: it scans the catalog, once more per filter. */
export const isQuickOn = ({ catalog }: TeamCatalog, config: Record<string, unknown>): boolean => {
  const slots = Array.isArray(config.slots) ? config.slots.length : 0;
  return catalog.items.length * (1 + slots) <= LIMITS.inlineItems;
};

/** A configuration that can be saved, with its bindings and the compiled template. */
export interface CheckedConfig {
  readonly team: TeamCatalog;
  readonly bindings: Bindings;
  readonly template: CompiledTemplate;
}

/** Validates a configuration: first its shape, then, if that is valid, against the catalog. Every issue has a path. */
export type ConfigChecks = (finder: Finder, input: ConfigInput) => Promise<CheckedConfig>;

type Checked = BoundOrFaults & { readonly steps: number };

function* check({ catalog }: TeamCatalog, { type, config }: ConfigInput): Steps<Checked> {
  const known = config as TemplateConfig;
  const bound = yield* bindTemplateInSteps({ id: '', type, config: known, ...periodOf(known) }, catalog);
  yield;
  return { ...bound, steps: bound.template === null ? 0 : stepsOfOdds(bound.template) };
}

/** A large catalog is scanned outside of any transaction. */
export const createConfigChecks =
  (catalogs: Catalogs): ConfigChecks =>
  async (finder, input) => {
    checkShape(input);
    const team = await catalogs.current(finder);
    const { bindings, template, faults, steps } = team.prepared(
      finder,
      'config',
      JSON.stringify([input.type, input.config]),
      () => {
        const work = check(team, input);
        return isQuickOn(team, input.config) ? allAtOnce(work) : inTurns(work);
      },
    );
    throwIfAny(faults.map(({ path, message }) => ({ path: `${CONFIG_PATH}${path}`, message })));
    if (template === null) throw new Error('A valid configuration did not compile.');
    rejectLongOdds(input.type, steps, CONFIG_PATH);
    return { team, bindings, template };
  };
