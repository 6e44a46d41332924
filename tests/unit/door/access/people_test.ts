import assert from "node:assert/strict";
import { peopleOf } from "../../../../lib/door/access/people.ts";

type Login = Parameters<typeof peopleOf>[0];

const stored = (name: string, createdAt: number) => ({ name, role: "viewer", hash: "secret", createdAt });

Deno.test("people are AUTH_USER first, then those of the file without one of its name, and no hash", () => {
  const users = { list: () => [stored("bob", 1), stored("anna", 2)] } as unknown as Login["users"];
  const bob = { name: "bob", role: "viewer", by: "users", createdAt: 1 };
  assert.deepEqual(peopleOf({ environmentUser: "anna", users }), [
    { name: "anna", role: "admin", by: "environment", createdAt: null },
    bob,
  ]);
  assert.deepEqual(peopleOf({ environmentUser: null, users }), [bob, { ...bob, name: "anna", createdAt: 2 }]);
});
