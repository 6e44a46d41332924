import { page } from "fresh";
import { Head } from "fresh/runtime";
import { NoSuchStream } from "../../components/ui/NoSuchStream.tsx";
import { configPrefs, DEFAULT_PREFS } from "../../components/prefs/prefs.ts";
import { PlayerFrame } from "../../islands/PlayerFrame.tsx";
import { define } from "../../lib/app.ts";

export const handler = define.handlers({
  GET(ctx) {
    const { config, streams } = ctx.state.service;
    const { id } = ctx.params;
    const name = streams.find(id)?.name;
    const data = { id, name, defaults: { ...DEFAULT_PREFS, ...configPrefs(config) } };
    return page(data, { status: name === undefined ? 404 : 200, headers: { "cache-control": "no-cache" } });
  },
});

export default define.page<typeof handler>(function Player({ data: { id, name, defaults } }) {
  if (name === undefined) return <NoSuchStream id={id} />;
  return (
    <>
      <Head>
        <title>{`${name} · Browser Stream`}</title>
      </Head>
      <PlayerFrame id={id} name={name} defaults={defaults} />
    </>
  );
});
