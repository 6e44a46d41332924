import { type ApiPath, apiPath, HEALTH } from "./apiPath.ts";
import { noteServerTime } from "./serverClock.ts";
import type { ProgramKind } from "../../lib/model/programs.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import type { Wall } from "../../lib/model/wall/wall.ts";
import type {
  AccessToken,
  Delivery,
  EventPart,
  Extension,
  Heartbeats,
  ImportSummary,
  LogInfo,
  LogPart,
  StreamStatus,
  SystemAnswer,
  TriedPage,
  WebhookInfo,
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
/** Stopping waits for Chromium to write its profile, so commands get longer. */
const COMMAND_TIMEOUT_MS = 45_000;
/** The service grants a file's upload 60 s. */
const IMPORT_TIMEOUT_MS = 75_000;
/** Differs whenever the list does: its streams, their settings, their order. */
const VERSION_HEADER = "streams-version";

/** What the service says with an error. */
interface Answer {
  error?: { fields?: Record<string, string> };
  capacity?: { reason: string };
  current?: PublicStream;
  ids?: string[];
}

/** A request that failed; `message` is for people, `fields` are problems by form field. */
export class ApiError extends Error {
  readonly fields: Record<string, string>;
  /** Of the answer; 0 when there was none. */
  readonly status: number;
  /** The stream as it is stored, when it was changed meanwhile (409). */
  readonly current?: PublicStream;
  /** Why the machine could not carry the stream, which can be forced (409). */
  readonly noRoom?: string;
  /** The order of the streams as it is stored, when another was refused (409). */
  readonly ids?: string[];
  /** Whether it is not the service that answered, but a proxy in front of it that wants a login. */
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

/** A proxy in front of the service answered with its login page, or leads there: nothing was done. */
export class ProxyError extends ApiError {
  override readonly isOfProxy = true;

  constructor(status: number) {
    super("The proxy in front of the service has signed you out. Load the page again to sign in.", status);
  }
}

/** Whether an answer is none of the service's, which answers its scripts in JSON and leads them nowhere else. */
export function isOfProxy({ type, status, headers }: Pick<Response, "type" | "status" | "headers">): boolean {
  if (type === "opaqueredirect") return true;
  const mayBeLogin = (status >= 200 && status < 400 && status !== 204) ||
    [401, 403, 407, 511].includes(status);
  return mayBeLogin && !/^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "");
}

/** Only a script of ours sends it: without it nothing secret is answered. */
const OWN = { "x-requested-with": "browser-stream" };

const STREAMS = apiPath`/streams`;
const WALLS = apiPath`/walls`;
const ACCESS_TOKENS = apiPath`/access-tokens`;

const IMPORT_PATHS = {
  preview: apiPath`/streams/import?preview`,
  checked: apiPath`/streams/import`,
  /** Although the machine can probably not carry what would run. */
  forced: apiPath`/streams/import?force=true`,
};

/** A new access token: its addresses come with this answer only. */
export interface NewAccessToken extends AccessToken {
  token: string;
  playlist: string;
  guide: string;
}

export const api = {
  list: () => versioned<PublicStream[]>(STREAMS),
  /** With the version of the list there is, so that it need not be asked for each time. */
  statuses: () => versioned<Record<string, StreamStatus>>(apiPath`/streams/statuses`),
  /** What changes, as it changes. */
  feed: (signal: AbortSignal) => fetch(apiPath`/events`, { headers: OWN, signal }),
  /** The last 24 hours of all streams. */
  heartbeats: () => request<Heartbeats>("GET", apiPath`/streams/heartbeats`, POLL),
  /** How the machine is, what all streams take, and who watches them. */
  system: () => request<SystemAnswer>("GET", apiPath`/system`, POLL),
  /** What is wrong with the service's machine, if anything is. */
  health: () => request<{ reasons?: string[] }>("GET", HEALTH, POLL),
  create: (body: unknown) => request<PublicStream>("POST", STREAMS, { body }),
  /** Opens a page that is no stream yet, for some seconds. */
  tryPage: (body: unknown, signal: AbortSignal) =>
    request<TriedPage>("POST", apiPath`/streams/try`, { body, signal }),
  update: (id: string, body: unknown) => request<PublicStream>("PATCH", apiPath`/streams/${id}`, { body }),
  remove: (id: string) => request<void>("DELETE", apiPath`/streams/${id}`),
  /** @param isForced whether it starts although the machine can probably not carry it. */
  command: (id: string, command: Command, isForced = false) =>
    request<StreamStatus>(
      "POST",
      isForced ? apiPath`/streams/${id}/${command}?force=true` : apiPath`/streams/${id}/${command}`,
    ),
  /** Refused with the current order in `ids` when these are not all streams. */
  reorder: (ids: string[]) => request<{ ids: string[] }>("PUT", apiPath`/streams/reorder`, { body: { ids } }),
  captureThumbnail: (id: string) =>
    request<{ thumbAt: number | null }>("POST", apiPath`/streams/${id}/thumb`),
  /** @param file the text of a JSON file. @param way a preview only says what would happen. */
  importList: (file: string, way: keyof typeof IMPORT_PATHS) =>
    request<ImportSummary & { applied: boolean }>("POST", IMPORT_PATHS[way], {
      text: file,
      timeoutMs: IMPORT_TIMEOUT_MS,
    }),
  /** The key to the stream's display. */
  vnc: (id: string) => request<{ token: string }>("GET", apiPath`/streams/${id}/vnc`, POLL),
  /** Shows the stream's own page again. */
  home: (id: string) => request<unknown>("POST", apiPath`/streams/${id}/home`),
  logs: (id: string) => request<{ programs: LogInfo[] }>("GET", apiPath`/streams/${id}/log`, POLL),
  /** A log's end, or what came after the `next` of the answer before. */
  log: (id: string, program: ProgramKind, after?: LogPart["next"]) =>
    request<LogPart>(
      "GET",
      after === undefined
        ? apiPath`/streams/${id}/log/${program}`
        : apiPath`/streams/${id}/log/${program}?after=${after}`,
      POLL,
    ),
  /** What happened to the stream, or what came after the `next` of the answer before. */
  events: (id: string, after: EventPart["next"] = "0") =>
    request<EventPart>("GET", apiPath`/streams/${id}/events?after=${after}`, POLL),
  logDownload: (id: string, program: ProgramKind) => apiPath`/streams/${id}/log/${program}?download`,
  exportDownload: apiPath`/streams/export`,
  accessTokens: () => request<AccessToken[]>("GET", ACCESS_TOKENS, POLL),
  createAccessToken: (body: unknown) => request<NewAccessToken>("POST", ACCESS_TOKENS, { body }),
  revokeAccessToken: (id: string) => request<void>("DELETE", apiPath`/access-tokens/${id}`),
  createWall: (body: unknown) => request<Wall>("POST", WALLS, { body }),
  /** Refused when somebody else changed it meanwhile. */
  updateWall: (id: string, body: unknown) => request<Wall>("PATCH", apiPath`/walls/${id}`, { body }),
  removeWall: (id: string) => request<void>("DELETE", apiPath`/walls/${id}`),
  /** The receiver of messages about failed streams; null inside: none. */
  webhook: () => request<{ webhook: WebhookInfo | null }>("GET", apiPath`/webhook`, POLL),
  /** What the receiver said. */
  testWebhook: () => request<Delivery>("POST", apiPath`/webhook/test`),
  /** The operator's own browser extensions that streams can choose. */
  extensions: () => request<Extension[]>("GET", apiPath`/extensions`, POLL),
  /** The service's DEFAULT_… settings. */
  config: () => request<Record<string, unknown>>("GET", apiPath`/config`, POLL),
};

interface RequestOptions {
  /** Sent as JSON. */
  body?: unknown;
  /** JSON already. */
  text?: string;
  timeoutMs?: number;
  /** Gives the request up. */
  signal?: AbortSignal;
}

const POLL: RequestOptions = { timeoutMs: POLL_TIMEOUT_MS };

/** An answer and the version of the list it belongs to; null: the service does not tell. */
export interface Versioned<T> {
  content: T;
  version: string | null;
}

async function versioned<T>(path: ApiPath): Promise<Versioned<T>> {
  const { answer, headers } = await send<T>("GET", path, POLL);
  return { content: answer, version: headers.get(VERSION_HEADER) };
}

async function request<T>(method: string, path: ApiPath, options?: RequestOptions): Promise<T> {
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
      // to a proxy's login page on another site no script may go
      redirect: "manual",
      signal: abort.signal,
    });
    if (isOfProxy(response)) throw new ProxyError(response.status);
    noteServerTime(response.headers.get("date"));
    const answer = await response.json().catch((error) => {
      // no JSON, or nothing at all; what was cut off is no answer
      if (!(error instanceof SyntaxError)) throw error;
    });
    if (response.ok) return { answer: answer as T, headers: response.headers };
    const { status } = response;
    // the service tells programs what to do
    const message = status === 401 ? undefined : answer?.error?.message;
    throw new ApiError(message ?? statusProblem(status), status, answer);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      abort.signal.aborted
        ? "The service took too long to answer. Look whether it worked, then try again."
        : "The service cannot be reached. Check that it runs and that you are online, then try again.",
    );
  } finally {
    clearTimeout(timer);
  }
}

function statusProblem(status: number): string {
  if (status === 401) return "You are no longer logged in. Log in again, then try once more.";
  if (status === 404) return "This stream no longer exists.";
  return `The service answered with error ${status}. Try again; its log says why.`;
}

/** The message of anything thrown, for people. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
