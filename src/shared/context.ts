import type { ServiceError } from './errors.ts';

export const ROLES = ['read', 'support', 'design', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What an operation needs: to read, to act on users and what they own, to change the catalog, or to manage secrets. */
export type Access = 'read' | 'users' | 'catalog' | 'admin';

const GRANTS: Readonly<Record<Role, readonly Access[]>> = {
  read: ['read'],
  support: ['read', 'users'],
  design: ['read', 'catalog'],
  write: ['read', 'users', 'catalog'],
  admin: ['read', 'users', 'catalog', 'admin'],
};

/** The kinds of things that a catalog consists of. */
export const ENTITY_KINDS = ['attribute', 'classifier', 'item', 'template', 'space'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** Who may read the odds of a template. */
export const DISCLOSURES = ['private', 'public'] as const;
export type Disclosure = (typeof DISCLOSURES)[number];

/** What made a version of a catalog. */
export const VERSION_SOURCES = ['api', 'console', 'cli', 'publish', 'rollback', 'import'] as const;
export type VersionSource = (typeof VERSION_SOURCES)[number];

/** Who changes something: a secret of the team, with its name. */
export interface Author {
  readonly secretId: string | null;
  readonly name: string;
}

/** What every command knows about its caller. */
export interface Context {
  readonly teamId: string;
  readonly role: Role;
  readonly author: Author;
  readonly source: VersionSource;
  readonly nowMs: number;
  readonly requestId: string;
  /** What the caller says about a change, if anything. */
  readonly reason: string | null;
}

/** How long the response to a request may become. */
export interface ResponseLimit {
  readonly length: number;
  /** The error for a request whose response may become longer. */
  readonly tooLong: () => ServiceError;
}

/** Whether a role may call operations that need this. */
export const allows = (role: Role, needed: Access): boolean => GRANTS[role].includes(needed);
