/** The roles of people: each may do all that the role before it may. Pure. */

export const ROLES = ["viewer", "operator", "admin"] as const;

export type Role = typeof ROLES[number];

export function isRole(text: unknown): text is Role {
  return ROLES.includes(text as Role);
}

/** The purpose of each role. */
export const ROLE_USES: Readonly<Record<Role, string>> = {
  viewer: "sees the board, plays channels and walls",
  operator: "also starts, stops and edits streams, and uses their browsers",
  admin: "also manages people, access tokens, messages and exports",
};

/** The people with a role or a higher one, in words: "operators and admins". */
export function holdersOf(least: Role): string {
  return ROLES.slice(ROLES.indexOf(least)).map((role) => `${role}s`).join(" and ");
}

/** Whether a role is the least one or a higher one. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The one of two roles that may do more. */
export function higher(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? one : other;
}
