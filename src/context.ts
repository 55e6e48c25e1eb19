export const ROLES = ['read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What every command knows about its caller. */
export interface Context {
  readonly teamId: string;
  readonly role: Role;
  readonly nowMs: number;
  readonly requestId: string;
}

/** Whether a role includes another: `admin` includes `write`, and `write` includes `read`. */
export const allows = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);
