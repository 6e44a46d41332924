import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import { VncScreen } from "../../islands/VncScreen.tsx";
import { define } from "../../lib/app.ts";
import { parseSize } from "../../lib/model/schema.ts";

export const handler = define.handlers({
  GET(ctx) {
    const { id, name, resolution } = ctx.state.service.streams.get(ctx.params.id, "viewer");
    const { width, height } = parseSize(resolution);
    return page({ id, name, isWide: width > height }, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function Vnc({ data }) {
  return (
    <>
      <Head>
        <title>{`${data.name}, remote · Browser Stream`}</title>
        <link key="vnc" rel="stylesheet" href={asset("/vnc.css")} />
      </Head>
      <VncScreen {...data} />
    </>
  );
});
