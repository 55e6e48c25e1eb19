import type { Page, Paged } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { forbidden, type Issue, invalid, notFound, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Attribute } from '../catalog/catalog.contract.ts';
import { attributeEntity, requireMatch } from '../catalog/entities.service.ts';
import { changeCatalog } from '../catalog/versions.service.ts';
import type { AttributeChange, NewAttribute } from './attributes.contract.ts';
import * as store from './attributes.store.ts';

/** Checks a range. `blamed` is the bound to report if the request sets only one of them. */
export const rangeFaults = (min: number, max: number, path: string, blamed?: 'min' | 'max'): Issue[] => {
  if (min > max)
    return blamed === 'max'
      ? [{ path: `${path}/max`, message: `must not be below min (${min})` }]
      : [{ path: `${path}/min`, message: `must not be above max (${max})` }];
  if (!Number.isFinite(max - min))
    return [{ path: `${path}/${blamed ?? 'max'}`, message: 'makes the range infinite: the bounds are too far apart' }];
  return [];
};

export const createAttribute = async (tx: Transaction, context: Context, input: NewAttribute): Promise<Attribute> => {
  const { teamId, nowMs } = context;
  const { id = newId(), name, min = 0, max = 100, step = null } = input;
  throwIfAny(rangeFaults(min, max, '/body'));
  return changeCatalog(tx, context, async (record) => {
    if ((await store.selectAttribute(tx, teamId, id)) !== undefined)
      throw invalid({ path: '/body/id', message: 'is already in use' });
    const created = await store.insertAttribute(tx, { id, name, min: min + 0, max: max + 0, step, teamId }, nowMs);
    record('attribute', null, attributeEntity(created));
    return created;
  });
};

export const listAttributes = (
  reader: Reader,
  { teamId }: Context,
  filter: { id?: string },
  page: Page,
): Promise<Paged<Attribute>> => store.selectAttributes(reader, teamId, filter.id, page);

export const getAttribute = async (reader: Reader, { teamId }: Context, id: string): Promise<Attribute> => {
  const attribute = await store.selectAttribute(reader, teamId, id);
  if (attribute === undefined) throw notFound();
  return attribute;
};

export const updateAttribute = async (
  tx: Transaction,
  context: Context,
  id: string,
  { teamId: namedTeamId = context.teamId, ...change }: AttributeChange,
  ifMatch?: string,
): Promise<Attribute> => {
  const { teamId, nowMs } = context;
  if (namedTeamId !== teamId) throw forbidden({ path: '/body/teamId', message: "is not the caller's team" });
  // If both bounds are given, the request is invalid by itself, whether or not the attribute exists.
  if (change.min !== undefined && change.max !== undefined) throwIfAny(rangeFaults(change.min, change.max, '/body'));
  return changeCatalog(tx, context, async (record) => {
    const present = await getAttribute(tx, context, id);
    requireMatch(ifMatch, 'attribute', present);
    const changed = { ...present, ...change };
    changed.min += 0;
    changed.max += 0;
    throwIfAny(rangeFaults(changed.min, changed.max, '/body', change.min === undefined ? 'max' : 'min'));
    if (changed.min > present.min || changed.max < present.max) await rejectOutside(tx, changed);
    record('attribute', attributeEntity(present), attributeEntity(changed));
    return store.updateAttribute(tx, changed, nowMs);
  });
};

/** Rejects a range that no longer contains the range of every item. Reads items in batches: there may be very many. */
const rejectOutside = async (tx: Transaction, attribute: Attribute): Promise<void> => {
  const faults: Issue[] = [];
  let lastId: string | undefined;
  do {
    const carriers = await store.selectCarriers(tx, attribute.teamId, attribute.id, lastId, LIMITS.pageRows);
    for (const item of carriers) faults.push(...outsideIssues(item, attribute));
    lastId = carriers.length < LIMITS.pageRows ? undefined : carriers.at(-1)?.id;
  } while (lastId !== undefined && faults.length < LIMITS.issues);
  throwIfAny(faults.slice(0, LIMITS.issues));
};

/** One issue per bound of an item's range that is outside the attribute's range. */
const outsideIssues = (
  item: { id: string; name: string; min: number; max: number },
  { min, max }: { min: number; max: number },
): Issue[] => {
  const message = `item ${item.name} (${item.id}) has the range ${item.min} to ${item.max}, which would be outside`;
  return [
    ...(item.min < min ? [{ path: '/body/min', message }] : []),
    ...(item.max > max ? [{ path: '/body/max', message }] : []),
  ];
};

export const deleteAttribute = (tx: Transaction, context: Context, id: string, ifMatch?: string): Promise<void> =>
  changeCatalog(tx, context, async (record) => {
    const { teamId } = context;
    const present = await getAttribute(tx, context, id);
    requireMatch(ifMatch, 'attribute', present);
    const carriers = await store.selectCarriers(tx, teamId, id, undefined, LIMITS.issues);
    throwIfAny(carriers.map((item) => ({ path: '/path/id', message: `is used by item ${item.name} (${item.id})` })));
    record('attribute', attributeEntity(present), null);
    await store.deleteAttribute(tx, teamId, id);
  });

/** The team's attributes with these ids. */
export const findAttributes = (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  ids: readonly string[],
): Promise<Attribute[]> => store.selectAttributesById(reader, teamId, ids);
