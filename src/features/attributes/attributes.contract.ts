import { type Static, Type } from 'typebox';
import { allOptional, MEMBERS, optional } from '../../catalog/entities.ts';
import { Attribute } from '../../catalog/shown.ts';
import { Empty, OwnId, Paging, PathId, responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const NewAttribute = Strict(
  {
    id: Type.Optional(OwnId),
    ...optional(MEMBERS.attribute, 'min', 'max', 'step'),
    min: Type.Optional({ ...MEMBERS.attribute.min, description: 'Lowest value; defaults to 0.' }),
    max: Type.Optional({ ...MEMBERS.attribute.max, description: 'Highest value; defaults to 100.' }),
  },
  { title: 'NewAttribute', examples: [{ name: 'Damage', min: 1, max: 100 }] },
);
export type NewAttribute = Static<typeof NewAttribute>;

const AttributeChange = Strict(
  {
    ...allOptional(MEMBERS.attribute),
    teamId: Type.Optional(
      Type.String({
        maxLength: LIMITS.idLength,
        description: "Must be the caller's own team; any other team is rejected with 403.",
      }),
    ),
  },
  { title: 'AttributeChange', examples: [{ max: 120 }] },
);
export type AttributeChange = Static<typeof AttributeChange>;

const tags = ['Attributes'];

export const createAttribute = {
  operationId: 'createAttribute',
  summary: 'Create an attribute',
  description: 'A numeric property that items can carry, with the range that its values must stay within.',
  tags,
  'x-etag': true,
  body: NewAttribute,
  response: responses('The attribute that was created.', Attribute, 400, 401, 403, 500),
};

export const listAttributes = {
  operationId: 'listAttributes',
  summary: 'List attributes',
  description: 'Oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  querystring: Strict({
    id: Type.Optional(Type.String({ maxLength: LIMITS.idLength, description: 'Only the attribute with this id.' })),
    ...Paging,
  }),
  response: responses('A page of attributes.', Type.Array(Attribute), 400, 401, 403, 404, 500),
};

export const getAttribute = {
  operationId: 'getAttribute',
  summary: 'Get an attribute',
  tags,
  'x-etag': true,
  description: 'With its `ETag`, for changes that must not overwrite those of others.',
  params: PathId,
  response: responses('The attribute.', Attribute, 400, 401, 403, 404, 500),
};

export const updateAttribute = {
  operationId: 'updateAttribute',
  summary: 'Update an attribute',
  description:
    'Only the members you send are changed. A range that would no longer contain the range of an item is rejected with 400.',
  tags,
  'x-etag': true,
  params: PathId,
  body: AttributeChange,
  response: responses('The attribute after the change.', Attribute, 400, 401, 403, 404, 412, 500),
};

export const deleteAttribute = {
  operationId: 'deleteAttribute',
  summary: 'Delete an attribute',
  description: 'An attribute that items still carry is not deleted: 400, and the issues name the items.',
  tags,
  params: PathId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 412, 500),
};
