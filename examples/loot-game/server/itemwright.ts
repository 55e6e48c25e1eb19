/**
 * The client of Itemwright. A game of your own installs `@itemwright/client` and imports from there; here it comes from
 * this repository.
 */

export type {
  CardPackConfig,
  CatalogDocument,
  Client,
  GachaConfig,
  PlayerFairness,
  PublicOdds,
  UserTemplateState,
} from '../../../packages/client/src/index.ts';
export {
  ConflictError,
  createClient,
  ItemwrightError,
  NotFoundError,
  ValidationError,
} from '../../../packages/client/src/index.ts';
