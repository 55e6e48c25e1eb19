import { initialPityState, initialState, type OwnState, type PityState } from '../systems/state.ts';
import { stateDifferences } from './differences.ts';
import { type CallEntry, type Epoch, nameOfScope } from './ledger.ts';
import type { Note } from './links.ts';
import { scopeOf } from './receipts.ts';

/** The last known value of a part of a state, and how much of the story was missing then. */
interface LastKnown<T> {
  readonly state: T;
  readonly gaps: number;
}

/** What calls leave to later ones, as far as a story tells. */
export interface Standings {
  /** Begins an epoch. */
  begin(epoch: Epoch): void;
  /**
   * Compares the state before a call with what earlier calls left, and takes what it says that it left itself. Of what comes
   * before all that is claimed, a proof has only the last calls, so one of them may differ from an earlier one.
   */
  check(entry: CallEntry, isClaimed: boolean): void;
  /** Calls whose state before could not be compared with anything, or not with certainty. */
  readonly starts: ReadonlySet<CallEntry>;
}

/**
 * Counters belong to the scope, which templates of a pity group share; rolls, points and what has accrued belong to the
 * template, whatever scope it is in. A proof has the last call of each, so what it does not have can have changed neither.
 */
export const createStandings = (note: Note): Standings => {
  const pities = new Map<string, LastKnown<PityState>>();
  const owns = new Map<string, LastKnown<OwnState>>();
  const starts = new Set<CallEntry>();
  /** Interruptions of the story so far. It begins with one, unless it begins with the first rotation. */
  let gaps = 0;
  let next = { epoch: -1, nonce: 0 };

  const compare = (entry: CallEntry, isClaimed: boolean): void => {
    const { scope, templateId, before } = entry.receipt;
    if (before === null) return;
    const comparable = <T>(known: LastKnown<T> | undefined) => (isClaimed || known?.gaps === gaps ? known : undefined);
    const [pity, own] = [comparable(pities.get(scope)), comparable(owns.get(templateId))];
    const { pity: firstPity, own: firstOwn } = initialState();
    const differences = stateDifferences({ pity: pity?.state ?? before.pity, own: own?.state ?? before.own }, before);
    if (differences.length > 0) {
      entry.reasons.push(`before it, the counters were not what the last roll had left: ${differences.join('; ')}`);
      return;
    }
    const isGiven =
      stateDifferences({ pity: pity?.state ?? firstPity, own: own?.state ?? firstOwn }, before).length > 0;
    const isCertain = gaps === (pity?.gaps ?? 0) && gaps === (own?.gaps ?? 0);
    if (isCertain && !isGiven) return;
    starts.add(entry);
    const name = nameOfScope(scope);
    if (isGiven) note(`The first counters of ${name} come from rolls that are not shown here, and are taken as given.`);
    else if (pity === undefined || own === undefined)
      note(`The first counters of ${name} are those of a player who never rolled there, which is not shown here.`);
    else
      note(
        `The counters of ${name} in epoch ${entry.receipt.epoch} go on from an earlier roll. That nothing was rolled there in between is not shown here.`,
      );
  };

  return {
    starts,
    begin: ({ number, opening }) => {
      if (number !== next.epoch + 1 || opening?.receipt.count !== next.nonce) gaps += 1;
      next = { epoch: number, nonce: 0 };
    },
    check: (entry, isClaimed) => {
      const { scope, templateId, nonce, after } = entry.receipt;
      if (nonce !== next.nonce) gaps += 1;
      next = { ...next, nonce: nonce + 1 };
      compare(entry, isClaimed);
      if (after === null) return;
      pities.set(scope, { state: after.pity, gaps });
      owns.set(templateId, { state: after.own, gaps });
      // A template that leaves its group finds no counters of its own, whatever they were before it joined.
      const ownScope = scopeOf(templateId, null);
      if (scope !== ownScope) pities.set(ownScope, { state: initialPityState(), gaps });
    },
  };
};
