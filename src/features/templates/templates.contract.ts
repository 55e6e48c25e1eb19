import { type Static, Type } from 'typebox';
import { allOptional, Disclosure, MEMBERS, TemplateType, Verifiable } from '../../catalog/entities.ts';
import { Id, Nullable, OwnId, Paging, responses, Strict, Timestamp, TimestampInput } from '../../http/schemas.ts';
import { entityContract } from '../catalog/kinds.contract.ts';

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

const oldestFirst = 'Oldest first, one page at a time; follow the `Link` header for more.';

export const contract = entityContract({
  kind: 'template',
  plural: 'templates',
  shown: Template,
  create: {
    description:
      'A configuration of a game system: a gacha banner, card pack, roguelike offer or idle drop. It is checked against the catalog. A configuration whose exact odds would take too long to compute is rejected with 400.',
    body: NewTemplate,
  },
  list: { description: oldestFirst, errors: [404] },
  get: { description: 'With its configuration, as it was saved.' },
  update: {
    description: '`config` replaces the whole configuration and is checked as on creation. The type cannot be changed.',
    body: TemplateChange,
  },
  delete: { description: 'Also deletes what it remembers about users; roll statistics are kept.' },
});

export const listTemplatesOfType = {
  operationId: 'listTemplatesOfType',
  summary: 'List templates of one type',
  description: oldestFirst,
  tags: ['Templates'],
  params: Strict({ type: TemplateType }),
  querystring: Strict({ ...Paging }),
  response: responses('A page of templates.', Type.Array(Template), 400, 401, 403, 500),
};
