/** What one who took a browser's place may answer: nothing of it leads elsewhere, and little of it is read. */
import assert from "node:assert/strict";
import { askDevtools, MAX_ANSWER, readPages, readTarget } from "../../../lib/devtools/client.ts";

const ID = "0123456789ABCDEF0123456789ABCDEF";

/** A server that answers so, and how much of it was taken. */
function answering(answer: (request: Request) => Response) {
  const paths: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    paths.push(new URL(request.url).pathname);
    return answer(request);
  });
  return {
    port: server.addr.port,
    paths,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("an answer without end is read for 1 MB", async () => {
  let sent = 0;
  const endless = () =>
    new ReadableStream({
      pull: (controller) => {
        sent += 65536;
        controller.enqueue(new Uint8Array(65536).fill(32));
      },
    });
  for (const status of [200, 500]) {
    sent = 0;
    await using server = answering(() => new Response(endless(), { status }));
    await assert.rejects(askDevtools(server.port, "list"), /more than 1 MB/);
    assert.ok(sent < 16 * MAX_ANSWER, `${sent} bytes were sent`);
  }
});

Deno.test("a redirect is not followed", async () => {
  await using server = answering(() =>
    new Response(null, { status: 302, headers: { location: "/elsewhere" } })
  );
  await assert.rejects(askDevtools(server.port, "list"));
  assert.deepEqual(server.paths, ["/json/list"]);
});

Deno.test("a target's address is never believed, and its id is checked", () => {
  const given = { id: ID, type: "page", url: "https://a/", webSocketDebuggerUrl: "ws://evil.example/" };
  assert.deepEqual(readTarget(given), { id: ID, type: "page", url: "https://a/" });
  for (
    const id of ["", "x", `${ID}0`, `../${ID}`, `${ID.slice(1)}/`, `${ID.slice(1)}?`, `${ID}\n`, 5, null, {}]
  ) {
    assert.throws(() => readTarget({ ...given, id }), /no target/, String(id));
  }
});

Deno.test("only pages are taken from a list, and only a list", () => {
  const page = { id: ID, type: "page", url: "https://a/" };
  const list = [{ type: "browser_ui" }, null, 5, { ...page, url: "chrome://omnibox.top-chrome/" }, page];
  assert.deepEqual(readPages(JSON.stringify(list)), [page]);
  for (const answer of ["{}", "5", "null", '"x"', "", '[{"type":"page"}]']) {
    assert.throws(() => readPages(answer), Error, answer);
  }
});
