import { Type } from 'typebox';
import { DropRateMultiplier, RollNumerator, Step, side, Thumbnail } from '../features/catalog/catalog.contract.ts';
import { CONFIGS, Config, Disclosure, TemplateType, Verifiable } from '../features/templates/templates.contract.ts';
import { Id, Name, OwnId, Strict } from '../http/schemas.ts';
import type { EntityKind } from '../shared/context.ts';
import { LIMITS } from '../shared/limits.ts';
import { type Check, compileShape } from '../shared/shape.ts';

/** The shape of each kind of entity in a request. What has a default, and ids of parts, may be left out. */
const SHAPES: Readonly<Record<EntityKind, Check['issuesOf']>> = {
  attribute: compileShape(
    Strict({ id: OwnId, name: Name, min: Type.Number(), max: Type.Number(), step: Type.Optional(Step) }),
  ),
  classifier: compileShape(
    Strict({
      id: OwnId,
      name: Name,
      classifierOptions: Type.Array(
        Strict({ id: Type.Optional(OwnId), name: Name, dropRateMultiplier: Type.Optional(DropRateMultiplier) }),
        { maxItems: LIMITS.optionsPerClassifier },
      ),
    }),
  ),
  item: compileShape(
    Strict({
      id: OwnId,
      name: Name,
      thumbnail: Type.Optional(Thumbnail),
      rollNumerator: Type.Optional(RollNumerator),
      width: Type.Optional(side('Width')),
      height: Type.Optional(side('Height')),
      classifierOptionIds: Type.Optional(Type.Array(Id, { maxItems: LIMITS.optionsPerItem })),
      itemAttributes: Type.Optional(
        Type.Array(Strict({ id: Type.Optional(OwnId), attributeId: Id, min: Type.Number(), max: Type.Number() }), {
          maxItems: LIMITS.attributesPerItem,
        }),
      ),
    }),
  ),
  space: compileShape(
    Strict({
      id: OwnId,
      name: Name,
      cols: Type.Integer({ minimum: 1, maximum: LIMITS.spaceSide }),
      rows: Type.Integer({ minimum: 1, maximum: LIMITS.spaceSide }),
    }),
  ),
  template: compileShape(
    Strict({
      id: OwnId,
      name: Name,
      type: TemplateType,
      config: Config,
      bindings: Type.Optional(
        Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
      ),
      verifiable: Type.Optional(Verifiable),
      disclosure: Type.Optional(Disclosure),
    }),
  ),
};

const CONFIG_SHAPES: Readonly<Record<string, Check['issuesOf']>> = Object.fromEntries(
  Object.entries(CONFIGS).map(([type, schema]) => [type, compileShape(schema)]),
);

/** What is wrong with an entity by itself. Paths point into the entity. */
export const shapeIssues = (kind: EntityKind, entity: object): ReturnType<Check['issuesOf']> => {
  const issues = SHAPES[kind](entity, '');
  if (issues.length > 0 || kind !== 'template') return issues;
  const { type, config } = entity as { type: string; config: object };
  return CONFIG_SHAPES[type]?.(config, '/config') ?? [];
};
