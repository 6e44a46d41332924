/** Films of a stream's past, as people have them made on its page: real pieces, the real ffmpeg, and a real download. */
import { strict as assert } from "node:assert";
import type { Locator, Page } from "playwright-core";
import type { TestApp } from "../support/app.ts";
import { assertBothAccessible } from "../support/axe.ts";
import { SIZES } from "../support/browser.ts";
import type { PastPiece } from "../support/past.ts";
import { takePicture } from "../support/pictures.ts";
import { keepPast, RewindPage, seconds } from "../support/rewind_page.ts";
import { same } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";
import { type UiOptions, type UiTest, uiTest } from "../support/ui.ts";

const PATH = "/api/streams/clock/rewind/exports";
const TV = "Mozilla/5.0 (SMART-TV; Tizen 6.0)";
const UTC: UiOptions = {
  streams: [{ name: "Clock" }],
  context: { timezoneId: "UTC", acceptDownloads: true },
  mayLog: /40[1349]|507|ERR_/,
};

/** A picture each 10 s for 10 minutes, a visit of 10 minutes, and then one that stays. */
const history = (begin: number, now: number): PastPiece[] => [
  { number: 1, seconds: seconds(begin, begin + 600, 10), end: begin + 600, reason: "visit" },
  { number: 2, seconds: [begin + 1200], end: now + 3600 },
];

/** The dialog, as a person uses it. */
class ExportPage extends RewindPage {
  readonly button: Locator;
  readonly dialog: Locator;

  constructor(page: Page, url: string) {
    super(page, url);
    this.button = page.getByRole("button", { name: /^Export/ });
    this.dialog = page.getByRole("dialog");
  }

  field(name: "From" | "To"): Locator {
    return this.dialog.getByLabel(name, { exact: true });
  }

  get films(): Locator {
    return this.dialog.locator(".export-film");
  }

  async openDialog(): Promise<void> {
    await this.button.click();
    await this.dialog.getByRole("heading", { name: "Films" }).waitFor();
  }

  /** Types the times of a film. */
  async type(start: number, end: number): Promise<void> {
    await this.field("From").fill(localTime(start));
    await this.field("To").fill(localTime(end));
  }

  async speed(word: "1×" | "10×" | "60×"): Promise<void> {
    await this.dialog.getByText(word, { exact: true }).click();
  }

  async make(): Promise<void> {
    await this.dialog.getByRole("button", { name: "Make film" }).click();
  }

  says(text: string | RegExp): Promise<void> {
    return this.dialog.getByText(text).first().waitFor();
  }
}

const localTime = (at: number) => new Date(at * 1000).toISOString().slice(0, 19);
const clock = (at: number) => localTime(at).slice(11);

function exportTest(
  name: string,
  test: (page: ExportPage, begin: number, ui: UiTest) => Promise<void>,
  options: UiOptions = UTC,
): void {
  uiTest(name, async (ui) => {
    const now = Math.floor(ui.app.machine.now() / 1000);
    const begin = Math.floor(now / 60) * 60 - 7200;
    await keepPast(ui.app, history(begin, now));
    await test(new ExportPage(ui.page, ui.url), begin, ui);
  }, options);
}

/** Pretends ffmpeg, which is half done until it may make a file of so many bytes. */
function slowFilms(app: TestApp) {
  let go = () => {};
  const may = new Promise<void>((done) => go = done);
  const real = app.machine.runBytes;
  app.machine.runBytes = async (argv, options) => {
    if (!argv.at(-1)!.endsWith(".part")) return await real(argv, options);
    const { output, signal } = options;
    const seconds = Number(argv[argv.indexOf("-t") + 1]);
    await output!(new TextEncoder().encode(`out_time_us=${Math.round(seconds * 4.5e5)}\n`));
    await Promise.race([
      may,
      new Promise((_, fail) => signal!.addEventListener("abort", () => fail(new Error("cancelled")))),
    ]);
    await Deno.writeFile(argv.at(-1)!, new Uint8Array(1_234_567));
    return { code: 0, stdout: new Uint8Array(), stderr: "" };
  };
  return () => go();
}

/** What a film says of itself, for a list that is pretended. */
const film = (number: number, begin: number, fields: Record<string, unknown> = {}) => ({
  id: number.toString(16).padStart(8, "0"),
  start: new Date((begin + number * 60) * 1000).toISOString(),
  end: new Date((begin + number * 60 + 45) * 1000).toISOString(),
  speed: 10,
  madeAt: begin * 1000 + number,
  state: "done",
  progress: 1,
  bytes: 12_345_678,
  problem: null,
  url: `http://127.0.0.1:3000${PATH}/${number}.mp4`,
  ...fields,
});

exportTest(
  "a film of an exact range is made, and the file that is downloaded has its length",
  async (it, begin) => {
    const { page, dialog } = it;
    await it.open(begin + 300);
    await it.openDialog();
    // what the bar shows, as far as it is kept
    await same(() => it.field("From").inputValue(), localTime(begin).slice(0, 16));
    await it.type(begin + 93, begin + 107);
    await it.says("14 seconds. At 10×, the film is 1 second long.");
    await it.speed("1×");
    await it.says("14 seconds. At 1×, the film is 14 seconds long.");
    await it.make();
    const link = dialog.getByRole("link", { name: /^Download/ });
    await link.waitFor();
    const day = new Date(begin * 1000).toLocaleDateString("en-GB", { dateStyle: "full", timeZone: "UTC" })
      .replace(",", "");
    await same(
      () => it.films.locator("strong").textContent(),
      `${clock(begin + 93)} to ${clock(begin + 107)}`,
    );
    await same(
      () => it.films.locator(".export-state").textContent(),
      new RegExp(`^${day}1×, \\d+(\\.\\d)? [kM]B$`),
    );
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const name = new Date((begin + 93) * 1000).toISOString().slice(0, 19).replaceAll(":", "-");
    assert.equal(download.suggestedFilename(), `clock-${name}Z.mp4`);
    const path = (await download.path())!;
    const { stdout } = await new Deno.Command("ffprobe", {
      args: ["-v", "error", "-show_entries", "stream=codec_name,duration", "-of", "csv=p=0", path],
    }).output();
    const [codec, duration] = new TextDecoder().decode(stdout).trim().split(",");
    assert.equal(codec, "h264");
    assert.ok(Math.abs(Number(duration) - 14) < 0.21, duration);
  },
);

exportTest(
  "progress is told, goes on while the dialog is closed, and is there again",
  async (it, begin, ui) => {
    const { page, dialog } = it;
    const go = slowFilms(ui.app);
    await it.open(begin + 300);
    await it.button.focus();
    await page.keyboard.press("Enter");
    await it.says("There is no film yet.");
    await it.type(begin, begin + 60);
    await it.make();
    const bar = dialog.getByRole("progressbar");
    await same(() => bar.getAttribute("aria-valuenow"), "45");
    await dialog.getByRole("status").getByText(
      "The film is being made. You can close this window: it goes on.",
    ).waitFor();
    await it.make();
    await it.says("10×, waits for another film");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await same(
      () => page.evaluate(() => document.activeElement!.className),
      "export-button",
      "the focus is back",
    );
    await same(() => it.button.textContent(), "Export: a film is being made, 45 %");
    await same(ui.layoutShift, 0);
    await it.openDialog();
    await bar.waitFor();
    await page.keyboard.press("Escape");
    go();
    await same(() => it.button.textContent(), "Export");
    await page.getByText("The film is made, and can be downloaded.").waitFor();
    await it.openDialog();
    await same(() => dialog.getByRole("link", { name: /^Download/ }).count(), 2);
    await it.says("10×, 1.2 MB");
  },
);

exportTest("a film is deleted after a question, also while it is made", async (it, begin, { app }) => {
  const { page, dialog } = it;
  slowFilms(app);
  await it.open(begin + 300);
  await it.openDialog();
  await it.type(begin, begin + 60);
  await it.make();
  await dialog.getByRole("progressbar").waitFor();
  await dialog.getByRole("button", { name: /^Delete/ }).click();
  const question = dialog.getByRole("alertdialog", { name: "Stop making this film?" });
  await question.getByRole("button", { name: "Keep it" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  await same(() => it.films.count(), 1);
  await dialog.getByRole("button", { name: /^Delete/ }).click();
  await question.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("status").getByText("The film is deleted.").waitFor();
  await same(() => it.films.count(), 0);
  await dialog.getByRole("heading", { name: "Films" }).and(page.locator(":focus")).waitFor();
  assert.deepEqual((await app.api("GET", PATH)).json, []);
  // another one's, while the question is asked
  await it.make();
  await dialog.getByRole("button", { name: /^Delete/ }).click();
  await question.waitFor();
  const [{ id }] = (await app.api("GET", PATH)).json;
  await app.fetch(`${PATH}/${id}`, { method: "DELETE" });
  await question.waitFor({ state: "detached" });
  await dialog.getByRole("heading", { name: "Films" }).and(page.locator(":focus")).waitFor();
});

exportTest("another one's film comes behind those that are looked at", async (it, begin, { app }) => {
  const { dialog } = it;
  const body = { start: begin, end: begin + 20, speed: 1 };
  await app.api("POST", PATH, body);
  await it.open(begin + 300);
  await it.openDialog();
  await dialog.getByRole("link", { name: /^Download/ }).waitFor();
  await app.api("POST", PATH, { ...body, start: begin + 5 });
  await same(
    () => it.films.locator("strong").allTextContents(),
    [
      `${clock(begin)} to ${clock(begin + 20)}`,
      `${clock(begin + 5)} to ${clock(begin + 20)}`,
    ],
  );
});

exportTest(
  "what cannot be filmed is said: at its field, or in words of the service",
  async (it, begin, { app }) => {
    const { page, dialog } = it;
    await it.open(begin + 300);
    await it.openDialog();
    const now = Math.floor(app.machine.now() / 1000);
    for (
      const [start, end, says] of [
        [begin, begin, "This is the beginning: choose a later time."],
        [begin + 60, begin, "This is before the beginning: choose a later time."],
        [
          begin,
          begin + 8 * 86_400,
          "A film has at most 24 hours. Choose an earlier time, or make several films.",
        ],
      ] as const
    ) {
      await it.type(start, end);
      await same(() => dialog.locator(".export-plan").textContent(), says);
      await it.make();
      const field = it.field("To").and(page.locator("[aria-invalid]:focus"));
      await field.waitFor();
      const told = (await field.getAttribute("aria-describedby"))!;
      await same(() => page.locator(`#${told}`).textContent(), says);
    }
    // across a gap, and all of one
    await it.type(begin + 570, begin + 1230);
    await it.says("11 minutes, of which 1 minute is kept.");
    await it.says(
      `${clock(begin + 600)} to ${clock(begin + 1200)}. Not kept: somebody used the browser by VNC.`,
    );
    await it.type(begin + 700, begin + 760);
    await it.says("1 minute. Nothing of it is kept.");
    await it.make();
    await dialog.getByRole("alert").getByText(/^Nothing is kept of /).waitFor();
    // yet to come, in part and as a whole
    await it.type(now - 60, now + 600);
    await it.says("This is yet to come.");
    await it.type(now + 600, now + 660);
    await it.says("1 minute. Nothing of it is kept.");
    await it.field("From").fill("");
    await it.make();
    await same(() => page.locator("#export-start-problem").textContent(), "Enter a date and a time.");
    // the service's own
    await it.type(begin, begin + 60);
    for (
      const [status, message, fields] of [
        [400, "start is a time", { start: "start is a time" }],
        [409, "There are 20 exports of this channel: delete one first.", undefined],
        [507, "Exports take half of what REWIND_GB allows: delete one first.", undefined],
        [507, "The disk is full. Nothing was stored.", undefined],
      ] as const
    ) {
      await page.route(
        `**${PATH}`,
        (route) =>
          route.request().method() === "GET" ? route.continue() : route.fulfill({
            status,
            headers: { "x-browser-stream": "1" },
            json: { error: { message, ...fields ? { fields } : {} } },
          }),
      );
      await it.make();
      await (fields ? page.locator("#export-start-problem") : dialog.getByRole("alert"))
        .filter({ hasText: message }).waitFor();
      await page.unroute(`**${PATH}`);
    }
  },
);

exportTest("a film that was not made says why, and is tried again", async (it, begin, { app }) => {
  const { dialog } = it;
  const real = app.machine.runBytes;
  app.machine.runBytes = (argv, options) =>
    argv.at(-1)!.endsWith(".part")
      ? Promise.resolve({ code: 1, stdout: new Uint8Array(), stderr: "x\nNo space left on device\n" })
      : real(argv, options);
  await it.open(begin + 300);
  await it.openDialog();
  await it.type(begin, begin + 20);
  await it.make();
  await it.says("It was not made: No space left on device");
  app.machine.runBytes = real;
  await dialog.getByRole("button", { name: /^Try again/ }).click();
  await dialog.getByRole("link", { name: /^Download/ }).waitFor();
  await same(() => it.films.count(), 1);
});

exportTest("the clock's change: an hour that comes twice, and one that does not come", async (it, begin) => {
  const { page, dialog } = it;
  await it.open(begin + 300);
  await it.openDialog();
  await it.field("From").fill("2026-10-25T02:30:00");
  await it.field("To").fill("2026-10-25T03:00:00");
  await it.says("1 hour 30 minutes.");
  await dialog.getByRole("group", { name: "The clock showed this twice. Which one?" }).getByText("CET", {
    exact: true,
  })
    .click();
  await it.says("30 minutes. Nothing of it is kept.");
  await it.field("From").fill("2026-03-29T02:30:00");
  await it.make();
  await same(
    () => page.locator("#export-start-problem").textContent(),
    "The clock was put forward over this time: choose another one.",
  );
}, { ...UTC, context: { timezoneId: "Europe/Berlin" } });

exportTest("a film begins as what the bar shows, at a speed of a few minutes", async (it, begin) => {
  const { page, dialog } = it;
  const checked = (name: string) => dialog.getByRole("radio", { name, exact: true }).isChecked();
  await it.open();
  await page.getByText(/goes back to/).waitFor();
  await it.openDialog();
  await same(() => Promise.all(["24 h", "60×"].map(checked)), [true, true]);
  await same(() => it.field("From").inputValue(), localTime(begin).slice(0, 16));
  await dialog.getByText("5 min", { exact: true }).click();
  await it.says(/^4 minutes .* seconds\. At 1×|^5 minutes\. At 1×/);
  await it.speed("10×");
  await dialog.getByText("1 h", { exact: true }).click();
  await same(() => Promise.all(["1 h", "10×"].map(checked)), [true, true], "a speed that was chosen stays");
  await it.field("To").fill(localTime(begin + 60));
  await same(() => checked("1 h"), false);
});

exportTest("keys typed in the dialog do nothing to the page below", async (it, begin) => {
  const { page } = it;
  await it.open(begin + 300);
  await it.openDialog();
  const stood = await it.value();
  await it.field("From").focus();
  for (const key of ["ArrowLeft", "ArrowRight", "l", "+", "f", "Home"]) await page.keyboard.press(key);
  await page.keyboard.press("Escape");
  await same(() => it.value(), stood);
});

exportTest("a television's remote goes through the dialog, and back out of it", async (it, begin) => {
  const { page, dialog } = it;
  await it.open(begin + 300);
  await page.evaluate(() => void (document.documentElement.dataset.tv = ""));
  await it.button.focus();
  await page.keyboard.press("Enter");
  await dialog.getByRole("heading", { name: "Films" }).waitFor();
  const names = new Set<string>();
  for (let times = 0; times < 12; times++) {
    await page.keyboard.press("ArrowDown");
    names.add(
      await page.evaluate(() => {
        const { activeElement: element } = document;
        return element instanceof HTMLInputElement
          ? element.labels![0].textContent!.trim()
          : element!.textContent!.trim();
      }),
    );
  }
  for (const name of ["From", "To", "10×", "24 h", "Make film"]) {
    assert.ok(names.has(name), `${name} of ${[...names]}`);
  }
  await dialog.getByLabel("5 min").focus();
  await page.keyboard.press("Enter");
  await it.says("5 minutes. At 1×, the film is 5 minutes long.");
  await page.evaluate(() =>
    document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key: "GoBack", bubbles: true }))
  );
  await dialog.waitFor({ state: "detached" });
});

uiTest("a viewer downloads films, and neither makes nor deletes them", async ({ app, page, url }) => {
  const now = Math.floor(app.machine.now() / 1000);
  const begin = Math.floor(now / 60) * 60 - 7200;
  const PASSWORD = "correct horse battery";
  await app.api("PATCH", "/api/streams/clock", { rewindFor: "viewers" });
  await keepPast(app, history(begin, now));
  await app.api("POST", "/api/users", { name: "vera", role: "viewer", password: PASSWORD });
  await page.goto(`${url}/login`);
  await page.getByLabel("User name").fill("vera");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`${url}/`);
  const it = new ExportPage(page, url);
  await it.open(begin + 300);
  await page.getByText(/goes back to/).waitFor();
  await same(() => page.getByRole("button", { name: /^(Export|Films)/ }).count(), 0);
  await app.api("POST", PATH, { start: begin, end: begin + 10, speed: 1 });
  await it.open(begin + 300);
  await page.getByRole("button", { name: "Films" }).click();
  await it.dialog.getByRole("link", { name: /^Download/ }).waitFor();
  await same(() => it.dialog.getByRole("button", { name: /^(Make film|Delete|Try again)/ }).count(), 0);
}, {
  ...UTC,
  env: { AUTH_USER: "anna", AUTH_PASS: "correct horse" },
});

exportTest(
  "a service that does not answer, and a session that has ended, are said",
  async (it, begin) => {
    const { page, dialog } = it;
    await it.open(begin + 300);
    await it.openDialog();
    await page.route("**/api/**", (route) => route.abort());
    await dialog.getByText("Connection lost.").waitFor();
    await it.make();
    await dialog.getByRole("alert").getByText(/^The service cannot be reached/).waitFor();
    await page.unroute("**/api/**");
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await dialog.getByText("Connection lost.").waitFor({ state: "detached" });
    const refused = { status: 401, headers: { "x-browser-stream": "1" }, json: { error: { message: "no" } } };
    await page.route("**/api/**", (route) => route.fulfill(refused));
    await dialog.getByText("You are logged out.").waitFor();
    await same(() => dialog.getByRole("link", { name: "Log in again" }).getAttribute("target"), "_blank");
  },
);

exportTest(
  "everyone can use it, at any width, in both themes, with many films",
  async (it, begin, { dashboard }) => {
    const { page, dialog } = it;
    const films = [
      film(1, begin, { state: "making", progress: 0.45, bytes: null, url: null }),
      film(2, begin, { state: "waiting", progress: 0, bytes: null, url: null }),
      film(3, begin, {
        state: "failed",
        bytes: null,
        url: null,
        problem: "The service was stopped meanwhile.",
      }),
      ...seconds(4, 51).map((number) => film(number, begin)),
    ];
    await page.route(
      `**${PATH}`,
      (route) => route.fulfill({ headers: { "x-browser-stream": "1" }, json: films }),
    );
    await it.open(begin + 300);
    await same(() => it.button.textContent(), /45 %/);
    await it.openDialog();
    await same(() => it.films.count(), 50);
    await it.type(begin + 570, begin + 1230);
    await it.says("11 minutes, of which");
    await assertBothAccessible(page, "the dialog", "dialog");
    await dialog.getByRole("button", { name: /^Delete/ }).first().click();
    await it.field("From").fill("");
    await it.make();
    await assertBothAccessible(page, "a question and a problem", "dialog");
    for (const width of [320, 390, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      await same(() => dashboard.overflow(), 0, `${width} px`);
      await same(
        () =>
          dialog.evaluate((box) =>
            [...box.querySelectorAll<HTMLElement>("*")].filter((one) =>
              one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1
            ).map((one) => one.outerHTML.slice(0, 100))
          ),
        [],
        `${width} px`,
      );
    }
  },
);

inSoak(uiTest)("the dialog of films, for people to look at", async ({ app, url, open }) => {
  const now = Math.floor(app.machine.now() / 1000);
  const begin = Math.floor(now / 60) * 60 - 7200;
  await keepPast(app, history(begin, now));
  const films = [
    film(1, begin, { state: "making", progress: 0.45, bytes: null, url: null }),
    film(2, begin, { state: "waiting", progress: 0, bytes: null, url: null }),
    film(3, begin, {
      state: "failed",
      bytes: null,
      url: null,
      problem: "The service was stopped meanwhile.",
    }),
    film(4, begin),
  ];
  for (const colorScheme of ["dark", "light"] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      const isPhone = size === "phone";
      const { page } = await open({
        viewport,
        colorScheme,
        isMobile: isPhone,
        hasTouch: isPhone,
        userAgent: size === "tv" ? TV : undefined,
      });
      await page.route(
        `**${PATH}`,
        (route) => route.fulfill({ headers: { "x-browser-stream": "1" }, json: films }),
      );
      const it = new ExportPage(page, url);
      await it.open(begin + 300);
      await same(() => it.button.textContent(), /45 %/);
      await it.button.scrollIntoViewIfNeeded();
      await takePicture(page, `export-button-${size}-${colorScheme}`);
      await it.openDialog();
      await it.type(begin + 570, begin + 1230);
      await it.says("11 minutes, of which");
      await takePicture(page, `export-dialog-${size}-${colorScheme}`);
      await page.locator(".export-films").scrollIntoViewIfNeeded();
      await page.locator(".export-film").last().scrollIntoViewIfNeeded();
      await takePicture(page, `export-films-${size}-${colorScheme}`);
      await it.dialog.getByRole("button", { name: /^Delete/ }).last().click();
      await page.locator(".question").scrollIntoViewIfNeeded();
      await takePicture(page, `export-question-${size}-${colorScheme}`);
      await page.keyboard.press("Escape");
      await it.type(begin + 60, begin);
      await it.make();
      await takePicture(page, `export-problem-${size}-${colorScheme}`);
      await page.context().close();
    }
  }
}, UTC);
