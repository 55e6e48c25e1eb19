import type { ChangeOptions } from '@itemwright/client';
import type { Api } from '../api/client.ts';
import { ifUnchanged } from './api.ts';
import type { Edit } from './edits.ts';
import { type Entities, type Entity, entityOf, type Kind, type Shown } from './entities.ts';

type Body<K extends Kind> = Omit<Entities[K], 'id'>;

const CREATE = {
  attribute: (api: Api, body: Entities['attribute']) => api.attributes.create(body),
  // Here the service gives options their ids.
  classifier: (api: Api, { classifierOptions, ...members }: Entities['classifier']) => {
    const options = classifierOptions.map(({ id: _, ...option }) => option);
    return api.classifiers.create({ ...members, classifierOptions: options });
  },
  space: (api: Api, body: Entities['space']) => api.spaces.create(body),
};

type Update<K extends Kind> = (api: Api, id: string, body: Body<K>, options: ChangeOptions) => Promise<Shown[K]>;

const UPDATE: { readonly [K in Kind]: Update<K> } = {
  attribute: (api, ...change) => api.attributes.update(...change),
  classifier: (api, id, { classifierOptions, ...body }, options) => {
    // A request must say what is to be removed.
    const whole = classifierOptions.map((option) => ({ color: null, ...option }));
    return api.classifiers.update(id, { ...body, classifierOptions: whole }, options);
  },
  space: (api, ...change) => api.spaces.update(...change),
  item: (api, id, { itemAttributes, ...body }, options) => {
    const ranges = itemAttributes.map(({ attributeId, min, max }) => ({ attributeId, min, max }));
    // A request must say what is to be removed.
    return api.items.update(id, { description: null, data: null, ...body, itemAttributes: ranges }, options);
  },
  // Only the name: whatever else changes in a template is planned first.
  template: (api, id, { name }, options) => api.templates.update(id, { name }, options),
};

/** Applies an edit that changes no odds to the live catalog, if the entity is still as the page shows it. */
export const applyLive = async (api: Api, { kind, id, before, after }: Edit): Promise<Entity> => {
  if (after === null) throw new Error('deletions are planned first');
  if (before === null) return entityOf(kind, await CREATE[kind as keyof typeof CREATE](api, after as never));
  const options = await ifUnchanged(api, kind, before);
  const { id: _, ...body } = after;
  return entityOf(kind, await UPDATE[kind](api, id, body as never, options));
};
