import { initialPityState, initialState, type OwnState, type PityState, type TemplateState } from '../systems/state.ts';
import { stateDifferences } from './differences.ts';
import type { Coverage } from './links.ts';
import { scopeOf } from './receipts.ts';
import type { CallReceipt } from './replay.ts';

/** What calls leave to later ones, as far as the proof tells. */
export interface Standings {
  /** How the state before a call differs from what earlier ones left; undefined if the proof does not tell. */
  differences(receipt: CallReceipt): string[] | undefined;
  /** Takes what a call says that it left. */
  move(receipt: CallReceipt): void;
  /** Forgets what missing calls of a scope may have changed. */
  skip(scope: string): void;
  /** Forgets what calls outside of the proof may have changed. */
  endEpoch(coverage: Coverage): void;
}

const onlyFor = <T>(states: ReadonlyMap<string, T>, keep: (key: string) => boolean): Map<string, T> =>
  new Map([...states].filter(([key]) => keep(key)));

/**
 * Counters belong to the scope, which templates of a pity group share; rolls, points and what has accrued belong to the
 * template, whatever scope it is in.
 */
export const createStandings = (): Standings => {
  let pities = new Map<string, PityState>();
  let owns = new Map<string, OwnState>();
  /** The scope of each template in this epoch. */
  let scopes = new Map<string, string>();
  return {
    differences: ({ scope, templateId, before }) => {
      const [pity, own] = [pities.get(scope), owns.get(templateId)];
      if ((pity === undefined && own === undefined) || before === null) return undefined;
      return stateDifferences({ pity: pity ?? before.pity, own: own ?? before.own }, before);
    },
    move: ({ scope, templateId, after }) => {
      if (after === null) return;
      scopes.set(templateId, scope);
      pities.set(scope, after.pity);
      owns.set(templateId, after.own);
      // A template that leaves its group finds no counters of its own, whatever they were before it joined.
      const ownScope = scopeOf(templateId, null);
      if (scope !== ownScope) pities.set(ownScope, initialPityState());
    },
    skip: (scope) => {
      pities.delete(scope);
      // A template that is still to come in this epoch may be among those of the scope.
      owns = onlyFor(owns, (templateId) => ![undefined, scope].includes(scopes.get(templateId)));
    },
    endEpoch: (coverage) => {
      if (!coverage.isWhole) {
        pities = onlyFor(pities, (scope) => coverage.scopes.has(scope));
        owns = onlyFor(owns, (templateId) => coverage.scopes.has(scopes.get(templateId) ?? ''));
      }
      scopes = new Map();
    },
  };
};

/** Whether a state is that of a player who never rolled. */
export const isInitial = (state: TemplateState): boolean => stateDifferences(initialState(), state).length === 0;
