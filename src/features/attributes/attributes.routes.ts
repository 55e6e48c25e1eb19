import { type EntityRouteParts, entityRoutes } from '../../http/entity-routes.ts';
import { sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { entityService } from '../catalog/kinds.service.ts';
import { contract } from './attributes.contract.ts';
import { attributes } from './attributes.service.ts';

export const attributeRoutes = (
  app: App,
  { changeEntity, ...parts }: EntityRouteParts & { readonly changeEntity: ChangeEntity },
): void =>
  entityRoutes(app, parts, {
    path: '/attributes',
    contract,
    service: entityService(attributes, changeEntity),
    sendPage,
  });
