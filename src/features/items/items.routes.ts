import { type EntityRouteParts, entityRoutes } from '../../http/entity-routes.ts';
import { sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { entityService } from '../catalog/kinds.service.ts';
import { contract } from './items.contract.ts';
import { items } from './items.service.ts';

export const itemRoutes = (
  app: App,
  { changeEntity, ...parts }: EntityRouteParts & { readonly changeEntity: ChangeEntity },
): void =>
  entityRoutes(app, parts, {
    path: '/items',
    contract,
    service: entityService(items, changeEntity),
    sendPage: sendTextPage,
  });
