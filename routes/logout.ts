import { knownCookie } from "../lib/door/access/known_browser.ts";
import { define } from "../lib/app.ts";

export const handler = define.handlers({
  /** Logs this browser out; with `everywhere`, all browsers of a user; of AUTH_USER, everybody's. */
  POST: async (ctx) => {
    const { service, admitted } = ctx.state;
    const headers = new Headers({ location: "/", "cache-control": "no-store" });
    if (service.login.isOn) {
      const { person } = admitted;
      const isEverywhere = ctx.url.searchParams.has("everywhere");
      // a proxy's own people are logged out there
      if (isEverywhere && person && person.by !== "proxy") {
        await service.logOutEverywhere(person.by === "users" ? person.name : null);
      }
      headers.set("location", "/login?out");
      const isSecure = admitted.publicUrl.protocol === "https:";
      const { session } = service.login;
      headers.set("set-cookie", session.removal(isSecure));
      // who comes back is not kept out by others' wrong passwords
      if (person && person.by !== "proxy") {
        headers.append("set-cookie", knownCookie(session, person.name, isSecure));
      }
    }
    return new Response(null, { status: 303, headers });
  },
});
