/** The broker without `up`: the real folders below a test's own paths, all of one user. */
import type { Broker } from "../../lib/machine/broker/protocol.ts";
import { StreamFolders } from "../../lib/machine/broker/stream_folders.ts";
import { OneUser } from "../../lib/machine/broker/stream_users.ts";
import { Repairs } from "../../lib/machine/broker/repairs.ts";
import type { Paths } from "../../lib/paths.ts";

/** @param capture what a capture gives. @param motion the bytes of a display that is watched. */
export function testBroker(
  paths: Paths,
  capture: (kind: "png" | "jpeg") => Promise<Uint8Array<ArrayBuffer>> = () =>
    Promise.reject(new Error("nothing is shown")),
  motion: () => AsyncIterable<Uint8Array<ArrayBuffer>> = async function* () {},
): Broker {
  const me = { name: "me", uid: Deno.uid()!, gid: Deno.gid()! };
  return new StreamFolders({
    paths,
    programFiles: {
      templates: { stream: "[group:{{id}}]\n", program: "[program:{{kind}}-{{id}}]\n" },
      executable: ["/x"],
      ...paths,
    },
    users: new OneUser(paths.profilesDir, me),
    shared: { web: me, media: me, vncProxy: me, front: me, capture: me },
    memory: null,
    displayBase: 100,
    machine: {
      removeStaleDisplay: () => Promise.resolve(), // those of this machine are none of a test's
      isUp: () => Promise.resolve(true),
      runBytes: async (argv) => {
        const stdout = await capture(argv.includes("png") ? "png" : "jpeg");
        return { code: 0, stdout, stderr: "" };
      },
      readOutput: () => motion(),
      checkGuards: () => Promise.resolve(),
      restrict: () => Promise.resolve(),
    },
    repairs: new Repairs(),
  });
}
