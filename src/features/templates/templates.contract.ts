import { type Static, Type } from 'typebox';
import { allOptional, Disclosure, MEMBERS, TemplateType, Verifiable } from '../../catalog/entities.ts';
import {
  Empty,
  Id,
  Nullable,
  OwnId,
  Paging,
  PathId,
  responses,
  Strict,
  Timestamp,
  TimestampInput,
} from '../../http/schemas.ts';

const trust = { verifiable: Verifiable, disclosure: Disclosure };

const Template = Type.Object(
  { id: Id, teamId: Id, ...MEMBERS.template, ...trust, createdAt: Timestamp, updatedAt: Timestamp },
  { title: 'Template', description: 'The configuration of a game system.' },
);
export type Template = Static<typeof Template>;

const NewTemplate = Strict(
  {
    id: Type.Optional(OwnId),
    ...MEMBERS.template,
    type: Type.Optional({ ...TemplateType, description: 'The game system; defaults to `gacha`.' }),
    ...allOptional(trust),
    createdAt: Type.Optional(TimestampInput),
    updatedAt: Type.Optional(
      Nullable(TimestampInput, { description: 'When it was last changed; null is the same as leaving it out.' }),
    ),
  },
  { title: 'NewTemplate', examples: [{ name: 'Standard banner', config: { pityThreshold: 90 } }] },
);
export type NewTemplate = Static<typeof NewTemplate>;

const { name, config } = MEMBERS.template;
const TemplateChange = Strict(allOptional({ name, config, ...trust }), {
  ...{ title: 'TemplateChange', examples: [{ name: 'Standard banner' }] },
});
export type TemplateChange = Static<typeof TemplateChange>;

const tags = ['Templates'];

export const createTemplate = {
  operationId: 'createTemplate',
  summary: 'Create a template',
  description:
    'A configuration of a game system: a gacha banner, card pack, roguelike offer or idle drop. It is checked against the catalog. A configuration whose exact odds would take too long to compute is rejected with 400.',
  tags,
  'x-etag': true,
  body: NewTemplate,
  response: responses('The template that was created.', Template, 400, 401, 403, 500),
};

export const listTemplates = {
  operationId: 'listTemplates',
  summary: 'List templates',
  description: 'Oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  querystring: Strict({ ...Paging }),
  response: responses('A page of templates.', Type.Array(Template), 400, 401, 403, 404, 500),
};

export const listTemplatesOfType = {
  operationId: 'listTemplatesOfType',
  summary: 'List templates of one type',
  description: 'Oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  params: Strict({ type: TemplateType }),
  querystring: Strict({ ...Paging }),
  response: responses('A page of templates.', Type.Array(Template), 400, 401, 403, 500),
};

export const getTemplate = {
  operationId: 'getTemplate',
  summary: 'Get a template',
  description: 'With its configuration, as it was saved.',
  tags,
  'x-etag': true,
  params: PathId,
  response: responses('The template.', Template, 400, 401, 403, 404, 500),
};

export const updateTemplate = {
  operationId: 'updateTemplate',
  summary: 'Update a template',
  description: '`config` replaces the whole configuration and is checked as on creation. The type cannot be changed.',
  tags,
  'x-etag': true,
  params: PathId,
  body: TemplateChange,
  response: responses('The template after the change.', Template, 400, 401, 403, 404, 412, 500),
};

export const deleteTemplate = {
  operationId: 'deleteTemplate',
  summary: 'Delete a template',
  description: 'Also deletes what it remembers about users; roll statistics are kept.',
  tags,
  params: PathId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 412, 500),
};
