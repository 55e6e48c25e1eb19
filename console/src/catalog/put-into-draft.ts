import { type Api, hasStatus } from '../api/client.ts';
import {
  type Draft,
  type DraftMembers,
  type DraftWithTag,
  planOf,
  presentIn,
  readCurrentVersion,
  readDraft,
  readEntity,
  StaleError,
  updateDraft,
  type WantedChange,
} from './api.ts';
import { type Edit, optionsTaken } from './edits.ts';
import { type Entities, type Entity, isSame, keyOf } from './entities.ts';

/** Somebody else may change a draft between reading and writing it; more often than this would be strange. */
const MAX_TRIES = 5;

/** Drafts with more changes are not moved to a newer version on the way: each change is looked up. */
const MAX_LOOKED_UP = 50;

/** What a draft makes of an entity; undefined if it leaves it as it is. */
const inDraft = (draft: Draft, key: string): Entity | null | undefined =>
  draft.changes.find((change) => keyOf(change) === key)?.after;

/** An entity as it is live. What may be new is not asked for by its id, which would be an error in the browser's log. */
const liveOf = async (api: Api, draft: Draft, edit: Edit): Promise<Entity | null> => {
  const { kind, id, after } = edit;
  const mayBeNew = edit.before === null || inDraft(draft, keyOf(edit)) !== undefined;
  if (!mayBeNew) return (await readEntity(api, kind, id))?.entity ?? null;
  const wanted = { kind, id, after };
  return presentIn(api, await planOf(api, { changes: [wanted] }, []), wanted);
};

/** What an edit is based on must still be there: in the draft, or live if the draft does not mention it. */
const requireUnchanged = (draft: Draft, edit: Edit, live: Entity | null): void => {
  const drafted = inDraft(draft, keyOf(edit));
  const current = drafted === undefined ? live : drafted;
  if (!isSame(current, edit.before)) throw new StaleError('Somebody else', edit.before, current, drafted !== undefined);
};

/** Items of the draft lose the options that an edit takes away, as the service does it with all others. */
const withoutOptions = (change: WantedChange, taken: ReadonlySet<string>): WantedChange => {
  if (change.kind !== 'item' || change.after === null || taken.size === 0) return change;
  const item = change.after as Entities['item'];
  const classifierOptionIds = item.classifierOptionIds.filter((id) => !taken.has(id));
  return classifierOptionIds.length === item.classifierOptionIds.length
    ? change
    : { ...change, after: { ...item, classifierOptionIds } };
};

/** The changes of a draft with an edit. What ends up as it is live needs no change. */
const merged = (draft: Draft, edit: Edit, live: Entity | null): WantedChange[] => {
  const key = keyOf(edit);
  const taken = optionsTaken(edit);
  const others = draft.changes.filter((change) => keyOf(change) !== key).map((change) => withoutOptions(change, taken));
  return isSame(live, edit.after) ? others : [...others, { kind: edit.kind, id: edit.id, after: edit.after }];
};

/** Which of the changes of a draft were also made live since the version that it is based on. */
export const clashesOf = async (api: Api, draft: Draft): Promise<WantedChange[]> => {
  const latest = await Promise.all(
    draft.changes.map(({ kind, id }) => api.catalog.versions({ kind, id, limit: 1 }).page()),
  );
  return draft.changes.filter((_, place) => (latest[place]?.rows[0]?.version ?? 0) > draft.baseVersion);
};

/**
 * The version that a draft can be based on from now on. Edits are made on the current catalog, so the draft moves along,
 * unless the catalog has changed what the draft changes: that is for people to decide.
 */
const nextBase = async (api: Api, draft: Draft): Promise<number> => {
  const current = await readCurrentVersion(api);
  if (current === draft.baseVersion || draft.changes.length === 0) return current;
  if (draft.changes.length > MAX_LOOKED_UP) return draft.baseVersion;
  return (await clashesOf(api, draft)).length === 0 ? current : draft.baseVersion;
};

/** Changes a draft as it is now. If somebody else changes it at the same time, it is read and changed again. */
export const changeDraft = async (
  api: Api,
  draftId: string,
  change: (draft: Draft) => DraftMembers | Promise<DraftMembers>,
): Promise<DraftWithTag> => {
  for (let tries = 1; ; tries += 1) {
    const { draft, etag } = await readDraft(api, draftId);
    const members = await change(draft);
    try {
      return await updateDraft(api, draftId, etag, members);
    } catch (error) {
      if (!hasStatus(error, 412) || tries === MAX_TRIES) throw error;
    }
  }
};

/**
 * Puts an edit into a draft. Others may work on the same draft: if they changed other entities, both are kept; if they
 * changed the same one, a `StaleError` says so.
 */
export const putIntoDraft = (
  api: Api,
  draftId: string,
  edit: Edit,
  members: DraftMembers = {},
): Promise<DraftWithTag> =>
  changeDraft(api, draftId, async (draft) => {
    const live = await liveOf(api, draft, edit);
    requireUnchanged(draft, edit, live);
    return { ...members, baseVersion: await nextBase(api, draft), changes: merged(draft, edit, live) };
  });

/** What is live of several entities, by key. What is missing would not change. */
const liveOfMany = async (api: Api, edits: readonly Edit[]): Promise<ReadonlyMap<string, Entity | null>> => {
  const plan = await planOf(api, { changes: edits.map(({ kind, id, after }) => ({ kind, id, after })) }, []);
  const changed = new Map(plan.changes.map((change) => [keyOf(change), change.before]));
  // A plan leaves out what has faults, which the draft shows.
  const faulty = new Set(plan.faults.map(({ kind, id }) => `${kind} ${id}`));
  return new Map(
    edits.map((edit) => {
      const key = keyOf(edit);
      return [key, changed.get(key) ?? (changed.has(key) ? null : faulty.has(key) ? edit.before : edit.after)];
    }),
  );
};

/** Puts several edits into a draft at once. If one of them is not based on what is there, none is. */
export const putAllIntoDraft = (
  api: Api,
  draftId: string,
  edits: readonly Edit[],
  members: DraftMembers = {},
): Promise<DraftWithTag> =>
  changeDraft(api, draftId, async (draft) => {
    const live = await liveOfMany(api, edits);
    const drafted = new Map(draft.changes.map((change) => [keyOf(change), change.after]));
    for (const edit of edits) {
      const key = keyOf(edit);
      const current = drafted.has(key) ? (drafted.get(key) ?? null) : (live.get(key) ?? null);
      // What is wanted may be there already.
      if (!isSame(current, edit.before) && !isSame(current, edit.after))
        throw new StaleError('Somebody else', edit.before, current, drafted.has(key));
    }
    const keys = new Set(edits.map(keyOf));
    const changed = edits.filter((edit) => !isSame(live.get(keyOf(edit)) ?? null, edit.after));
    return {
      ...members,
      baseVersion: await nextBase(api, draft),
      changes: [
        ...draft.changes.filter((change) => !keys.has(keyOf(change))),
        ...changed.map(({ kind, id, after }) => ({ kind, id, after })),
      ],
    };
  });

/** Takes a change out of a draft. */
export const removeFromDraft = (api: Api, draftId: string, key: string): Promise<DraftWithTag> =>
  changeDraft(api, draftId, ({ changes }) => ({ changes: changes.filter((change) => keyOf(change) !== key) }));
