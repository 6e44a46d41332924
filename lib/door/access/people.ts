/** Who may log in, as admins see it. */
import type { UserInfo } from "../../model/answers/shapes.ts";
import type { Login } from "./login.ts";

/** AUTH_USER, then the users, the oldest first. */
export function peopleOf({ environmentUser, users }: Pick<Login, "environmentUser" | "users">): UserInfo[] {
  const own: UserInfo[] = environmentUser === null
    ? []
    : [{ name: environmentUser, role: "admin", by: "environment", createdAt: null }];
  const stored = users.list().filter(({ name }) => name !== environmentUser);
  return [
    ...own,
    ...stored.map(({ name, role, createdAt }): UserInfo => ({ name, role, by: "users", createdAt })),
  ];
}
