/** Bodies of requests that change many entities at once. Workers validate them, since they may be very large. */
import { Type } from 'typebox';
import { Id, Name, Nullable, OneOf, OwnId, Strict } from '../http/schemas.ts';
import { ENTITY_KINDS } from '../shared/context.ts';
import { LIMITS } from '../shared/limits.ts';

export const VersionNumber = Type.Integer({
  minimum: 1,
  description: 'Number of the version, counted per team from 1, without gaps.',
  examples: [17],
});

export const Kind = OneOf(ENTITY_KINDS, { description: 'The kind of entity.' });

export const entity = (description: string) =>
  Type.Unsafe<object | null>({ type: ['object', 'null'], description, additionalProperties: true });

export const Changes = Type.Array(
  Strict(
    {
      kind: Kind,
      id: Id,
      after: entity('The whole entity as it should be; null to delete it.'),
      action: Type.Optional(Type.String({ description: 'Ignored, so that the changes of a plan can be sent back.' })),
      before: Type.Optional(entity('Ignored.')),
      fields: Type.Optional(Type.Array(Type.String(), { description: 'Ignored.' })),
    },
    { title: 'WantedChange', description: 'What an entity should be.' },
  ),
  { maxItems: LIMITS.changesPerRequest, description: 'Each entity at most once, in any order.' },
);

export const Message = Nullable(Type.String({ maxLength: LIMITS.versionMessageLength }), {
  description: 'What the change is about, for the history.',
});

export const planOptions = {
  pools: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.idLength }), {
      maxItems: LIMITS.listedIds,
      description:
        'Compute odds for these pools only: `plain` or ids of templates. Empty: none. All that change if left out.',
    }),
  ),
};

export const publishOptions = {
  baseVersion: { ...VersionNumber, minimum: 0, description: 'The version that the change was made on.' },
  message: Type.Optional(Message),
};

export const BaseVersion = {
  ...VersionNumber,
  minimum: 0,
  description: 'The version of the catalog that it is based on.',
};

export const NewDraft = Strict(
  {
    id: Type.Optional(OwnId),
    name: Name,
    baseVersion: Type.Optional(BaseVersion),
    changes: Type.Optional(Changes),
  },
  { title: 'NewCatalogDraft' },
);

export const DraftChange = Strict(
  { name: Type.Optional(Name), baseVersion: Type.Optional(BaseVersion), changes: Type.Optional(Changes) },
  { title: 'CatalogDraftChange' },
);
