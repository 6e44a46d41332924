/**
 * Opens a page that is no stream yet for some seconds, and reports its look. The trial has no more than a stream has:
 * a user, a profile, a memory limit and a reach of its own, and the programs without the encoder. So the walls between
 * streams hold for the trial as well, and at the end all its data is removed like a deleted stream's.
 */
import { Buffer } from "node:buffer";
import type { BrowserControl } from "../devtools/client.ts";
import { type FirstLook, lookFirst, lookUntilSettled } from "../live/page/first_look.ts";
import { badInput, noSuchStream, ServiceError } from "../errors.ts";
import { ownProxyAddress } from "../net/way_out.ts";
import { proceed, refusedCertificate, type SeenCertificate } from "../devtools/page_look.ts";
import { wallOfAddress } from "../net/wall_address.ts";
import { completeAddress } from "../model/web_address.ts";
import { specFile, writeSpec } from "../pipeline/spec.ts";
import { mediaText } from "../devtools/media_page.ts";
import { isWholeJpeg } from "../pipeline/screen_grabs.ts";
import { streamId } from "../model/id.ts";
import { problemOfSeen, TROUBLES } from "../model/answers/page_health.ts";
import type { ProgramKind } from "../model/programs.ts";
import { parseFingerprints } from "../model/certificates.ts";
import { urlProblem } from "../model/page_address.ts";
import { parseOrigins } from "../model/login_origins.ts";
import { parseStatuses } from "../model/page_sites.ts";
import { storedStream, type Stream } from "../model/schema.ts";
import { TRIAL_ID } from "../model/answers/trial.ts";
import { askerOf, editedOf, storedSettings, triedBody, triedSettings } from "../model/answers/trial_body.ts";
import { controlName, groupsOf } from "../supervisor/program_files.ts";
import { readOrNull, removeTree } from "../os/files.ts";
import { sleep } from "../system/time.ts";
import { errorText, log } from "../system/log.ts";
import type { Part } from "../system/part.ts";
import type { Ground } from "../live/ground.ts";
import type { FirstPage } from "../live/page/first_page.ts";
import { PageKeeper } from "../live/page/keeper.ts";
import type { KeptStream } from "../live/kept_stream.ts";
import { PlanClock } from "../live/plan_clock.ts";
import type { StartedSpec } from "../live/programs/pipeline.ts";
import { LoginReports } from "../signin/reports.ts";
import { stopPrograms } from "../live/programs/stop_programs.ts";
import type { TriedPage } from "../model/answers/shapes.ts";

/** A wall's browser would need the token of a stream. */
const WALL_PROBLEM = "This is a wall of this service and cannot be tried. Start its stream to see it.";

/** A trial's programs; without an encoder there is no channel. */
const KINDS: readonly ProgramKind[] = ["display", "audio", "wm", "browser"];

const ID = streamId(TRIAL_ID);
const RESOLUTION = "1280x720";
const MEMORY_MB = 1000;

/** Most warnings that are passed for an accepted certificate: each site on the way has one warning. */
const MOST_WARNINGS = 3;

/** The tries to remove a trial's data, and the milliseconds between two tries. */
const [CLEAR_TRIES, CLEAR_PAUSE_MS] = [3, 1000];

/** A request for a trial, from its turn's beginning to its end. */
interface Attempt {
  asker: string | null;
  /** Ends the attempt when the same client sends a newer request. */
  superseded: AbortController;
  ended: Promise<void>;
}

export class PageTrial implements Part {
  #ground: Ground;
  #stop = new AbortController();
  /** Keeps the open page. */
  #page: PageKeeper | null = null;
  #display: number | null = null;
  #attempt: Attempt | null = null;
  /** The end of the last trial's removal. */
  #cleared: Promise<void> = Promise.resolve();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Removes a trial that an earlier web app has left unfinished. */
  start(): void {
    const { paths, store } = this.#ground;
    if (store.get(ID)) return;
    this.#cleared = readOrNull(specFile(paths.specsDir, ID)).then((spec) =>
      spec === null ? undefined : this.#clear()
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    while (this.#attempt) await this.#attempt.ended;
    await this.settled();
  }

  /** Resolves when nothing is left of the last trial, whose answer comes earlier. */
  settled(): Promise<void> {
    return this.#cleared;
  }

  /** The opener of the page under trial. */
  running(): FirstPage[] {
    return this.#page ? [this.#page.first] : [];
  }

  /**
   * Opens the page of a body `{"url": …}`, with the fields for the page's look, and closes the page again.
   * `stream` is the edited stream: its stored headers and cookies count. `asker` is the client, whose newer request
   * replaces the last one.
   * @param client ends the trial by leaving.
   * @throws {ServiceError} 400 for settings that no stream could have; 404 when there is no such stream; 409 while
   * another page is tried, and when a newer request replaces this one.
   */
  async tryPage(given: unknown, client: { signal: AbortSignal }): Promise<TriedPage> {
    const body = triedBody(given);
    const url = await this.#checkedUrl(body);
    const asker = askerOf(body);
    const { settings, leftOut } = this.#settings(body, url);
    await this.#refuseProxy(settings);
    if (this.#ground.store.get(ID)) {
      throw new ServiceError(409, `While there is a stream with the id "${ID}", pages cannot be tried.`);
    }
    const before = this.#attempt;
    if (before && (asker === null || before.asker !== asker)) {
      const problem = "Another page is being tried just now. Try again in some seconds.";
      throw new ServiceError(409, problem, undefined, { retryAfterSeconds: 10 });
    }
    before?.superseded.abort();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const own: Attempt = { asker, superseded: new AbortController(), ended };
    this.#attempt = own;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#limits.wholeMs);
    const others = [client.signal, this.#stop.signal, limit.signal];
    const signal = AbortSignal.any([own.superseded.signal, ...others]);
    try {
      await before?.ended;
      await this.#cleared;
      const tried = signal.aborted
        ? { ...this.#told(null), certificate: null, picture: null }
        : await this.#try({ ...settings, url }, signal);
      own.superseded.signal.throwIfAborted();
      return { url, ...tried, leftOut };
    } catch (error) {
      if (!own.superseded.signal.aborted) throw error;
      throw new ServiceError(409, "A newer trial replaced this one.");
    } finally {
      clearTimeout(timer);
      if (this.#attempt === own) this.#attempt = null;
      end();
    }
  }

  /** The settings of the trial beside the page's address. */
  #settings(body: Record<string, unknown>, url: string): { settings: Partial<Stream>; leftOut: string[] } {
    const given = triedSettings(body);
    const id = editedOf(body);
    if (id === null) return { settings: given, leftOut: [] };
    const stored = this.#ground.store.get(streamId(id));
    if (!stored) throw noSuchStream(id);
    const { settings, leftOut } = storedSettings(stored, given, url);
    return { settings: { ...settings, ...given }, leftOut };
  }

  async #checkedUrl({ url: typed }: Record<string, unknown>): Promise<string> {
    if (typeof typed !== "string") throw badInput({ url: 'Send the address: {"url": "https://…"}.' });
    const url = completeAddress(typed.trim());
    const problem = urlProblem(url) ?? await this.#ground.around.placeProblem(url) ??
      (wallOfAddress(url) === null ? null : WALL_PROBLEM);
    if (problem !== null) throw badInput({ url: problem });
    return url;
  }

  async #refuseProxy({ proxy = "" }: Partial<Stream>): Promise<void> {
    const address = ownProxyAddress(proxy);
    const problem = address && await this.#ground.around.placeProblem(address);
    if (problem) throw badInput({ proxy: problem });
  }

  async #try(fields: Tried, signal: AbortSignal): Promise<Seen> {
    const warnings: Warnings = { certificate: null, passed: 0 };
    try {
      await this.#open(fields, signal);
      const { download } = this.#page!.first;
      const accepted = parseFingerprints(fields.acceptedCertificates ?? "") ?? [];
      const look = await this.#look(accepted, warnings, AbortSignal.any([signal, download]));
      if (download.aborted) {
        return { ...this.#told(null), problem: TROUBLES.download.says, certificate: null, picture: null };
      }
      return {
        ...this.#told(look, fields),
        certificate: look?.error.startsWith("ERR_CERT") ? certificateOf(warnings) : null,
        picture: look && !signal.aborted ? await this.#picture(signal) : null,
      };
    } finally {
      this.#cleared = this.#clear();
    }
  }

  async #open(fields: { url: string }, signal: AbortSignal): Promise<void> {
    const { machine: { broker, now, elapsed }, supervision: { supervisor, displays }, paths } = this.#ground;
    const display = this.#display ??= await displays.take();
    const own = { id: ID, name: ID, order: 0, fps: 10, resolution: RESOLUTION };
    const stream = storedStream.parse({ ...fields, ...own }) as Stream;
    const spec = { stream, display, startedAt: now() };
    await writeSpec(paths.specsDir, spec);
    const needs = { display, resolution: RESOLUTION, memoryLimitMb: MEMORY_MB };
    await broker.prepare(ID, needs);
    await supervisor.update(groupsOf(ID), signal);
    this.#page = this.#keeperOf({ ...spec, steadyStart: elapsed() });
    // side by side: the supervisor's tool waits until each program has run for some time
    const starts = KINDS.map((kind) => supervisor.start([controlName(kind, ID)], signal));
    const failed = (await Promise.allSettled(starts)).find(({ status }) => status === "rejected");
    if (failed && !signal.aborted) throw (failed as PromiseRejectedResult).reason;
  }

  get #browser(): BrowserControl {
    return this.#ground.machine.browsers.of(ID);
  }

  get #limits() {
    return this.#ground.config.TIMINGS.trial;
  }

  /** Keeps the page as a stream's is kept, but for the looks: opens it as soon as its browser is there. */
  #keeperOf(spec: StartedSpec): PageKeeper {
    const { stream } = spec;
    const { machine, paths, timeZone, around } = this.#ground;
    const { now, elapsed } = machine;
    const live = {
      id: ID,
      stream,
      spec,
      isBusy: false,
      work: {} as KeptStream["work"],
      plan: new PlanClock(timeZone, machine),
      logins: new LoginReports({ path: paths.logsDir, tell: () => {}, now, newsSince: elapsed() }),
      viewers: 0,
      tell: () => {},
    };
    return new PageKeeper(live, { ...this.#ground, around: { ...around, opened: () => {} } }, spec);
  }

  /** The settled page, or the page at the end of the time; null: the page never showed anything. */
  async #look(
    accepted: readonly string[],
    warnings: Warnings,
    signal: AbortSignal,
  ): Promise<FirstLook | null> {
    const { pageMs: limitMs, lookMs, settleMs } = this.#limits;
    const { elapsed } = this.#ground.machine;
    return await lookUntilSettled(
      () => this.#lookOnce(accepted, warnings).catch(() => undefined),
      ({ error, isLoaded, isBlank }) => error !== "" || isLoaded && !isBlank,
      { limitMs, lookMs, settleMs, elapsed },
      signal,
    );
  }

  /** @returns null when the browser's warning was passed, undefined when there is nothing to see yet. */
  async #lookOnce(accepted: readonly string[], warnings: Warnings): Promise<FirstLook | null | undefined> {
    const browser = this.#browser;
    const [target] = await browser.pages();
    if (!target || target.url === "about:blank") return undefined;
    await using page = await browser.connect(target);
    await page.send("Page.enable");
    const look = await lookFirst(page, target.id);
    if (look.isOpening || look.href === "about:blank") return undefined;
    if (!look.error.startsWith("ERR_CERT")) return look;
    warnings.certificate = await refusedCertificate(page);
    const isAccepted = accepted.includes(warnings.certificate?.fingerprint ?? "");
    if (!isAccepted || warnings.passed++ >= MOST_WARNINGS) return look;
    await proceed(page);
    return null;
  }

  /** The result of the look, for people. */
  #told(look: FirstLook | null, fields?: Tried): Omit<Seen, "picture" | "certificate"> {
    if (look && fields) return told(look, fields);
    const waited = Math.round(this.#limits.pageMs / 1000);
    const waits = Math.round(this.#ground.config.TIMINGS.pageGiveUpMs / 60_000);
    const problem = `The page did not open in time: its server has not answered within ${waited} s. ` +
      `A stream waits for it for ${waits} minutes.`;
    return { title: "", status: null, problem, media: null, login: null };
  }

  async #picture(signal: AbortSignal): Promise<string | null> {
    try {
      const bytes = await this.#ground.machine.broker.capture(ID, RESOLUTION, "thumbnail", signal);
      return isWholeJpeg(bytes) ? Buffer.from(bytes).toString("base64") : null;
    } catch (error) {
      log("warn", "no picture of a tried page", { error: errorText(error) });
      return null;
    }
  }

  /** Removes all data of a trial. A step may fail on a full machine: then all steps run again. */
  async #clear(): Promise<void> {
    const { displays, status } = this.#ground.supervision;
    const page = this.#page;
    this.#page = null;
    // waited for below: a browser that hangs ends with its programs
    const closed = page?.close();
    for (let left = CLEAR_TRIES; left > 0; left--) {
      const error = await this.#clearOnce().then(() => null, errorText);
      if (error === null) break;
      log("error", "a tried page is not removed", { error });
      if (left > 1) await sleep(CLEAR_PAUSE_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) break;
    }
    await closed;
    if (this.#display !== null) displays.free(this.#display);
    this.#display = null;
    status.invalidate();
  }

  /** @throws {Error} when a step fails. */
  async #clearOnce(): Promise<void> {
    const { machine: { broker }, supervision: { supervisor, status }, paths } = this.#ground;
    status.invalidate();
    await stopPrograms({ supervisor, status }, ID, KINDS, KINDS.map((kind) => controlName(kind, ID)));
    await broker.release(ID);
    await broker.disown(ID);
    await supervisor.update(groupsOf(ID));
    await broker.remove(ID);
    // last: the file says that there is something to clear
    await removeTree(specFile(paths.specsDir, ID));
  }
}

type Seen = Omit<TriedPage, "url" | "leftOut">;
type Tried = Partial<Stream> & { url: string };

/** The browser's warnings of a trial. */
interface Warnings {
  /** The certificate of the last one. */
  certificate: SeenCertificate | null;
  /** How many were passed, since their certificate is accepted. */
  passed: number;
}

function certificateOf({ certificate }: Warnings): TriedPage["certificate"] {
  if (certificate === null) return null;
  const { error: _, ...known } = certificate;
  return known;
}

function told(
  look: FirstLook,
  { url, acceptedStatuses = "", sites = "" }: Tried,
): Omit<Seen, "picture" | "certificate"> {
  const { title, hasLoginForm, error, contentType } = look;
  const status = look.status || null;
  const isAccepted = (parseStatuses(acceptedStatuses) ?? []).includes(look.status);
  const isByHttp = status === 401 && !isAccepted;
  return {
    title: error === "" ? title : "",
    status,
    problem: problemOfSeen(isAccepted ? { ...look, status: 0 } : look, [
      new URL(url).origin,
      ...parseOrigins(sites) ?? [],
    ]),
    media: error === "" ? mediaText(contentType) : null,
    login: hasLoginForm ? "form" : isByHttp ? "http" : null,
  };
}
