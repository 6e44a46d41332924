/** The lasting connection to a stream's page: only its events show crashes, dialogs, downloads and certificates. */
import type { DevTools } from "../../browser/client.ts";
import { certificateEnd, type SeenCertificate, untrustedCertificate } from "./looks/page_look.ts";
import { schemeAsked, watchApps } from "./looks/other_apps.ts";
import { ConsoleErrors } from "./console_errors.ts";
import type { StartedPage } from "./started_page.ts";

/** The wait in ms after a change in a page: the page's document is there then. */
const SOON_MS = 500;

/** Most schemes of other programs that the events of one start name. */
const MOST_APPS = 20;

/**
 * Domains whose events are wanted. Network is left out: it reports each request of a busy page. With WebAuthn, a page
 * that asks for a security key finds no key, rather than putting a dialog on the air.
 */
const DOMAINS = ["Page", "Inspector", "WebAuthn", "Security", "Log", "Runtime"];

export class PageConnection {
  /** The id of the tab and of its main frame. */
  readonly id: string;
  readonly devtools: DevTools;
  crash: "crashed" | "out-of-memory" | null = null;
  /** The page's process did not end by itself. */
  wasKilled = false;
  /** The open dialog's text; null: there is none. */
  dialog: string | null = null;
  /** Since when the page waits for its server, ms of the steady clock. */
  loadingSince: number | null = null;
  /** Whether an opening of the page was seen from its beginning. */
  isWatched = false;
  isDownload = false;
  certificate: SeenCertificate | null = null;
  /** When the page's certificate ends, trusted or not (Unix ms); null: it has none. */
  certificateEndsAt: number | null = null;
  /** When the connection was made, in ms of the steady clock. */
  readonly madeAt: number;
  /** When a look at the page is due because something has changed, in ms of the steady clock; Infinity: nothing has. */
  lookAt = Infinity;
  #started: StartedPage;
  #apps: Set<string>;
  #console: ConsoleErrors;

  /** @param apps the schemes of other programs that the start's pages have asked for: each gets one event. */
  constructor(id: string, devtools: DevTools, started: StartedPage, apps: Set<string>) {
    this.id = id;
    this.devtools = devtools;
    this.madeAt = started.ground.machine.elapsed();
    this.#started = started;
    this.#apps = apps;
    this.#console = new ConsoleErrors(started);
    devtools.onevent = (method, params) => this.#handle(method, params);
    // not awaited, because a page that hangs does not answer; the next looks find the hang
    for (const domain of DOMAINS) devtools.send(`${domain}.enable`).catch(() => {});
    watchApps(devtools).catch(() => {});
    const discover = { discover: true, filter: [{ type: "page" }] };
    devtools.send("Target.setDiscoverTargets", discover).catch(() => {});
  }

  get isOpen(): boolean {
    return this.devtools.isOpen;
  }

  close(): void {
    this.devtools[Symbol.dispose]();
  }

  /** Answers the page's dialog with Cancel, or with OK (`accept`), which is Leave in some dialogs. */
  answerDialog(accept: boolean): void {
    this.devtools.send("Page.handleJavaScriptDialog", { accept }).catch(() => {});
  }

  #handle(method: string, params: Record<string, unknown>): void {
    const { live, ground: { machine } } = this.#started;
    const isMain = params.frameId === this.id;
    switch (method) {
      case "Inspector.targetCrashed":
        this.crash ??= "crashed";
        return this.#changed(0);
      case "Target.targetCrashed":
        if (params.targetId !== this.id) return;
        if (params.status === "oom") this.crash = "out-of-memory";
        this.wasKilled = params.status === "killed";
        return;
      case "Inspector.targetReloadedAfterCrash":
        this.crash = null;
        this.wasKilled = false;
        return;
      case "Page.javascriptDialogClosed":
        this.dialog = null;
        return;
      case "Page.javascriptDialogOpening":
        this.dialog = String(params.message ?? "");
        // nobody could answer the dialog, so the channel does not wait for the next look
        if (live.viewers === 0) this.answerDialog(params.type === "beforeunload");
        return;
      case "Page.frameStartedNavigating":
        if (!isMain || /^(sameDocument|historySameDocument)$/.test(String(params.navigationType))) return;
        Object.assign(this, { loadingSince: machine.elapsed(), isWatched: true, isDownload: false });
        return;
      case "Page.frameNavigated":
        if (Object(params.frame).parentId) return;
        Object.assign(this, { loadingSince: null, isWatched: true, isDownload: false });
        return this.#changed(SOON_MS);
      case "Page.frameStoppedLoading":
        if (!isMain) return;
        this.loadingSince = null;
        return this.#changed(SOON_MS);
      case "Page.downloadWillBegin":
        if (isMain) this.isDownload = true;
        return this.#changed(SOON_MS);
      case "Security.visibleSecurityStateChanged":
        this.certificate = untrustedCertificate(params);
        this.certificateEndsAt = certificateEnd(params);
        return this.#changed(SOON_MS);
      case "Runtime.bindingCalled":
        return this.#appAsked(schemeAsked(method, params));
      default:
        this.#console.handle(this.devtools, method, params);
    }
  }

  #changed(waitMs: number): void {
    this.lookAt = Math.min(this.lookAt, this.#started.ground.machine.elapsed() + waitMs);
  }

  /** Tells each scheme once: a page may ask again and again, and pages in turn at each of their turns. */
  #appAsked(scheme: string | null): void {
    if (scheme === null || this.#apps.has(scheme) || this.#apps.size >= MOST_APPS) return;
    this.#apps.add(scheme);
    const text = `The page asked for a program for ${scheme}: addresses. There is none. The page stays open.`;
    this.#started.live.tell("page", text);
  }

  /** Once a look: the browser forgets the logged messages, and listens again after a flood. */
  resume(): void {
    this.#console.resume(this.devtools);
  }
}
