import { type ApiPath, apiPath, HEALTH } from "./apiPath.ts";
import { noteServerTime } from "./serverClock.ts";
import { OWN_ANSWER } from "../../lib/model/own_answer.ts";
import type { ProgramKind } from "../../lib/model/programs.ts";
import type { OverrideTime } from "../../lib/model/plan/stop_until.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { Wall } from "../../lib/model/wall/wall.ts";
import type {
  AccessToken,
  Delivery,
  EventPart,
  Extension,
  Heartbeats,
  Imported,
  Incident,
  LogInfo,
  LogPart,
  ReceiverAnswer,
  StreamHeartbeats,
  StreamStatus,
  SystemAnswer,
  TriedPage,
} from "../../lib/model/answers/shapes.ts";

export type Command = "start" | "stop" | "restart" | "recreate";

/** "It could not be …" */
export const FAILED_WORDS: Record<Command, string> = {
  start: "started",
  restart: "restarted",
  recreate: "reset",
  stop: "stopped",
};

const POLL_TIMEOUT_MS = 10_000;
/** A stop waits for Chromium to write its profile, so commands get more time. */
const COMMAND_TIMEOUT_MS = 45_000;
/** The service allows 60 s for a file's upload. */
const IMPORT_TIMEOUT_MS = 75_000;
/** The header of the list's version, which changes with its streams, their settings and their order. */
const VERSION_HEADER = "streams-version";

/** The body of an error answer. */
interface Answer {
  error?: { fields?: Record<string, string> };
  capacity?: { reason: string };
  current?: PublicStream;
  ids?: string[];
}

/** A request that failed; `message` is for people, `fields` are problems by form field. */
export class ApiError extends Error {
  readonly fields: Record<string, string>;
  /** The answer's status; 0: there was no answer. */
  readonly status: number;
  /** The stored stream, when it was changed meanwhile (409). */
  readonly current?: PublicStream;
  /** Why the machine could not carry the stream (409); the start can be forced. */
  readonly noRoom?: string;
  /** The stored order of the streams, when another order was refused (409). */
  readonly ids?: string[];
  /** Whether the answer is from a proxy in front of the service that wants a login. */
  readonly isOfProxy: boolean = false;

  constructor(message: string, status = 0, answer: Answer = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.fields = answer.error?.fields ?? {};
    this.current = answer.current;
    this.noRoom = answer.capacity?.reason;
    this.ids = answer.ids;
  }
}

/** A proxy in front of the service answered, since it wants a login: the service did nothing. */
export class ProxyError extends ApiError {
  override readonly isOfProxy = true;

  constructor(status: number) {
    super("The proxy in front of the service has signed you out. Load the page again to sign in.", status);
  }
}

/**
 * Whether an answer is a proxy's that wants a login: its page, a redirect to it, or a refusal in whatever format. The
 * service never redirects its scripts, and marks its answers.
 */
export function isOfProxy({ type, status, headers }: Pick<Response, "type" | "status" | "headers">): boolean {
  if (type === "opaqueredirect") return true;
  const mayBeLogin = (status >= 200 && status < 400) || [401, 403, 407, 511].includes(status);
  return mayBeLogin && !headers.has(OWN_ANSWER);
}

/** Only our own scripts send this header: the service answers nothing secret without it. */
const OWN = { "x-requested-with": "browser-stream" };

const STREAMS = apiPath`/streams`;
const WALLS = apiPath`/walls`;
const ACCESS_TOKENS = apiPath`/access-tokens`;

const IMPORT_PATHS = {
  preview: apiPath`/streams/import?preview`,
  checked: apiPath`/streams/import`,
  /** Imports although the machine can probably not carry the streams that would run. */
  forced: apiPath`/streams/import?force=true`,
};

/** A new access token: its addresses come with this answer only. */
export interface NewAccessToken extends AccessToken {
  token: string;
  playlist: string;
  tuner: string;
  guide: string;
}

export const api = {
  list: () => versioned<PublicStream[]>(STREAMS),
  /**
   * The statuses with the list's present version, so that the page need not ask for the list each time.
   * @param id absent: of all streams.
   */
  statuses: (id?: string) =>
    versioned<Record<string, StreamStatus>>(
      id === undefined ? apiPath`/streams/statuses` : apiPath`/streams/statuses?id=${id}`,
    ),
  /** The service's changes as they happen. */
  feed: (signal: AbortSignal) => fetch(apiPath`/events`, { headers: OWN, signal }),
  /** The last 24 hours of all streams. */
  heartbeats: () => request<Heartbeats>("GET", apiPath`/streams/heartbeats`, POLL),
  heartbeatsOf: (id: string) => request<StreamHeartbeats>("GET", apiPath`/streams/${id}/heartbeats`, POLL),
  /** The figures of the machine, of all streams and of their viewers. */
  system: () => request<SystemAnswer>("GET", apiPath`/system`, POLL),
  /** The problems of the service's machine, if there are any. */
  health: () => request<{ reasons?: string[] }>("GET", HEALTH, POLL),
  stream: (id: string) => request<PublicStream>("GET", apiPath`/streams/${id}`, POLL),
  /** Where there is no room for it, the stream is stopped and waits for room. */
  create: (body: unknown) => request<PublicStream>("POST", apiPath`/streams?wait=true`, { body }),
  /** Opens a page that is not a stream yet for some seconds. */
  tryPage: (body: unknown, signal: AbortSignal) =>
    request<TriedPage>("POST", apiPath`/streams/try`, { body, signal }),
  update: (id: string, body: unknown) => request<PublicStream>("PATCH", apiPath`/streams/${id}`, { body }),
  /** The request goes on when the page is left. */
  remove: (id: string) => request<void>("DELETE", apiPath`/streams/${id}`, { keepalive: true }),
  /** The same for up to 100 streams; the answer says which are still there. */
  removeMany: (ids: readonly string[]) =>
    request<{ deleted: string[]; failed: { id: string; error: { message: string } }[] }>(
      "DELETE",
      apiPath`/streams?ids=${ids.join()}`,
      { keepalive: true },
    ),
  /**
   * A start waits for room where there is none.
   * @param isForced whether the stream starts although the machine can probably not carry it.
   * @param time how long a planned stream is on the air, or stopped, whatever its plan has.
   */
  command: (id: string, command: Command, isForced = false, time?: OverrideTime) => {
    const path = apiPath`/streams/${id}/${command}`;
    const query = isForced ? "force=true" : command === "start" ? "wait=true" : "";
    const asked = time === undefined ? "" : time === "next" ? "until=next" : `minutes=${time}`;
    const all = [query, asked].filter(Boolean).join("&");
    return request<StreamStatus>("POST", (all === "" ? path : `${path}?${all}`) as ApiPath);
  },
  /**
   * Refused with the current order in `ids` when the argument does not name all streams.
   * @param renumber whether the channels are numbered by it.
   */
  reorder: (ids: string[], renumber = false) =>
    request<{ ids: string[] }>("PUT", apiPath`/streams/reorder`, { body: { ids, renumber } }),
  captureThumbnail: (id: string) =>
    request<{ thumbAt: number | null }>("POST", apiPath`/streams/${id}/thumb`),
  /** @param file the text of a JSON file. @param way a preview changes nothing. */
  importList: (file: string, way: keyof typeof IMPORT_PATHS) =>
    request<Imported>("POST", IMPORT_PATHS[way], {
      text: file,
      timeoutMs: IMPORT_TIMEOUT_MS,
    }),
  /** The key to the stream's display. */
  vnc: (id: string) => request<{ token: string }>("GET", apiPath`/streams/${id}/vnc`, POLL),
  /** Nothing is there: the service refuses it in words where it takes this page for another site's. */
  changeNothing: (id: string) => request<unknown>("POST", apiPath`/streams/${id}/vnc`, POLL),
  /** Shows the stream's own page again. */
  home: (id: string) => request<unknown>("POST", apiPath`/streams/${id}/home`),
  logs: (id: string) => request<{ programs: LogInfo[] }>("GET", apiPath`/streams/${id}/log`, POLL),
  /** A log's end, or the text after the `next` of the answer before. */
  log: (id: string, program: ProgramKind, after?: LogPart["next"]) =>
    request<LogPart>(
      "GET",
      after === undefined
        ? apiPath`/streams/${id}/log/${program}`
        : apiPath`/streams/${id}/log/${program}?after=${after}`,
      POLL,
    ),
  /** The stream's events, or the events after the `next` of the answer before. */
  events: (id: string, after: EventPart["next"] = "0") =>
    request<EventPart>("GET", apiPath`/streams/${id}/events?after=${after}`, POLL),
  logDownload: (id: string, program: ProgramKind) => apiPath`/streams/${id}/log/${program}?download`,
  exportDownload: apiPath`/streams/export`,
  accessTokens: () => request<AccessToken[]>("GET", ACCESS_TOKENS, POLL),
  createAccessToken: (body: unknown) => request<NewAccessToken>("POST", ACCESS_TOKENS, { body }),
  revokeAccessToken: (id: string) => request<void>("DELETE", apiPath`/access-tokens/${id}`),
  createWall: (body: unknown) => request<Wall>("POST", WALLS, { body }),
  /** Refused when another person changed the wall meanwhile. */
  updateWall: (id: string, body: unknown) => request<Wall>("PATCH", apiPath`/walls/${id}`, { body }),
  removeWall: (id: string) => request<void>("DELETE", apiPath`/walls/${id}`),
  /** The receiver's answer to a test message. */
  testWebhook: () => request<Delivery>("POST", apiPath`/webhook/test`),
  createReceiver: (body: unknown) => request<ReceiverAnswer>("POST", apiPath`/receivers`, { body }),
  updateReceiver: (id: string, body: unknown) =>
    request<ReceiverAnswer>("PATCH", apiPath`/receivers/${id}`, { body }),
  removeReceiver: (id: string) => request<void>("DELETE", apiPath`/receivers/${id}`),
  testReceiver: (id: string) => request<Delivery>("POST", apiPath`/receivers/${id}/test`),
  /** What went wrong, and how much of it goes on. */
  incidents: () => request<{ open: number; incidents: Incident[] }>("GET", apiPath`/incidents`, POLL),
  /** The operator's own browser extensions that streams can choose. */
  extensions: () => request<Extension[]>("GET", apiPath`/extensions`, POLL),
  /** The service's DEFAULT_… settings. */
  config: () => request<Record<string, unknown>>("GET", apiPath`/config`, POLL),
};

interface RequestOptions {
  /** A value that is sent as JSON. */
  body?: unknown;
  /** A body that is JSON already. */
  text?: string;
  timeoutMs?: number;
  /** Whether the request goes on when the page is left. */
  keepalive?: boolean;
  /** Cancels the request. */
  signal?: AbortSignal;
}

const POLL: RequestOptions = { timeoutMs: POLL_TIMEOUT_MS };

/** An answer and the version of its list; null: the answer has no version. */
export interface Versioned<T> {
  content: T;
  version: string | null;
}

async function versioned<T>(path: ApiPath): Promise<Versioned<T>> {
  const { answer, headers } = await send<T>("GET", path, POLL);
  return { content: answer, version: headers.get(VERSION_HEADER) };
}

export async function request<T>(method: string, path: ApiPath, options?: RequestOptions): Promise<T> {
  return (await send<T>(method, path, options)).answer;
}

async function send<T>(
  method: string,
  path: ApiPath,
  options: RequestOptions = {},
): Promise<{ answer: T; headers: Headers }> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), options.timeoutMs ?? COMMAND_TIMEOUT_MS);
  options.signal?.addEventListener("abort", () => abort.abort(), { once: true });
  const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...OWN,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body,
      keepalive: options.keepalive,
      // a script may not follow to a proxy's login page on another site
      redirect: "manual",
      signal: abort.signal,
    });
    if (isOfProxy(response)) throw new ProxyError(response.status);
    noteServerTime(response.headers.get("date"));
    const answer = await response.json().catch((error) => {
      // the body is empty or not JSON; a body that was cut off is an error
      if (!(error instanceof SyntaxError)) throw error;
    });
    if (response.ok) return { answer: answer as T, headers: response.headers };
    const { status } = response;
    // the service's message of a 401 is for programs
    const message = status === 401 ? undefined : answer?.error?.message;
    throw new ApiError(message ?? statusProblem(status), status, answer);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      abort.signal.aborted
        ? "The service took too long to answer. Check whether it worked, then try again."
        : "The service cannot be reached. Check that it runs and that you are online, then try again.",
    );
  } finally {
    clearTimeout(timer);
  }
}

function statusProblem(status: number): string {
  if (status === 401) return "You are no longer logged in. Log in again and try again.";
  if (status === 404) return "This stream no longer exists.";
  return `The service answered with error ${status}. Try again, or look into its log.`;
}

/** The message of anything thrown, for people. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
