import type { Attribute } from '../../catalog/shown.ts';
import type { Reader } from '../../database/work.ts';
import { forbidden } from '../../shared/errors.ts';
import type { KindOfEntity } from '../catalog/kinds.service.ts';
import type { AttributeChange, NewAttribute } from './attributes.contract.ts';
import * as store from './attributes.store.ts';

export const attributes: KindOfEntity<
  'attribute',
  NewAttribute,
  AttributeChange,
  Attribute,
  { id?: string },
  Attribute
> = {
  kind: 'attribute',
  create: (id, given) => {
    const attribute = { id, min: 0, max: 100, ...given };
    return { edit: () => attribute, given: attribute };
  },
  update: ({ teamId }, _id, { teamId: namedTeamId = teamId, ...change }) => {
    if (namedTeamId !== teamId) throw forbidden({ path: '/body/teamId', message: "is not the caller's team" });
    return { edit: (present) => ({ ...present, ...change }), given: change };
  },
  show: ({ teamId }, { entity }) => ({ ...entity, teamId }),
  find: store.selectAttribute,
  list: (reader, { id }, page) => store.selectAttributes(reader, id, page),
};

/** The team's attributes with these ids. */
export const findAttributes = (reader: Reader, ids: readonly string[]): Promise<Attribute[]> =>
  store.selectAttributesById(reader, ids);
