import { tooManySteps } from '../../catalog/rules.ts';
import type { Compute } from '../../compute/compute.ts';
import { type Shared, share } from '../../compute/shared.ts';
import { type OddsTable, oddsTableOf, stepsOfOdds } from '../../engine/systems/odds.ts';
import { oddsInputOf, plainOddsInputOf } from '../../engine/systems/odds-input.ts';
import type { CompiledTemplate } from '../../engine/systems/templates.ts';
import { invalid } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { oddsText } from './odds.presenter.ts';

/** Rejects a template whose exact odds would take too long, and says what to change. */
export const rejectLongOdds = (type: CompiledTemplate['type'], steps: number, path: string): void => {
  const message = tooManySteps(type, steps);
  if (message !== undefined) throw invalid({ path, message });
};

const computeTable = async (
  compute: Compute,
  teamId: string,
  template: CompiledTemplate,
  steps: number,
  signal: AbortSignal,
): Promise<OddsTable> =>
  steps <= LIMITS.inlineSteps
    ? oddsTableOf(oddsInputOf(template), LIMITS.curve)
    : compute.run(teamId, 'odds', plainOddsInputOf(template), signal);

/**
 * The odds of a template, as members of a JSON object. They are computed once, in another thread unless they take only
 * a moment, and cached.
 */
export const createOdds = (
  compute: Compute,
  teamId: string,
  template: () => CompiledTemplate,
  path: string,
): Shared<readonly string[]> => {
  const table = share((signal) => {
    const steps = stepsOfOdds(template());
    rejectLongOdds(template().type, steps, path);
    return computeTable(compute, teamId, template(), steps, signal);
  });
  return async (signal) => inTurns(oddsText(template().tiers, await table(signal)));
};

/** The odds of unsaved configurations, computed once for all concurrent requests for the same configuration. */
export type Previews = (
  team: TeamCatalog,
  teamId: string,
  key: string,
  template: CompiledTemplate,
  path: string,
) => Shared<readonly string[]>;

export const createPreviews =
  (compute: Compute): Previews =>
  (team, teamId, key, template, path) =>
    team.kept('odds', key, () => createOdds(compute, teamId, () => template, path)) as Shared<readonly string[]>;
