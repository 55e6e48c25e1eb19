import type { Api } from '../interface/client.ts';
import { unwrap } from '../interface/client.ts';
import { ifUnchanged } from '../interface/if-unchanged.ts';
import type { Edit } from './edits.ts';
import { type Entities, type Entity, entityOf, type Kind } from './entities.ts';

type Body<K extends Kind> = Omit<Entities[K], 'id'>;
type Target = { params: { path: { id: string } }; headers: { 'if-match': string } };

const CREATE = {
  attribute: async (api: Api, body: Entities['attribute']) =>
    entityOf('attribute', await unwrap(api.POST('/attributes', { body }))),
  // Here the service gives options their ids.
  classifier: async (api: Api, { classifierOptions, ...members }: Entities['classifier']) => {
    const options = classifierOptions.map(({ name, dropRateMultiplier }) => ({ name, dropRateMultiplier }));
    const body = { ...members, classifierOptions: options };
    return entityOf('classifier', await unwrap(api.POST('/classifiers', { body })));
  },
  space: async (api: Api, body: Entities['space']) => entityOf('space', await unwrap(api.POST('/spaces', { body }))),
};

const UPDATE = {
  attribute: async (api: Api, target: Target, body: Body<'attribute'>) =>
    entityOf('attribute', await unwrap(api.PUT('/attributes/{id}', { ...target, body }))),
  classifier: async (api: Api, target: Target, body: Body<'classifier'>) =>
    entityOf('classifier', await unwrap(api.PUT('/classifiers/{id}', { ...target, body }))),
  space: async (api: Api, target: Target, body: Body<'space'>) =>
    entityOf('space', await unwrap(api.PUT('/spaces/{id}', { ...target, body }))),
  item: async (api: Api, target: Target, { itemAttributes, ...body }: Body<'item'>) => {
    const ranges = itemAttributes.map(({ attributeId, min, max }) => ({ attributeId, min, max }));
    const put = { ...target, body: { ...body, itemAttributes: ranges } };
    return entityOf('item', await unwrap(api.PUT('/items/{id}', put)));
  },
  // Only the name: whatever else changes in a template is planned first.
  template: async (api: Api, target: Target, { name }: Body<'template'>) =>
    entityOf('template', await unwrap(api.PUT('/templates/{id}', { ...target, body: { name } }))),
};

/** Applies an edit that changes no odds to the live catalog, if the entity is still as the page shows it. */
export const applyLive = async (api: Api, { kind, id, before, after }: Edit): Promise<Entity> => {
  if (after === null) throw new Error('deletions are planned first');
  if (before === null) return CREATE[kind as keyof typeof CREATE](api, after as never);
  const target = { params: { path: { id } }, ...(await ifUnchanged(api, kind, before)) };
  const { id: _, ...body } = after;
  return UPDATE[kind](api, target, body as never);
};
