import type { Schemas } from '../../api/client.ts';

/** The geometry of bags: cells are numbered from 0, X to the right and Y downwards, as in the API. */

export type Instance = Schemas['ItemInstance'];
export type Bag = Schemas['UserSpaceWithSpace'];

/** The side of a cell on screen, in pixels. */
export const CELL = 44;

export interface Place {
  readonly bagId: string;
  readonly x: number;
  readonly y: number;
  readonly rotated: boolean;
}

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const sizeOf = ({ item }: Instance, rotated: boolean): { width: number; height: number } =>
  rotated ? { width: item.height, height: item.width } : { width: item.width, height: item.height };

export const placeOf = ({ itemInstanceSpace: placed }: Instance): Place | undefined =>
  placed === null
    ? undefined
    : { bagId: placed.teamUserSpaceId, x: placed.spacePositionX, y: placed.spacePositionY, rotated: placed.rotated };

export const areaAt = (instance: Instance, { x, y, rotated }: Place): Area => ({ x, y, ...sizeOf(instance, rotated) });

const doOverlap = (one: Area, other: Area): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

export const isInside = ({ x, y, width, height }: Area, { space }: Bag): boolean =>
  x >= 0 && y >= 0 && x + width <= space.cols && y + height <= space.rows;

/** The other items on the cells that an instance would occupy. */
export const othersOn = (instances: readonly Instance[], instance: Instance, place: Place): Instance[] => {
  const area = areaAt(instance, place);
  return instances.filter((other) => {
    const placed = placeOf(other);
    return (
      other.id !== instance.id &&
      placed !== undefined &&
      placed.bagId === place.bagId &&
      doOverlap(area, areaAt(other, placed))
    );
  });
};

/** The first free position in a bag, row by row, as the service finds it; rotated only if there is no other. */
export const firstFree = (instances: readonly Instance[], instance: Instance, bag: Bag): Place | undefined => {
  const { cols, rows } = bag.space;
  const taken = new Set<number>();
  for (const other of instances) {
    const placed = placeOf(other);
    if (other.id === instance.id || placed?.bagId !== bag.id) continue;
    const { x, y, width, height } = areaAt(other, placed);
    for (let row = y; row < y + height; row += 1)
      for (let col = x; col < x + width; col += 1) taken.add(row * cols + col);
  }
  const isFree = ({ x, y, width, height }: Area): boolean => {
    for (let row = y; row < y + height; row += 1)
      for (let col = x; col < x + width; col += 1) if (taken.has(row * cols + col)) return false;
    return true;
  };
  for (const rotated of [false, true]) {
    const { width, height } = sizeOf(instance, rotated);
    for (let y = 0; y + height <= rows; y += 1)
      for (let x = 0; x + width <= cols; x += 1)
        if (isFree({ x, y, width, height })) return { bagId: bag.id, x, y, rotated };
  }
  return undefined;
};

const lyingAt = (instance: Instance, place: Place): Instance => {
  const { itemInstanceSpace: before } = instance;
  const now = new Date().toISOString();
  return {
    ...instance,
    itemInstanceSpace: {
      ...(before ?? { id: '', itemInstanceId: instance.id, teamId: instance.item.teamId, createdAt: now }),
      updatedAt: now,
      teamUserSpaceId: place.bagId,
      spacePositionX: place.x,
      spacePositionY: place.y,
      rotated: place.rotated,
    },
  };
};

/**
 * The bags after a move, before the service confirms it: what was at the target moves to where the moved item came
 * from, keeping its arrangement.
 */
export const afterMove = (instances: readonly Instance[], moved: Instance, to: Place): Instance[] => {
  const from = placeOf(moved);
  const displaced = new Map<string, Place>();
  if (from !== undefined)
    for (const other of othersOn(instances, moved, to)) displaced.set(other.id, placeOf(other) ?? to);
  const places = [...displaced.values()];
  const corner = { x: Math.min(...places.map(({ x }) => x)), y: Math.min(...places.map(({ y }) => y)) };
  return instances.map((instance) => {
    if (instance.id === moved.id) return lyingAt(instance, to);
    const placed = displaced.get(instance.id);
    if (from === undefined || placed === undefined) return instance;
    const { rotated } = placed;
    return lyingAt(instance, {
      bagId: from.bagId,
      x: placed.x - corner.x + from.x,
      y: placed.y - corner.y + from.y,
      rotated,
    });
  });
};

export const bagName = ({ space, externalId }: Bag): string =>
  externalId === null || externalId === '' ? space.name : `${space.name} (${externalId})`;

/** Describes an instance and its position, for screen readers. */
export const describe = (instance: Instance): string => {
  const place = placeOf(instance);
  const { width, height } = sizeOf(instance, place?.rotated ?? false);
  const where = place === undefined ? 'not placed' : `column ${place.x + 1}, row ${place.y + 1}`;
  return `${instance.item.name}, ${width} × ${height}, ${where}${instance.locked === true ? ', locked' : ''}`;
};
