/** The pages in a real Chromium, on the real app in process with a fake machine. One behaviour, one test. */
import { strict as assert } from "node:assert";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { type TestApp, testApp, type TestAppOptions } from "./app.ts";
import { launchBrowser, openPage, type WatchedPage } from "./browser.ts";
import { DashboardPage } from "./dashboard_page.ts";
import { tempDir } from "./fixture.ts";

export interface UiTest extends WatchedPage {
  readonly app: TestApp;
  /** The first page, yet to be opened. */
  dashboard: DashboardPage;
  /** Where the service listens, such as "http://127.0.0.1:41234". */
  url: string;
  browser: Browser;
  /** Another viewer, with a context of its own that is closed with the test. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Ends the web app as kill -9 does: in the middle of answers, and its port refuses. */
  stopApp(): Promise<void>;
  /** Another web app with the same data, on the same port. */
  startApp(): Promise<void>;
  /** Replaces the web app by a new one with the same data, while the port stays open. @returns the new one. */
  restart(): Promise<TestApp>;
}

export interface UiOptions extends TestAppOptions {
  context?: BrowserContextOptions;
  /** Streams that are there at the start; stopped unless they say otherwise. */
  streams?: Record<string, unknown>[];
  /** Console errors that the test provokes. */
  mayLog?: RegExp;
}

/** For whatever a test waits for in the page. */
const LIMIT_MS = 15_000;

let browser: Browser;

// one browser for all tests of a file; it is there before them, so that it is no leak of a test
Deno.test.beforeAll(async () => {
  browser = await launchBrowser();
});
Deno.test.afterAll(() => browser.close());

/** Registers a test with a service, a page and nothing left behind. Errors in the page's console fail it. */
export function uiTest(name: string, test: (ui: UiTest) => Promise<void>, options: UiOptions = {}): void {
  Deno.test(name, () => runUi(test, options));
}

/** What a uiTest runs, for tests whose service needs something beside it. */
export async function runUi(test: (ui: UiTest) => Promise<void>, options: UiOptions): Promise<void> {
  await using folder = await tempDir();
  const appOptions = { isStarted: true, dir: folder.path, ...options };
  let served = await serve(appOptions);
  const { port } = served;
  const pages: WatchedPage[] = [];
  const open = async (context?: BrowserContextOptions) => {
    const page = await openPage(browser, context);
    page.page.setDefaultTimeout(LIMIT_MS);
    pages.push(page);
    return page;
  };
  try {
    for (const stream of options.streams ?? []) {
      await served.app.create({ desiredState: "stopped", ...stream });
    }
    const first = await open(options.context);
    const url = `http://127.0.0.1:${port}`;
    await test({
      ...first,
      get app() {
        return served.app;
      },
      dashboard: new DashboardPage(first.page, url),
      url,
      browser,
      open,
      stopApp: () => served.stop(true),
      startApp: async () => {
        served = await serve(appOptions, port);
      },
      restart: () => served.replace(),
    });
    const errors = pages.flatMap(({ errors }) => errors).filter((error) => !options.mayLog?.test(error));
    assert.deepEqual(errors, [], "errors in the console");
  } finally {
    for (const { page } of pages) await page.context().close();
    await served.stop();
  }
}

/** The app on a port; `stop` may be called again. */
async function serve(options: TestAppOptions, port = 0) {
  let app = await testApp(options);
  const kill = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {}, signal: kill.signal },
    (request, info) => app.handler(request, info),
  );
  let hasStopped = false;
  return {
    get app() {
      return app;
    },
    port: server.addr.port,
    replace: async () => {
      await app[Symbol.asyncDispose]();
      return app = await testApp(options);
    },
    stop: async (isSudden = false) => {
      if (hasStopped) return;
      hasStopped = true;
      if (isSudden) kill.abort();
      else await server.shutdown();
      await server.finished;
      await app[Symbol.asyncDispose]();
    },
  };
}
