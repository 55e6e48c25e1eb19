import type { EventUser } from '../../database/events.ts';
import type { Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import type { Moved, Placement } from '../placements/inventory.service.ts';
import type * as store from './item-instances.store.ts';
import type { InstanceData, InstanceUpdate } from './updating.service.ts';

type Row = store.InstanceRow;

/** A placement, from which the feed makes what the API returns. */
export type StoredPlace = readonly [
  id: string,
  userSpaceId: string,
  x: number,
  y: number,
  rotated: 0 | 1,
  createdAtMs: number,
  updatedAtMs: number,
];

/** An instance, from which the feed makes what the API returns. */
export interface StoredInstance {
  readonly id: string;
  readonly itemId: string;
  readonly at: readonly [createdMs: number, updatedMs: number];
  readonly values: Readonly<Record<string, number>>;
  /** Missing if there is none. */
  readonly data?: InstanceData;
  readonly locked?: true;
  readonly place: StoredPlace | null;
}

/** What is stored of each type of event of instances. */
export type StoredInstanceEvent = StoredInstance & { readonly before?: { readonly place: StoredPlace | null } };
/** `before` has what the history says about it. */
export type StoredChange = StoredInstance & { readonly before: InstanceUpdate['before'] };
export interface StoredMove {
  readonly id: string;
  readonly place: StoredPlace | null;
  readonly before: StoredPlace | null;
}

const placeOf = (placement: Placement | null): StoredPlace | null =>
  placement && [
    placement.id,
    placement.userSpaceId,
    placement.x,
    placement.y,
    placement.rotated ? 1 : 0,
    placement.createdAtMs,
    placement.updatedAtMs,
  ];

/** Its values and its data are JSON already. */
const textOf = (row: Row, placement: Placement | null, before?: object): string =>
  `{"id":${JSON.stringify(row.id)},"itemId":${JSON.stringify(row.item_id)},"at":[${row.created_at},${row.updated_at}],` +
  `"values":${row.attribute_values},"place":${JSON.stringify(placeOf(placement))}` +
  `${row.data === null ? '' : `,"data":${row.data}`}${row.locked === null ? '' : ',"locked":true'}` +
  `${before === undefined ? '' : `,"before":${JSON.stringify(before)}`}}`;

export const recordCreation = (
  work: Work,
  { nowMs, requestId }: Context,
  row: Row,
  placement: Placement | null,
  user: EventUser,
  cause: string,
): void =>
  work.record({ type: 'item_instance.created', nowMs, requestId, user, cause, data: () => textOf(row, placement) });

/** Records that the data of an instance was changed, or that it was locked or unlocked. */
export const recordChange = (
  work: Work,
  { nowMs, requestId }: Context,
  { row, before }: Pick<InstanceUpdate, 'row' | 'before'>,
  placement: Placement | null,
  user: EventUser,
  cause: string,
): void =>
  work.record({
    ...{ type: 'item_instance.changed', nowMs, requestId, user, cause },
    data: () => textOf(row, placement, before),
  });

interface Transferred {
  readonly row: Row;
  readonly placement: Placement | null;
  readonly user: EventUser;
  readonly fromUser: EventUser;
  readonly placementBefore: Placement | null;
  readonly cause: string;
}

export const recordTransfer = (
  work: Work,
  { nowMs, requestId }: Context,
  { row, placement, user, fromUser, placementBefore, cause }: Transferred,
): void =>
  work.record({
    ...{ type: 'item_instance.transferred', nowMs, requestId, user, fromUser, cause },
    data: () => textOf(row, placement, { place: placeOf(placementBefore) }),
  });

/** `placement` is where it was. */
export const recordDeletion = (
  work: Work,
  { nowMs, requestId }: Context,
  row: Row,
  placement: Placement | null,
  user: EventUser,
  cause: string,
): void =>
  work.record({ type: 'item_instance.deleted', nowMs, requestId, user, cause, data: () => textOf(row, placement) });

/** Records that an instance was placed elsewhere, or taken out of a user space. */
export const recordMove = (
  work: Work,
  { nowMs, requestId }: Context,
  { itemInstanceId, before, now }: Moved,
  user: EventUser,
): void =>
  work.record({
    ...{ type: 'item_instance.moved', nowMs, requestId, user },
    data: () => JSON.stringify({ id: itemInstanceId, place: placeOf(now), before: placeOf(before) }),
  });
