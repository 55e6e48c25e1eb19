export { createClient } from './client.ts';
export {
  ConflictError,
  ConnectionError,
  type ErrorCode,
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
export { EventFeed, type FeedOptions } from './feed.ts';
export { List, type Page } from './list.ts';
export type {
  Answer,
  Attempt,
  Call,
  CallOptions,
  ChangeOptions,
  ClientOptions,
  Hooks,
  PatchOptions,
  PostOptions,
  ReadOptions,
  WatchOptions,
} from './options.ts';
export { rotateSeeds, type Shown } from './rotate.ts';
export type * from './schema.ts';
