/**
 * The roll that was not made: whoever runs the service can foresee the next roll of a player and have them rotate before
 * it. Once the seed is revealed, everyone can see what that roll would have been.
 */
import { isOpen, resultsOf, viewState } from '../systems/rolling.ts';
import type { TemplateState } from '../systems/state.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import { timeMsOf } from './iso-time.ts';
import { type CallEntry, type Epoch, nameOfScope } from './ledger.ts';
import type { ResultRow } from './receipts.ts';
import type { CallReceipt, Replayer, Seeds } from './replay.ts';
import type { SnapshotReader } from './snapshot-reader.ts';

/** Of what has accrued in an idle template, more is not worth the time. */
const MOST_ITEMS = 1000;

/** What the next call would have given, had the player not rotated. */
export interface NotMade {
  readonly epoch: number;
  /** The call that would have been made: like the last one of its template, but for one roll. */
  readonly call: CallReceipt;
  readonly results: readonly ResultRow[];
}

/** Whether a roll that was not made would have given the best tier, and how likely that was. */
export interface Chance {
  readonly rate: number;
  readonly isHit: boolean;
}

export interface PassedOver {
  /** Rolls that were not made whose odds are known: one per rotation. */
  readonly rolls: number;
  readonly best: number;
  readonly expected: number;
  /** How likely so many of the best tier, or more, are by chance. */
  readonly chance: number;
}

/** The chance of at least so many hits, each with a rate of its own. */
const chanceOfAtLeast = (rates: readonly number[], hits: number): number => {
  /** The chance of each number of hits so far; the last is of so many or more. It is added up, so that it may be tiny. */
  const chances = Array.from({ length: hits + 1 }, (_, count): number => (count === 0 ? 1 : 0));
  for (const rate of rates)
    for (let count = hits; count >= 0; count -= 1) {
      const stays = count === hits ? 1 : 1 - rate;
      chances[count] = (chances[count] as number) * stays + (count === 0 ? 0 : (chances[count - 1] as number) * rate);
    }
  return Math.min(1, chances[hits] as number);
};

export const passedOver = (chances: readonly Chance[]): PassedOver => {
  const rates = chances.map(({ rate }) => rate);
  const best = chances.filter(({ isHit }) => isHit).length;
  return {
    rolls: rates.length,
    best,
    expected: rates.reduce((sum, rate) => sum + rate, 0),
    chance: chanceOfAtLeast(rates, best),
  };
};

const UNLIKELY = 0.001;

export const looksChosen = ({ chance }: PassedOver): boolean => chance < UNLIKELY;

const percentText = (share: number): string => (share >= 0.1 ? (100 * share).toFixed(0) : (100 * share).toPrecision(2));

/** In words; undefined if nothing can be said. */
export const textOfPassedOver = (passed: PassedOver): string | undefined => {
  const { rolls, best, expected, chance } = passed;
  if (rolls === 0) return undefined;
  const text = `Of ${rolls === 1 ? 'one such roll' : `${rolls} such rolls`}, ${best} would have been of the best tier, and ${expected.toFixed(2)} were to be expected. The chance of so many or more is ${percentText(chance)} %.`;
  return looksChosen(passed) ? `${text} That hardly looks like chance: ask who decided when you changed seeds.` : text;
};

export const nameOfNotMade = ({ epoch, call }: NotMade): string =>
  `end of epoch ${epoch}, ${call.templateId === '' ? 'plain rolls' : nameOfScope(`template:${call.templateId}`)}`;

/** The request of a call, for a single roll. */
const single = (receipt: CallReceipt): CallReceipt['request'] | undefined => {
  if (receipt.kind === 'spark') return undefined;
  return receipt.request.count === undefined ? receipt.request : { ...receipt.request, count: 1 };
};

/** Only here is the rate of the best tier in the next roll known without looking at more than the counters. */
const rateOfBest = (template: CompiledTemplate, state: TemplateState, nowMs: number): number | undefined => {
  if (template.type !== 'gacha' && template.type !== 'idle') return undefined;
  const best = template.tiers.all[template.tiers.top]?.optionId ?? null;
  return viewState(template, state, nowMs).next.find(({ tier }) => tier === best)?.rate;
};

export interface Ended {
  readonly epoch: Epoch;
  readonly seeds: Seeds;
}

/** The last roll on each template in an epoch whose end is known. */
const lastCalls = ({ calls, closing }: Epoch): CallEntry[] => {
  if (closing === undefined || calls.at(-1)?.receipt.nonce !== closing.receipt.count - 1) return [];
  const last = new Map<string, CallEntry>();
  // What is wrong with others would be wrong with the next one, and nothing bounds the work of running that.
  for (const entry of calls)
    if (entry.receipt.kind === 'roll' && entry.reasons.length === 0) {
      last.delete(entry.receipt.templateId);
      last.set(entry.receipt.templateId, entry);
    }
  return [...last.values()];
};

/** The state that the next call would have found: counters of the scope, and the rest of the template. */
const stateAfter = ({ calls }: Epoch, { scope, templateId }: CallReceipt): TemplateState | null => {
  const pity = calls.findLast(({ receipt }) => receipt.scope === scope)?.receipt.after?.pity;
  const own = calls.findLast(({ receipt }) => receipt.templateId === templateId)?.receipt.after?.own;
  return pity === undefined || own === undefined ? null : { pity, own };
};

/** The rolls that the end of an epoch prevented, and the odds of one of them: the others have the same draws. */
export const notMade = (
  { epoch, seeds }: Ended,
  snapshots: SnapshotReader,
  replayer: Replayer,
): { readonly rolls: readonly NotMade[]; readonly chance: Chance | undefined } => {
  const { closing } = epoch;
  if (closing === undefined) return { rolls: [], chance: undefined };
  const nowMs = timeMsOf(closing.receipt.at) ?? 0;
  let chance: Chance | undefined;
  const rolls = lastCalls(epoch).flatMap(({ receipt }): NotMade[] => {
    const machine = snapshots.machine(receipt.config);
    const request = single(receipt);
    if ('reason' in machine || request === undefined) return [];
    const { template } = machine.value;
    const before = template === null ? null : stateAfter(epoch, receipt);
    if (template !== null) {
      if (before === null || !isOpen(template, nowMs)) return [];
      const items = resultsOf(template, before, { count: 1, nowMs });
      if (items === 0 || items > MOST_ITEMS) return [];
    }
    const call = { ...receipt, request, before, at: closing.receipt.at, nonce: closing.receipt.count } as CallReceipt;
    const replayed = replayer.replay(call, machine.value, seeds);
    if ('reason' in replayed) return [];
    const { rows } = replayed.value;
    if (template !== null && before !== null) {
      const rate = rateOfBest(template, before, nowMs);
      const best = template.tiers.all[template.tiers.top]?.optionId ?? null;
      if (rate !== undefined) chance = { rate, isHit: rows[0]?.[1] === best };
    }
    return [{ epoch: epoch.number, call, results: rows }];
  });
  return { rolls, chance };
};
