import type { RollResult, TemplateState } from '../../engine/systems/state.ts';
import type { RollFairness } from '../receipts/receipts.contract.ts';

type Outcome = Pick<RollResult, 'tier' | 'pity' | 'featured'>;

/** What a call tells about its rolls, beside what was rolled. */
export interface RollDetails {
  /** Null without a template. */
  readonly outcomes: readonly Outcome[] | null;
  /** The counters of the user before and after; null without a user, and for a seeded run. */
  readonly before: TemplateState | null;
  readonly after: TemplateState | null;
  readonly fairness: RollFairness | undefined;
}

/** The counters of a user at a moment. */
export interface Counters {
  readonly rolls: number;
  readonly sparkPoints: number;
  readonly losses: number;
  readonly pities: readonly { readonly tier: string; readonly since: number }[];
}

/** Rolls, points and losses, then each tier, by its place, with the rolls since. */
type StoredCounters = readonly [rolls: number, sparkPoints: number, losses: number, ...since: number[]];
/** The place of a tier, -1 for none, and two booleans. */
type StoredOutcome = readonly [tier: number, pity: 0 | 1, featured: 0 | 1];

/** The form in which details are stored, as JSON. Ids of tiers are long, so each is written once. */
export interface StoredDetails {
  readonly requestId?: string;
  /** Of several requests that share a row, in the order of the results. */
  readonly requestIds?: readonly string[];
  readonly tiers?: readonly string[];
  readonly outcomes?: readonly StoredOutcome[];
  readonly before?: StoredCounters;
  readonly after?: StoredCounters;
  /** Epoch and nonce. The hash is in the receipt, which is deleted with its user. */
  readonly receipt?: readonly [epoch: number, nonce: number];
}

/** What the log says about a roll; null where it was not recorded, or where there is nothing to say. */
export interface ReadDetails {
  readonly requestId: string | null;
  readonly requestIds: readonly string[] | null;
  readonly outcomes: RollDetails['outcomes'];
  readonly before: Counters | null;
  readonly after: Counters | null;
  readonly receipt: { readonly epoch: number; readonly nonce: number } | null;
}

const store = (requestId: string, { outcomes, before, after, fairness }: RollDetails): StoredDetails => {
  const tiers: string[] = [];
  const placeOf = (tier: string | null): number => {
    if (tier === null) return -1;
    const place = tiers.indexOf(tier);
    return place === -1 ? tiers.push(tier) - 1 : place;
  };
  const counters = (state: TemplateState | null): StoredCounters | undefined =>
    state === null
      ? undefined
      : [
          state.own.rolls,
          state.own.sparkPoints,
          state.pity.losses,
          ...state.pity.counters.flatMap(({ tier, since }) => [placeOf(tier), since]),
        ];
  return {
    requestId,
    ...(outcomes !== null && { tiers }),
    outcomes: outcomes?.map(({ tier, pity, featured }) => [placeOf(tier), pity ? 1 : 0, featured ? 1 : 0]),
    // Without a state after it, a roll has changed none.
    before: after === null ? undefined : counters(before),
    after: counters(after),
    receipt: fairness && [fairness.epoch, fairness.nonce],
  };
};

export const detailsText = (requestId: string, details: RollDetails): string =>
  JSON.stringify(store(requestId, details));

const countersOf = (stored: StoredCounters | undefined, tiers: readonly string[]): Counters | null => {
  if (stored === undefined) return null;
  const [rolls, sparkPoints, losses, ...since] = stored;
  const pities = [];
  for (let index = 0; index < since.length; index += 2)
    pities.push({ tier: tiers[since[index] as number] as string, since: since[index + 1] as number });
  return { rolls, sparkPoints, losses, pities };
};

/** Rows of earlier versions have no details. */
export const readDetails = (text: string | null): ReadDetails => showDetails(text === null ? null : JSON.parse(text));

export const showDetails = (details: StoredDetails | null): ReadDetails => {
  const { tiers = [], ...stored } = details ?? {};
  return {
    requestId: stored.requestId ?? null,
    requestIds: stored.requestIds ?? null,
    outcomes:
      stored.outcomes?.map(([tier, pity, featured]) => ({
        tier: tiers[tier] ?? null,
        pity: pity === 1,
        featured: featured === 1,
      })) ?? null,
    before: countersOf(stored.before, tiers),
    after: countersOf(stored.after, tiers),
    receipt: stored.receipt === undefined ? null : { epoch: stored.receipt[0], nonce: stored.receipt[1] },
  };
};
