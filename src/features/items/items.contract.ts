import { type Static, Type } from 'typebox';
import { answers, Empty, GivenTimestamp, Id, Name, OwnId, Paging, PathId, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';
import { ClassifierOption, itemMembers, RollNumerator, side, Thumbnail } from '../catalog/catalog.contract.ts';

const Item = Type.Object(
  {
    ...itemMembers,
    classifiers: Type.Array(Type.Object({ classifierId: Id, classifierOption: ClassifierOption })),
    attributes: Type.Array(
      Type.Object({ id: Id, itemId: Id, attributeId: Id, min: Type.Number(), max: Type.Number() }),
    ),
  },
  { title: 'Item', description: 'A blueprint: what can be rolled and given to players.' },
);
export type Item = Static<typeof Item>;

const givenMembers = {
  thumbnail: Type.Optional(Thumbnail),
  rollNumerator: Type.Optional(RollNumerator),
  width: Type.Optional(side('Width')),
  height: Type.Optional(side('Height')),
  classifierOptionIds: Type.Optional(
    Type.Array(Id, {
      maxItems: LIMITS.optionsPerItem,
      description: 'Options assigned to the item; several of one classifier are allowed.',
    }),
  ),
  itemAttributes: Type.Optional(
    Type.Array(Strict({ attributeId: Id, min: Type.Number(), max: Type.Number() }), {
      maxItems: LIMITS.attributesPerItem,
      description: "The attributes it carries, each at most once, each range inside the attribute's own.",
    }),
  ),
  createdAt: Type.Optional(GivenTimestamp),
  updatedAt: Type.Optional(GivenTimestamp),
};

const NewItem = Strict(
  { id: Type.Optional(OwnId), name: Name, ...givenMembers },
  { title: 'NewItem', examples: [{ name: 'Sword of Dawn', rollNumerator: 100 }] },
);
export type NewItem = Static<typeof NewItem>;

const ItemChange = Strict(
  { name: Type.Optional(Name), ...givenMembers },
  { title: 'ItemChange', examples: [{ rollNumerator: 50 }] },
);
export type ItemChange = Static<typeof ItemChange>;

const tags = ['Items'];

export const createItem = {
  operationId: 'createItem',
  summary: 'Create an item',
  tags,
  body: NewItem,
  response: answers(Item, 400, 401, 403, 500),
};

export const listItems = {
  operationId: 'listItems',
  summary: 'List items',
  tags,
  querystring: Strict({ ...Paging }),
  response: answers(Type.Array(Item), 400, 401, 403, 500),
};

export const getItem = {
  operationId: 'getItem',
  summary: 'Show an item',
  tags,
  params: PathId,
  response: answers(Item, 400, 401, 403, 404, 500),
};

export const updateItem = {
  operationId: 'updateItem',
  summary: 'Change an item',
  description:
    'Arrays replace the whole list. An item attribute that stays keeps its id, and instances keep their value. A new width or height holds for placed instances too, from their top-left cell; where one would no longer fit the change is refused with 409, which names what is in the way.',
  tags,
  params: PathId,
  body: ItemChange,
  response: answers(Item, 400, 401, 403, 404, 409, 500),
};

export const deleteItem = {
  operationId: 'deleteItem',
  summary: 'Delete an item',
  description: 'Goes with its attributes and classifiers. Refused while instances of it exist or a template names it.',
  tags,
  params: PathId,
  response: answers(Empty, 400, 401, 403, 404, 500),
};
