import { type TProperties, Type } from 'typebox';
import { Strict } from '../http/schemas.ts';
import type { EntityKind } from '../shared/context.ts';
import type { Issue } from '../shared/errors.ts';
import { type Check, compileShape } from '../shared/shape.ts';
import { CONFIGS } from './configs.ts';
import { DEFAULTS, Disclosure, ENTITIES, MEMBERS, optional, Verifiable } from './entities.ts';

/** Members that a request may write in more ways than an entity has them: parts without ids, and what is left out. */
const GIVEN = {
  attribute: {},
  classifier: {
    classifierOptions: withoutIds(ENTITIES.classifier.properties.classifierOptions, 'dropRateMultiplier'),
  },
  space: {},
  item: {
    currency: Type.Optional(MEMBERS.item.currency),
    spend: Type.Optional(MEMBERS.item.spend),
    itemAttributes: Type.Optional(withoutIds(ENTITIES.item.properties.itemAttributes)),
  },
  template: { verifiable: Type.Optional(Verifiable), disclosure: Type.Optional(Disclosure) },
} as const satisfies Record<EntityKind, TProperties>;

type Parts = { readonly items: { readonly properties: TProperties }; readonly maxItems?: number };

function withoutIds({ items, maxItems }: Parts, ...more: readonly string[]) {
  return Type.Array(Strict(optional(items.properties, 'id', ...more)), { maxItems });
}

/** An entity as a request may write it. */
export const givenSchema = (kind: EntityKind) => {
  const members: TProperties = { ...ENTITIES[kind].properties };
  return Strict({ ...optional(members, ...Object.keys(DEFAULTS[kind])), ...GIVEN[kind] });
};

const shapeOf = (kind: EntityKind) => compileShape(givenSchema(kind));

const SHAPES = Object.fromEntries(Object.keys(ENTITIES).map((kind) => [kind, shapeOf(kind as EntityKind)])) as Readonly<
  Record<EntityKind, Check['issuesOf']>
>;

const CONFIG_SHAPES: Readonly<Record<string, Check['issuesOf']>> = Object.fromEntries(
  Object.entries(CONFIGS).map(([type, schema]) => [type, compileShape(schema)]),
);

/** What is wrong with a configuration by itself. */
export const configIssues = (type: string, config: object, path: string): Issue[] =>
  CONFIG_SHAPES[type]?.(config, path) ?? [];

/** What is wrong with an entity by itself. Paths point into the entity. */
export const shapeIssues = (kind: EntityKind, entity: object): Issue[] => {
  const issues = SHAPES[kind](entity, '');
  if (issues.length > 0 || kind !== 'template') return issues;
  const { type, config } = entity as { type: string; config: object };
  return configIssues(type, config, '/config');
};
