/** What people may do: each role may do all that the one before may. Pure. */

export const ROLES = ["viewer", "operator", "admin"] as const;

export type Role = typeof ROLES[number];

export function isRole(text: unknown): text is Role {
  return ROLES.includes(text as Role);
}

/** What each role is for. */
export const ROLE_USES: Readonly<Record<Role, string>> = {
  viewer: "sees the board, plays channels and walls",
  operator: "also starts, stops and edits streams, and uses their browsers",
  admin: "also manages people, access tokens, messages and exports",
};

/** Whether a role may do what takes another. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The one of two roles that may do more. */
export function higher(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? one : other;
}
