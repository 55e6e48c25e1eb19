import { type Static, Type } from 'typebox';
import { answers, Empty, Name, OwnId, Paging, PathId, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';
import { Attribute, Step } from '../catalog/catalog.contract.ts';

const NewAttribute = Strict(
  {
    id: Type.Optional(OwnId),
    name: Name,
    min: Type.Optional(Type.Number({ description: 'Lowest value; 0 when left out.' })),
    max: Type.Optional(Type.Number({ description: 'Highest value; 100 when left out.' })),
    step: Type.Optional(Step),
  },
  { title: 'NewAttribute', examples: [{ name: 'Damage', min: 1, max: 100 }] },
);
export type NewAttribute = Static<typeof NewAttribute>;

const AttributeChange = Strict(
  {
    name: Type.Optional(Name),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
    step: Type.Optional(Step),
    teamId: Type.Optional(
      Type.String({ maxLength: LIMITS.idLength, description: "The caller's own team; any other is refused with 403." }),
    ),
  },
  { title: 'AttributeChange', examples: [{ max: 120 }] },
);
export type AttributeChange = Static<typeof AttributeChange>;

const tags = ['Attributes'];

export const createAttribute = {
  operationId: 'createAttribute',
  summary: 'Create an attribute',
  tags,
  body: NewAttribute,
  response: answers(Attribute, 400, 401, 403, 500),
};

export const listAttributes = {
  operationId: 'listAttributes',
  summary: 'List attributes',
  tags,
  querystring: Strict({
    id: Type.Optional(Type.String({ maxLength: LIMITS.idLength, description: 'Only the attribute with this id.' })),
    ...Paging,
  }),
  response: answers(Type.Array(Attribute), 400, 401, 403, 404, 500),
};

export const updateAttribute = {
  operationId: 'updateAttribute',
  summary: 'Change an attribute',
  description: 'A range that would leave the range of an item outside it is refused.',
  tags,
  params: PathId,
  body: AttributeChange,
  response: answers(Attribute, 400, 401, 403, 404, 500),
};

export const deleteAttribute = {
  operationId: 'deleteAttribute',
  summary: 'Delete an attribute',
  description: 'An attribute that items carry is not deleted; the refusal names the items.',
  tags,
  params: PathId,
  response: answers(Empty, 400, 401, 403, 404, 500),
};
