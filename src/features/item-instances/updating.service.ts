import { conflict, type Issue, pointerToken, throwIfAny } from '../../shared/errors.ts';
import { etagOfText } from '../../shared/etags.ts';
import { LIMITS } from '../../shared/limits.ts';
import { mergePatch } from '../../shared/merge-patch.ts';
import type { ItemInstanceUpdate } from './item-instances.contract.ts';
import type { InstanceRow } from './item-instances.store.ts';

export type InstanceData = Readonly<Record<string, unknown>>;

type Etagged = Pick<InstanceRow, 'id' | 'user_id' | 'data' | 'locked'>;

/** Changes with the owner, the data and the lock: not with the placement, nor with the names that a response shows. */
export const etagOfRow = ({ id, user_id, data, locked }: Etagged): string =>
  etagOfText(JSON.stringify([id, user_id, data, locked !== null]));

/** The same for an instance as operations return it. */
export const etagOfResult = (body: object): string => {
  const { id, userId, data, locked } = body as { id: string; userId: string; data?: InstanceData; locked?: boolean };
  const row = { id, user_id: userId, data: data === undefined ? null : JSON.stringify(data) };
  return etagOfRow({ ...row, locked: locked === true ? 1 : null });
};

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1)));

/** Issues of data that no schema can express. */
export const dataFaults = (data: InstanceData, path: string): Issue[] => {
  if (isDeeperThan(data, LIMITS.instanceDataDepth))
    return [{ path, message: `must not be nested more than ${LIMITS.instanceDataDepth} levels deep` }];
  if (Buffer.byteLength(JSON.stringify(data)) > LIMITS.instanceDataBytes)
    return [{ path, message: `must be at most ${LIMITS.instanceDataBytes} bytes long, as JSON` }];
  return [];
};

/** Issues of an update that can be found without reading anything. */
export const updateFaults = ({ data, increment, min, max, locked }: ItemInstanceUpdate): Issue[] => {
  if (data === undefined && increment === undefined && locked === undefined)
    return [{ path: '/body', message: 'must have at least one of data, increment and locked' }];
  const bounds = { min, max };
  return [
    ...(data ? dataFaults(data, '/body/data') : []),
    ...(['min', 'max'] as const).flatMap((bound) =>
      Object.keys(bounds[bound] ?? {})
        .filter((name) => increment === undefined || !Object.hasOwn(increment, name))
        .map((name) => ({ path: `/body/${bound}/${pointerToken(name)}`, message: 'is not incremented' })),
    ),
  ];
};

/** A number by its name, which may be that of something that all objects inherit. */
const numberIn = (numbers: Readonly<Record<string, number>> | undefined, name: string): number | undefined =>
  numbers !== undefined && Object.hasOwn(numbers, name) ? numbers[name] : undefined;

/** What is wrong with what an increment leads to. */
const sumFault = (sum: number, min: number | undefined, max: number | undefined): string | undefined => {
  if (min !== undefined && sum < min) return `would be ${sum}, less than ${min}`;
  if (max !== undefined && sum > max) return `would be ${sum}, more than ${max}`;
  return Math.abs(sum) > Number.MAX_SAFE_INTEGER ? 'would be too large to be exact' : undefined;
};

const incremented = (data: InstanceData | null, { increment = {}, min, max }: ItemInstanceUpdate): InstanceData => {
  const members = new Map(Object.entries(data ?? {}));
  const faults: Issue[] = [];
  for (const [name, by] of Object.entries(increment)) {
    const present = members.has(name) ? members.get(name) : 0;
    // Negative zero would be another number in JSON than it is here.
    const sum = typeof present === 'number' ? present + by + 0 : Number.NaN;
    const fault = Number.isNaN(sum) ? 'is not a number' : sumFault(sum, numberIn(min, name), numberIn(max, name));
    if (fault !== undefined) faults.push({ path: `/body/increment/${pointerToken(name)}`, message: fault });
    members.set(name, sum);
  }
  throwIfAny(faults, 'CONFLICT');
  return Object.fromEntries(members);
};

const parsed = (data: string | null): InstanceData | null => (data === null ? null : JSON.parse(data));

const dataAfter = (row: InstanceRow, update: ItemInstanceUpdate): string | null => {
  if (update.data === undefined && update.increment === undefined) return row.data;
  let data = parsed(row.data);
  if (update.data !== undefined) data = mergePatch(data, update.data) as InstanceData | null;
  if (update.increment !== undefined) data = incremented(data, update);
  if (data === null) return null;
  // What is there decides, so it is a conflict.
  const [fault] = dataFaults(data, update.data === undefined ? '/body/increment' : '/body/data');
  if (fault !== undefined) throw conflict(fault);
  return JSON.stringify(data);
};

/** The members of one state that the other does not have just so. */
const membersApart = (of: InstanceData | null, from: InstanceData | null): InstanceData =>
  Object.fromEntries(
    Object.entries(of ?? {}).filter(
      ([name, value]) =>
        from === null || !Object.hasOwn(from, name) || JSON.stringify(from[name]) !== JSON.stringify(value),
    ),
  );

export interface InstanceUpdate {
  readonly row: InstanceRow;
  /** What the history says about it: the members that differ. */
  readonly before: object;
  readonly after: object;
}

/** An instance after an update; null if that changes nothing. 409 if its data does not allow it. */
export const updated = (row: InstanceRow, update: ItemInstanceUpdate, nowMs: number): InstanceUpdate | null => {
  const data = dataAfter(row, update);
  const locked = update.locked === undefined ? row.locked : update.locked ? 1 : null;
  if (data === row.data && locked === row.locked) return null;
  const [was, is] = [parsed(row.data), parsed(data)];
  const lock = (value: number | null) => (locked === row.locked ? {} : { locked: value !== null });
  return {
    row: { ...row, data, locked, updated_at: nowMs },
    before: { ...(data !== row.data && was && { data: membersApart(was, is) }), ...lock(row.locked) },
    after: { ...(data !== row.data && is && { data: membersApart(is, was) }), ...lock(locked) },
  };
};
