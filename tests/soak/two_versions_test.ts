/** Two versions of the service side by side in one cluster: two builds of this repository's commits, at real NATS servers. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { root, tempDir } from "../support/fixture.ts";
import { hasBrowser, newest, type NodeCluster, nodeCluster } from "../support/node_cluster.ts";
import { servePages } from "../support/page.ts";
import { SMALL, SOURCE_PROGRAM, type TestService } from "../support/service.ts";
import { within } from "../support/within.ts";

/** The first commit whose nodes tell each other what they speak. */
const OLDER = Deno.env.get("OLDER_COMMIT") ?? "bd0f8738";
const PATIENCE_MS = 60_000;
const [A, B] = ["wall-a", "wall-b"];

const hasCommit =
  new Deno.Command("git", { args: ["cat-file", "-e", `${OLDER}^{commit}`], cwd: root, stderr: "null" })
    .outputSync().success;

async function done(command: string, args: string[], cwd: string): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd, stdin: "null" }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.ok(success, `${command} ${args.join(" ")}: ${said.slice(-2000)}`);
}

/** Builds a commit. @param edit changes its files first. @returns its command line. */
async function built(folder: string, commit: string, edit = async (_: string) => {}): Promise<string[]> {
  const home = join(folder, commit);
  await done("git", ["clone", "-q", "--no-checkout", root, home], folder);
  await done("git", ["checkout", "-q", commit], home);
  await edit(home);
  await done(Deno.execPath(), ["task", "build"], home);
  return SOURCE_PROGRAM.map((word) => word.replace(root, `${home}/`));
}

/** What a change by one node leaves of the fields that it does not know. */
async function isKept(node: TestService, id: string, name: string): Promise<boolean> {
  const { ok } = await node.api("PATCH", `/api/streams/${id}`, { name });
  const stream = await (await node.api("GET", `/api/streams/${id}`)).json();
  return ok && stream.name === name && stream["x-hologram"]?.depth === 3;
}

async function plays(nodes: readonly TestService[], id: string): Promise<void> {
  for (const node of nodes) {
    const from = await newest(node, id) ?? 0;
    await within(
      `${id} at ${node.env.NODE_NAME}`,
      PATIENCE_MS,
      async () => (await newest(node, id) ?? 0) > from,
    );
  }
}

/** Gives a node's streams away, stops it, and starts it as another version. */
async function exchange(
  { run, start }: NodeCluster,
  node: TestService,
  other: TestService,
  to: string[],
): Promise<TestService> {
  const name = node.env.NODE_NAME;
  const drained = await run("drain", name);
  assert.equal(drained.code, 0, drained.said);
  await within("the other one to have the stream", PATIENCE_MS, () => hasBrowser(other));
  await node.stop();
  const next = await start(name, to);
  assert.equal((await run("resume", name)).code, 0);
  return next;
}

Deno.test({
  name: `nodes of commit ${OLDER} are upgraded to this one, one after the other [needs that commit]`,
  ignore: !hasCommit,
  async fn() {
    await using folder = await tempDir();
    await Deno.chmod(folder.path, 0o755);
    const older = await built(folder.path, OLDER);
    await using pages = servePages();
    await using cluster = await nodeCluster([A, B]);
    assert.equal((await cluster.run("init", A, older)).code, 0);
    let nodes = [await cluster.start(A, older), await cluster.start(B, older)];
    let id = "";
    await within("the cluster to take a stream", PATIENCE_MS, async () => {
      const stream = { name: "Ash", url: pages.url, ...SMALL, "x-hologram": { depth: 3 } };
      const answer = await nodes[0].api("POST", "/api/streams", stream);
      if (answer.ok) id = (await answer.json()).id;
      return answer.ok;
    });
    await plays(nodes, id);
    for (const at of [0, 1]) {
      const next = await exchange(cluster, nodes[at], nodes[1 - at], SOURCE_PROGRAM);
      nodes = nodes.with(at, next);
      // both ways: each is asked for the other's stream, and each changes what the other has written
      await plays(nodes, id);
      for (const [of, node] of nodes.entries()) {
        await within(
          `${node.env.NODE_NAME} to change it`,
          PATIENCE_MS,
          () => isKept(node, id, `By ${at} ${of}`),
        );
      }
    }
    await within("each to hear the other", PATIENCE_MS, async () => {
      const lists = await Promise.all(
        nodes.map(async (node) => await (await node.api("GET", "/api/nodes")).json()),
      );
      return lists.every((list) => String(list.map(({ name }: { name: string }) => name)) === String([A, B]));
    });

    // a version that speaks otherwise: what it has goes on, and it is neither asked nor asks
    const numbers = "lib/cluster/protocol.ts";
    const strange = await built(folder.path, "HEAD", async (home) => {
      const text = await Deno.readTextFile(join(home, numbers));
      const changed = text.replace(/(PROTOCOL|OLDEST) = \d+/g, "$1 = 99");
      assert.notEqual(changed, text);
      await Deno.writeTextFile(join(home, numbers), changed);
    });
    const [owner, other] = nodes.toSorted((a, b) => Number(hasBrowser(b)) - Number(hasBrowser(a)));
    await other.stop();
    const newer = await cluster.start(other.env.NODE_NAME, strange);
    let said = "";
    await within("a refusal with both versions", PATIENCE_MS, async () => {
      const answer = await newer.api("GET", `/api/streams/${id}/events`);
      const [events, list] = [await answer.text(), await (await newer.api("GET", "/api/nodes")).text()];
      said = `${answer.status} ${events.slice(-300)} ${list}`;
      return answer.status === 502 && /cannot ask each other/.test(events);
    }).catch((error) => assert.fail(`${error.message}: ${said} ${newer.output().slice(-3000)}`));
    await plays([owner], id);
    assert.ok(await isKept(newer, id, "By the strange one") && await isKept(owner, id, "By the owner"));
  },
});
