import type { Context } from '../../context.ts';
import type { Ask } from '../../database/declarations.ts';
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

/** What a roll may give, as far as it is known before any draw. */
export interface Expected {
  readonly count: number;
  /** The largest footprint of the pool. */
  readonly largest: Footprint;
}

/** A player who is ready to be given something. */
export interface OpenReceiver {
  /** The player, who is made where there was none. */
  readonly user: KnownUser;
  /**
   * To be called before any draw: refuses where the user space would not take so many of the largest footprint, one after
   * another, unless what finds no place is to be kept unplaced anyway. A refusal never depends on luck.
   */
  expect(expected: Expected): void;
  /** Gives, once, what was drawn. What finds no place is kept unplaced. */
  give(gifts: readonly Gift[]): Given[];
}

/**
 * Rolls give in three steps:
 *
 * 1. `const { receiver, rows } = await openReceiver(work, context, team, to, ...asks)` holds the user space that is
 *    named and refuses one that is not the player's. Whatever else the roll holds, such as what a template remembers of
 *    the player, is asked for in `asks`, so that all is held at once; `rows` has the answers in their order.
 * 2. `receiver.expect({ count, largest })` refuses where there might not be enough room.
 * 3. `receiver.give(gifts)` gives what was drawn, and never refuses.
 *
 * The catalog is one that was asked for placing, so that no size changes meanwhile.
 */
export const openReceiver = async <R extends readonly unknown[]>(
  work: Work,
  context: Context,
  team: TeamCatalog,
  { userId, userSpaceId, onFull = 'reject', cause }: Receiver,
  ...asks: { readonly [I in keyof R]: Ask<R[I]> }
): Promise<{ receiver: OpenReceiver; rows: { [I in keyof R]: readonly R[I][] } }> => {
  const [[users], bag, rows] = await Promise.all([
    work.hold(askUser(userId)),
    userSpaceId === undefined ? null : work.hold(askUserSpace(userSpaceId), askGridRows(userSpaceId)),
    work.hold<R>(...asks),
  ]);
  const inventory = new Inventory(context);
  const userSpace = bag?.[0][0];
  if (bag !== null && userSpace?.user_id !== userId) throw invalid(noSuchUserSpace());
  if (bag !== null && userSpace !== undefined) inventory.open(userSpace.id, sizeOf(team, userSpace), bag[1]);

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

  const receiver: OpenReceiver = {
    user: ensureUser(work, context, userId, users),
    expect: ({ count, largest }) => {
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
  return { receiver, rows };
};
