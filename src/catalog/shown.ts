/** Parts of a catalog as responses of several features show them. */
import { type Static, Type } from 'typebox';
import { Id, Name, Timestamp } from '../http/schemas.ts';
import { Color, DropRateMultiplier, MEMBERS } from './entities.ts';

export const Attribute = Type.Object(
  { id: Id, ...MEMBERS.attribute, teamId: Id },
  {
    title: 'Attribute',
    description: 'A numeric property that items can carry, with the range it can take.',
    examples: [{ id: 'damage', name: 'Damage', min: 0, max: 100, step: null, teamId: 'my-team' }],
  },
);
export type Attribute = Static<typeof Attribute>;

export const ClassifierOption = Type.Object(
  { id: Id, name: Name, dropRateMultiplier: DropRateMultiplier, classifierId: Id, color: Type.Optional(Color) },
  { title: 'ClassifierOption', description: 'One of the choices of a classifier, such as the rarity `epic`.' },
);

const { description, data, currency, spend, ...shortMembers } = MEMBERS.item;

/** The members of an item in every response. What may be long, and what a currency is, is told by the item alone. */
export const itemMembers = {
  id: Id,
  ...shortMembers,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  teamId: Id,
};
