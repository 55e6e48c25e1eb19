import { ApiError } from './api-error.ts';
import { type Api, settle } from './client.ts';

type Kind = 'attribute' | 'classifier' | 'item' | 'template' | 'space';

interface Entity {
  readonly id: string;
}

/** Times and bags are not part of an entity; an item has options, whatever they are called. */
const comparable = (entity: object): string =>
  JSON.stringify(entity, (key, value) => {
    if (key === 'createdAt' || key === 'updatedAt' || key === 'userSpaces') return undefined;
    return key === 'classifierOption' ? value.id : value;
  });

const read = (api: Api, kind: Kind, id: string) => {
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

/** Who changed it last. */
const lastAuthor = async (api: Api, kind: Kind, id: string): Promise<string> => {
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
  const { data, response } = await read(api, kind, shown.id);
  if (comparable(data) !== comparable(shown))
    throw new ApiError(
      412,
      `${await lastAuthor(api, kind, shown.id)} has changed this in the meantime. Nothing was saved: check what is there now, then try again.`,
    );
  return { headers: { 'if-match': response.headers.get('etag') ?? '*' } };
};
