import { type Answer, type ChangeOptions, ItemwrightError } from '@itemwright/client';
import { type Api, orNull, type Schemas } from '../api/client.ts';
import { completed, type Entity, type EntityKey, entityOf, isSame, type Kind, keyOf, type Shown } from './entities.ts';

/** Requests about entities, versions, plans and drafts. Entities are typed here once, since the schema leaves them open. */

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

/** An entity is no longer as the page showed it. Nothing was saved. */
export class StaleError extends ItemwrightError {
  /** As the page showed it; null if it was to be created. */
  readonly shown: Entity | null;
  /** As it is now; null if it was deleted. */
  readonly current: Entity | null;
  /** Whether it was changed in the draft, not in the live catalog. */
  readonly isInDraft: boolean;

  constructor(who: string, shown: Entity | null, current: Entity | null, isInDraft = false) {
    const where = isInDraft ? ' in this draft' : '';
    super(
      `${who} has ${current === null ? 'deleted' : 'changed'} this${where} in the meantime. Nothing was saved: check what is there now, then try again.`,
      { status: 412 },
    );
    this.shown = shown;
    this.current = current;
    this.isInDraft = isInDraft;
  }
}

/** An entity as it is live, with its `ETag`; null if there is none. */
export const readEntity = async (
  api: Api,
  kind: Kind,
  id: string,
): Promise<{ readonly entity: Entity; readonly etag: string } | null> => {
  const call: Promise<Answer<Shown[Kind]>> = api[`${kind}s`].get(id).withResponse();
  const answer = await orNull(call);
  return answer && { entity: entityOf(kind, answer.data), etag: answer.etag ?? '*' };
};

/** The entity of a change as it is live, which a plan of the change says on the way. */
export const presentIn = async (api: Api, plan: Plan, wanted: WantedChange): Promise<Entity | null> => {
  const change = plan.changes.find((one) => keyOf(one) === keyOf(wanted));
  if (change !== undefined) return change.before;
  // A plan leaves out entities with faults, and those that would not change: then somebody has made the same edit.
  return plan.faults.length === 0 ? wanted.after : ((await readEntity(api, wanted.kind, wanted.id))?.entity ?? null);
};

/** Who changed it last: a secret has the name of a person, or of what it is for. */
export const lastAuthor = async (api: Api, kind: Kind, id: string): Promise<string> => {
  const { rows } = await api.catalog.versions({ kind, id, limit: 1 }).page();
  const name = rows[0]?.author.name;
  return name === undefined ? 'Somebody else' : `Somebody with the secret “${name}”`;
};

/**
 * Options for a change of an entity that must be as the page shows it. A page may have been open for long: what a
 * colleague has changed meanwhile must not be overwritten unseen.
 */
export const ifUnchanged = async (api: Api, kind: Kind, shown: Entity): Promise<ChangeOptions> => {
  const current = await readEntity(api, kind, shown.id);
  if (current === null || !isSame(current.entity, shown))
    throw new StaleError(await lastAuthor(api, kind, shown.id), shown, current?.entity ?? null);
  return { ifMatch: current.etag };
};
