import assert from "node:assert/strict";
import { join } from "node:path";
import { answers, httpQuestion } from "../../../lib/machine/tools/probe.ts";
import { displayQuestion } from "../../../lib/live/programs/commands/probe.ts";
import { rtmpQuestion } from "../../../lib/channel/media/probe.ts";
import { tempDir } from "../../support/fixture.ts";

/** A server on a socket of its own, and whether it answers the question. */
async function asked(
  bytes: Uint8Array<ArrayBuffer>,
  serve: (connection: Deno.Conn) => Promise<unknown>,
  limitMs = 5000,
) {
  await using dir = await tempDir();
  const path = join(dir.path, "socket");
  using listener = Deno.listen({ transport: "unix", path });
  const serving = (async () => {
    using connection = await listener.accept();
    await serve(connection);
  })();
  const hasAnswered = await answers({ address: { transport: "unix", path }, bytes }, limitMs);
  await serving;
  return hasAnswered;
}

const question = httpQuestion({ transport: "unix", path: "/" }, "/healthz").bytes;

Deno.test("an answer counts, whatever it says; so does an end", async () => {
  assert.ok(await asked(question, (connection) => connection.write(Uint8Array.of(0))));
  assert.ok(await asked(question, () => Promise.resolve()));
});

Deno.test("a server that says nothing does not answer, though the kernel has accepted", async () => {
  assert.equal(
    await asked(
      question,
      (connection) => connection.read(new Uint8Array(1000)).then(() => connection.read(new Uint8Array(1))),
      200,
    ),
    false,
  );
});

Deno.test("an end without a word is a question as well", async () => {
  assert.ok(
    await asked(new Uint8Array(0), async (connection) => {
      assert.equal(await connection.read(new Uint8Array(1)), null);
    }),
  );
});

Deno.test("nobody there is no answer", async () => {
  assert.equal(
    await answers({ address: { transport: "unix", path: "/nowhere" }, bytes: question }, 200),
    false,
  );
});

Deno.test("the questions are as long as the protocols have them", () => {
  assert.equal(displayQuestion(101).bytes.length, 12);
  assert.equal(rtmpQuestion(1935).bytes.length, 1537);
  assert.equal(rtmpQuestion(1935).bytes[0], 3);
  assert.match(new TextDecoder().decode(question), /^GET \/healthz HTTP\/1\.0\r\nHost: localhost\r\n\r\n$/);
});
