export { createClient } from './client.ts';
export {
  ConflictError,
  ConnectionError,
  ForbiddenError,
  type Issue,
  ItemwrightError,
  NotFoundError,
  PayloadTooLargeError,
  PreconditionFailedError,
  ServerError,
  TimeoutError,
  TooManyRequestsError,
  UnauthorizedError,
  UnavailableError,
  ValidationError,
} from './errors.ts';
export { List, type Page } from './list.ts';
export type {
  Answer,
  Call,
  CallOptions,
  ChangeOptions,
  ClientOptions,
  PostOptions,
  ReadOptions,
  WatchOptions,
} from './options.ts';
export { rotateSeeds, type Shown } from './rotate.ts';
export type * from './schema.ts';
