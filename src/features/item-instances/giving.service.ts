import type { Work } from '../../database/work.ts';
import type { Footprint } from '../../engine/grid/grid.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, invalid } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import type { Cause } from '../history/history.service.ts';
import { askGridRows, Inventory, noRoom } from '../placements/inventory.service.ts';
import { askUserSpace } from '../user-spaces/user-spaces.service.ts';
import { askUser, ensureUser, type KnownUser } from '../users/users.service.ts';
import { sizeOf } from './holdings.service.ts';
import type { InstanceResult } from './item-instances.contract.ts';
import { itemOf, noSuchUserSpace, toInstanceResult, valuesText } from './item-instances.service.ts';
import * as store from './item-instances.store.ts';

/** Who receives item instances, in which user space (unplaced if none is given), and why. */
export interface Receiver {
  readonly userId: string;
  readonly userSpaceId?: string;
  readonly onFull?: 'reject' | 'unplaced';
  readonly cause: Cause;
}

/** A new instance whose values are already rolled. */
export interface Gift {
  readonly itemId: string;
  readonly values: readonly { readonly itemAttributeId: string; readonly value: number }[];
}

export interface GiveResult {
  readonly itemInstance: InstanceResult;
  /** Whether it was placed in the given user space; null if none was given. */
  readonly placed: boolean | null;
}

/** A user who is ready to be given item instances. */
export interface OpenReceiver {
  /** Created if the user did not exist. */
  readonly user: KnownUser;
  /**
   * Must be called before any draw. Rejects the request if the user space has no room for `count` of the pool's largest
   * footprint, one after another, unless overflow may stay unplaced anyway. So a rejection never depends on luck.
   */
  requireRoom(count: number, largest: Footprint): void;
  /** Creates the instances; must be called once. Those without a free position are kept unplaced. */
  give(gifts: readonly Gift[]): GiveResult[];
}

/** What a roll result says about a created instance: JSON of additional members, each preceded by a comma. */
export const giveResultText = ({ itemInstance, placed }: GiveResult): string =>
  `,"itemInstance":${JSON.stringify(itemInstance)}${placed === false ? ',"placed":false' : ''}`;

/**
 * Rolls create instances in three steps. Opening the receiver locks the given user space and rejects one of another
 * user. Whatever else the roll locks, such as the user's state on a template, must be locked at the same time, both in
 * one `Promise.all`. Then, before any draw, comes `requireRoom`. Finally `give` creates what was drawn and never
 * rejects.
 *
 * The catalog must come from `currentForPlacing`, so that no item is deleted and no size changes in the meantime.
 */
export const openReceiver = async (
  work: Work,
  context: Context,
  { userId, userSpaceId, onFull = 'reject', cause }: Receiver,
  team: TeamCatalog,
): Promise<OpenReceiver> => {
  const [[users], held] = await Promise.all([
    work.hold(askUser(userId)),
    userSpaceId === undefined ? null : work.hold(askUserSpace(userSpaceId), askGridRows(userSpaceId)),
  ]);
  const inventory = new Inventory(context);
  const userSpace = held?.[0][0];
  if (held !== null && userSpace?.user_id !== userId) throw invalid(noSuchUserSpace());
  if (userSpace !== undefined) inventory.open(userSpace.id, sizeOf(team, userSpace), held?.[1] ?? []);

  const give = ({ itemId, values }: Gift): GiveResult => {
    const row: store.InstanceRow = {
      id: newId(),
      item_id: itemId,
      user_id: userId,
      attribute_values: valuesText(values),
      cause,
      request_id: context.requestId,
      created_at: context.nowMs,
      updated_at: context.nowMs,
    };
    work.write(store.insertInstance, row);
    const placement = userSpace === undefined ? null : inventory.put(row.id, itemOf(team, itemId), userSpace.id, {});
    const itemInstance = toInstanceResult(work.teamId, row, placement);
    return { itemInstance, placed: userSpace === undefined ? null : placement !== null };
  };

  return {
    user: ensureUser(work, context, userId, users),
    requireRoom: (count, largest) => {
      if (userSpace === undefined || onFull === 'unplaced' || inventory.hasRoomFor(userSpace.id, largest, count))
        return;
      const path = '/body/userSpaceId';
      if (count === 1) throw noRoom(largest, path);
      const { width, height } = largest;
      throw conflict({ path, message: `has no room for ${count} items of ${width} × ${height} cells` });
    },
    give: (gifts) => {
      const given = gifts.map(give);
      inventory.save(work);
      return given;
    },
  };
};
