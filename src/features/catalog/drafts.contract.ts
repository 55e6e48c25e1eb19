import { type Static, Type } from 'typebox';
import { BaseVersion, Changes, DraftChange, Message, NewDraft } from '../../catalog/bodies.ts';
import {
  Empty,
  Id,
  Name,
  Nullable,
  OptionalBody,
  PathId,
  responses,
  Strict,
  Timestamp,
  TimestampInput,
} from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { Author, Version } from './versions.contract.ts';

const draftMembers = {
  id: Id,
  revision: Type.Integer({ description: 'Counts its changes; also its `ETag`.' }),
  name: Name,
  baseVersion: BaseVersion,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  author: Author,
  publishAt: Nullable(Timestamp, { description: 'When it will be published; null if that is not scheduled.' }),
  rebase: Type.Boolean({ description: 'Whether it will be moved to the current version first.' }),
  announce: Type.Boolean({ description: 'Whether the public pages of templates announce it.' }),
  message: Nullable(Type.String(), { description: 'The message of the version that it will become.' }),
  failure: Nullable(Type.String(), { description: 'Why it could not be published when it was due.' }),
  count: Type.Integer({ description: 'The number of entities that it changes.' }),
};

const Draft = Type.Object(draftMembers, {
  title: 'CatalogDraft',
  description: 'Changes of the catalog that are not published yet. Nothing is rolled on them.',
});
export type Draft = Static<typeof Draft>;

const DraftWithChanges = Type.Object({ ...draftMembers, changes: Changes }, { title: 'CatalogDraftWithChanges' });

export const DraftPublication = Strict(
  {
    message: Type.Optional(Message),
    rebase: Type.Optional(
      Type.Boolean({
        description: 'Whether to move it to the current version first; rejected if both changed the same entity.',
      }),
    ),
    announce: Type.Optional(
      Type.Boolean({
        description:
          'With `at`: whether the public pages of templates say from when on which odds change. Anyone can then read the new odds, and the names of new items.',
      }),
    ),
    at: Type.Optional(
      Nullable(TimestampInput, { description: 'Publish at this time instead of now. Null: take it off the schedule.' }),
    ),
  },
  { title: 'CatalogDraftPublication' },
);
export type DraftPublication = Static<typeof DraftPublication>;

const tags = ['Catalog'];

export const listDrafts = {
  operationId: 'listCatalogDrafts',
  summary: 'List drafts',
  description: `All drafts without their changes, oldest first. A team can have ${LIMITS.draftsPerTeam}.`,
  tags,
  response: responses('The drafts.', Type.Array(Draft), 400, 401, 403, 500),
};

export const createDraft = {
  operationId: 'createCatalogDraft',
  summary: 'Create a draft',
  description: 'Collects changes of the catalog until they are published together.',
  tags,
  'x-etag': true,
  body: NewDraft,
  response: responses('The draft that was created.', DraftWithChanges, 400, 401, 403, 500),
};

export const getDraft = {
  operationId: 'getCatalogDraft',
  summary: 'Get a draft',
  description: 'With its changes.',
  tags,
  'x-etag': true,
  params: PathId,
  response: responses('The draft.', DraftWithChanges, 400, 401, 403, 404, 500),
};

export const updateDraft = {
  operationId: 'updateCatalogDraft',
  summary: 'Update a draft',
  description: 'Only the members you send are changed; `changes` replaces the whole list.',
  tags,
  'x-etag': true,
  params: PathId,
  body: DraftChange,
  response: responses('The draft after the change.', DraftWithChanges, 400, 401, 403, 404, 412, 500),
};

export const deleteDraft = {
  operationId: 'deleteCatalogDraft',
  summary: 'Delete a draft',
  description: 'Its changes are lost.',
  tags,
  params: PathId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 412, 500),
};

export const publishDraft = {
  operationId: 'publishCatalogDraft',
  summary: 'Publish a draft, now or at a time',
  description:
    'Now: the draft becomes a version, and is deleted. With `at`, the service publishes it at that time, once; if that fails, `failure` of the draft says why. Rejected with 409 if the catalog has moved on since `baseVersion` and `rebase` is not set, or if the changes have faults.',
  tags,
  params: PathId,
  body: OptionalBody(DraftPublication),
  response: responses(
    'The version if it was published, or the draft if it was scheduled or taken off the schedule.',
    Type.Object({
      version: Type.Unsafe<Static<typeof Version> | null>({
        ...Version,
        title: undefined,
        type: ['object', 'null'],
      }),
      draft: Type.Unsafe<Draft | null>({ ...Draft, title: undefined, type: ['object', 'null'] }),
    }),
    400,
    401,
    403,
    404,
    409,
    500,
  ),
};
