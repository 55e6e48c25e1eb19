import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { deferred } from '../../database/deferred.ts';
import type { Outcome } from '../../database/groups.ts';
import { inPassing } from '../../database/passing.ts';
import { poolOdds, type RolledItem, rollItem as rollFromPool } from '../../engine/pool/pool.ts';
import type { Draws } from '../../engine/random.ts';
import { type Issue, invalid, refuseAny, ServiceError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { utcDay } from '../../time.ts';
import type { Catalogs, TeamCatalog } from '../catalog/catalog.service.ts';
import { giveInstances, type Workshop } from '../item-instances/item-instances.service.ts';
import { countRolls, countsText } from '../statistics/roll-counts.service.ts';
import type { ItemOdds, RollRequest } from './rolls.contract.ts';
import * as store from './rolls.store.ts';

/** Rolls that were made together, with what is recorded of them. */
interface Rolls {
  readonly teamId: string;
  readonly templateId: string | null;
  readonly userId: string | null;
  readonly nowMs: number;
  readonly rolled: readonly RolledItem[];
}

/** What was rolled, as it is recorded: the item, then its values in the order of its item attributes' ids. */
const recordOf = ({ item, values }: RolledItem): (string | number)[] => [item.id, ...values.map(({ value }) => value)];

/** Writes down and counts all rolls of a transaction at its end, with a statement for each table. */
const recorded = deferred<Rolls>((tx, all) => {
  const events = store.insertEvents(
    tx,
    all.map(({ teamId, templateId, userId, nowMs, rolled }) => ({
      team_id: teamId,
      id: newId(),
      template_id: templateId,
      user_id: userId,
      rolled_at: nowMs,
      results: JSON.stringify(rolled.map(recordOf)),
    })),
  );
  const counts = countRolls(
    tx,
    all.map(({ teamId, templateId, nowMs, rolled }) => ({
      teamId,
      templateId,
      day: utcDay(nowMs),
      itemIds: rolled.map(({ item }) => item.id),
    })),
  );
  inPassing(tx, events);
  inPassing(tx, counts);
});

/** Records rolls that belong together, and counts them, in the transaction that makes them. */
export const recordRolls = (
  tx: Transaction,
  { teamId, nowMs }: Pick<Context, 'teamId' | 'nowMs'>,
  rolled: readonly RolledItem[],
  { templateId = null, userId = null }: { templateId?: string | null; userId?: string | null } = {},
): void => {
  if (rolled.length > 0) recorded.add(tx, { teamId, templateId, userId, nowMs, rolled });
};

const requestFaults = (
  { classifierOptionIds = [], userId, userSpaceId }: RollRequest,
  { catalog }: TeamCatalog,
): Issue[] => {
  const faults = classifierOptionIds.flatMap((id, index) =>
    catalog.options.has(id)
      ? []
      : [{ path: `/body/classifierOptionIds/${index}`, message: 'is no classifier option of this team' }],
  );
  if (userSpaceId !== undefined && userId === undefined)
    faults.push({ path: '/body/userId', message: 'is required with userSpaceId' });
  return faults;
};

/** The one refusal that the specification leaves for a bare roll is 500; with a body there is a better one. */
const nothingToRoll = (request: RollRequest | null, total: number): ServiceError => {
  const pool = request === null ? 'the team' : 'the pool';
  const reason =
    total > 0
      ? `the sum of the weights of ${pool}, ${total}, is too small or too large`
      : `no item of ${pool} has a weight above 0`;
  const message = `nothing can be rolled: ${reason}`;
  return request === null
    ? new ServiceError('INTERNAL_SERVER_ERROR', [{ path: '', message }])
    : invalid({ path: '/body', message });
};

/** One roll on a catalog, as far as no player is concerned; a refusal is thrown. */
const rollOnCatalog = (team: TeamCatalog, request: RollRequest | null, draws: Draws): RolledItem => {
  if (request !== null) refuseAny(requestFaults(request, team));
  const pool = team.pool({ classifierOptionIds: request?.classifierOptionIds });
  const rolled = rollFromPool(pool, draws);
  if (rolled === undefined) throw nothingToRoll(request, pool.picker.total);
  return rolled;
};

/** A roll that no player keeps. */
export interface PlainRoll {
  readonly nowMs: number;
  readonly request: RollRequest | null;
}

interface RollsOfDay {
  readonly nowMs: number;
  readonly rolled: RolledItem[];
}

/** Makes plain rolls on a catalog. One that is refused takes no other down. */
const makePlainRolls = (team: TeamCatalog, rolls: readonly PlainRoll[], draws: Draws) => {
  const byDay = new Map<string, RollsOfDay>();
  const outcomes = rolls.map(({ nowMs, request }): Outcome<string> => {
    try {
      const rolled = rollOnCatalog(team, request, draws);
      const day = utcDay(nowMs);
      const known = byDay.get(day);
      if (known === undefined) byDay.set(day, { nowMs, rolled: [rolled] });
      else known.rolled.push(rolled);
      return { value: team.rollText(rolled) };
    } catch (refusal) {
      return { refusal };
    }
  });
  return { outcomes, byDay };
};

/**
 * Rolls that concern no player differ in nothing but their draws, so those of a team that arrive together are made in
 * one transaction: one look at the catalog, one record and one row of counts for all of them. The answers are texts.
 */
export const rollPlain = async (
  tx: Transaction,
  teamId: string,
  rolls: readonly PlainRoll[],
  { catalogs, draws }: Workshop,
): Promise<Outcome<string>[]> => {
  const team = await catalogs.current(tx, teamId);
  const { outcomes, byDay } = makePlainRolls(team, rolls, draws);
  for (const { nowMs, rolled } of byDay.values()) recordRolls(tx, { teamId, nowMs }, rolled);
  return outcomes;
};

/**
 * The same in one statement: they are made on the catalog as it was last seen, and written only if it is still that.
 * Undefined where it is not, or where one statement would not do; then nothing has happened.
 */
export const rollPlainAlone = async (
  queries: Reader,
  teamId: string,
  rolls: readonly PlainRoll[],
  { catalogs, draws }: Workshop,
): Promise<Outcome<string>[] | undefined> => {
  const team = catalogs.latest(teamId);
  if (team === undefined) return undefined;
  const { outcomes, byDay } = makePlainRolls(team, rolls, draws);
  const [[day, { nowMs, rolled }] = ['', { nowMs: 0, rolled: [] }], another] = byDay;
  if (rolled.length === 0 || another !== undefined) return undefined;
  const [found] = await store.insertIfCurrent(queries, {
    teamId,
    version: team.version,
    eventId: newId(),
    rolledAt: nowMs,
    results: JSON.stringify(rolled.map(recordOf)),
    pendingId: newId(),
    day,
    rolls: rolled.length,
    counts: countsText(rolled.map(({ item }) => item.id)),
  });
  return found?.version === team.version ? outcomes : undefined;
};

/** One such roll by itself. */
export const rollPlainOnce = async (
  tx: Transaction,
  teamId: string,
  roll: PlainRoll,
  workshop: Workshop,
): Promise<string> => {
  const [outcome] = await rollPlain(tx, teamId, [roll], workshop);
  if (outcome === undefined || 'refusal' in outcome) throw outcome?.refusal;
  return outcome.value;
};

/** Rolls an item and gives it to the player whom the request names. The answer is a text. */
export const rollForUser = async (
  tx: Transaction,
  context: Context,
  request: RollRequest & { userId: string },
  { catalogs, draws }: Workshop,
): Promise<string> => {
  const { userId, userSpaceId } = request;
  const team = await catalogs.current(tx, context.teamId);
  const rolled = rollOnCatalog(team, request, draws);
  const gift = { itemId: rolled.item.id, values: rolled.values };
  const [itemInstance] = await giveInstances(tx, context, { userId, userSpaceId, cause: 'roll' }, [gift]);
  recordRolls(tx, context, [rolled], { userId });
  return team.rollText(rolled, `,"itemInstance":${JSON.stringify(itemInstance)}`);
};

export const listItemOdds = async (reader: Reader, { teamId }: Context, catalogs: Catalogs): Promise<ItemOdds[]> => {
  const team = await catalogs.current(reader, teamId);
  return poolOdds(team.pool({})).map(({ item, weight, odds }) => ({
    itemId: item.id,
    itemName: item.name,
    weight,
    odds,
  }));
};
