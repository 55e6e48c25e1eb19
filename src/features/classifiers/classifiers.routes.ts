import { type EntityRouteParts, entityRoutes } from '../../http/entity-routes.ts';
import { sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { ChangeEntity } from '../catalog/change.service.ts';
import { entityService } from '../catalog/kinds.service.ts';
import { contract } from './classifiers.contract.ts';
import { classifiers } from './classifiers.service.ts';

export const classifierRoutes = (
  app: App,
  { changeEntity, ...parts }: EntityRouteParts & { readonly changeEntity: ChangeEntity },
): void =>
  entityRoutes(app, parts, {
    path: '/classifiers',
    contract,
    service: entityService(classifiers, changeEntity),
    sendPage: sendTextPage,
  });
