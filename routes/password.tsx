import { page } from "fresh";
import { Head } from "fresh/runtime";
import { PasswordForm, type PasswordNews } from "../components/login/PasswordForm.tsx";
import { TvKeys } from "../islands/TvKeys.tsx";
import { define, headerOf } from "../lib/app.ts";
import { tooManyTries } from "../lib/door/access/login_limiter.ts";
import { ServiceError } from "../lib/errors.ts";
import { formBody } from "../lib/door/body.ts";

const NO_STORE = { "cache-control": "no-store" };

function answer(status: number, news: PasswordNews, headers: Record<string, string> = {}) {
  return page(news, { status, headers: { ...NO_STORE, ...headers } });
}

export const handler = define.handlers({
  /** The own password. */
  GET: () => answer(200, { problem: "", done: "" }),

  /** Takes the form: `now` and `password`. Other sessions of the user end, and this browser goes on. */
  POST: async (ctx) => {
    const { service: { login }, admitted: { client, person, publicUrl } } = ctx.state;
    if (person?.by !== "users") {
      throw new ServiceError(
        409,
        "This service does not store your password. You cannot change it on this page.",
      );
    }
    const form = await formBody(ctx.req);
    const [now, password] = ["now", "password"].map((name) => form.get(name) ?? "");
    // as a login, with its limit: who finds an open browser must not try passwords
    const outcome = await login.attempt({ client, headers: ctx.req.headers, peer: ctx.info.remoteAddr }, {
      user: person.name,
      pass: now,
    });
    if (outcome.kind === "limited") {
      const { retryAfterSeconds: seconds } = outcome;
      return answer(429, { problem: tooManyTries(seconds), done: "" }, { "retry-after": String(seconds) });
    }
    if (outcome.kind === "wrong") return answer(403, { problem: "The current password is wrong.", done: "" });
    try {
      const user = await login.users.change(person.name, { password });
      const cookie = login.session.cookie(publicUrl.protocol === "https:", user);
      const done = "Your password is changed. Other browsers have to log in again.";
      return answer(200, { problem: "", done }, { "set-cookie": cookie });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const problem = Object.values(error.fields ?? {}).join(" ") || error.message;
      return answer(error.status, { problem, done: "" });
    }
  },
});

export default define.page<typeof handler>(function Password({ data, state, url }) {
  return (
    <>
      <Head>
        <title>Password · Browser Stream</title>
      </Head>
      <TvKeys />
      <PasswordForm {...data} header={headerOf({ state, url })} person={state.admitted.person} />
    </>
  );
});
