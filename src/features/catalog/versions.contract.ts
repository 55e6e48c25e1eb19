import { type Static, Type } from 'typebox';
import { entity, Kind, VersionNumber } from '../../catalog/bodies.ts';
import { ENTITIES, FORMAT_VERSION, LISTS } from '../../catalog/entities.ts';
import {
  Id,
  IdList,
  Nullable,
  OneOf,
  Paging,
  responses,
  Strict,
  Timestamp,
  TimestampInput,
} from '../../http/schemas.ts';
import { type EntityKind, VERSION_SOURCES } from '../../shared/context.ts';
import { LIMITS } from '../../shared/limits.ts';

export const Author = Type.Object(
  {
    secretId: Nullable(Type.String(), {
      description: 'The secret that was used; null if the service itself made the version.',
    }),
    name: Type.String({ description: 'The name of that secret at the time.', examples: ['game server'] }),
  },
  { title: 'Author' },
);

const versionMembers = {
  version: VersionNumber,
  createdAt: Timestamp,
  author: Author,
  source: OneOf(VERSION_SOURCES, {
    description:
      'How it was made: by a request (`api`), in the console, on the command line, by publishing, by a rollback, or by importing what was there before.',
  }),
  message: Nullable(Type.String(), { description: 'What the author said about it.' }),
};

export const Version = Type.Object(
  { ...versionMembers, changes: Type.Integer({ description: 'The number of entities that it changed.' }) },
  { title: 'CatalogVersion', description: 'A version of the catalog: its state after one change.' },
);
export type Version = Static<typeof Version>;

export const changeMembers = {
  kind: Kind,
  id: Id,
  action: OneOf(['create', 'update', 'delete'] as const, { description: 'What happens to the entity.' }),
  before: entity('The whole entity before, without times and team; null if it did not exist.'),
  after: entity('The whole entity after; null if it was deleted.'),
};

const share = (when: string) =>
  Nullable(Type.Number(), { description: `Effective share ${when}, from 0 to 1; null if there was none.` });

const beforeAfter = (what: string) =>
  Nullable(
    Type.Object({
      before: Nullable(Type.Number(), { description: `${what} before.` }),
      after: Nullable(Type.Number(), { description: `${what} after.` }),
    }),
    { description: `${what}, before and after; null if the pool has none.` },
  );

const PoolName = {
  pool: Type.String({ description: '`plain` for rolls without a template, or the id of a template.' }),
  name: Type.String(),
};

/** What a change does to the odds of one pool. */
export const oddsChangeMembers = {
  tiers: Type.Array(
    Type.Object({
      tier: Nullable(Type.String(), { description: 'The option of the tier.' }),
      name: Nullable(Type.String()),
      before: share('before'),
      after: share('after'),
    }),
    { description: 'Rarest first.' },
  ),
  items: Type.Array(
    Type.Object({
      itemId: Type.String(),
      itemName: Type.String(),
      before: share('before'),
      after: share('after'),
    }),
    { description: `Items whose odds change, the largest change first; at most ${LIMITS.listedOddsChanges}.` },
  ),
  moreItems: Type.Integer({ description: 'How many more items change.' }),
  featuredMean: beforeAfter('Mean number of rolls until a featured item'),
  worst: beforeAfter('Most rolls until the rarest tier'),
};

/** What a change does to the odds, in plans and versions. */
export const oddsMembers = {
  odds: Type.Array(
    Type.Object(
      {
        ...PoolName,
        ...oddsChangeMembers,
      },
      { title: 'PoolOddsChange' },
    ),
    { description: 'Every pool whose odds change, with all rules applied.' },
  ),
  oddsLeftOut: Type.Array(Type.Object(PoolName), {
    description: 'Pools that change as well, but whose odds were not asked for or take too long to compute together.',
  }),
};

const VersionWithChanges = Type.Object(
  {
    ...versionMembers,
    count: Type.Integer({ description: 'The number of entities that it changed.' }),
    changes: Type.Array(
      Type.Object(changeMembers, { title: 'CatalogChange', description: 'A change of one entity of the catalog.' }),
      { description: 'In order of kind and id.' },
    ),
    ...oddsMembers,
  },
  { title: 'CatalogVersionWithChanges' },
);

const tags = ['Catalog'];

const entities = (kind: EntityKind) => Type.Array(ENTITIES[kind], { description: 'In order of their ids.' });

export const Document = Type.Object(
  {
    formatVersion: Type.Integer({ description: 'The version of this format.', examples: [FORMAT_VERSION] }),
    ...Object.fromEntries(LISTS.map(([member, kind]) => [member, entities(kind)])),
  },
  { title: 'CatalogDocument', description: 'A whole catalog, without times and team.' },
);

export const getCatalog = {
  operationId: 'getCatalog',
  summary: 'Get the whole catalog',
  description:
    'All attributes, classifiers, spaces, items and templates as one document. The same catalog always gives the same bytes, on either database: indented by two spaces, members in a fixed order, lists in order of their ids.',
  tags,
  'x-etag': true,
  querystring: Strict({
    version: Type.Optional(
      Type.Integer({ minimum: 0, description: 'An earlier version of the catalog; the current one if left out.' }),
    ),
  }),
  response: responses('The document. Its `ETag` is the version.', Document, 400, 401, 403, 404, 500),
};

export const listVersions = {
  operationId: 'listCatalogVersions',
  summary: 'List the versions of the catalog',
  description:
    'Every change of an attribute, classifier, item, template or space makes a version, with its author. Newest first; they are kept forever.',
  tags,
  querystring: Strict({
    kind: Type.Optional(Kind),
    id: Type.Optional({ ...Id, description: 'Only versions that changed an entity with this id.' }),
    author: Type.Optional({ ...Id, description: 'Only versions made with the secret with this id.' }),
    from: Type.Optional({ ...TimestampInput, description: 'Only versions from this time on.' }),
    to: Type.Optional({ ...TimestampInput, description: 'Only versions before this time.' }),
    ...Paging,
  }),
  response: responses('A page of versions.', Type.Array(Version), 400, 401, 403, 500),
};

export const getVersion = {
  operationId: 'getCatalogVersion',
  summary: 'Get a version of the catalog',
  description: 'The version with every entity that it changed, before and after, and what it did to the odds.',
  tags,
  params: Strict({ version: { ...Id, description: 'Number of the version.', examples: ['17'] } }),
  querystring: Strict({
    pools: Type.Optional(
      IdList('Compute the effect on the odds of these pools only: `plain` or ids of templates. All if left out.'),
    ),
  }),
  response: responses('The version and its changes.', VersionWithChanges, 400, 401, 403, 404, 500),
};
