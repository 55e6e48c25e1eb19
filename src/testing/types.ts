/** What the package declares for `itemwright/testing`. This file must not import anything. */

export interface TestingOptions {
  /** The current time in epoch milliseconds, for banners that begin and rolls that accrue; `Date.now` by default. */
  readonly clock?: () => number;
}

/** A service for tests. */
export interface TestingService {
  /** Its address, on a free port of this machine. */
  readonly url: string;
  /** Its team, and a secret of that team with the role `admin`. */
  readonly teamId: string;
  readonly secret: string;
  /** Both as `TEAM_ID:SECRET`, for `ITEMWRIGHT_CREDENTIALS`. */
  readonly credentials: string;
  /** Stops it, once the requests in progress are completed, and deletes its data. Further calls do nothing. */
  readonly stop: () => Promise<void>;
}

/** Starts a service on an empty database in a temporary folder, in this process. */
export type StartItemwright = (options?: TestingOptions) => Promise<TestingService>;
