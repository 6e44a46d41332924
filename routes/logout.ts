import { define } from "../lib/app.ts";

export const handler = define.handlers({
  /** Logs this browser out; with `everywhere`, all browsers. */
  POST: async (ctx) => {
    const { service, admitted } = ctx.state;
    const headers = new Headers({ location: "/", "cache-control": "no-store" });
    if (service.login) {
      if (ctx.url.searchParams.has("everywhere")) await service.logOutEverywhere();
      headers.set("location", "/login");
      const isSecure = admitted.publicUrl.protocol === "https:";
      headers.set("set-cookie", service.login.session.removal(isSecure));
    }
    return new Response(null, { status: 303, headers });
  },
});
