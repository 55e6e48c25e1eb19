import type { Answer } from '@itemwright/client';
import type { Api, Schemas } from '../interface/client.ts';
import { completed, type Entity, type EntityKey } from './entities.ts';

/** Requests about versions, plans and drafts. Entities are typed here once, since the schema leaves them open. */

/** What an entity should be; null deletes it. */
export interface WantedChange extends EntityKey {
  readonly after: Entity | null;
}

/** A change of a version or a plan. */
export interface Change extends WantedChange, Pick<Schemas['CatalogChange'], 'action'> {
  readonly before: Entity | null;
}

type WithChanges<T, C> = Omit<T, 'changes'> & { readonly changes: readonly C[] };

export type Version = Schemas['CatalogVersion'];
export type VersionWithChanges = WithChanges<Schemas['CatalogVersionWithChanges'], Change>;
export type Plan = WithChanges<Schemas['CatalogPlan'], Change>;
export type PoolOdds = Schemas['PoolOddsChange'];
/** A fault or a warning of a plan. */
export type Finding = Plan['faults'][number];
export type DraftSummary = Schemas['CatalogDraft'];
export type Draft = WithChanges<Schemas['CatalogDraftWithChanges'], WantedChange>;

/** What can be changed of a draft. */
export type DraftMembers = Partial<Pick<Draft, 'name' | 'baseVersion' | 'changes'>>;

/** What to plan or to publish. */
export type Proposal =
  | { readonly changes: readonly WantedChange[] }
  | { readonly undo: number }
  | { readonly rollbackTo: number };

export interface DraftWithTag {
  readonly draft: Draft;
  readonly etag: string;
}

const tagged = async (call: Promise<Answer<unknown>>): Promise<DraftWithTag> => {
  const { data, etag = '*' } = await call;
  const draft = data as Draft;
  const changes = draft.changes.map(({ kind, id, after }) => ({ kind, id, after: after && completed(kind, after) }));
  return { draft: { ...draft, changes }, etag };
};

/** The number of the current version; 0 if there is none yet. */
export const readCurrentVersion = async (api: Api, signal?: AbortSignal): Promise<number> => {
  const { rows } = await api.catalog.versions({ limit: 1 }, { signal }).page();
  return rows[0]?.version ?? 0;
};

/** Plans a change; `pools` limits the odds that are computed. */
export const planOf = async (
  api: Api,
  proposal: Proposal,
  pools: readonly string[],
  signal?: AbortSignal,
): Promise<Plan> => (await api.catalog.plan({ ...proposal, pools }, { signal })) as unknown as Plan;

export const publish = (api: Api, proposal: Proposal, baseVersion: number, message: string | null): Promise<Version> =>
  api.catalog.publish({ ...proposal, baseVersion, message });

export const readDraft = (api: Api, id: string, signal?: AbortSignal): Promise<DraftWithTag> =>
  tagged(api.catalogDrafts.get(id, { signal }).withResponse());

/** Starts a draft on the current version. */
export const createDraft = (api: Api, name: string): Promise<DraftWithTag> =>
  tagged(api.catalogDrafts.create({ name }).withResponse());

export const updateDraft = (api: Api, id: string, etag: string, members: DraftMembers): Promise<DraftWithTag> =>
  tagged(api.catalogDrafts.update(id, members, { ifMatch: etag }).withResponse());
