import { type Finder, holdAll, type Work } from '../../database/work.ts';
import { plainRow } from '../../engine/fairness/receipts.ts';
import {
  isRollable,
  type ItemOdds as OddsOfItem,
  type Pool,
  poolOdds,
  type RolledItem,
  rollItem as rollFromPool,
} from '../../engine/pool/pool.ts';
import type { Draws } from '../../engine/random.ts';
import type { Context } from '../../shared/context.ts';
import { type Issue, invalid, ServiceError, throwIfAny } from '../../shared/errors.ts';
import { jsonList } from '../../shared/json-list.ts';
import { holdWallet } from '../balances/balances.service.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { giveResultText, holdReceiver } from '../item-instances/giving.service.ts';
import { beginRoll, fairnessText, holdEpoch, type VerifiableDeps } from '../receipts/receipts.service.ts';
import { type Rolls, recordRolls } from './roll-record.service.ts';
import type { ItemOdds, RollRequest } from './rolls.contract.ts';

/** What rolling needs: the catalogs of teams, random draws, and what verifiable rolls are checked against. */
export interface RollDeps extends VerifiableDeps {
  readonly catalogs: Catalogs;
  readonly draws: Draws;
}

/** A test roll belongs to nobody, so a member that gives it to somebody is a mistake. */
export const testFaults = (giving: Readonly<Record<string, unknown>>): Issue[] => {
  const given = Object.keys(giving).filter((member) => giving[member] !== undefined && giving[member] !== false);
  return given.length === 0
    ? []
    : [{ path: '/body/test', message: `is for rolls that nobody gets: omit it, or ${given.join(' and ')}` }];
};

const requestFaults = (
  { classifierOptionIds = [], userId, userSpaceId, test = false }: RollRequest,
  { catalog }: TeamCatalog,
): Issue[] => {
  const faults = classifierOptionIds.flatMap((id, index) =>
    catalog.options.has(id)
      ? []
      : [{ path: `/body/classifierOptionIds/${index}`, message: 'is not a classifier option of this team' }],
  );
  if (test) return [...faults, ...testFaults({ userId, userSpaceId })];
  if (userSpaceId !== undefined && userId === undefined)
    faults.push({ path: '/body/userId', message: 'is required with userSpaceId' });
  return faults;
};

/** The specification leaves 500 as the only error for a roll without a body; with a body a better one is possible. */
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

/** The pool of a request; throws if nothing in it can be rolled. */
const poolOf = (work: Work, team: TeamCatalog, request: RollRequest | null): Pool => {
  if (request !== null) throwIfAny(requestFaults(request, team));
  const pool = team.pool(work, { classifierOptionIds: request?.classifierOptionIds });
  if (!isRollable(pool)) throw nothingToRoll(request, pool.picker.total);
  return pool;
};

/** Only rolls on all items are evidence; with a filter, the odds are different for every filter. */
const observationOf = (team: TeamCatalog, request: RollRequest | null, { item }: RolledItem): Rolls['observe'] =>
  request?.classifierOptionIds?.length ? null : (observe) => team.observer(item.id, observe);

/** The record of a roll that belongs to nobody. */
const plainRecord = (
  { nowMs, requestId }: Context,
  team: TeamCatalog,
  request: RollRequest | null,
  rolled: RolledItem,
): Rolls => ({
  ...{ version: team.version, templateId: null, user: null, nowMs, requestId, rolled: [rolled], details: null },
  observe: observationOf(team, request, rolled),
});

/** Rolls an item and gives it to a user; if the team wants it so, with a receipt. */
const rollForUser = async (
  work: Work,
  context: Context,
  request: RollRequest & { readonly userId: string },
  deps: RollDeps,
): Promise<string> => {
  const { catalogs, draws, salts } = deps;
  const { userId, userSpaceId, classifierOptionIds } = request;
  const { team, isVerifiable } = await catalogs.currentForRoll(work);
  const pool = poolOf(work, team, request);
  const salted = isVerifiable ? salts.of(work, team) : null;
  const [receiver, held, epoch] = await holdAll(
    work,
    holdReceiver(work, context, { userId, userSpaceId, cause: 'roll' }, team),
    pool.currencyIds.length === 0 ? null : holdWallet(work, context, userId, pool.currencyIds, team),
    salted === null ? null : holdEpoch(work, userId, salted, deps),
  );
  const room = receiver.requireRoom(1, pool, held?.wallet);
  const roll = epoch && beginRoll(work, context, epoch);
  const rolled = rollFromPool(pool, roll?.draws ?? draws) as RolledItem;
  const [given] = room.give([{ itemId: rolled.item.id, values: rolled.values }]);
  held?.wallet.save(receiver.user);
  const fairness = roll?.leaveReceipt({
    kind: 'roll',
    request: classifierOptionIds === undefined ? {} : { classifierOptionIds },
    before: null,
    after: null,
    results: [plainRow(rolled)],
  });
  recordRolls(work, {
    ...plainRecord(context, team, request, rolled),
    user: receiver.user,
    details: { outcomes: null, before: null, after: null, fairness },
  });
  return team.rollText(rolled, given && giveResultText(given) + fairnessText(fairness));
};

/** Rolls an item and, if the request names a user, gives it to them. Returns JSON. */
export const rollItem = async (
  work: Work,
  context: Context,
  request: RollRequest | null,
  deps: RollDeps,
): Promise<string> => {
  const { userId, test = false } = request ?? {};
  if (userId !== undefined) return rollForUser(work, context, { ...request, userId }, deps);
  const team = await deps.catalogs.current(work);
  const pool = poolOf(work, team, request);
  const rolled = rollFromPool(pool, deps.draws) as RolledItem;
  if (!test) recordRolls(work, plainRecord(context, team, request, rolled));
  return team.rollText(rolled);
};

const present = ({ item, weight, odds }: OddsOfItem): ItemOdds => ({
  itemId: item.id,
  itemName: item.name,
  weight,
  odds,
});

/** The odds of all items, of which there may be a hundred thousand, as chunks of JSON. */
export const listItemOdds = async (finder: Finder, catalogs: Catalogs): Promise<AsyncGenerator<string>> => {
  const team = await catalogs.current(finder);
  return jsonList(Iterator.from(poolOdds(team.everything)).map(present));
};
