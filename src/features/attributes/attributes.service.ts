import type { AttributeEntity } from '../../catalog/entities.ts';
import type { Attribute } from '../../catalog/shown.ts';
import type { Page, Paged } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { forbidden, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { ChangedEntity, ChangeEntity } from '../catalog/change.service.ts';
import type { AttributeChange, NewAttribute } from './attributes.contract.ts';
import * as store from './attributes.store.ts';

const changedAttribute = ({ teamId }: Context, { entity }: ChangedEntity<'attribute'>): Attribute => ({
  ...{ ...entity, teamId },
});

export const createAttribute = async (
  tx: Transaction,
  context: Context,
  { id = newId(), ...given }: NewAttribute,
  changeEntity: ChangeEntity,
): Promise<Attribute> => {
  const attribute = { id, min: 0, max: 100, ...given };
  const request = { kind: 'attribute', id, isNew: true, edit: () => attribute, given: attribute } as const;
  return changedAttribute(context, await changeEntity(tx, context, request));
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
  changeEntity: ChangeEntity,
  ifMatch?: string,
): Promise<Attribute> => {
  if (namedTeamId !== context.teamId) throw forbidden({ path: '/body/teamId', message: "is not the caller's team" });
  const edit = (present: AttributeEntity) => ({ ...present, ...change });
  const request = { kind: 'attribute', id, edit, given: change, ifMatch } as const;
  return changedAttribute(context, await changeEntity(tx, context, request));
};

/** The team's attributes with these ids. */
export const findAttributes = (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  ids: readonly string[],
): Promise<Attribute[]> => store.selectAttributesById(reader, teamId, ids);
