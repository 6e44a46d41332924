import { page } from "fresh";
import { Head } from "fresh/runtime";
import { configPrefs, DEFAULT_PREFS } from "../../components/prefs/prefs.ts";
import { PlayerFrame } from "../../islands/PlayerFrame.tsx";
import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  GET(ctx) {
    const { config, streams } = ctx.state.service;
    const { id, name } = streams.get(ctx.params.id, "viewer");
    const data = { id, name, defaults: { ...DEFAULT_PREFS, ...configPrefs(config) } };
    return page(data, { headers: { "cache-control": "no-cache" } });
  },
});

export default define.page<typeof handler>(function Player({ data: { id, name, defaults } }) {
  return (
    <>
      <Head>
        <title>{`${name} · Browser Stream`}</title>
      </Head>
      <PlayerFrame id={id} defaults={defaults} />
    </>
  );
});
