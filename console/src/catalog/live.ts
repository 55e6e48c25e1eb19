import type { ChangeOptions } from '@itemwright/client';
import type { Api } from '../interface/client.ts';
import { ifUnchanged } from './api.ts';
import type { Edit } from './edits.ts';
import { type Entities, type Entity, entityOf, type Kind } from './entities.ts';

type Body<K extends Kind> = Omit<Entities[K], 'id'>;

const CREATE = {
  attribute: async (api: Api, body: Entities['attribute']) => entityOf('attribute', await api.attributes.create(body)),
  // Here the service gives options their ids.
  classifier: async (api: Api, { classifierOptions, ...members }: Entities['classifier']) => {
    const options = classifierOptions.map(({ name, dropRateMultiplier }) => ({ name, dropRateMultiplier }));
    const body = { ...members, classifierOptions: options };
    return entityOf('classifier', await api.classifiers.create(body));
  },
  space: async (api: Api, body: Entities['space']) => entityOf('space', await api.spaces.create(body)),
};

const UPDATE = {
  attribute: async (api: Api, id: string, options: ChangeOptions, body: Body<'attribute'>) =>
    entityOf('attribute', await api.attributes.update(id, body, options)),
  classifier: async (api: Api, id: string, options: ChangeOptions, body: Body<'classifier'>) =>
    entityOf('classifier', await api.classifiers.update(id, body, options)),
  space: async (api: Api, id: string, options: ChangeOptions, body: Body<'space'>) =>
    entityOf('space', await api.spaces.update(id, body, options)),
  item: async (api: Api, id: string, options: ChangeOptions, { itemAttributes, ...body }: Body<'item'>) => {
    const ranges = itemAttributes.map(({ attributeId, min, max }) => ({ attributeId, min, max }));
    return entityOf('item', await api.items.update(id, { ...body, itemAttributes: ranges }, options));
  },
  // Only the name: whatever else changes in a template is planned first.
  template: async (api: Api, id: string, options: ChangeOptions, { name }: Body<'template'>) =>
    entityOf('template', await api.templates.update(id, { name }, options)),
};

/** Applies an edit that changes no odds to the live catalog, if the entity is still as the page shows it. */
export const applyLive = async (api: Api, { kind, id, before, after }: Edit): Promise<Entity> => {
  if (after === null) throw new Error('deletions are planned first');
  if (before === null) return CREATE[kind as keyof typeof CREATE](api, after as never);
  const options = await ifUnchanged(api, kind, before);
  const { id: _, ...body } = after;
  return UPDATE[kind](api, id, options, body as never);
};
