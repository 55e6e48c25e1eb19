import type { Compute } from '../../compute/compute.ts';
import { type Shared, share } from '../../compute/shared.ts';
import { type OddsTable, oddsTableOf, stepsOfOdds } from '../../engine/systems/odds.ts';
import { oddsInputOf, plainOddsInputOf } from '../../engine/systems/odds-input.ts';
import type { CompiledTemplate } from '../../engine/systems/templates.ts';
import { invalid } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { inTurns } from '../../turns.ts';
import type { TeamCatalog } from '../catalog/catalog.service.ts';
import { oddsText } from './odds.presenter.ts';

const ADVICE = {
  gacha: 'lower the thresholds, or have fewer tiers with a pity, or fewer items of different weights',
  idle: 'lower the thresholds, or have fewer tiers with a pity, or fewer items of different weights',
  card_pack: 'have fewer cards, fewer tiers that a pack can use up, or fewer items of different weights',
  roguelike: 'have fewer choices, fewer tiers that an offer can use up, or fewer items of different weights',
};

const inMillions = (steps: number): string =>
  steps > Number.MAX_SAFE_INTEGER ? 'countless' : Math.ceil(steps / 1e6).toLocaleString('en');

/** Rejects a template whose exact odds would take too long, and says what to change. */
export const rejectLongOdds = (type: CompiledTemplate['type'], steps: number, path: string): void => {
  if (steps <= LIMITS.oddsSteps) return;
  const message = `needs about ${inMillions(steps)} million steps to compute its exact odds, more than the ${inMillions(LIMITS.oddsSteps)} million allowed: ${ADVICE[type]}`;
  throw invalid({ path, message });
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

export const createPreviews = (compute: Compute): Previews => {
  const byCatalog = new WeakMap<TeamCatalog, Map<string, Shared<readonly string[]>>>();
  return (team, teamId, key, template, path) => {
    const kept = byCatalog.get(team) ?? new Map<string, Shared<readonly string[]>>();
    byCatalog.set(team, kept);
    const odds = kept.get(key) ?? createOdds(compute, teamId, () => template, path);
    kept.set(key, odds);
    if (kept.size > LIMITS.checkedConfigs) kept.delete(kept.keys().next().value as string);
    return odds;
  };
};
