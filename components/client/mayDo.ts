import { isAtLeast, type Role } from "../../lib/role.ts";

/** Whether who looks at the page may do what takes a role; the server says it at the page's root. */
export function mayDo(least: Role): boolean {
  return isAtLeast((document.documentElement.dataset.role ?? "admin") as Role, least);
}
