import { canonical, type Entity, entityOf, type Kind, type Shown } from '../catalog/entities.ts';
import { ApiError } from './api-error.ts';
import { type Api, settle } from './client.ts';

/** An entity is no longer as the page showed it. Nothing was saved. */
export class StaleError extends ApiError {
  /** As the page showed it; null if it was to be created. */
  readonly shown: Entity | null;
  /** As it is now; null if it was deleted. */
  readonly current: Entity | null;
  /** Whether it was changed in the draft, not in the live catalog. */
  readonly isInDraft: boolean;

  constructor(who: string, shown: Entity | null, current: Entity | null, isInDraft = false) {
    const where = isInDraft ? ' in this draft' : '';
    super(
      412,
      `${who} has ${current === null ? 'deleted' : 'changed'} this${where} in the meantime. Nothing was saved: check what is there now, then try again.`,
    );
    this.shown = shown;
    this.current = current;
    this.isInDraft = isInDraft;
  }
}

const read = (api: Api, kind: Kind, id: string): Promise<{ data: unknown; response: Response }> => {
  const options = { params: { path: { id } } };
  switch (kind) {
    case 'attribute':
      return settle<object>(api.GET('/attributes/{id}', options));
    case 'classifier':
      return settle<object>(api.GET('/classifiers/{id}', options));
    case 'item':
      return settle<object>(api.GET('/items/{id}', options));
    case 'template':
      return settle<object>(api.GET('/templates/{id}', options));
    case 'space':
      return settle<object>(api.GET('/spaces/{id}', options));
  }
};

/** An entity as it is live, with its `ETag`; null if there is none. */
export const readEntity = async (
  api: Api,
  kind: Kind,
  id: string,
): Promise<{ readonly entity: Entity; readonly etag: string } | null> => {
  try {
    const { data, response } = await read(api, kind, id);
    return { entity: entityOf(kind, data as Shown[Kind]), etag: response.headers.get('etag') ?? '*' };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
};

/** Who changed it last. */
export const lastAuthor = async (api: Api, kind: Kind, id: string): Promise<string> => {
  const { data } = await settle(api.GET('/catalog/versions', { params: { query: { kind, id, limit: 1 } } }));
  return data[0]?.author.name ?? 'Somebody else';
};

/**
 * Headers for a change of an entity that must be as the page shows it. A page may have been open for long: what a
 * colleague has changed meanwhile must not be overwritten unseen.
 */
export const ifUnchanged = async (
  api: Api,
  kind: Kind,
  shown: Entity,
): Promise<{ headers: { 'if-match': string } }> => {
  const current = await readEntity(api, kind, shown.id);
  if (current === null || canonical(current.entity) !== canonical(shown))
    throw new StaleError(await lastAuthor(api, kind, shown.id), shown, current?.entity ?? null);
  return { headers: { 'if-match': current.etag } };
};
