import { v7 as newId } from 'uuid';
import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { poolOdds, type RolledItem, rollItem as rollFromPool } from '../../engine/pool.ts';
import { type Issue, invalid, refuseAny, ServiceError } from '../../errors.ts';
import { utcDay } from '../../time.ts';
import type { Catalogs, TeamCatalog } from '../catalog/catalog.service.ts';
import { giveInstances, holdUserSpaceOf, type Workshop } from '../item-instances/item-instances.service.ts';
import type { ItemOdds, RollRequest, RollResult } from './rolls.contract.ts';
import { addCounts, insertEvent } from './rolls.store.ts';

/** Records rolls and counts them, in the transaction that makes them. */
export const recordRolls = async (
  tx: Transaction,
  { teamId, nowMs }: Context,
  rolled: readonly RolledItem[],
  { templateId = null, userId = null }: { templateId?: string | null; userId?: string | null },
): Promise<void> => {
  if (rolled.length === 0) return;
  await insertEvent(tx, {
    team_id: teamId,
    id: newId(),
    template_id: templateId,
    user_id: userId,
    rolled_at: nowMs,
    results: JSON.stringify(rolled.map(({ item, values }) => [item.id, ...values.map(({ value }) => value)])),
  });
  const counts = new Map<string, number>();
  // In the order of their ids, so that two transactions never take the same counters in opposite order.
  for (const { item } of rolled.toSorted((a, b) => (a.item.id < b.item.id ? -1 : 1))) {
    counts.set(item.id, (counts.get(item.id) ?? 0) + 1);
  }
  await addCounts(tx, { teamId, templateId: templateId ?? '', day: utcDay(nowMs) }, counts);
};

/** A rolled item as the interface shows it. */
export const showRoll = (team: TeamCatalog, { item, values }: RolledItem): RollResult => ({
  item: team.item(item.id),
  itemAttributeInstances: values.map(({ itemAttributeId, value }) => ({
    itemAttributeId,
    value,
    attribute: team.attribute(itemAttributeId),
  })),
});

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

export const rollItem = async (
  tx: Transaction,
  context: Context,
  request: RollRequest | null,
  { catalogs, draws }: Workshop,
): Promise<RollResult> => {
  const { classifierOptionIds, userId, userSpaceId } = request ?? {};
  const team = await catalogs.current(tx, context.teamId);
  refuseAny(request === null ? [] : requestFaults(request, team));
  const pool = team.pool({ classifierOptionIds });
  const rolled = rollFromPool(pool, draws);
  if (rolled === undefined) throw nothingToRoll(request, pool.picker.total);
  const result = showRoll(team, rolled);
  if (userId !== undefined) {
    const userSpace = userSpaceId === undefined ? undefined : await holdUserSpaceOf(tx, context, userId, userSpaceId);
    if (userSpaceId !== undefined && userSpace === undefined)
      throw invalid({ path: '/body/userSpaceId', message: 'is no user space of this user' });
    const gift = { itemId: rolled.item.id, values: rolled.values };
    [result.itemInstance] = await giveInstances(tx, context, { userId, userSpace }, [gift]);
  }
  await recordRolls(tx, context, [rolled], { userId });
  return result;
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
