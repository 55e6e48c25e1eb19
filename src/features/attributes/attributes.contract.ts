import { type Static, Type } from 'typebox';
import { allOptional, MEMBERS, optional } from '../../catalog/entities.ts';
import { Attribute } from '../../catalog/shown.ts';
import { OwnId, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { entityContract } from '../catalog/kinds.contract.ts';

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

export const contract = entityContract({
  kind: 'attribute',
  plural: 'attributes',
  shown: Attribute,
  create: {
    description: 'A numeric property that items can carry, with the range that its values must stay within.',
    body: NewAttribute,
  },
  list: {
    description: 'Oldest first, one page at a time; follow the `Link` header for more.',
    query: {
      id: Type.Optional(Type.String({ maxLength: LIMITS.idLength, description: 'Only the attribute with this id.' })),
    },
    errors: [404],
  },
  get: { description: 'With its `ETag`, for changes that must not overwrite those of others.' },
  update: {
    description:
      'Only the members you send are changed. A range that would no longer contain the range of an item is rejected with 400.',
    body: AttributeChange,
  },
  delete: { description: 'An attribute that items still carry is not deleted: 400, and the issues name the items.' },
});
