/** The pages in a real Chromium, on the real app in process with a fake machine. One behaviour, one test. */
import { strict as assert } from "node:assert";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { type TestApp, testApp, type TestAppOptions } from "./app.ts";
import { launchShell, openPage, type WatchedPage } from "./browser.ts";
import { DashboardPage } from "./dashboard_page.ts";
import { patience } from "./same.ts";
import { SharedContext } from "./shared_context.ts";

export interface UiTest extends WatchedPage {
  readonly app: TestApp;
  /** The first page, yet to be opened. */
  dashboard: DashboardPage;
  /** Where the service listens, such as "http://127.0.0.1:41234". */
  url: string;
  browser: Browser;
  /** Another viewer, with a context of its own that is closed with the test. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Replaces the service by a new one with the same data, at the same address. @returns the new one. */
  restart(): Promise<TestApp>;
  /** Ends the web app as kill -9 does: in the middle of answers, and its port refuses. */
  stopApp(): Promise<void>;
  /** Another web app with the same data, at the same address. */
  startApp(): Promise<void>;
}

export interface UiOptions extends TestAppOptions {
  /** Of a context of the test's own, `{}` for the usual one; else tests share one (shared_context.ts). */
  context?: BrowserContextOptions;
  /** Streams that are there at the start; stopped unless they say otherwise. */
  streams?: Record<string, unknown>[];
  /** Console errors that the test provokes. */
  mayLog?: RegExp;
}

let browser: Browser;
let shared: SharedContext;

// one browser for all tests of a file; it is there before them, so that it is no leak of a test
Deno.test.beforeAll(async () => {
  browser = await launchShell();
  shared = new SharedContext(browser);
});
Deno.test.afterAll(() => browser.close());

/** Registers a test with a service, a page and nothing left behind. Errors in the page's console fail it. */
export function uiTest(name: string, test: (ui: UiTest) => Promise<void>, options: UiOptions = {}): void {
  Deno.test(name, () => runUi(test, options));
}

/** What a uiTest runs, for tests whose service needs something beside it. */
export async function runUi(test: (ui: UiTest) => Promise<void>, options: UiOptions): Promise<void> {
  await using first = await testApp({ isStarted: true, ...options });
  for (const stream of options.streams ?? []) await first.create({ desiredState: "stopped", ...stream });
  await using others = new AsyncDisposableStack();
  let app = first;
  const startAnother = async () =>
    app = others.use(await testApp({ isStarted: true, ...options, dir: first.dir }));
  const listen = (port: number) => {
    const sudden = new AbortController();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port, onListen: () => {}, signal: sudden.signal },
      (request, info) => app.handler(request, info),
    );
    return { server, sudden, port: server.addr.port };
  };
  let listening = listen(0);
  const { port } = listening;
  const url = `http://127.0.0.1:${port}`;
  const pages: WatchedPage[] = [];
  let sharedPage: WatchedPage | null = null;
  const open = async (context?: BrowserContextOptions) => {
    const page = await openPage(browser, context);
    page.page.setDefaultTimeout(patience());
    pages.push(page);
    return page;
  };
  try {
    const page = options.context ? await open(options.context) : await shared.open();
    page.page.setDefaultTimeout(patience());
    if (!options.context) sharedPage = page;
    await test({
      ...page,
      get app() {
        return app;
      },
      dashboard: new DashboardPage(page.page, url),
      url,
      browser,
      open,
      restart: async () => {
        await app.service.stop();
        return await startAnother();
      },
      stopApp: async () => {
        listening.sudden.abort();
        await listening.server.finished;
        await app.service.stop();
      },
      startApp: async () => {
        await startAnother();
        listening = listen(port);
      },
    });
    const errors = [...pages, page].flatMap(({ errors }) => errors).filter((error) =>
      !options.mayLog?.test(error)
    );
    assert.deepEqual(errors, [], "errors in the console");
  } finally {
    for (const { page } of pages) await page.context().close();
    if (sharedPage) await shared.clear();
    await listening.server.shutdown();
  }
}
