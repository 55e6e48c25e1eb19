import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { RolledItem } from '../../engine/pool.ts';
import { utcDay } from '../../time.ts';
import type { Workshop } from '../item-instances/item-instances.service.ts';
import type { RollRequest } from './rolls.contract.ts';
import { recordRolls, rollOnCatalog } from './rolls.service.ts';

interface Waiting {
  readonly context: Context;
  readonly request: RollRequest | null;
  readonly resolve: (text: string) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly rolled: RolledItem; readonly text: string } | { readonly refusal: unknown };

/** Rolls that no player keeps; the answer is the text of the result. */
export type PlainRolls = (context: Context, request: RollRequest | null) => Promise<string>;

/**
 * Rolls that concern no player differ in nothing but their draws, so those of a team that arrive together are made in
 * one transaction: one look at the catalog, one record and one addition to each counter for all of them. Each is
 * answered after the commit; one that is refused takes no other down.
 */
export const createPlainRolls = ({ database, catalogs, draws }: { database: Database } & Workshop): PlainRolls => {
  const waitingByTeam = new Map<string, Waiting[]>();

  const rollAll = async (tx: Transaction, teamId: string, group: readonly Waiting[]): Promise<Outcome[]> => {
    const team = await catalogs.current(tx, teamId);
    const outcomes = group.map(({ request }): Outcome => {
      try {
        const rolled = rollOnCatalog(team, request, draws);
        return { rolled, text: team.rollText(rolled) };
      } catch (refusal) {
        return { refusal };
      }
    });
    const byDay = new Map<string, { nowMs: number; rolled: RolledItem[] }>();
    for (const [index, outcome] of outcomes.entries()) {
      if ('refusal' in outcome) continue;
      const nowMs = (group[index] as Waiting).context.nowMs;
      const day = utcDay(nowMs);
      const known = byDay.get(day);
      if (known === undefined) byDay.set(day, { nowMs, rolled: [outcome.rolled] });
      else known.rolled.push(outcome.rolled);
    }
    for (const { nowMs, rolled } of byDay.values()) recordRolls(tx, { teamId, nowMs }, rolled);
    return outcomes;
  };

  /** Whoever comes until the transaction begins comes along. A second run, after a collision, is of the same rolls. */
  const runGroup = async (teamId: string): Promise<void> => {
    let group: readonly Waiting[] | undefined;
    const take = (): readonly Waiting[] => {
      const taken = waitingByTeam.get(teamId) ?? [];
      waitingByTeam.delete(teamId);
      return taken;
    };
    try {
      const outcomes = await database.write((tx) => {
        group ??= take();
        return rollAll(tx, teamId, group);
      });
      for (const [index, { resolve, reject }] of (group ?? []).entries()) {
        const outcome = outcomes[index] as Outcome;
        if ('refusal' in outcome) reject(outcome.refusal);
        else resolve(outcome.text);
      }
    } catch (error) {
      for (const { reject } of group ?? take()) reject(error);
    }
  };

  return (context, request) =>
    new Promise((resolve, reject) => {
      const waiting = waitingByTeam.get(context.teamId);
      const entry = { context, request, resolve, reject };
      if (waiting !== undefined) {
        waiting.push(entry);
        return;
      }
      waitingByTeam.set(context.teamId, [entry]);
      runGroup(context.teamId);
    });
};
