import type { Context } from '../../context.ts';
import type { Work } from '../../database/work.ts';
import type { Footprint } from '../../engine/grid/grid.ts';
import { conflict, invalid } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { TeamCatalog } from '../catalog/catalog.service.ts';
import type { Cause } from '../history/history.service.ts';
import { askGridRows, Inventory, noRoom } from '../placements/inventory.service.ts';
import { askUserSpace } from '../user-spaces/user-spaces.service.ts';
import { askUser, ensureUser, type KnownUser } from '../users/users.service.ts';
import { sizeOf } from './holdings.service.ts';
import type { GivenInstance } from './item-instances.contract.ts';
import { itemOf, noSuchUserSpace, toGivenInstance, valuesText } from './item-instances.service.ts';
import * as store from './item-instances.store.ts';

/** Where gifts go, unplaced where no user space is named, and why. */
export interface Receiver {
  readonly userId: string;
  readonly userSpaceId?: string;
  readonly onFull?: 'reject' | 'unplaced';
  readonly cause: Cause;
}

/** A new instance whose values are decided. */
export interface Gift {
  readonly itemId: string;
  readonly values: readonly { readonly itemAttributeId: string; readonly value: number }[];
}

export interface Given {
  readonly itemInstance: GivenInstance;
  /** Whether it found a place in the user space that was named; null where none was. */
  readonly placed: boolean | null;
}

/** A player who is ready to be given something. */
export interface OpenReceiver {
  /** The player, who is made where there was none. */
  readonly user: KnownUser;
  /**
   * To be called before any draw: refuses where the user space would not take so many of the pool's largest footprint, one
   * after another, unless what finds no place is to be kept unplaced anyway. A refusal never depends on luck.
   */
  requireRoom(count: number, largest: Footprint): void;
  /** Gives, once, what was drawn. What finds no place is kept unplaced. */
  give(gifts: readonly Gift[]): Given[];
}

/** What the result of a roll says of what was given: text of further members, each after a comma. */
export const givenText = ({ itemInstance, placed }: Given): string =>
  `,"itemInstance":${JSON.stringify(itemInstance)}${placed === false ? ',"placed":false' : ''}`;

/**
 * Rolls give in three steps. Opening the receiver holds the user space that is named, and refuses one that is not the
 * player's; what else the roll holds, such as what a template remembers of the player, it holds at the same time, with
 * both in one `Promise.all`. Then, before any draw, `requireRoom`. What was drawn is given by `give`, which never refuses.
 *
 * The catalog is one that was asked for placing, so that no item goes and no size changes meanwhile.
 */
export const openReceiver = async (
  work: Work,
  context: Context,
  { userId, userSpaceId, onFull = 'reject', cause }: Receiver,
  team: TeamCatalog,
): Promise<OpenReceiver> => {
  const [[users], bag] = await Promise.all([
    work.hold(askUser(userId)),
    userSpaceId === undefined ? null : work.hold(askUserSpace(userSpaceId), askGridRows(userSpaceId)),
  ]);
  const inventory = new Inventory(context);
  const userSpace = bag?.[0][0];
  if (bag !== null && userSpace?.user_id !== userId) throw invalid(noSuchUserSpace());
  if (userSpace !== undefined) inventory.open(userSpace.id, sizeOf(team, userSpace), bag?.[1] ?? []);

  const give = ({ itemId, values }: Gift): Given => {
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
    const itemInstance = toGivenInstance(work.teamId, row, placement);
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
