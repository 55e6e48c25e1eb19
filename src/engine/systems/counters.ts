import type { Fault } from './faults.ts';
import { withCounters } from './gacha/gacha.ts';
import { sinceOf, type TemplateState, type TierCounter } from './state.ts';
import type { CompiledTemplate } from './templates.ts';
import { lowerPities, mostWithout, mostWithoutTop } from './waiting.ts';

/** Counters to be set; what is left out stays. */
export interface WantedCounters {
  readonly sinceTop?: number;
  readonly losses?: number;
  readonly sparkPoints?: number;
  readonly pities?: readonly TierCounter[];
}

/** The counters of a template that are shown to users. */
export interface ShownCounters {
  rolls: number;
  sinceTop: number;
  losses: number;
  sparkPoints: number;
  pities: { tier: string; since: number }[];
}

const topOf = ({ tiers }: CompiledTemplate): string | null => tiers.all[tiers.top]?.optionId ?? null;

const tooMany = (path: string, value: number | undefined, most: number): Fault[] =>
  value === undefined || value <= most
    ? []
    : [{ path, message: `must be at most ${most}: no player of this template can have waited longer` }];

/** What cannot be set: only values that rolling could have led to are allowed. */
export const counterFaults = (template: CompiledTemplate, wanted: WantedCounters): Fault[] => {
  const faults: Fault[] = [];
  const { sinceTop, losses, pities = [] } = wanted;
  if (sinceTop !== undefined && topOf(template) === null)
    faults.push({ path: '/sinceTop', message: 'is for templates with tiers only' });
  else faults.push(...tooMany('/sinceTop', sinceTop, mostWithoutTop(template)));
  if (losses !== undefined) {
    const feature = template.type === 'gacha' || template.type === 'idle' ? template.rules.feature : null;
    const most = feature?.guaranteeAfter ?? Number.POSITIVE_INFINITY;
    if (template.tiers.featured.size === 0)
      faults.push({ path: '/losses', message: 'is for templates with featured items only' });
    else if (losses > most)
      faults.push({ path: '/losses', message: `must be at most ${most}: then the next one is featured` });
  }
  for (const [index, { tier, since }] of pities.entries()) {
    const counter = lowerPities(template).find(({ optionId }) => optionId === tier);
    const path = `/pities/${index}`;
    if (counter === undefined)
      faults.push({ path: `${path}/tier`, message: 'is not a lower tier with a pity of its own on this template' });
    else if (pities.findIndex((other) => other.tier === tier) < index)
      faults.push({ path: `${path}/tier`, message: 'is given more than once' });
    else faults.push(...tooMany(`${path}/since`, since, mostWithout(counter)));
  }
  return faults;
};

/** The state with other counters. */
export const setCounters = (
  template: CompiledTemplate,
  { pity, own }: TemplateState,
  { sinceTop, losses = pity.losses, sparkPoints = own.sparkPoints, pities = [] }: WantedCounters,
): TemplateState => {
  const top = topOf(template);
  const changed = [...pities, ...(sinceTop === undefined || top === null ? [] : [{ tier: top, since: sinceTop }])];
  return { pity: withCounters(pity, changed, losses), own: { ...own, sparkPoints } };
};

export const shownCounters = (template: CompiledTemplate, { pity, own }: TemplateState): ShownCounters => ({
  rolls: own.rolls,
  sinceTop: sinceOf(pity, topOf(template)),
  losses: pity.losses,
  sparkPoints: own.sparkPoints,
  pities: lowerPities(template).flatMap(({ optionId: tier }) =>
    tier === null ? [] : [{ tier, since: sinceOf(pity, tier) }],
  ),
});
