/** What several tools take. */
import { Type } from 'typebox';
import { ENTITY_KINDS, type EntityKind } from '../../shared/context.ts';
import { LIMITS } from '../../shared/limits.ts';

export const idOf = (what: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.idLength, description: `The id of ${what}.` });

export const Kind = Type.Unsafe<EntityKind>({ type: 'string', enum: ENTITY_KINDS, description: 'The kind of entity.' });

export const Changes = Type.Array(
  Type.Object(
    {
      kind: Kind,
      id: idOf('the entity, new or existing'),
      after: Type.Unsafe<Record<string, unknown> | null>({
        type: ['object', 'null'],
        description:
          'The whole entity as it should be, as get_entities returns it, with what is to change; null to delete it.',
      }),
    },
    { additionalProperties: false },
  ),
  { minItems: 1, maxItems: LIMITS.changesPerRequest, description: 'What entities should be, each at most once.' },
);

/** A saved template, or a configuration to try. */
export const templateOrConfig = {
  templateId: Type.Optional(idOf('a template of the catalog; leave out type and config')),
  type: Type.Optional(
    Type.String({
      description: 'The type of a configuration that is not saved; gacha if left out.',
      examples: ['gacha'],
    }),
  ),
  config: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'A configuration that is not saved, like config of a template.',
    }),
  ),
  depth: Type.Optional(Type.Integer({ minimum: 0, description: 'The depth of roguelike offers.' })),
};
