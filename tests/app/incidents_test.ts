/** Who may read incidents, and what each role learns by them. */
import { strict as assert } from "node:assert";
import { ROLES } from "../../lib/role.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { tempDir } from "../support/fixture.ts";

const PASSWORD = "correct horse battery";
const SECRET = "https://tv.example.org/wall?key=sesame";
/** As an earlier version kept them: without a state, and one with a whole address. */
const RECORD = {
  told: {},
  waiting: [],
  incidents: [
    {
      id: "1",
      kind: "failed",
      key: "clock",
      stream: "clock",
      name: "Clock",
      group: "Hall",
      what: `${SECRET} cannot be reached.`,
      from: 1_790_000_000_000,
      to: 1_790_000_060_000,
    },
    {
      id: "2",
      kind: "failed",
      key: "clock",
      stream: "clock",
      name: "Clock",
      group: "Hall",
      state: "degraded",
      what: "The page is away.",
      from: 1_790_000_120_000,
      to: 1_790_000_180_000,
    },
  ],
};

async function logIn(app: TestApp, user: string): Promise<string> {
  const answer = await app.fetch("/login", {
    method: "POST",
    body: new URLSearchParams({ user, pass: PASSWORD }),
  });
  await answer.body?.cancel();
  return answer.headers.get("set-cookie")!.split(";")[0];
}

Deno.test("each role reads the incidents, a viewer without the paths of addresses; receivers are admins'", async () => {
  await using folder = await tempDir("/dev/shm");
  {
    await using first = await testApp({ dir: folder.path });
    await first.create({ desiredState: "stopped" });
    await Deno.writeTextFile(first.paths.webhookFile, JSON.stringify(RECORD));
  }
  await using app = await testApp({ dir: folder.path });
  for (const role of ROLES.toReversed()) {
    await app.service.login.users.add({ name: role, role, password: PASSWORD });
  }
  const stranger = await app.fetch("/incidents");
  await stranger.body?.cancel();
  assert.equal(stranger.headers.get("location"), "/login?next=%2Fincidents");
  for (const role of ROLES) {
    const cookie = await logIn(app, role);
    const read = async (path: string) => {
      const answer = await app.fetch(path, { headers: { cookie } });
      return { status: answer.status, text: await answer.text() };
    };
    const { status, text } = await read("/api/incidents");
    const { open, incidents } = JSON.parse(text);
    assert.deepEqual([status, open], [200, 0], role);
    assert.deepEqual(incidents.map(({ state }: { state: string }) => state), ["degraded", "failed"]);
    const seen = role === "viewer" ? "tv.example.org" : SECRET;
    assert.equal(incidents[1].what, `${seen} cannot be reached.`, role);
    const page = await read("/incidents");
    assert.equal(page.status, 200, role);
    assert.equal(page.text.includes("sesame"), role !== "viewer", role);
    assert.equal((await read("/messages")).status, role === "admin" ? 200 : 403, role);
    assert.equal((await read("/api/receivers")).status, role === "admin" ? 200 : 403, role);
  }
});
