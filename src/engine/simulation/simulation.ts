import type { Draws } from '../random.ts';
import { factorAt } from '../systems/gacha/pity.ts';
import { rollTemplate } from '../systems/rolling.ts';
import { initialState, type RollResult, type TemplateState } from '../systems/state.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import { createHistogram, type Histogram } from './histogram.ts';

export interface SimulationPlan {
  readonly players: number;
  /** Rolls, packs or offers of each player. */
  readonly rolls: number;
  /** Of offers; 0 for other types. */
  readonly depth: number;
  /** Items to watch besides tiers and featured items. */
  readonly itemIds: readonly string[];
}

export type TargetKind = 'tier' | 'featured' | 'item';

/** What came of a tier or an item. A roll is a pack or an offer, where those are rolled. */
export interface Target {
  readonly kind: TargetKind;
  /** Null for the only tier of a template without tiers. */
  readonly id: string | null;
  /** The number of the first roll that gave it, of each player who got it. */
  readonly firsts: Histogram;
  /** The rolls that each one took: since the one before, or since the start. */
  readonly gaps: Histogram;
  /** How many each player got, 0 included. */
  readonly counts: Histogram;
}

/** Results of the top tier, and what brought them about. */
export interface PityCounts {
  top: number;
  /** Due because of a threshold. */
  hard: number;
  /** Not due yet, but with odds that soft pity had raised. */
  soft: number;
  /** Featured because of a guarantee. */
  guarantee: number;
}

export interface Simulation {
  readonly players: number;
  readonly rolls: number;
  readonly targets: readonly Target[];
  readonly pity: Readonly<PityCounts>;
}

/** Rolls between two reports of progress at most; results are in memory for as long. */
const ROLLS_PER_CALL = 100;

/** The items that one roll gives. */
export const itemsPerRoll = (template: CompiledTemplate): number => {
  switch (template.type) {
    case 'gacha':
    case 'idle':
      return 1;
    case 'card_pack':
      return template.rules.cards;
    case 'roguelike':
      return template.rules.choices;
  }
};

/** Without its clock, an idle template is a gacha: what accrues is how many rolls there are, not what they give. */
export const withoutClock = (template: CompiledTemplate): CompiledTemplate =>
  template.type === 'idle' ? { ...template, type: 'gacha' } : template;

/** Whether soft pity had raised the odds of the top tier, by the rolls since it was last rolled. */
const softPityOf = (template: CompiledTemplate): ((since: number) => boolean) => {
  const counter = template.type === 'gacha' ? template.rules.ladder[0] : undefined;
  if (counter === undefined) return () => false;
  return (since) => factorAt(counter, since) > counter.baseFactor;
};

const guaranteeOf = (template: CompiledTemplate): number =>
  (template.type === 'gacha' ? template.rules.feature?.guaranteeAfter : undefined) ?? Number.POSITIVE_INFINITY;

const targetsOf = ({ tiers }: CompiledTemplate, itemIds: readonly string[]): Target[] => {
  const target = (kind: TargetKind, id: string | null): Target => ({
    kind,
    id,
    firsts: createHistogram(),
    gaps: createHistogram(),
    counts: createHistogram(),
  });
  const others = new Set(itemIds.filter((id) => !tiers.featured.has(id)));
  return [
    ...tiers.ranked.map((place) => target('tier', tiers.all[place]?.optionId ?? null)),
    ...[...tiers.featured].map((id) => target('featured', id)),
    ...[...others].map((id) => target('item', id)),
  ];
};

/** Collects the results of one player after another. */
const createTally = (template: CompiledTemplate, itemIds: readonly string[]) => {
  const { tiers } = template;
  const targets = targetsOf(template, itemIds);
  const tierTargets = new Map<string | null, number>();
  const itemTargets = new Map<string, number>();
  for (const [index, { kind, id }] of targets.entries())
    if (kind === 'tier') tierTargets.set(id, index);
    else itemTargets.set(id as string, index);
  const isSoft = softPityOf(template);
  const guaranteeAfter = guaranteeOf(template);
  const pity: PityCounts = { top: 0, hard: 0, soft: 0, guarantee: 0 };

  // Of the current player: the last roll that gave each target, or 0; how many there were; and the losses.
  const last = new Uint32Array(targets.length);
  const counts = new Uint32Array(targets.length);
  let losses = 0;

  const note = (index: number, roll: number): void => {
    counts[index] = (counts[index] as number) + 1;
    const before = last[index] as number;
    // Another one in the same pack is not another wait.
    if (before === roll) return;
    const { firsts, gaps } = targets[index] as Target;
    gaps.add(roll - before);
    if (before === 0) firsts.add(roll);
    last[index] = roll;
  };

  /** The top tier is the first target. */
  const noteTop = (result: RollResult, roll: number): void => {
    pity.top += 1;
    if (result.pity) pity.hard += 1;
    else if (isSoft(roll - 1 - (last[0] as number))) pity.soft += 1;
    if (losses >= guaranteeAfter) pity.guarantee += 1;
    if (tiers.featured.size > 0) losses = result.featured ? 0 : losses + 1;
  };

  return {
    add: (result: RollResult, roll: number): void => {
      const tier = tierTargets.get(result.tier) as number;
      if (tier === 0) noteTop(result, roll);
      note(tier, roll);
      if (itemTargets.size === 0) return;
      const item = itemTargets.get(result.item.id);
      if (item !== undefined) note(item, roll);
    },
    finishPlayer: (): void => {
      for (let index = 0; index < targets.length; index += 1)
        (targets[index] as Target).counts.add(counts[index] as number);
      last.fill(0);
      counts.fill(0);
      losses = 0;
    },
    targets,
    pity,
  };
};

/**
 * Lets new players roll on a template, with the rules of real rolls. Reports progress, from 0 to 1, at every hundredth
 * of the way.
 */
export const simulate = (
  template: CompiledTemplate,
  { players, rolls, depth, itemIds }: SimulationPlan,
  drawsOf: (player: number) => Draws,
  report: (progress: number) => void = () => {},
): Simulation => {
  const rolling = withoutClock(template);
  const perRoll = itemsPerRoll(rolling);
  const tally = createTally(rolling, itemIds);
  let done = 0;
  let percent = 0;
  const advance = (count: number): void => {
    done += count;
    const reached = Math.floor((100 * done) / (players * rolls));
    if (reached === percent) return;
    percent = reached;
    report(percent / 100);
  };

  for (let player = 0; player < players; player += 1) {
    const draws = drawsOf(player);
    let state: TemplateState | null = initialState();
    for (let from = 0; from < rolls; from += ROLLS_PER_CALL) {
      const count = Math.min(ROLLS_PER_CALL, rolls - from);
      const rolled = rollTemplate(rolling, state, { count, depth, drawsOf: () => draws, nowMs: 0 });
      state = rolled.state;
      let inRoll = 0;
      let roll = from + 1;
      for (const result of rolled.results) {
        tally.add(result, roll);
        inRoll += 1;
        if (inRoll < perRoll) continue;
        inRoll = 0;
        roll += 1;
      }
      advance(count);
    }
    tally.finishPlayer();
  }
  return { players, rolls, targets: tally.targets, pity: tally.pity };
};
