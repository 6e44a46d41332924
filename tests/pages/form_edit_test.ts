/** Editing a stream that exists: what restarts, what becomes of its password, and who was faster. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { TestApp } from "../support/app.ts";
import type { FormPage } from "../support/form_page.ts";
import { formTest, LOBBY } from "../support/form_ui.ts";
import { takePicture } from "../support/pictures.ts";
import { same } from "../support/same.ts";

const SECRET = "s3cret-Ünique-word";
const WITH_PASSWORD = { streams: [{ ...LOBBY, user: "max", pass: SECRET }] };
/** The answer that tells of a conflict is an error in the page's console. */
const CONFLICT = { ...WITH_PASSWORD, mayLog: /409/ };

const stored = async (app: TestApp, id: string): Promise<PublicStream> =>
  (await app.api("GET", `/api/streams/${id}`)).json;

async function storedPassword({ paths }: TestApp): Promise<string> {
  const [stream] = JSON.parse(await Deno.readTextFile(join(paths.streamsDir, "streams.json")));
  return stream.pass;
}

formTest("a password is stored, and comes back in no answer and on no page", async (ui) => {
  const { app, page, form, dashboard } = ui;
  const answers: Promise<string>[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    // the events, which hold states only, have no end
    if (pathname.startsWith("/api/") && pathname !== "/api/events") {
      answers.push(response.text().catch(() => ""));
    }
  });
  await form.edit("Lobby");
  await form.unfold("Sign-in");
  await form.field("User name").fill("max");
  await form.field("Password").fill(SECRET);
  await form.save();
  assert.equal(await storedPassword(app), SECRET);

  await dashboard.open();
  await form.edit("Lobby");
  await form.unfold("Sign-in");
  await form.dialog.getByText("A password is stored.").waitFor();
  await same(() => form.dialog.locator("[name=pass]").count(), 0);
  const texts = [...await Promise.all(answers), await page.content()];
  assert.ok(texts.some((text) => text.includes('"passSet":true')), "the answers were watched");
  assert.deepEqual(texts.filter((text) => text.includes(SECRET)), []);
});

formTest(
  "a stored password does not follow to another site: it says so, and nothing is lost",
  async ({ app, form }) => {
    await form.edit("Lobby");
    await form.field("Page address").fill("https://elsewhere.example/");
    await form.dialog.getByText("Needs a change").waitFor();
    await form.unfold("Sign-in");
    const problem = form.dialog.locator("#edit-pass-problem, [id$=-pass-problem]");
    await problem.getByText("so that it may go to https://elsewhere.example").waitFor();
    await form.field("Page address").fill(`${(await stored(app, "lobby")).url}`);
    await problem.waitFor({ state: "detached" });
    await form.field("Page address").fill("https://elsewhere.example/");
    await form.button("Save").click();
    await form.dialog.getByText("One field needs a change").waitFor();
    await takePicture(form.dialog.page(), "password-elsewhere");
    assert.equal((await app.api("GET", "/api/streams/lobby")).json.revision, 0, "nothing was sent");
    await form.button("Change the password").click();
    await same(() => form.field("Page address").inputValue(), "https://elsewhere.example/");
    await form.field("Password").fill("another");
    await problem.waitFor({ state: "detached" });
    await form.save();
    assert.equal(await storedPassword(app), "another");
  },
  WITH_PASSWORD,
);

/** Changes the group and whatever `change` does, while somebody else saves `theirs`; then tries to save. */
async function editTogether(
  app: TestApp,
  form: FormPage,
  theirs: Record<string, unknown>,
  change = () => Promise.resolve(),
): Promise<string[][]> {
  await form.edit("Lobby");
  await form.field("Group").fill("Mine");
  await change();
  assert.equal((await app.api("PATCH", "/api/streams/lobby", theirs)).status, 200);
  await form.button("Save").click();
  await form.conflict.waitFor();
  return await form.conflict.locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent!))
  );
}

formTest(
  "the later of two edits sees what differs, and keeps its own",
  async ({ app, page, form, dashboard }) => {
    assert.deepEqual(await editTogether(app, form, { group: "Theirs", audio: false }), [
      ["Group", "Mine", "Theirs"],
      ["Send the page's sound", "you did not change it: theirs stays", "no"],
    ]);
    await page.waitForFunction(() => document.activeElement?.textContent?.includes("Someone else saved"));
    await same(() => form.field("Group").inputValue(), "Mine");
    await dashboard.screenshot("form-conflict-desktop");
    await form.button("Keep mine").click();
    await form.gone();
    const { group, audio } = await stored(app, "lobby");
    assert.deepEqual({ group, audio }, { group: "Mine", audio: false });
  },
  CONFLICT,
);
