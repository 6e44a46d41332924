import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  GET: (ctx) => {
    const { config } = ctx.state.service;
    return ctx.json({
      DEFAULT_PURE_MODE: config.DEFAULT_PURE_MODE,
      DEFAULT_OPEN_NEW_TAB: config.DEFAULT_OPEN_NEW_TAB,
      DEFAULT_RELOAD_CLIENT: config.DEFAULT_RELOAD_CLIENT,
      DEFAULT_RELOAD_CLIENT_TIME: config.DEFAULT_RELOAD_CLIENT_TIME,
    });
  },
});
