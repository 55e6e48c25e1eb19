import { type Static, Type } from 'typebox';
import { Changes, planOptions, publishOptions, VersionNumber } from '../../catalog/bodies.ts';
import { Nullable, responses } from '../../http/schemas.ts';
import { ENTITY_KINDS } from '../../shared/context.ts';
import { changeMembers, Document, oddsMembers, Version } from './versions.contract.ts';

/** The worker that reads the body validates it; these schemas document it. */
const requestOf = (title: string, options: Record<string, object>, baseRequired: boolean) => {
  const required = baseRequired ? ['baseVersion'] : [];
  const one = (name: string, members: Record<string, object>, needed: string[]) => ({
    title: `${title}${name}`,
    type: 'object',
    additionalProperties: false,
    required: [...needed, ...required],
    properties: { ...members, ...options },
  });
  const { properties } = Document as unknown as { properties: Record<string, object> };
  return Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    'x-any-of': [
      one(
        'Document',
        {
          ...properties,
          merge: {
            type: 'boolean',
            description: 'Whether what is absent from the document stays as it is, instead of being deleted.',
          },
        },
        ['formatVersion'],
      ),
      one('Changes', { changes: Changes }, ['changes']),
      one(
        'Rollback',
        { rollbackTo: { type: 'integer', minimum: 0, description: 'The version to return to; 0 is empty.' } },
        ['rollbackTo'],
      ),
      one(
        'Undo',
        { undo: { type: 'integer', minimum: 1, description: 'The version whose changes to revert; later ones stay.' } },
        ['undo'],
      ),
    ],
    description:
      'A document as `GET /catalog` returns it, a list of changes, or a version to return to or to undo. In items, names of options and attributes may stand for their ids where they are unique; ids of options and of item attributes may be left out.',
  });
};

const Finding = Type.Object({
  kind: Nullable(Type.String({ enum: [...ENTITY_KINDS] }), { description: 'The kind of entity; null for all.' }),
  id: Nullable(Type.String()),
  path: Type.String({ description: 'JSON pointer into the entity.', examples: ['/rollNumerator'] }),
  message: Type.String(),
});
export type Finding = Static<typeof Finding>;

const Plan = Type.Object(
  {
    baseVersion: { ...VersionNumber, minimum: 0, description: 'The version that the plan was made on.' },
    summary: Type.Object({ create: Type.Integer(), update: Type.Integer(), delete: Type.Integer() }),
    changes: Type.Array(
      Type.Object(
        {
          ...changeMembers,
          fields: Type.Array(Type.String(), { description: 'The members that change.', examples: [['rollNumerator']] }),
        },
        { title: 'PlannedChange' },
      ),
      { description: 'Attributes, classifiers, spaces, items, templates; each in order of their ids.' },
    ),
    faults: Type.Array(Finding, { description: 'Everything that keeps it from being published.' }),
    warnings: Type.Array(Finding, { description: 'What to think about before publishing.' }),
    ...oddsMembers,
    players: Type.Object({
      withState: Type.Integer({ description: 'Users with counters of templates that it changes or deletes.' }),
    }),
    instances: Type.Object({ orphaned: Type.Integer({ description: 'Instances of items that it would delete.' }) }),
  },
  { title: 'CatalogPlan', description: 'What a change would do.' },
);

const tags = ['Catalog'];

export const planCatalog = {
  operationId: 'planCatalog',
  summary: 'Plan a change of the catalog',
  description:
    'Shows what a change would do: every entity before and after, all faults at once, and the exact odds of every pool that changes. Nothing is changed.',
  tags,
  body: requestOf('Plan', planOptions, false),
  response: responses('The plan.', Plan, 400, 401, 403, 404, 500),
};

export const publishCatalog = {
  operationId: 'publishCatalog',
  summary: 'Publish a change of the catalog',
  description:
    'Applies a change of any size in one transaction, as one version. Rejected with 409 if `baseVersion` is not the current version, if the change has faults, or if it changes nothing.',
  tags,
  body: requestOf('Publish', publishOptions, true),
  response: responses('The new version.', Version, 400, 401, 403, 404, 409, 500),
};
