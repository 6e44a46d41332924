/** Errors that a page's scripts log, for the stream's events: a few a minute, since a page may log without end. */
import { withoutToken } from "../../door/errors.ts";
import { shortSeen } from "../../model/answers/page_health.ts";
import type { DevTools } from "../../browser/client.ts";
import type { StartedPage } from "./started_page.ts";

const MINUTE_MS = 60_000;
const MAX_A_MINUTE = 3;

/** Messages of a stream's own style and script (lib/live/page/looks/page_dress.ts), which the page's messages do not hide. */
const OWN = /^The stream's (?:settings|script): /;

/** Events of one second at which a page's console is no longer listened to for a minute. */
const MAX_EVENTS = 50;

/** Domains that report the messages and exceptions of a page's scripts, however many. */
const DOMAINS = ["Runtime", "Log"];

const LOGGED = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];

/**
 * Has the browser forget the logged messages. The browser keeps each reported object while the page is open, and would
 * report the newest thousand again when a domain is enabled.
 */
const FORGET = ["Runtime.discardConsoleEntries", "Log.clear"];

/** One page's console. */
export class ConsoleErrors {
  #started: Pick<StartedPage, "live" | "ground">;
  /** Times of the reports: of the page, and of the stream's own script. */
  #told: Record<"page" | "own", number[]> = { page: [], own: [] };
  #last = "";
  #second = { at: 0, events: 0 };
  #isKept = false;
  #isPaused = false;
  #pausedUntil = 0;

  constructor(started: Pick<StartedPage, "live" | "ground">) {
    this.#started = started;
  }

  /** Takes an event of the connection. */
  handle(devtools: DevTools, method: string, params: Record<string, unknown>): void {
    if (!LOGGED.includes(method)) return;
    this.#isKept = true;
    this.#count(devtools);
    if (method === "Runtime.exceptionThrown") {
      const { exception, text } = Object(params.exceptionDetails);
      this.#tell(String(Object(exception).description ?? text ?? ""));
    } else if (method === "Runtime.consoleAPICalled") {
      if (params.type !== "error" && params.type !== "assert") return;
      const args = Array.isArray(params.args) ? params.args.slice(0, 5) : [];
      this.#tell(args.map((arg) => String(Object(arg).value ?? Object(arg).description ?? "")).join(" "));
    } else if (method === "Log.entryAdded") {
      const { level, text, url, source } = Object(params.entry);
      // the page's own status is said in plain words
      if (level === "error" && source !== "other") {
        this.#tell(`${String(text)} ${String(url ?? "").slice(0, 100)}`);
      }
    }
  }

  /** Once a look: has the browser forget the messages, and listens again when a flood is over. */
  resume(devtools: DevTools): void {
    const isOver = this.#isPaused && this.#elapsed >= this.#pausedUntil;
    if (this.#isKept || isOver) send(devtools, FORGET);
    this.#isKept = false;
    if (!isOver) return;
    this.#isPaused = false;
    send(devtools, DOMAINS.map((domain) => `${domain}.enable`));
  }

  get #elapsed(): number {
    return this.#started.ground.machine.elapsed();
  }

  #count(devtools: DevTools): void {
    const at = Math.floor(this.#elapsed / 1000);
    if (this.#second.at !== at) this.#second = { at, events: 0 };
    if (++this.#second.events < MAX_EVENTS || this.#isPaused) return;
    this.#isPaused = true;
    this.#pausedUntil = this.#elapsed + MINUTE_MS;
    send(devtools, DOMAINS.map((domain) => `${domain}.disable`));
    this.#tell("The page logs so much that the service ignores its console for a minute.");
  }

  #tell(text: string): void {
    // the address of a wall's own page is a secret
    const short = shortSeen(withoutToken(text.slice(0, 1000)));
    const now = this.#elapsed;
    const whose = OWN.test(short) ? "own" : "page";
    const told = this.#told[whose] = this.#told[whose].filter((at) => now - at < MINUTE_MS);
    if (short === "" || short === this.#last || told.length >= MAX_A_MINUTE) return;
    told.push(now);
    this.#last = short;
    this.#started.live.tell("console", short, "warn");
  }
}

/** Sends without waiting: a page that hangs does not answer, and the looks find the hang. */
function send(devtools: DevTools, methods: string[]): void {
  for (const method of methods) devtools.send(method).catch(() => {});
}
