import { collectionRoutes, type EntityRouteParts, memberRoutes } from '../../http/entity-routes.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { entityService } from '../catalog/kinds.service.ts';
import { contract, listUserSpacesOfSpace } from './spaces.contract.ts';
import { listUserSpaces, spaces } from './spaces.service.ts';

export const spaceRoutes = (
  app: App,
  { changeEntity, ...parts }: EntityRouteParts & { readonly changeEntity: ChangeEntity },
): void => {
  const entities = { path: '/spaces', contract, service: entityService(spaces, changeEntity), sendPage };
  collectionRoutes(app, parts, entities);

  app.get('/spaces/:id/user-spaces', { schema: listUserSpacesOfSpace }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await parts.database.read(context.teamId, (reader) =>
      listUserSpaces(reader, params.id, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });

  memberRoutes(app, parts, entities);
};
