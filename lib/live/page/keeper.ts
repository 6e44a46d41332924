/** Keeps one start of a stream on its page: opens, watches and changes the page, and covers it while it is broken. */
import { PageDresser } from "./dresser.ts";
import { FirstPage, type OpenedPage } from "./first_page.ts";
import { PageCover } from "./cover.ts";
import { PageHealth } from "./health.ts";
import { PageObserver } from "./observer.ts";
import { Rotation } from "./rotation.ts";
import { PageWatch, type WatchedPage } from "./watch.ts";
import type { LoginReports } from "../../signin/reports.ts";
import type { LoginReport } from "../../signin/report.ts";
import type { BrowserControl } from "../../devtools/client.ts";
import { untilShown } from "../../devtools/painted.ts";
import { slatePixels } from "../../devtools/slate.ts";
import { parseFingerprints } from "../../model/certificates.ts";
import { parseOrigins } from "../../model/login_origins.ts";
import { parseStatuses } from "../../model/page_sites.ts";
import { wantedHelpers } from "../../model/programs.ts";
import type { Stream } from "../../model/schema.ts";
import type { Ground } from "../ground.ts";
import type { KeptStream } from "../kept_stream.ts";
import type { PlanClock } from "../plan_clock.ts";
import type { StartedSpec } from "../programs/pipeline.ts";

/** What is known of a page that wants a password when no helper was asked for it. */
const UNASKED = "its server asks in a way that is not known here (Basic, Digest and NTLM are), " +
  "or at a site that the login is not for";

/** How long a helper that has begun may take to be asked, in ms. */
const ASKED_MS = 15_000;

type Rules = Omit<WatchedPage, "url" | "isSignedIn">;

export class PageKeeper {
  readonly health: PageHealth;
  /** Opens the page in each life of the browser. */
  readonly first: FirstPage;
  #live: KeptStream;
  #ground: Ground;
  #logins: LoginReports;
  #browser: BrowserControl;
  #dresser: PageDresser;
  #cover: PageCover;
  #rotation: Rotation;
  #watch: PageWatch | null = null;
  #observer: PageObserver;
  /** Since when the page wants a password that the helper was not asked for, in ms of the steady clock. */
  #unaskedSince: number | null = null;
  #start: Pick<StartedSpec, "display" | "steadyStart">;
  /** The rules by the settings, until these change. */
  #rules: { stream: Stream; rules: Rules } | null = null;

  /** @param start the stream's start that the keeper is for. */
  constructor(live: KeptStream, ground: Ground, plan: PlanClock, logins: LoginReports, start: StartedSpec) {
    const { machine, around, config: { TIMINGS: limits } } = ground;
    const { now, elapsed } = machine;
    const { id } = live;
    const browser = machine.browsers.of(id);
    const viewers = () => live.viewers;
    const tell: KeptStream["tell"] = (kind, text, level) => live.tell(kind, text, level);
    this.#live = live;
    this.#ground = ground;
    this.#logins = logins;
    this.#browser = browser;
    this.#start = start;
    this.health = new PageHealth({ tell, now, elapsed });
    this.#dresser = new PageDresser({
      settings: () => live.spec?.stream,
      pageSeconds: () => live.stream?.pageSeconds ?? 0,
      warn: (text) => tell("page", text, "warn"),
      ...{ browser, proxyLogin: around.proxyLogin, viewers, elapsed },
    });
    const dress = (tab: { id: string }) => this.#dresser.dress(tab);
    this.#cover = new PageCover({
      stream: () => this.#wanted,
      viewers,
      openCover: () => machine.openCover(start.display),
      drawSlate: ({ name }, size) => slatePixels(browser, name, size),
      painted: () => untilShown(browser),
      setHeard: (isHeard) => machine.broker[isHeard ? "unmute" : "mute"](id),
    });
    this.#rotation = new Rotation({
      ...{ live, ground, display: start.display, plan, browser, dress },
      isBroken: () => this.health.isBroken,
      moved: () => this.#moved(),
    });
    this.first = new FirstPage({
      ...{ id, browser, dress, elapsed },
      page: () => this.#firstPage(),
      opened: () => this.#opened(),
    });
    this.#observer = new PageObserver({
      ...{ browser, dress, viewers, tell, limits, elapsed },
      isAhead: (tab) => this.#rotation.isAhead(tab),
      oomKills: () => machine.oomKills(),
    });
  }

  /** Whether a picture of the display shows the stream's page: seen, good and painted. */
  get isShown(): boolean {
    return this.#cover.showsPage && !this.health.isBad;
  }

  /** The page that is shown next, where several take turns and it is known; null: it is not. */
  nextPage(stream: Stream): { url: string; at: number } | null {
    return this.#rotation.next(stream);
  }

  /** Once a second. @param stream is wanted to run. */
  tick(stream: Stream): void {
    const page = this.#watched(stream);
    this.#rotation.tick(stream);
    if (this.#cover.tick()) this.#watchOf(page).lookSoon();
    this.#watchOf(page).tick(page);
  }

  /** Brings the page back now. @throws {ServiceError} 503 when its browser does not answer. */
  home(stream: Stream): Promise<void> {
    const page = this.#watched(stream);
    return this.#watchOf(page).home(page);
  }

  /** Takes the pid of the stream's sound server; 0: it is down. */
  soundServerIs(pid: number): void {
    this.#cover.soundServerIs(pid);
  }

  /** Somebody has just left the browser. */
  visited(): void {
    this.#watch?.visited();
  }

  /** The helper has signed in. */
  signedIn(): void {
    this.#watch?.signedIn();
  }

  /**
   * Takes whether the page itself is good: reports other troubles, and covers the display or uncovers it.
   * @param isGood null while that is unknown, as of a page that is being opened: then the display stays as it is.
   * @returns a promise that resolves when the display is as it should be.
   */
  async pageIs(isGood: boolean | null): Promise<void> {
    const { login = "watching", seen = "" } = this.#logins.login ?? {};
    this.health.report("login-failed", login === "failed" ? seen : this.#isUnasked(login) ? UNASKED : null);
    this.health.report("login-expired", login === "expired" ? seen : null);
    this.health.report("disk-full", this.#ground.around.isDiskLow() ? "" : null);
    if (isGood !== null) await this.#cover.pageIs(isGood && this.#logins.isLoggedIn);
  }

  /** Ends all that is kept open for the page; resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#observer.close();
    this.#watch?.close();
    await Promise.all([
      this.#rotation.close(),
      this.#cover.close(),
      this.first.close(),
      this.#dresser.close(),
    ]);
  }

  /** Whether the page's server wants a password, and has not asked the helper for it. */
  #isUnasked(login: LoginReport["login"]): boolean {
    const { elapsed } = this.#ground.machine;
    const stream = this.#wanted;
    const isSo = this.health.wantsLogin && this.#logins.hasBegun && /^(watching|succeeded)$/.test(login) &&
      stream !== undefined && this.#rulesOf(stream).hasLogin;
    this.#unaskedSince = isSo ? this.#unaskedSince ?? elapsed() : null;
    return this.#unaskedSince !== null && elapsed() - this.#unaskedSince >= ASKED_MS;
  }

  get #wanted(): Stream | undefined {
    const { stream } = this.#live;
    return stream?.desiredState === "running" ? stream : undefined;
  }

  /** The watch, made at the first look, which begins its history. */
  #watchOf(page: WatchedPage): PageWatch {
    const { machine, config } = this.#ground;
    const { display, steadyStart } = this.#start;
    return this.#watch ??= new PageWatch(
      {
        ...{ live: this.#live, browser: this.#browser, observer: this.#observer, health: this.health },
        pageIs: (isGood) => void this.pageIs(isGood),
        hand: {
          pressEscape: () => machine.pressEscape(display),
          resetZoom: () => machine.resetZoom(display),
          takePointer: () => machine.takePointer(display),
        },
        ...{ limits: config.TIMINGS, elapsed: machine.elapsed },
      },
      page,
      steadyStart,
    );
  }

  #watched(stream: Stream): WatchedPage {
    const { id, url } = stream;
    // a browser that was started for another page gets no secret address
    const isOwn = this.#live.spec?.stream.url === url;
    const now = isOwn ? this.#ground.around.pageAddress({ id, url: this.#rotation.pageNow(stream) }) : url;
    return { ...this.#rulesOf(stream), url: now, isSignedIn: this.#logins.isLoggedIn };
  }

  #rulesOf(stream: Stream): Rules {
    if (this.#rules?.stream !== stream) this.#rules = { stream, rules: rulesOf(stream) };
    return this.#rules.rules;
  }

  #firstPage(): OpenedPage {
    const { spec, stream: stored } = this.#live;
    const stream = spec?.stream ?? stored;
    if (!stream) throw new Error("the stream was removed");
    const { pageAddress, proxyLogin } = this.#ground.around;
    const { id } = stream;
    const login = { ...stream, url: pageAddress(stream), proxyLogin };
    return { url: pageAddress({ id, url: this.#rotation.pageNow(stream) }), login };
  }

  #opened(): void {
    const { slates, opened } = this.#ground.around;
    const { id, spec } = this.#live;
    void untilShown(this.#browser).then(() => slates.shown(id));
    this.#rotation.opened();
    if (spec) opened(spec.stream);
  }

  #moved(): void {
    const { stream } = this.#live;
    if (stream) this.#watch?.moved(this.#watched(stream));
  }
}

function rulesOf(stream: Stream): Rules {
  return {
    loginOrigins: parseOrigins(stream.loginOrigins) ?? [],
    accepted: parseFingerprints(stream.acceptedCertificates) ?? [],
    acceptedStatuses: parseStatuses(stream.acceptedStatuses) ?? [],
    sites: parseOrigins(stream.sites) ?? [],
    hasLogin: wantedHelpers(stream).includes("autologin"),
  };
}
