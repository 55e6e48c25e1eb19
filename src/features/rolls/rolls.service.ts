import type { Context } from '../../context.ts';
import type { Finder, Work } from '../../database/work.ts';
import {
  isRollable,
  type ItemOdds as OddsOfItem,
  type Pool,
  poolOdds,
  type RolledItem,
  rollItem as rollFromPool,
} from '../../engine/pool/pool.ts';
import type { Draws } from '../../engine/random.ts';
import { type Issue, invalid, ServiceError, throwIfAny } from '../../errors.ts';
import { jsonList } from '../../json-list.ts';
import type { Catalogs, TeamCatalog } from '../catalog/catalog.service.ts';
import { giveResultText, openReceiver } from '../item-instances/giving.service.ts';
import { type Rolls, recordRolls } from './roll-record.service.ts';
import type { ItemOdds, RollRequest } from './rolls.contract.ts';

/** What rolling needs: the catalogs of teams, and random draws. */
export interface RollDeps {
  readonly catalogs: Catalogs;
  readonly draws: Draws;
}

const requestFaults = (
  { classifierOptionIds = [], userId, userSpaceId }: RollRequest,
  { catalog }: TeamCatalog,
): Issue[] => {
  const faults = classifierOptionIds.flatMap((id, index) =>
    catalog.options.has(id)
      ? []
      : [{ path: `/body/classifierOptionIds/${index}`, message: 'is not a classifier option of this team' }],
  );
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
  request?.classifierOptionIds?.length ? null : (observe) => team.observer()(item.id, observe);

/** Rolls an item and, if the request names a user, gives it to them. Returns JSON. */
export const rollItem = async (
  work: Work,
  context: Context,
  request: RollRequest | null,
  { catalogs, draws }: RollDeps,
): Promise<string> => {
  const { userId, userSpaceId } = request ?? {};
  const { nowMs } = context;
  const team = await (userId === undefined ? catalogs.current(work) : catalogs.currentForPlacing(work));
  const pool = poolOf(work, team, request);
  if (userId === undefined) {
    const rolled = rollFromPool(pool, draws) as RolledItem;
    const observe = observationOf(team, request, rolled);
    recordRolls(work, { version: team.version, templateId: null, rollerId: null, nowMs, rolled: [rolled], observe });
    return team.rollText(rolled);
  }
  const receiver = await openReceiver(work, context, { userId, userSpaceId, cause: 'roll' }, team);
  receiver.requireRoom(1, pool.largest);
  const rolled = rollFromPool(pool, draws) as RolledItem;
  const [given] = receiver.give([{ itemId: rolled.item.id, values: rolled.values }]);
  recordRolls(work, {
    version: team.version,
    templateId: null,
    rollerId: receiver.user.roller_id,
    nowMs,
    rolled: [rolled],
    observe: observationOf(team, request, rolled),
  });
  return team.rollText(rolled, given && giveResultText(given));
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
