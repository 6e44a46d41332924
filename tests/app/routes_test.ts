/** What the code knows of its own addresses agrees with routes/. */
import { strict as assert } from "node:assert";
import { isForPrograms } from "../../lib/door/errors.ts";
import { RESERVED } from "../../lib/model/id.ts";
import { appTest } from "../support/app.ts";
import { namesIn, root } from "../support/fixture.ts";
import { logged } from "../support/logged.ts";

/** Everything below routes/ that answers, as paths with names for ids. */
async function paths(folder = "routes"): Promise<string[]> {
  const found = await Promise.all((await namesIn(root + folder)).map(async (name) => {
    const path = `${folder}/${name}`;
    if ((await Deno.stat(root + path)).isDirectory) return await paths(path);
    return name.startsWith("_") ? [] : [path.replace(/^routes|\.tsx?$|\/index(?=\.tsx?$)/g, "") || "/"];
  }));
  return found.flat().map((path) =>
    path.replaceAll("[program]", "encoder").replaceAll(/\[[.a-z]+\]/g, "gone")
  );
}

appTest("errors of an address are JSON just where programs ask", async (app) => {
  // the unknown name is logged
  await logged(async () => {
    for (const path of await paths()) {
      if (path === "/healthz") continue; // answers to every name
      const answer = await app.fetch(path, { headers: { host: "evil.example" } });
      assert.equal(answer.status, 421, path);
      const isJson = answer.headers.get("content-type")!.startsWith("application/json");
      await answer.body?.cancel();
      assert.equal(isJson, isForPrograms(path), path);
    }
  });
});

Deno.test("pages are the routes that are components, and the HTML players", async () => {
  const isPage = (path: string) =>
    ["/", "/wall", "/wall/rewind", "/nodes", "/password", "/people", "/messages", "/incidents"].includes(
      path,
    ) ||
    /^\/(player|vnc|static|streams)\/|^\/log(in|out)$|player-html/.test(path);
  for (const path of await paths()) assert.equal(isForPrograms(path), !isPage(path), path);
});

Deno.test("no stream takes the name of an address below /api/streams or /streams", async () => {
  const names = await namesIn(`${root}routes/api/streams`);
  const taken = names.map((name) => name.replace(/\.tsx?$/, ""))
    .filter((name) => !name.startsWith("[") && name !== "index");
  // "new" is kept for a page
  assert.deepEqual([...RESERVED].filter((name) => name !== "new").toSorted(), taken.toSorted());
});
