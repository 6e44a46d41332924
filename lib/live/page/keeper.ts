/**
 * Keeps one start of a stream on its page: opens the page, looks at it every 5 s, changes it in turn, and brings it back
 * when it wandered off, crashed, hangs or could not be loaded. While the page is broken, its display is covered.
 * decision.ts makes the decisions.
 */
import { scrollPage } from "./looks/page_scroll.ts";
import { ServiceError } from "../../errors.ts";
import { parseFingerprints } from "../../model/certificates.ts";
import { parseOrigins } from "../../model/login_origins.ts";
import { parseStatuses } from "../../model/page_sites.ts";
import { wantedHelpers } from "../../model/programs.ts";
import type { Stream } from "../../model/schema.ts";
import type { LoginReport } from "../../signin/report.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Ground } from "../ground.ts";
import type { KeptStream } from "../kept_stream.ts";
import type { StartedSpec } from "../programs/pipeline.ts";
import { PageCover } from "./cover.ts";
import { decide } from "./decision.ts";
import { PageDresser } from "./dresser.ts";
import { PageFindings } from "./findings.ts";
import { FirstPage } from "./first_page.ts";
import {
  type Action,
  newHistory,
  type PageHistory,
  type PageObservation,
  type PageRules,
} from "./history.ts";
import { Rotation } from "./rotation.ts";
import type { StartedPage } from "./started_page.ts";
import { type ObservedPage, PageTabs } from "./tabs.ts";
import { TitleName } from "./title_name.ts";
import { Visit } from "./visit.ts";

/** The trouble of a page that wants a password, but does not ask the helper for it. */
const UNASKED =
  "its server asks in a way that the service does not know (it knows Basic, Digest and NTLM), " +
  "or at a site that the login is not for";

/** The longest time in ms until a page asks a helper that has begun. */
const ASKED_MS = 15_000;

/** How long a proxy may be away before its address is looked up again, and how long until the next time, in ms. */
const PROXY_MS = 60_000;
const PROXY_AGAIN_MS = 600_000;

/** The wait in ms after a press of Escape, which may have to be pressed again. */
const ESCAPE_MS = 500;

/** The page that is to be shown. */
interface WatchedPage extends PageRules, ObservedPage {
  /** Whether no login keeps the page from its own content. */
  isSignedIn: boolean;
}

type Rules = Omit<WatchedPage, "url" | "isSignedIn">;

export class PageKeeper {
  /** When the stream was started, in ms of the steady clock. */
  readonly startedAt: number;
  /** The health of the page. */
  readonly health: PageFindings;
  /** Opens the page in each life of the browser. */
  readonly first: FirstPage;
  #started: StartedPage;
  #dresser: PageDresser;
  #cover: PageCover;
  #rotation: Rotation;
  #tabs: PageTabs;
  #title: TitleName;
  #visit = new Visit();
  #history: PageHistory;
  /** When the next look is due, in ms of the steady clock, unless the page changes before. */
  #dueAt: number;
  #work: Promise<void> | null = null;
  /** When the browser must confirm an accepted certificate again; null: there is no such certificate. */
  #renewAt: number | null = null;
  /** When the browser is started again, as its proxy does not lead to the page; null: no start is due. */
  #proxyDueAt: number | null = null;
  /** Since when the page wants a password that the helper was not asked for, in ms of the steady clock. */
  #unaskedSince: number | null = null;
  /** The rules by the settings, until these change. */
  #rules: { stream: Stream; rules: Rules } | null = null;
  #isClosed = false;

  /** @param spec the stream's start that the keeper is for. */
  constructor(live: KeptStream, ground: Ground, { stream, display, steadyStart }: StartedSpec) {
    const { machine, config: { TIMINGS } } = ground;
    const started = { live, ground, display, browser: machine.browsers.of(live.id) };
    this.#started = started;
    this.startedAt = steadyStart;
    this.health = new PageFindings(started);
    this.#dresser = new PageDresser(started);
    this.#cover = new PageCover(started);
    this.#rotation = new Rotation(started, this.#dresser, this.health);
    this.#rotation.onmoved = () => this.#moved();
    this.#title = new TitleName(started);
    this.#tabs = new PageTabs(started, this.#dresser, this.#rotation);
    this.first = new FirstPage(started, this.#dresser, this.#rotation);
    const now = machine.elapsed();
    // a page that is older than the web app may have been taken anywhere
    const isNew = now - steadyStart < TIMINGS.pageCheckMs;
    this.#history = newHistory(this.#watched(live.stream ?? stream).url, isNew ? now : null);
    this.#dueAt = now;
  }

  /** Whether a picture of the display shows the stream's page: seen, good and painted. */
  get isShown(): boolean {
    return this.#cover.showsPage && !this.health.isBad;
  }

  /** Whether viewers see a cover in place of the page. */
  get isCovered(): boolean {
    return this.#cover.isShown;
  }

  /** The page that is shown next, where several take turns and it is known; null: it is not. */
  nextPage(stream: Stream): { url: string; at: number } | null {
    return this.#rotation.next(stream);
  }

  /** Once a second. Each stream's looks are due by its own start, which spreads them. @param stream is wanted to run. */
  tick(stream: Stream): void {
    const { live } = this.#started;
    const page = this.#watched(stream);
    this.#rotation.tick(stream);
    if (this.#cover.tick()) this.#dueAt = 0;
    if (this.#history.url !== page.url) this.#history = newHistory(page.url, this.#elapsed);
    if (live.viewers > 0) this.visited();
    if (live.isBusy || this.#work || this.#elapsed < Math.min(this.#dueAt, this.#tabs.lookAt)) return;
    this.#dueAt = this.#elapsed + this.#limits.pageLookMs;
    this.#work = this.#look(page)
      .catch((error) => {
        // the browser is being started, which is the supervisor's work
        log("debug", "page not watched", { stream: live.id, error: errorText(error) });
        if (this.#history.health.state === "opening") this.#dueAt = this.#elapsed;
      })
      .finally(() => this.#work = null);
  }

  /** Brings the page back now and closes all other windows. @throws {ServiceError} 503 when its browser does not answer. */
  async home(stream: Stream): Promise<void> {
    const { live } = this.#started;
    const { url } = this.#watched(stream);
    // another caller that waited may have been first
    while (this.#work) await this.#work;
    const work = this.#act({ do: "navigate", why: "asked for" }, url, true);
    this.#work = work.catch(() => {}).finally(() => this.#work = null);
    this.#history = newHistory(url, live.viewers === 0 ? this.#elapsed : null);
    this.#dueAt = this.#elapsed + this.#limits.pageLookMs;
    await work.catch((error) => {
      const message = `The browser of "${live.id}" does not answer. Restart the stream if it stays so.`;
      throw new ServiceError(503, message, undefined, { cause: error });
    });
    log("info", "page brought back", { stream: live.id, why: "asked for" });
  }

  /** Takes the pid of the stream's sound server; 0: it is down. */
  soundServerIs(pid: number): void {
    this.#cover.soundServerIs(pid);
  }

  /** Somebody is in the browser, or has just left it: a visit may be shorter than the time between two ticks. */
  visited(): void {
    this.#history.openedAt = null;
    this.#visit.goesOn(this.#elapsed);
  }

  /** The helper has signed in: sites lead to their first page then, whatever was asked for. */
  signedIn(): void {
    this.#visit.signedIn(this.#elapsed);
    this.#dueAt = 0;
  }

  /**
   * Takes whether the page itself is good: reports other troubles, and covers the display or uncovers it.
   * @param isGood null while that is unknown, as of a page that is being opened: then the display stays as it is.
   * @returns a promise that resolves when the display is as it should be.
   */
  async pageIs(isGood: boolean | null): Promise<void> {
    const { live: { logins }, ground: { around } } = this.#started;
    const { login = "watching", seen = "" } = logins.login ?? {};
    this.health.report("login-failed", login === "failed" ? seen : this.#isUnasked(login) ? UNASKED : null);
    this.health.report("login-expired", login === "expired" ? seen : null);
    this.health.report("disk-full", around.isDiskLow() ? "" : null);
    if (isGood !== null) await this.#cover.pageIs(isGood && logins.isLoggedIn);
  }

  /** Ends all that is kept open for the page; resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#tabs.close();
    await Promise.all([
      this.#rotation.close(),
      this.#cover.close(),
      this.first.close(),
      this.#dresser.close(),
    ]);
  }

  get #elapsed(): number {
    return this.#started.ground.machine.elapsed();
  }

  get #limits() {
    return this.#started.ground.config.TIMINGS;
  }

  /** Whether the page's server wants a password, and has not asked the helper for it. */
  #isUnasked(login: LoginReport["login"]): boolean {
    const { stream, logins } = this.#started.live;
    const isSo = this.health.wantsLogin && logins.hasBegun && /^(watching|succeeded)$/.test(login) &&
      stream?.desiredState === "running" && this.#rulesOf(stream).hasLogin;
    this.#unaskedSince = isSo ? this.#unaskedSince ?? this.#elapsed : null;
    return this.#unaskedSince !== null && this.#elapsed - this.#unaskedSince >= ASKED_MS;
  }

  #watched(stream: Stream): WatchedPage {
    const { live, ground: { around } } = this.#started;
    const { id, url } = stream;
    // a browser that was started for another page gets no secret address
    const isOwn = live.spec?.stream.url === url;
    const now = isOwn ? around.pageAddress({ id, url: this.#rotation.pageNow(stream) }) : url;
    return { ...this.#rulesOf(stream), url: now, isSignedIn: live.logins.isLoggedIn };
  }

  #rulesOf(stream: Stream): Rules {
    if (this.#rules?.stream !== stream) this.#rules = { stream, rules: rulesOf(stream) };
    return this.#rules.rules;
  }

  /** Another page of the stream was put in front, which is known to be good. */
  #moved(): void {
    const { stream } = this.#started.live;
    if (!stream) return;
    this.#tabs.forget();
    this.#visit.opened();
    const good = { state: "ok", status: null, error: null, nextTryAt: null } as const;
    this.#history = { ...newHistory(this.#watched(stream).url, this.#elapsed), health: good };
    this.health.changeTo(good);
    this.#dueAt = this.#elapsed;
    this.#renewAt = null;
  }

  async #look(page: WatchedPage): Promise<void> {
    const { live } = this.#started;
    const history = this.#history;
    const seen = await this.#tabs.observe(page, history.silent > 0);
    // the look may have been at the page before
    if (live.isBusy || this.#isClosed || this.#history !== history) return;
    // the page can have gone nowhere before its tab was there
    if (history.openedAt !== null) history.openedAt = Math.max(history.openedAt, this.#tabs.connectedAt);
    const circumstances = { viewers: live.viewers, now: this.#elapsed };
    const decision = decide(seen, history, page, circumstances, this.#limits);
    this.#history = decision.history;
    this.health.find(decision.history.health, { host: hostOf(page.url), failures: history.failures });
    let { action } = decision;
    if (action.do === "nothing") action = this.#endVisit(page, seen);
    if (action.do === "nothing") action = this.#renewal(page, seen);
    if (decision.history.silent > 0) this.#dueAt = this.#elapsed;
    const isFit = isFitToShow(seen, decision.history);
    // a good page that is about to be left is not shown
    void this.pageIs(isFit && action.do === "navigate" ? null : isFit);
    this.#lookForProxy();
    if (action.do === "nothing") return await this.#lookAtTitle(isFit === true);
    log("info", "page brought back", { stream: live.id, did: action.do, why: action.why });
    await this.#act(action, page.url);
  }

  /** The title of a login, of another page in turn, or where a person has gone, names nothing. */
  async #lookAtTitle(isFit: boolean): Promise<void> {
    const { live } = this.#started;
    const { page } = this.#tabs;
    const isOwn = isFit && page !== null && live.viewers === 0 && live.logins.isLoggedIn &&
      live.stream !== undefined && this.#rotation.pageNow(live.stream) === live.stream.url;
    if (isOwn) await this.#title.see(page.devtools, page.id);
  }

  async #act(action: Action, url: string, isReload = false): Promise<void> {
    if (action.do === "navigate" || action.do === "replace") this.#visit.opened();
    if (action.do === "proceed" && this.#tabs.page) {
      this.#renewAt = this.#elapsed + this.#limits.certificateRenewMs;
      this.#started.live.tell("certificate", "The page's certificate is the one that was accepted.");
    }
    await this.#tabs.act(action, url, isReload);
  }

  /** The way back to the stream's own page after a sign-in or a visit; undoes the traces of a visit as well. */
  #endVisit({ url, isSignedIn }: WatchedPage, { look }: PageObservation): Action {
    const { live, ground: { machine }, display } = this.#started;
    const { pressesEscape, takesPointer, resetsZoom, action, says, scroll } = this.#visit.end(
      {
        look,
        url,
        isSignedIn,
        isWell: this.#history.health.state === "ok",
        isAlone: live.viewers === 0,
      },
      this.#elapsed,
    );
    const failed = (what: string) => (error: unknown) =>
      log("debug", what, { stream: live.id, error: errorText(error) });
    // an open list would get the other keys
    const isClear = takesPointer
      ? machine.takePointer(display).catch(failed("pointer not taken away"))
      : Promise.resolve();
    if (pressesEscape) {
      this.#dueAt = this.#elapsed + ESCAPE_MS;
      isClear.then(() => machine.pressEscape(display)).catch(failed("Escape not pressed"));
    }
    if (resetsZoom) isClear.then(() => machine.resetZoom(display)).catch(failed("the page's size not reset"));
    if (says !== null) live.tell("page", says);
    const { page } = this.#tabs;
    if (scroll && page) scrollPage(page.devtools, page.id, scroll).catch(failed("page not scrolled"));
    return action;
  }

  /**
   * A browser reaches its proxy at the addresses that the name had at the browser's start (lib/reach/packet_rules.ts): the
   * kernel keeps the browser from others, and a name that was not known then has none.
   */
  #lookForProxy(): void {
    const { live } = this.#started;
    if (this.#history.health.state !== "proxy") return void (this.#proxyDueAt = null);
    this.#proxyDueAt ??= this.#elapsed + PROXY_MS;
    if (this.#elapsed < this.#proxyDueAt || live.viewers > 0) return;
    this.#proxyDueAt = this.#elapsed + PROXY_AGAIN_MS;
    live.tell("page", "The browser is started again, since its proxy may have another address by now.");
    live.work.restartPrograms(["browser"]).catch((error) =>
      log("warn", "browser not restarted", { stream: live.id, error: errorText(error) })
    );
  }

  /** Confirms an accepted certificate again before Chromium forgets it: after an empty page, Chromium asks anew. */
  #renewal({ accepted }: WatchedPage, { certificate }: PageObservation): Action {
    const { live } = this.#started;
    const isUsed = certificate !== null && accepted.includes(certificate.fingerprint);
    if (!isUsed) this.#renewAt = null;
    // an earlier web app confirmed it at an unknown time
    else this.#renewAt ??= this.#elapsed + this.#limits.certificateRenewMs / 5;
    if (this.#renewAt === null || this.#elapsed < this.#renewAt || live.viewers > 0) return { do: "nothing" };
    return { do: "navigate", why: "its accepted certificate is confirmed again" };
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

/** "grafana.local:3000"; empty for an address without a host. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

/** Whether viewers may see the page; null: that is unknown, or the page before is still there. */
function isFitToShow({ look }: PageObservation, { health, openedAt }: PageHistory): boolean | null {
  if (health.state === "opening") return null;
  // a page that goes on by itself stays until the next document comes; one that was sent on has made room for it
  if (health.state === "slow" && openedAt === null && !look?.isOpening && !look?.isBlank) return null;
  if (health.state !== "ok") return false;
  return look === null ? null : !look.isOpening;
}
