/** What is said of Chromium's errors is said of all that the installed Chromium has: it lists them in each log of its network. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { tempDir } from "../../support/fixture.ts";
import { NET_ERRORS } from "../../support/net_errors.ts";

Deno.test("each error of the installed Chromium's network is in the table of what is said of it", async () => {
  await using dir = await tempDir();
  const log = join(dir.path, "log.json");
  const flags = ["--no-sandbox", `--user-data-dir=${join(dir.path, "profile")}`, `--log-net-log=${log}`];
  await new Deno.Command("/usr/bin/chromium-headless-shell", {
    args: [...flags, "--dump-dom", "about:blank"],
    env: { HOME: dir.path, DBUS_SESSION_BUS_ADDRESS: "disabled:" },
    stdout: "null",
    stderr: "null",
  }).output();
  const list = /"netError":(\{[^}]*\})/.exec(await Deno.readTextFile(log))?.[1];
  const names = Object.keys(JSON.parse(list!)).flatMap((name) =>
    name.startsWith("ERR_") ? [name.slice(4)] : []
  );
  assert.deepEqual(names.sort(), Object.values(NET_ERRORS).flatMap((all) => all.split(/\s+/)).sort());
});
