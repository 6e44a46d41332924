import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { PublicStream } from "../../lib/streams/schema.ts";
import type { StreamStatus } from "../../lib/streams/status.ts";
import { makeDataDir, startService, type TestService, until } from "../support/service.ts";

/** Status and JSON of an answer. */
async function asked(service: TestService, method: string, path: string, body?: unknown) {
  const answer = await service.api(method, path, body);
  return { status: answer.status, body: await answer.json() };
}

async function order(service: TestService): Promise<string[]> {
  const { body } = await asked(service, "GET", "/api/streams");
  return body.map(({ id }: PublicStream) => id);
}

/** The version of the list, which comes with the list and with the states. */
async function version(service: TestService): Promise<string> {
  const paths = ["/api/streams", "/api/streams/statuses"];
  const [list, statuses] = await Promise.all(paths.map(async (path) => {
    const answer = await service.api("GET", path);
    await answer.body?.cancel();
    return answer.headers.get("streams-version");
  }));
  assert.ok(list && list === statuses, `${list} ${statuses}`);
  return list;
}

/** The pids of all programs, by name. */
async function pids(service: TestService): Promise<Record<string, number>> {
  const { body } = await asked(service, "GET", "/api/streams/statuses");
  const programs = Object.values(body as Record<string, StreamStatus>).flatMap(({ programs }) => programs);
  return Object.fromEntries(programs.map(({ name, pid }) => [name, pid]));
}

Deno.test("cards keep their order, and two people who edit one stream notice each other", async (t) => {
  const dataDir = await makeDataDir();
  let service = await startService({ dataDir });
  const reorder = (ids: unknown) => asked(service, "PUT", "/api/streams/reorder", { ids });
  try {
    for (const name of ["A", "B", "C"]) {
      await service.create({ name, desiredState: "stopped", pass: "s3cret" });
    }

    await t.step("a new order is answered, listed and on disk at once", async () => {
      assert.deepEqual(await reorder(["c", "a", "b"]), { status: 200, body: { ids: ["c", "a", "b"] } });
      assert.deepEqual(await order(service), ["c", "a", "b"]);
      const stored = JSON.parse(await Deno.readTextFile(join(dataDir, "streams/streams.json")));
      assert.deepEqual(stored.map(({ id, order }: PublicStream) => [id, order]), [["c", 0], ["a", 1], [
        "b",
        2,
      ]]);
    });

    await t.step(
      "the version of the list changes with order and settings, and with nothing else",
      async () => {
        const seen = [await version(service)];
        assert.equal(await version(service), seen[0]);
        await reorder(["c", "a", "b"]);
        await reorder(["c", "a", "x"]);
        assert.equal(await version(service), seen[0]);
        await reorder(["a", "c", "b"]);
        seen.push(await version(service));
        await asked(service, "PATCH", "/api/streams/a", { group: "Ops" });
        seen.push(await version(service));
        await reorder(["c", "a", "b"]);
        seen.push(await version(service));
        assert.equal(new Set(seen).size, 4, seen.join());
      },
    );

    await t.step("a new order restarts nothing", async () => {
      await service.api("POST", "/api/streams/a/start").then((answer) => answer.body?.cancel());
      await until("it to run", 60_000, async () => (await service.status("a")).state === "running");
      const before = await pids(service);
      assert.ok(before["encoder-a"] > 0 && before["browser-a"] > 0, JSON.stringify(before));
      assert.equal((await reorder(["a", "b", "c"])).status, 200);
      assert.equal((await reorder(["c", "a", "b"])).status, 200);
      await new Promise((done) => setTimeout(done, 5000)); // states are up to 3 s old, and the watch looks each second
      assert.deepEqual(await pids(service), before);
      assert.equal((await asked(service, "POST", "/api/streams/a/stop")).status, 200);
    });

    await t.step("another list is a 409 with the current order, and changes nothing", async () => {
      for (const ids of [["c", "a"], ["c", "a", "b", "b"], ["c", "a", "x"], ["a", "b", "c", "../x"]]) {
        const { status, body } = await reorder(ids);
        assert.deepEqual([status, body.ids], [409, ["c", "a", "b"]], ids.join());
        assert.ok(body.error.message.length > 10);
      }
      for (const ids of ["c,a,b", null, [1, 2, 3], { 0: "a" }]) {
        const { status, body } = await reorder(ids);
        assert.equal(status, 400);
        assert.ok(body.error.fields.ids);
      }
      assert.equal((await asked(service, "PUT", "/api/streams/reorder", ["c", "a", "b"])).status, 400);
      assert.deepEqual(await order(service), ["c", "a", "b"]);
    });

    await t.step("the path is no stream's", async () => {
      const named = await service.create({ name: "Reorder", desiredState: "stopped" });
      assert.equal(named.id, "reorder-2");
      assert.equal((await service.api("DELETE", "/api/streams/reorder-2")).status, 204);
    });

    await t.step("while streams come and go, none is lost and every answer is true", async () => {
      const work = Array.from({ length: 8 }, async (_, at) => {
        const { id } = await service.create({ name: `New ${at}`, desiredState: "stopped" });
        if (at % 2 === 0) assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
      });
      let isDone = false, changed = 0, refused = 0;
      const all = Promise.all(work).then(() => isDone = true);
      while (!isDone) {
        const wanted = (await order(service)).reverse();
        const { status, body } = await reorder(wanted);
        assert.ok(status === 200 || status === 409, String(status));
        if (status === 409) refused++;
        else {
          assert.deepEqual(body.ids, wanted);
          changed++;
        }
      }
      await all;
      assert.ok(changed > 0, `${changed} changed, ${refused} refused`);
      const now = await order(service);
      assert.deepEqual(now.toSorted(), ["a", "b", "c", "new-1", "new-3", "new-5", "new-7"]);
      assert.equal((await reorder(["c", "a", "b", ...now.filter((id) => id.startsWith("new"))])).status, 200);
      for (const id of now.filter((one) => one.startsWith("new"))) {
        assert.equal((await service.api("DELETE", `/api/streams/${id}`)).status, 204);
      }
    });

    await t.step("of two saves from one revision the later gets 409 with what is stored", async () => {
      const { body: before } = await asked(service, "GET", "/api/streams/a");
      const save = (fields: Record<string, unknown>) =>
        asked(service, "PATCH", "/api/streams/a", { ...fields, revision: before.revision });
      const answers = await Promise.all([save({ name: "First" }), save({ name: "Second" })]);
      const [won, lost] = answers.toSorted((x, y) => x.status - y.status);
      assert.deepEqual([won.status, lost.status], [200, 409]);
      assert.equal(won.body.revision, before.revision + 1);
      assert.deepEqual(lost.body.current, won.body);
      assert.ok(!("pass" in lost.body.current) && lost.body.current.passSet);
      assert.match(lost.body.error.message, /changed meanwhile/);
      const again = await asked(service, "PATCH", "/api/streams/a", {
        name: "Third",
        revision: won.body.revision,
      });
      assert.deepEqual([again.status, again.body.name], [200, "Third"]);
    });

    await t.step("what changes no setting disturbs nobody", async () => {
      const { body: { revision } } = await asked(service, "GET", "/api/streams/b");
      await asked(service, "PATCH", "/api/streams/b", { name: "B", fps: "25" });
      await reorder(["b", "c", "a"]);
      assert.equal((await asked(service, "POST", "/api/streams/b/stop")).status, 200);
      const { status, body } = await asked(service, "PATCH", "/api/streams/b", { group: "Ops", revision });
      assert.deepEqual([status, body.group, body.revision], [200, "Ops", revision + 1]);
      const put = await asked(service, "PUT", "/api/streams/b", {
        name: "B",
        url: service.pageUrl,
        revision,
      });
      assert.deepEqual([put.status, put.body.current.group], [409, "Ops"]);
    });

    await t.step("order and revisions survive a restart of the service", async () => {
      const { body: before } = await asked(service, "GET", "/api/streams");
      const versionBefore = await version(service);
      await service.stop();
      service = await startService({ dataDir });
      const { body: after } = await asked(service, "GET", "/api/streams");
      assert.deepEqual(after, before);
      assert.notEqual(await version(service), versionBefore);
      assert.deepEqual(await order(service), ["b", "c", "a"]);
    });
  } finally {
    await service.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
});
