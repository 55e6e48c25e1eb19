export const ROLES = ['read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What every command knows about its caller and its moment. */
export interface Context {
  readonly teamId: string;
  readonly role: Role;
  readonly nowMs: number;
  readonly requestId: string;
}

/** Whether a secret of one role may do what needs another: `admin` may what `write` may, `write` what `read` may. */
export const allows = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);
