import { type Answer, type ChangeOptions, ItemwrightError } from '@itemwright/client';
import { type Entity, entityOf, isSame, type Kind, type Shown } from '../catalog/entities.ts';
import { type Api, orNull } from './client.ts';

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

/** Who changed it last. */
export const lastAuthor = async (api: Api, kind: Kind, id: string): Promise<string> => {
  const { rows } = await api.catalog.versions({ kind, id, limit: 1 }).page();
  return rows[0]?.author.name ?? 'Somebody else';
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
