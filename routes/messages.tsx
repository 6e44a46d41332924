import { page } from "fresh";
import { Head } from "fresh/runtime";
import { configPrefs, DEFAULT_PREFS } from "../components/prefs/prefs.ts";
import { MessageBoard } from "../islands/MessageBoard.tsx";
import { define, headerOf } from "../lib/app.ts";
import { wayForms } from "../lib/messages/ways.ts";
import { receiverAnswer } from "./api/receivers/index.ts";

export const handler = define.handlers({
  /** The receivers of messages. */
  GET(ctx) {
    const { service } = ctx.state;
    const streams = service.streams.list("viewer");
    const data = {
      receivers: service.receivers.list().map((one) => receiverAnswer(service, one)),
      ways: wayForms(),
      variables: service.messages.info(),
      header: headerOf(ctx),
      groups: [...new Set(streams.map(({ group }) => group).filter(Boolean))].sort(),
      defaults: { ...DEFAULT_PREFS, ...configPrefs(service.config) },
      isLoginOn: service.login.isOn,
    };
    return page(data, { headers: { "cache-control": "no-store" } });
  },
});

export default define.page<typeof handler>(function Messages({ data }) {
  return (
    <>
      <Head>
        <title>Messages · Browser Stream</title>
      </Head>
      <MessageBoard {...data} />
    </>
  );
});
