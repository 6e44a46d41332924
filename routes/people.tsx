import { page } from "fresh";
import { Head } from "fresh/runtime";
import { PeopleList, type PeopleProblem } from "../components/people/PeopleList.tsx";
import { TvKeys } from "../islands/TvKeys.tsx";
import { define, headerOf } from "../lib/app.ts";
import { peopleOf } from "../lib/door/access/people.ts";
import type { Users } from "../lib/door/access/users.ts";
import { ServiceError } from "../lib/errors.ts";
import { formBody } from "../lib/door/body.ts";

const NO_STORE = { "cache-control": "no-store" };

/** "a viewer", "an admin". */
const withArticle = (role: string) => /^[aeo]/.test(role) ? `an ${role}` : `a ${role}`;

/** The deeds of the forms by their `do`. Each gives the sentence that the page then shows. */
const DEEDS: Record<string, (users: Users, form: URLSearchParams, name: string) => Promise<string>> = {
  async add(users, form) {
    const [name, role] = ["name", "role"].map((field) => form.get(field) ?? "");
    const user = await users.add({ name, role, password: typedTwice(form) });
    return `${user.name} was added as ${withArticle(user.role)}.`;
  },
  async role(users, form, name) {
    const { role } = await users.change(name, { role: form.get("role") ?? "" });
    return `${name} is now ${withArticle(role)}.`;
  },
  async password(users, form, name) {
    await users.change(name, { password: typedTwice(form) });
    return `${name} has a new password and must log in again.`;
  },
  async logout(users, _form, name) {
    await users.logOut(name);
    return `${name} is logged out everywhere.`;
  },
  async remove(users, _form, name) {
    await users.remove(name);
    return `${name} is removed.`;
  },
};

/** The password of a form. @throws {ServiceError} 400 when both fields differ: a slip would lock somebody out. */
function typedTwice(form: URLSearchParams): string {
  const password = form.get("password") ?? "";
  if (form.get("again") === password) return password;
  throw new ServiceError(400, "The passwords differ: type the same one twice.");
}

/** The query of the page for the first admin. */
const BEGUN = "begun";

export const handler = define.handlers({
  /** Who may log in. */
  GET: ({ url, state: { service: { login }, admitted: { person } } }) => {
    const { name, role } = person ?? {};
    const isBegun = url.searchParams.has(BEGUN) && login.isOn && role;
    const done = isBegun ? `${name} is ${withArticle(role)}. From now on everybody logs in.` : "";
    return page({ problem: null as PeopleProblem | null, done }, { headers: NO_STORE });
  },

  /** Takes the form: `do`, and `user` or `name`, with `role` and `password`. */
  POST: async (ctx) => {
    const form = await formBody(ctx.req);
    const action = form.get("do") ?? "";
    const user = action === "add" ? "" : form.get("user") ?? "";
    const { service: { login }, admitted } = ctx.state;
    const wasOn = login.isOn;
    if (!Object.hasOwn(DEEDS, action)) throw new ServiceError(400, "The form does not say what to do.");
    try {
      const done = await DEEDS[action](login.users, form, user);
      const first = wasOn ? undefined : login.users.list()[0];
      if (login.isOn && first) {
        // who has just typed this password need not type it again
        const headers = new Headers({ ...NO_STORE, location: `/people?${BEGUN}` });
        headers.set("set-cookie", login.session.cookie(admitted.publicUrl.protocol === "https:", first));
        return new Response(null, { status: 303, headers });
      }
      // who has just lost the own session logs in again
      if (login.isOn && !admitted.holds()) {
        return new Response(null, { status: 303, headers: { ...NO_STORE, location: "/login?next=/people" } });
      }
      return page({ problem: null as PeopleProblem | null, done }, { headers: NO_STORE });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const message = Object.values(error.fields ?? {}).join(" ") || error.message;
      const problem = { user, message, name: form.get("name") ?? "", role: form.get("role") ?? undefined };
      return page({ problem, done: "" }, { status: error.status, headers: NO_STORE });
    }
  },
});

export default define.page<typeof handler>(function People({ data, state, url }) {
  const { service: { login, config }, admitted: { person } } = state;
  return (
    <>
      <Head>
        <title>People · Browser Stream</title>
      </Head>
      <TvKeys />
      <PeopleList
        {...data}
        header={headerOf({ state, url })}
        people={peopleOf(login)}
        me={person?.name ?? null}
        isByProxy={config.TRUSTED_USER_HEADER !== ""}
      />
    </>
  );
});
