import { collectionRoutes, type EntityRouteParts, memberRoutes } from '../../http/entity-routes.ts';
import { pageOf, sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { entityService } from '../catalog/kinds.service.ts';
import { contract, listTemplatesOfType } from './templates.contract.ts';
import { listTemplates, templates } from './templates.service.ts';

export const templateRoutes = (
  app: App,
  { changeEntity, ...parts }: EntityRouteParts & { readonly changeEntity: ChangeEntity },
): void => {
  const service = entityService(templates, changeEntity);
  const entities = { path: '/templates', contract, service, sendPage: sendTextPage };
  collectionRoutes(app, parts, entities);

  app.get('/templates/type/:type', { schema: listTemplatesOfType }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await parts.database.read(context.teamId, (reader) => listTemplates(reader, params, pageOf(query)));
    return sendTextPage(request, reply, page);
  });

  memberRoutes(app, parts, entities);
};
