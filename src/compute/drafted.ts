import { type DraftedInput, draftTemplate } from '../catalog/drafted.ts';
import { tooManySteps } from '../catalog/rules.ts';
import { adviceOn } from '../catalog/warnings.ts';
import { type ConfigSnapshot, templatePoolText } from '../engine/fairness/snapshots.ts';
import { allAtOnce } from '../engine/steps.ts';
import { stepsOfOdds, templateOddsAndCurve } from '../engine/systems/odds.ts';
import { atDepth } from '../engine/systems/templates.ts';
import type { Issue } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { type SharedText, shareText } from '../shared/shared-text.ts';
import { type RollPlan, requestFaults } from './roll-plans.ts';

type Issues = { readonly issues: readonly Issue[] };

/** The odds of a template as a draft makes it, as the members of a JSON object. */
export const draftedOdds = ({ depth, ...input }: DraftedInput & { readonly depth?: number }): Issues | SharedText => {
  const drafted = draftTemplate(input);
  if ('issues' in drafted) return drafted;
  const { template: saved, source } = drafted;
  const faults = requestFaults(saved, { depth });
  if (faults.length > 0) return { issues: faults };
  const template = atDepth(saved, depth ?? 0);
  const message = tooManySteps(template.type, stepsOfOdds(template));
  if (message !== undefined) return { issues: [{ path: '/body', message }] };
  const odds = templateOddsAndCurve(template, LIMITS.curve);
  const warnings = adviceOn(source, saved);
  return shareText(JSON.stringify({ ...odds, ...(warnings.length > 0 && { warnings }) }).slice(1, -1));
};

/** A template with its part of the catalog: all that rolling on it needs. */
export interface TemplateSnapshot {
  readonly template: Omit<ConfigSnapshot, 'pool'>;
  /** The text of the pool, in parts. */
  readonly pool: readonly SharedText[];
}

/** A template as a draft makes it, if what is asked of it can be done. */
export const draftedSnapshot = ({
  plan,
  ...input
}: DraftedInput & { readonly plan: RollPlan }): Issues | TemplateSnapshot => {
  const drafted = draftTemplate(input);
  if ('issues' in drafted) return drafted;
  const { template, source } = drafted;
  const faults = requestFaults(template, plan);
  if (faults.length > 0) return { issues: faults };
  const parts = allAtOnce(templatePoolText(drafted, template, source, LIMITS.simulationPoolLength));
  if (parts === null)
    return { issues: [{ path: '/body', message: 'has a pool that is too large: have fewer items in it' }] };
  const { id: templateId, type, config, bindings } = source;
  return { template: { templateId, type, config, bindings }, pool: parts.map(shareText) };
};
