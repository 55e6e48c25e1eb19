import type { Answer } from '@itemwright/client';
import type { Api, Schemas } from '../interface/client.ts';
import { completed, type Entity, type Kind } from './entities.ts';

/** Requests about versions, plans and drafts. Entities are typed here once, since the schema leaves them open. */

/** What an entity should be; null deletes it. */
export interface WantedChange {
  readonly kind: Kind;
  readonly id: string;
  readonly after: Entity | null;
}

/** A change of a version or a plan. */
export interface Change extends WantedChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly before: Entity | null;
}

export type Version = Schemas['CatalogVersion'];
export type PoolOdds = Schemas['PoolOddsChange'];
/** A fault or a warning of a plan. */
export interface Finding {
  /** Null if it is about the catalog as a whole. */
  readonly kind: Kind | null;
  readonly id: string | null;
  readonly path: string;
  readonly message: string;
}

interface PoolName {
  readonly pool: string;
  readonly name: string;
}

interface OddsChanges {
  readonly odds: readonly PoolOdds[];
  readonly oddsLeftOut: readonly PoolName[];
}

export interface VersionWithChanges extends OddsChanges {
  readonly version: number;
  readonly createdAt: string;
  readonly author: Schemas['Author'];
  readonly source: Version['source'];
  readonly message: string | null;
  readonly count: number;
  readonly changes: readonly Change[];
}

export interface Plan extends OddsChanges {
  readonly baseVersion: number;
  readonly summary: Schemas['CatalogPlan']['summary'];
  readonly changes: readonly Change[];
  readonly faults: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly players: { readonly withState: number };
  readonly instances: { readonly orphaned: number };
}

/** What to plan or to publish. */
export type Proposal =
  | { readonly changes: readonly WantedChange[] }
  | { readonly undo: number }
  | { readonly rollbackTo: number };

export type DraftSummary = Schemas['CatalogDraft'];

export interface Draft extends DraftSummary {
  readonly changes: readonly WantedChange[];
}

export interface DraftWithTag {
  readonly draft: Draft;
  readonly etag: string;
}

const tagged = async (call: Promise<Answer<unknown>>): Promise<DraftWithTag> => {
  const { data, etag = '*' } = await call;
  const draft = data as Draft;
  const changes = draft.changes.map(({ kind, id, after }) => ({ kind, id, after: completed(kind, after) }));
  return { draft: { ...draft, changes }, etag };
};

export const readVersion = async (api: Api, version: number, signal?: AbortSignal): Promise<VersionWithChanges> =>
  (await api.catalog.version(version, {}, { signal })) as unknown as VersionWithChanges;

/** The number of the current version; 0 if there is none yet. */
export const readCurrentVersion = async (api: Api, signal?: AbortSignal): Promise<number> => {
  const { rows } = await api.catalog.versions({ limit: 1 }, { signal }).page();
  return rows[0]?.version ?? 0;
};

/** Plans a change; `pools` limits the odds that are computed. */
export const planOf = async (
  api: Api,
  proposal: Proposal,
  pools?: readonly string[],
  signal?: AbortSignal,
): Promise<Plan> => {
  const body = { ...proposal, ...(pools !== undefined && { pools }) };
  return (await api.catalog.plan(body, { signal })) as unknown as Plan;
};

export const publish = (api: Api, proposal: Proposal, baseVersion: number, message: string | null): Promise<Version> =>
  api.catalog.publish({ ...proposal, baseVersion, message });

export const readDrafts = (api: Api, signal?: AbortSignal): Promise<DraftSummary[]> =>
  api.catalogDrafts.list({ signal });

export const readDraft = (api: Api, id: string, signal?: AbortSignal): Promise<DraftWithTag> =>
  tagged(api.catalogDrafts.get(id, { signal }).withResponse());

/** Starts a draft on the current version. */
export const createDraft = (api: Api, name: string): Promise<DraftWithTag> =>
  tagged(api.catalogDrafts.create({ name }).withResponse());

export const updateDraft = (
  api: Api,
  id: string,
  etag: string,
  body: { readonly name?: string; readonly baseVersion?: number; readonly changes?: readonly WantedChange[] },
): Promise<DraftWithTag> => tagged(api.catalogDrafts.update(id, body, { ifMatch: etag }).withResponse());

export const deleteDraft = (api: Api, id: string) => api.catalogDrafts.delete(id);

export const publishDraft = (
  api: Api,
  id: string,
  body: { message?: string | null; rebase?: boolean; announce?: boolean; at?: string | null },
) => api.catalogDrafts.publish(id, body);
