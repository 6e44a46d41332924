import { page } from "fresh";
import { Head } from "fresh/runtime";
import { LoginForm } from "../components/login/LoginForm.tsx";
import { knownCookie } from "../lib/door/access/known_browser.ts";
import { tooManyTries } from "../lib/door/access/login_limiter.ts";
import { ownPath } from "../lib/door/access/own_path.ts";
import { define } from "../lib/app.ts";
import { formBody } from "../lib/door/body.ts";

interface LoginData {
  next: string;
  user: string;
  problem: string;
  isOut: boolean;
}

const NO_STORE = { "cache-control": "no-store" };

/** The status after which the browser gets the next page with GET. */
function seeOther(location: string, cookies: string[] = []): Response {
  const headers = new Headers({ ...NO_STORE, location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** The form again, with its problem. */
function refused(status: number, data: LoginData, headers: Record<string, string> = {}) {
  return page(data, { status, headers: { ...NO_STORE, ...headers } });
}

export const handler = define.handlers({
  GET: (ctx) => {
    const { login } = ctx.state.service;
    const next = ownPath(ctx.url.searchParams.get("next"));
    if (!login.isOn || login.personOf(ctx.req.headers, ctx.info)?.role) return seeOther(next);
    const isOut = ctx.url.searchParams.has("out");
    return page<LoginData>({ next, user: "", problem: "", isOut }, { headers: NO_STORE });
  },

  /** Takes the form: `user`, `pass` and `next`. */
  POST: async (ctx) => {
    const { service: { login }, admitted: { client, publicUrl } } = ctx.state;
    const form = await formBody(ctx.req);
    const [user, pass] = ["user", "pass"].map((name) => form.get(name) ?? "");
    const data = { next: ownPath(form.get("next")), user, isOut: false };
    if (!login.isOn) return seeOther(data.next);
    const isSecure = publicUrl.protocol === "https:";
    if (isSecure && ctx.req.headers.get("origin")?.startsWith("http:")) {
      // the browser would refuse the cookie, and this page would only come again
      return refused(400, {
        ...data,
        problem: `Log in at ${publicUrl.origin}: this page came over plain http.`,
      });
    }
    const outcome = await login.attempt({ client, headers: ctx.req.headers, peer: ctx.info.remoteAddr }, {
      user,
      pass,
    });
    switch (outcome.kind) {
      case "right": {
        const { session } = login;
        return seeOther(data.next, [
          session.cookie(isSecure, outcome.user),
          knownCookie(session, user, isSecure),
        ]);
      }
      case "wrong":
        return refused(401, { ...data, problem: "The user name or the password is wrong." });
      case "limited": {
        const { retryAfterSeconds: seconds } = outcome;
        return refused(429, { ...data, problem: tooManyTries(seconds) }, { "retry-after": String(seconds) });
      }
    }
  },
});

export default define.page<typeof handler>(function LoginPage({ data }) {
  return (
    <>
      <Head>
        <title>Log in · Browser Stream</title>
      </Head>
      <LoginForm {...data} />
    </>
  );
});
