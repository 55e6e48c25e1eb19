import { type Hold, holding } from '../../database/declarations.ts';
import type { Work } from '../../database/work.ts';
import type { Footprint } from '../../engine/grid/grid.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, invalid } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { GivenBalance } from '../balances/balances.contract.ts';
import { givenBalance, type Wallet } from '../balances/balances.service.ts';
import type { PlacingCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { type Cause, Chronicle } from '../history/history.service.ts';
import { askGridRows, Inventory, noRoom } from '../placements/inventory.service.ts';
import { askUserSpace, type UserSpaceRow } from '../user-spaces/user-spaces.service.ts';
import { askUser, ensureUser, type KnownUser } from '../users/users.service.ts';
import { sizeOf } from './holdings.service.ts';
import { recordCreation } from './instance-events.service.ts';
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
  /** Null for a currency. */
  readonly itemInstance: InstanceResult | null;
  readonly balance?: GivenBalance;
  /** Whether it was placed in the given user space; null if none was given. */
  readonly placed: boolean | null;
}

/** What can be rolled: the largest footprint, null if all of it are currencies, and these. */
export interface Givable {
  readonly largest: Footprint | null;
  readonly currencyIds: readonly string[];
}

/** A user who is ready to be given item instances. */
export interface OpenReceiver {
  /** Created if the user did not exist. */
  readonly user: KnownUser;
  /**
   * Must be called before any draw. Rejects the request if the user space has no room for `count` of the pool's largest
   * footprint, one after another, unless overflow may stay unplaced anyway, or if a balance could become too large. So a
   * rejection never depends on luck. The wallet has the currencies that can be rolled, if there are any.
   */
  requireRoom(count: number, givable: Givable, wallet?: Wallet): Room;
}

/** Room for what is drawn. */
export interface Room {
  /** Creates the instances, and never rejects; must be called once. Those without a free position are kept unplaced. */
  give(gifts: readonly Gift[]): GiveResult[];
}

/** What a roll result says about a created instance: JSON of additional members, each preceded by a comma. */
export const giveResultText = ({ itemInstance, balance, placed }: GiveResult): string =>
  balance === undefined
    ? `,"itemInstance":${JSON.stringify(itemInstance)}${placed === false ? ',"placed":false' : ''}`
    : `,"itemInstance":null,"balance":${JSON.stringify(balance)}`;

/** Whoever a roll gives something to, to be locked with all that the roll locks. Rejects a user space of another user. */
export const holdReceiver = (
  work: Work,
  context: Context,
  { userId, userSpaceId, onFull = 'reject', cause }: Receiver,
  team: PlacingCatalog,
): Hold<OpenReceiver> => {
  const open = (
    users: readonly KnownUser[],
    [userSpace]: readonly UserSpaceRow[] = [],
    gridRows: Parameters<Inventory['open']>[2] = [],
  ): OpenReceiver => {
    const inventory = new Inventory(context);
    const chronicle = new Chronicle(work, context, cause);
    const user = ensureUser(work, context, userId, users);
    if (userSpaceId !== undefined && userSpace?.user_id !== userId) throw invalid(noSuchUserSpace());
    if (userSpace !== undefined) inventory.open(userSpace.id, sizeOf(team, userSpace), gridRows);

    const give = ({ itemId, values }: Gift): GiveResult => {
      const { nowMs } = context;
      const born = { id: newId(), item_id: itemId, user_id: userId, created_at: nowMs };
      const state = { attribute_values: valuesText(values), data: null, locked: null };
      const row = { ...born, ...state, updated_at: nowMs, ...chronicle.created(born) };
      work.write(store.insertInstance, row);
      const placement = userSpace === undefined ? null : inventory.put(row.id, itemOf(team, itemId), userSpace.id, {});
      recordCreation(work, context, row, placement, user, cause);
      const itemInstance = toInstanceResult(work.teamId, row, placement);
      return { itemInstance, placed: userSpace === undefined ? null : placement !== null };
    };

    const roomFor = (wallet: Wallet | undefined): Room => ({
      give: (gifts) => {
        const given = gifts.map((gift): GiveResult => {
          if (!team.catalog.currencies.has(gift.itemId)) return give(gift);
          if (wallet === undefined) throw new Error(`The balance of ${gift.itemId} is not locked.`);
          const change = wallet.add({ itemId: gift.itemId, quantity: 1 }, null, cause);
          return { itemInstance: null, balance: givenBalance(change), placed: null };
        });
        inventory.save(work);
        return given;
      },
    });
    return {
      user,
      requireRoom: (count, { largest, currencyIds }, wallet) => {
        for (const itemId of currencyIds)
          if (wallet?.hasRoomFor(itemId, count) === false)
            throw conflict({ path: '/body/userId', message: `could have too many units of ${itemId}` });
        const room = roomFor(wallet);
        if (userSpace === undefined || onFull === 'unplaced' || largest === null) return room;
        if (inventory.hasRoomFor(userSpace.id, largest, count)) return room;
        const path = '/body/userSpaceId';
        if (count === 1) throw noRoom(largest, path);
        const { width, height } = largest;
        throw conflict({ path, message: `has no room for ${count} items of ${width} × ${height} cells` });
      },
    };
  };
  return userSpaceId === undefined
    ? holding([askUser(userId)], (users) => open(users))
    : holding([askUser(userId), askUserSpace(userSpaceId), askGridRows(userSpaceId)], open);
};
