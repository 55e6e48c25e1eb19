import { type Static, Type } from 'typebox';
import { allOptional, MEMBERS } from '../../catalog/entities.ts';
import { ClassifierOption, itemMembers } from '../../catalog/shown.ts';
import { Id, Name, OwnId, Strict, TimestampInput } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { entityContract } from '../catalog/kinds.contract.ts';

const Item = Type.Object(
  {
    ...itemMembers,
    description: MEMBERS.item.description,
    data: MEMBERS.item.data,
    currency: Type.Optional({ ...MEMBERS.item.currency, description: 'True for a currency; missing if it is none.' }),
    spend: Type.Optional({
      ...MEMBERS.item.spend,
      description: '`paidFirst`, or missing if free units are spent first.',
    }),
    classifiers: Type.Array(Type.Object({ classifierId: Id, classifierOption: ClassifierOption })),
    attributes: Type.Array(
      Type.Object({ id: Id, itemId: Id, attributeId: Id, min: Type.Number(), max: Type.Number() }),
    ),
  },
  { title: 'Item', description: 'A blueprint: what can be rolled and given to users.' },
);
export type Item = Static<typeof Item>;

const givenMembers = {
  ...allOptional(MEMBERS.item),
  classifierOptionIds: Type.Optional(
    Type.Array(Id, {
      maxItems: LIMITS.optionsPerItem,
      description: 'Options assigned to the item; several of one classifier are allowed.',
    }),
  ),
  itemAttributes: Type.Optional(
    Type.Array(Strict({ attributeId: Id, min: Type.Number(), max: Type.Number() }), {
      maxItems: LIMITS.attributesPerItem,
      description: "The attributes it carries, each at most once, each with a range inside the attribute's own.",
    }),
  ),
  createdAt: Type.Optional(TimestampInput),
  updatedAt: Type.Optional(TimestampInput),
};

const NewItem = Strict(
  { id: Type.Optional(OwnId), ...givenMembers, name: Name },
  { title: 'NewItem', examples: [{ name: 'Sword of Dawn', rollNumerator: 100 }] },
);
export type NewItem = Static<typeof NewItem>;

const ItemChange = Strict(givenMembers, { title: 'ItemChange', examples: [{ rollNumerator: 50 }] });
export type ItemChange = Static<typeof ItemChange>;

export const contract = entityContract({
  kind: 'item',
  plural: 'items',
  shown: Item,
  create: {
    description:
      'The blueprint of what can be rolled and given to users: its weight, options, attributes and footprint.',
    body: NewItem,
    errors: [409],
  },
  list: { description: 'Oldest first, one page at a time; follow the `Link` header for more.' },
  get: { description: 'With its attributes and options.' },
  update: {
    description:
      'Only the members you send are changed; an array replaces the whole list. An item attribute that stays keeps its id, and existing item instances keep their values. A new width or height applies to placed instances too, from their top-left cell; if one of them would no longer fit, the change is rejected with 409 and the issues name what is in the way. So is a change of `currency` while users have units of it.',
    body: ItemChange,
    errors: [409],
  },
  delete: {
    description:
      'Deletes its attributes and options too. Rejected with 400 while instances of it exist, users have units of it, or a template refers to it.',
    errors: [409],
  },
});
