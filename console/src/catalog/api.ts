import { type Api, type Schemas, settle, unwrap } from '../interface/client.ts';
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

const tagged = async (call: Promise<{ data: unknown; response: Response }>): Promise<DraftWithTag> => {
  const { data, response } = await call;
  const draft = data as Draft;
  const changes = draft.changes.map(({ kind, id, after }) => ({ kind, id, after: completed(kind, after) }));
  return { draft: { ...draft, changes }, etag: response.headers.get('etag') ?? '*' };
};

export const readVersion = async (api: Api, version: number, signal?: AbortSignal): Promise<VersionWithChanges> => {
  const path = { version: String(version) };
  const read = await unwrap(api.GET('/catalog/versions/{version}', { params: { path }, signal }));
  return read as unknown as VersionWithChanges;
};

/** The number of the current version; 0 if there is none yet. */
export const readCurrentVersion = async (api: Api, signal?: AbortSignal): Promise<number> => {
  const [latest] = await unwrap(api.GET('/catalog/versions', { params: { query: { limit: 1 } }, signal }));
  return latest?.version ?? 0;
};

/** Plans a change; `pools` limits the odds that are computed. */
export const planOf = async (
  api: Api,
  proposal: Proposal,
  pools?: readonly string[],
  signal?: AbortSignal,
): Promise<Plan> => {
  const body = { ...proposal, ...(pools !== undefined && { pools }) };
  return (await unwrap(api.POST('/catalog/plan', { body: body as never, signal }))) as unknown as Plan;
};

export const publish = (api: Api, proposal: Proposal, baseVersion: number, message: string | null): Promise<Version> =>
  unwrap(api.POST('/catalog/publish', { body: { ...proposal, baseVersion, message } as never }));

export const readDrafts = (api: Api, signal?: AbortSignal): Promise<DraftSummary[]> =>
  unwrap(api.GET('/catalog/drafts', { signal }));

export const readDraft = (api: Api, id: string, signal?: AbortSignal): Promise<DraftWithTag> =>
  tagged(settle(api.GET('/catalog/drafts/{id}', { params: { path: { id } }, signal })));

/** Starts a draft on the current version. */
export const createDraft = (api: Api, name: string): Promise<DraftWithTag> =>
  tagged(settle(api.POST('/catalog/drafts', { body: { name } })));

export const updateDraft = (
  api: Api,
  id: string,
  etag: string,
  body: { readonly name?: string; readonly baseVersion?: number; readonly changes?: readonly WantedChange[] },
): Promise<DraftWithTag> =>
  tagged(
    settle(
      api.PUT('/catalog/drafts/{id}', {
        params: { path: { id } },
        body: body as never,
        headers: { 'if-match': etag },
      }),
    ),
  );

export const deleteDraft = (api: Api, id: string) =>
  unwrap(api.DELETE('/catalog/drafts/{id}', { params: { path: { id } } }));

export const publishDraft = (
  api: Api,
  id: string,
  body: { message?: string | null; rebase?: boolean; at?: string | null },
) => unwrap(api.POST('/catalog/drafts/{id}/publish', { params: { path: { id } }, body }));
