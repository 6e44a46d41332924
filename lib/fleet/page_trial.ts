/**
 * Opens a page that is no stream yet for some seconds, and reports its look. A trial is a stream without an encoder that is
 * in no list: the walls between streams hold for the trial as well, and at the end all its data is removed like a deleted
 * stream's.
 */
import { Buffer } from "node:buffer";
import { mediaText } from "../live/page/looks/media_page.ts";
import { refusedCertificate, type SeenCertificate } from "../live/page/looks/page_look.ts";
import { badInput, noSuchStream, ServiceError } from "../errors.ts";
import { ALONE } from "../cluster/placement.ts";
import type { Ground } from "../live/ground.ts";
import { LiveStream } from "../live/live_stream.ts";
import {
  type FirstLook,
  isAcceptedStatus,
  lookFirst,
  lookUntilSettled,
  problemOfLook,
  Warnings,
} from "../live/page/first_look.ts";
import type { FirstPage } from "../live/page/first_page.ts";
import { TROUBLES } from "../model/answers/page_health.ts";
import type { TriedPage } from "../model/answers/shapes.ts";
import { TRIAL_ID } from "../model/answers/trial.ts";
import { askerOf, editedOf, storedSettings, triedBody, triedSettings } from "../model/answers/trial_body.ts";
import { parseFingerprints } from "../model/certificates.ts";
import { streamId } from "../model/id.ts";
import { urlProblem } from "../model/page_address.ts";
import type { ProgramKind } from "../model/programs.ts";
import { storedStream, type Stream } from "../model/schema.ts";
import { completeAddress } from "../model/web_address.ts";
import { wallOfAddress } from "../reach/wall_address.ts";
import { ownProxyAddress } from "../reach/way_out.ts";
import { readOrNull } from "../machine/os/files.ts";
import { isWholeJpeg } from "../display/screen_grabs.ts";
import { specFile } from "../live/programs/commands/spec.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { sleep } from "../machine/tools/time.ts";

/** A wall's browser would need the token of a stream. */
const WALL_PROBLEM = "This is a wall of this service and cannot be tried. Start its stream to see it.";

/** A trial's programs; without an encoder there is no channel. */
const KINDS: readonly ProgramKind[] = ["display", "audio", "wm", "browser"];

/** A trial has a place of its own. */
const NO_LIMIT = { noPlace: () => null };

const ID = streamId(TRIAL_ID);
const RESOLUTION = "1280x720";

/** The settings of a trial that no body has. */
const OWN = { id: ID, name: ID, order: 0, fps: 10, resolution: RESOLUTION, memoryLimitMb: 1000 };

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
  /** The ground of the page under trial: its stream has no events, and stays on this machine. */
  #ownGround: Ground;
  #stop = new AbortController();
  /** The page under trial, as long as it is to stay. */
  #stream: Stream | undefined;
  #live: LiveStream | null = null;
  #attempt: Attempt | null = null;
  /** The end of the last trial's removal. */
  #cleared: Promise<void> = Promise.resolve();

  constructor(ground: Ground) {
    this.#ground = ground;
    const done = () => Promise.resolve();
    this.#ownGround = {
      ...ground,
      kinds: KINDS,
      store: {
        version: "",
        list: () => this.#stream ? [this.#stream] : [],
        get: () => this.#stream,
        change: done,
        settled: done,
      },
      addEvent: () => {},
      placement: ALONE,
      around: { ...ground.around, opened: () => {} },
    };
  }

  /** Removes a trial that an earlier web app has left unfinished. */
  start(): void {
    const { paths, store } = this.#ground;
    if (store.get(ID)) return;
    this.#cleared = readOrNull(specFile(paths.specsDir, ID)).then((spec) =>
      spec === null ? undefined : this.#clear(new LiveStream(ID, this.#ownGround, NO_LIMIT))
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
    const page = this.#live?.page;
    return page ? [page.first] : [];
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
        ? this.#unseen()
        : await this.#try(storedStream.parse({ ...settings, url, ...OWN }) as Stream, signal);
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

  async #try(stream: Stream, signal: AbortSignal): Promise<Seen> {
    const warnings = new Warnings(parseFingerprints(stream.acceptedCertificates) ?? []);
    const live = new LiveStream(ID, this.#ownGround, NO_LIMIT);
    this.#stream = stream;
    this.#live = live;
    try {
      await Promise.race([live.work.start(), aborted(signal)]);
      const download = live.page?.first.download;
      const over = AbortSignal.any([signal, ...download ? [download] : []]);
      const look = await this.#look(warnings, over);
      if (download?.aborted) return { ...this.#unseen(), problem: TROUBLES.download.says };
      if (look === null) return this.#unseen();
      return {
        ...told(look, stream),
        certificate: look.error.startsWith("ERR_CERT") ? knownOf(warnings.certificate) : null,
        picture: signal.aborted ? null : await this.#picture(signal),
      };
    } finally {
      this.#cleared = this.#clear(live);
    }
  }

  get #limits() {
    return this.#ground.config.TIMINGS.trial;
  }

  /** The settled page, or the page at the end of the time; null: the page never showed anything. */
  #look(warnings: Warnings, signal: AbortSignal): Promise<FirstLook | null> {
    const { pageMs: limitMs, lookMs, settleMs } = this.#limits;
    const { elapsed } = this.#ground.machine;
    return lookUntilSettled(
      () => this.#lookOnce(warnings).catch(() => undefined),
      ({ error, isLoaded, isBlank }) => error !== "" || isLoaded && !isBlank,
      { limitMs, lookMs, settleMs, elapsed },
      signal,
    );
  }

  /** @returns null when the browser's warning was passed, undefined when there is nothing to see yet. */
  async #lookOnce(warnings: Warnings): Promise<FirstLook | null | undefined> {
    const browser = this.#ground.machine.browsers.of(ID);
    const [target] = await browser.pages();
    if (!target || target.url === "about:blank") return undefined;
    await using page = await browser.connect(target);
    await page.send("Page.enable");
    const look = await lookFirst(page, target.id);
    if (look.isOpening || look.href === "about:blank") return undefined;
    const certificate = look.error.startsWith("ERR_CERT") ? await refusedCertificate(page) : null;
    return await warnings.pass(page, look, certificate) ? null : look;
  }

  /** The answer for a page that has shown nothing. */
  #unseen(): Seen {
    const waited = Math.round(this.#limits.pageMs / 1000);
    const waits = Math.round(this.#ground.config.TIMINGS.pageGiveUpMs / 60_000);
    const problem = `The page did not open in time: its server has not answered within ${waited} s. ` +
      `A stream waits for it for ${waits} minutes.`;
    return { title: "", status: null, problem, media: null, login: null, certificate: null, picture: null };
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
  async #clear(live: LiveStream): Promise<void> {
    this.#stream = undefined;
    for (let left = CLEAR_TRIES; left > 0; left--) {
      const error = await live.work.clear(true).then(() => null, errorText);
      if (error === null) break;
      log("error", "a tried page is not removed", { error });
      if (left > 1) await sleep(CLEAR_PAUSE_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) break;
    }
    this.#live = null;
    await live.stop();
  }
}

type Seen = Omit<TriedPage, "url" | "leftOut">;

function knownOf(certificate: SeenCertificate | null): TriedPage["certificate"] {
  if (certificate === null) return null;
  const { error: _, ...known } = certificate;
  return known;
}

function told(look: FirstLook, stream: Stream): Omit<Seen, "picture" | "certificate"> {
  const { title, hasLoginForm, error, contentType } = look;
  const status = look.status || null;
  const isByHttp = status === 401 && !isAcceptedStatus(status, stream);
  return {
    title: error === "" ? title : "",
    status,
    problem: problemOfLook(look, stream.url, stream),
    media: error === "" ? mediaText(contentType) : null,
    login: hasLoginForm ? "form" : isByHttp ? "http" : null,
  };
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done());
  });
}
