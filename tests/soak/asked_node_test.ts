/**
 * The app's tests once more, asked of a node beside the one that has the streams (tests/support/asked_node.ts). Every
 * operation of the API is asked so in the gate, too: tests/app/openapi_test.ts.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { root } from "../support/fixture.ts";

const FILES = [
  ...["access", "bodies", "channels", "login", "logs", "markup", "on_demand", "page_health", "pages"],
  ...["pictures", "plan", "players", "playlist", "push", "routes", "secrets", "streams", "thumbnails"],
  ...["transport", "tuner", "vnc", "walls"],
];

/** Tests that are left out, by why. */
const LEFT_OUT = {
  "they look into the machine that is asked, which has a supervisor, disks and a log of its own": [
    "a token is in no log line",
    "a supervisor that does not answer",
    "an unexpected error is logged",
    "the health check is",
    "a disk that is nearly full",
  ],
  "each node tells of its own streams alone: its metrics, its tuner": [
    "is told to Prometheus",
    "tuner: a search of the local network",
    "tuner: it is announced",
    "tuner: the device's ID",
  ],
  "a WebSocket between two nodes has a network: tests/e2e/cluster/": [
    "a WebSocket needs",
    "a WebSocket's origin",
    "transport by WebSocket",
    "viewers are counted by client",
  ],
  "the browser of a wall's channel asks the machine that it is on": ["the browser of a wall's channel"],
  "they start one of the two anew": ["a restart keeps the sessions", "a web app that is started while"],
  "they look at what is in the owner's files of VNC": [
    "the token is for our own pages",
    "nothing of another program",
  ],
  "its figures are kept for 5 s": ["push: its program gets the channel"],
};

Deno.test("a node that is asked for another's streams passes the app's tests", async () => {
  const names = Object.values(LEFT_OUT).flat();
  const texts = await Promise.all(
    FILES.map((name) => Deno.readTextFile(join(root, `tests/app/${name}_test.ts`))),
  );
  for (const name of names) {
    assert.ok(texts.some((text) => text.includes(name)), `${name}: no such test is left out`);
  }
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--preload=tests/support/left_out.ts"],
      ...FILES.map((name) => `tests/app/${name}_test.ts`),
    ],
    env: { ASKED_NODE: "1", LEFT_OUT: JSON.stringify(names), NO_COLOR: "1" },
    cwd: root,
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, text.slice(text.indexOf(" ERRORS ")));
  assert.match(text, /ok \| 1\d\d passed/);
});
