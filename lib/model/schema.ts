/**
 * A stream: one web page that is shown on a channel. This schema is the single source of the types, the
 * defaults and the messages; the store, the API and the forms all use it.
 */
import * as z from "zod";
import { proxyProblem } from "../reach/proxy_server.ts";
import { pushTargetProblem } from "../machine/net/push_target.ts";
import { completeAddress } from "./web_address.ts";
import { logoProblem, MAX_CHANNEL_NUMBER } from "./channel.ts";
import { enteredLine } from "./entered/line.ts";
import { extensionNames, extensionsProblem } from "./extensions.ts";
import { fingerprintsProblem, parseFingerprints } from "./certificates.ts";
import { STREAM_ID, type StreamId } from "./id.ts";
import { loginOriginsProblem, parseOrigins } from "./login_origins.ts";
import { parseStatuses, sitesProblem, statusesProblem } from "./page_sites.ts";
import { urlProblem } from "./page_address.ts";
import {
  COLOR_SCHEMES,
  cookiesProblem,
  headersProblem,
  languageProblem,
  MAX_LIST,
  MAX_SOURCE,
  selectorsProblem,
  timeZoneProblem,
} from "./page_settings.ts";
import { storedSize } from "./picture_size.ts";
import { formatPages, LEAST_SECONDS, MOST_SECONDS, pagesProblem, parsePages } from "./plan/pages.ts";
import type { PlanOverride } from "./plan/stop_until.ts";
import { formatPlan, parsePlan, planProblem } from "./plan/plan.ts";
import { SECRET_FIELDS, type SecretField, type SecretSet, setName } from "./secrets.ts";

/** x264's speed presets, fastest first. */
export const ENCODER_PRESETS = [
  "ultrafast",
  "superfast",
  "veryfast",
  "faster",
  "fast",
  "medium",
  "slow",
  "slower",
  "veryslow",
  "placebo",
] as const;

/** x264's tunes; `none` passes no tune. */
export const ENCODER_TUNES = [
  "zerolatency",
  "stillimage",
  "animation",
  "film",
  "grain",
  "fastdecode",
  "psnr",
  "ssim",
  "none",
] as const;

/** Starting points for people; every number stays editable. */
export const QUALITY_PRESETS = {
  Dashboard: { fps: 10, preset: "superfast", tune: "zerolatency", bitrate: "1500k", bufsize: "3000k" },
  Video: { fps: 30, preset: "superfast", tune: "zerolatency", bitrate: "4000k", bufsize: "4000k" },
} as const;

/** The pictures that viewers may see while the page is broken. */
export const WHILE_BROKEN = ["last", "slate", "page"] as const;

/** Who may look at a channel's past: people who may edit streams, or everybody who may watch. */
export const REWIND_FOR = ["operators", "viewers"] as const;

const MAX_PIXELS = 3840 * 2160;

function size(label: string, example: string) {
  return z.string({ error: `${label} must be a text such as "${example}".` }).trim().overwrite(storedSize)
    .regex(
      /^\d{2,5}x\d{2,5}$/,
      `${label} must be width x height in pixels, such as "${example}", or a name such as 1080p or 4K.`,
    ).refine((text) => {
      const { width, height } = parseSize(text);
      return width % 2 === 0 && height % 2 === 0;
    }, `${label}: width and height must be even numbers (H.264 needs it), such as "${example}".`).refine(
      (text) => {
        const { width, height } = parseSize(text);
        return width >= 160 && height >= 90 && width * height <= MAX_PIXELS;
      },
      `${label} must be between 160x90 and 3840x2160.`,
    );
}

function rate(label: string, example: string) {
  return z.union([z.string(), z.number()], { error: `${label} must be a rate such as "${example}".` })
    .transform((value) =>
      typeof value === "number" ? `${Math.round(value / 1000)}k` : value.trim().replace("m", "M")
    )
    .refine((text) => {
      const bits = parseBitrate(text);
      return bits !== null && bits >= 50_000 && bits <= 100_000_000;
    }, `${label} must be between "50k" and "100M" bits per second, such as "${example}".`);
}

function whole(label: string, min: number, max: number) {
  const message = `${label} must be a whole number from ${min} to ${max}.`;
  return numeric(message).refine((value) => Number.isInteger(value) && value >= min && value <= max, message)
    .meta({ minimum: min, maximum: max }); // for the description of the API, which sees no refinement
}

/** A number, or a number's text as in forms and older files. */
function numeric(message: string) {
  return z.union([z.number(), z.string().trim().regex(/^-?\d+(\.\d+)?$/, message)], { error: message })
    .transform(
      Number,
    );
}

const flag = (label: string) =>
  z.union([z.boolean(), z.enum(["true", "false", "1", "0", "on", "off"])], {
    error: `${label} must be true or false.`,
  }).transform((value) => value === true || value === "true" || value === "1" || value === "on");

const name = enteredLine({ label: "A name", most: 120, problem: 'A name is needed, such as "Grafana".' });

const id = z.string({ error: 'An id is a text such as "grafana".' }).regex(
  STREAM_ID,
  'An id has 1 to 63 of a-z, 0-9 and "-", and starts with a letter or digit, such as "grafana".',
).transform((text) => text as StreamId);

const url = z.string({ error: "The page's address is missing. Example: https://grafana.example.org/" })
  .trim()
  .overwrite(completeAddress)
  .superRefine((text, context) => {
    const problem = urlProblem(text);
    if (problem) context.addIssue({ code: "custom", message: problem });
  });

const delayMessage = 'The delay must be 0 to 600 seconds, such as 5 or "15s".';
const delay = z.union([z.number(), z.string()], { error: delayMessage })
  .transform((value) => typeof value === "number" ? value : parseSeconds(value))
  .refine((seconds) => seconds >= 0 && seconds <= 600, delayMessage);

const credential = (label: string) =>
  z.string({ error: `${label} must be a text.` }).max(1024, `${label} has at most 1024 characters.`);

/**
 * Words with blanks between them, as they stand in the form; a list is taken, too.
 * @param word a list's entry. @param error the message for all other values. @param parse of a text without a problem.
 */
function words(
  label: string,
  error: string,
  problemOf: (text: string) => string | null,
  parse: (text: string) => readonly (string | number)[] | null,
  word: z.ZodType<string | number> = z.string(),
) {
  return z.union([word, z.array(word)], { error })
    .transform((value) => Array.isArray(value) ? value.join(" ") : String(value))
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem) context.addIssue({ code: "custom", message: `${label}: ${problem}` });
    })
    .transform((text) => (parse(text) ?? []).join(" "));
}

const loginOrigins = words(
  "Login origins",
  'The login origins are a text such as "https://sso.example.org".',
  loginOriginsProblem,
  parseOrigins,
);

const acceptedCertificates = words(
  "Accepted certificates",
  "The accepted certificates are SHA-256 fingerprints with blanks between them.",
  fingerprintsProblem,
  parseFingerprints,
);

const sites = words(
  "Other sites of the page",
  'The sites are a text such as "https://news.example.org".',
  sitesProblem,
  parseOrigins,
);

const acceptedStatuses = words(
  "Accepted statuses",
  'The accepted statuses are a text such as "404 403".',
  statusesProblem,
  parseStatuses,
  z.union([z.string(), z.number()]),
);

const proxy = z.string({ error: 'The proxy is a text such as "http://proxy.example.org:3128".' }).trim()
  .max(300, "The proxy has at most 300 characters.")
  .superRefine((text, context) => {
    const problem = proxyProblem(text);
    if (problem) context.addIssue({ code: "custom", message: `Proxy: ${problem}` });
  });

const pushTo = z.string({ error: 'The push is an address such as "rtmp://a.rtmp.youtube.com/live2".' }).trim()
  .max(1000, "The address of the push has at most 1000 characters.")
  .superRefine((text, context) => {
    const problem = pushTargetProblem(text);
    if (problem) context.addIssue({ code: "custom", message: `Push: ${problem}` });
  });

const pushKey = z.string({ error: "The stream key must be a text." }).trim()
  .regex(/^[\x21-\x7e]{0,512}$/, "The stream key has at most 512 letters, digits and signs, and no blanks.");

const extensions = z.union([z.string(), z.array(z.string())], {
  error: 'The extensions are names of folders with blanks between them, such as "dark-page".',
})
  .transform((value) => extensionNames(typeof value === "string" ? value : value.join(" ")).join(" "))
  .superRefine((text, context) => {
    const problem = extensionsProblem(text);
    if (problem) context.addIssue({ code: "custom", message: `Extensions: ${problem}` });
  });

/** A text that is stored as it is, except line breaks of other systems and blanks at its ends. */
function lines(label: string, most: number, problemOf: (text: string) => string | null = () => null) {
  return z.string({ error: `${label} must be a text.` })
    .max(most, `${label} has at most ${most} characters.`)
    .transform((text) => text.replace(/\r\n?/g, "\n").trim())
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem) context.addIssue({ code: "custom", message: `${label}: ${problem}` });
    });
}

const userAgent = z.string({ error: "The user agent must be a text." }).trim()
  .max(512, "The user agent has at most 512 characters.")
  .regex(/^[\x20-\x7e]*$/, "The user agent has Latin letters, digits and signs only.");

const onDemandMinutes = "The minutes after the last viewer must be 0.1 to 1440, such as 5.";

const interval = "The reload interval must be 0.1 to 10080 minutes, such as 30.";

const groupProblem = 'A group is a text such as "Operations".';
const group = enteredLine({ label: "A group", most: 60, problem: groupProblem, isOptional: true });

const numberMessage =
  `The channel number must be a whole number from 1 to ${MAX_CHANNEL_NUMBER}, or 0 for none.`;
const channelNumber = z.union([
  z.literal("").transform(() => 0),
  numeric(numberMessage)
    .refine((value) => Number.isInteger(value) && value >= 0 && value <= MAX_CHANNEL_NUMBER, numberMessage)
    .meta({ minimum: 0, maximum: MAX_CHANNEL_NUMBER }),
], { error: numberMessage });

const channelLogo = z.string({
  error: 'The logo is a text such as "https://nas.example.org/logos/news.png".',
})
  .trim()
  .overwrite(completeAddress)
  .superRefine((text, context) => {
    const problem = logoProblem(text);
    if (problem) context.addIssue({ code: "custom", message: problem });
  })
  // as in a list that has no way to write a quote
  .transform((text) => text === "" ? "" : new URL(text).href);

/**
 * The fields a person sets. Units: delay and pageSeconds seconds, autoReloadInterval and onDemandMinutes minutes, gop frames,
 * memoryLimitMb MiB.
 */
export const streamFields = z.object({
  name,
  url,
  group: group.default(""),
  channelNumber: channelNumber.default(0),
  channelLogo: channelLogo.default(""),
  morePages: lines("More pages", MAX_LIST, pagesProblem)
    .transform((text) => formatPages(parsePages(text))).default(""),
  pageSeconds: whole("The seconds of a page", LEAST_SECONDS, MOST_SECONDS).default(30),
  plan: lines("The plan", MAX_LIST, planProblem)
    .transform((text) => formatPlan(parsePlan(text))).default(""),
  planTimeZone: lines("The plan's time zone", 100, timeZoneProblem).default(""),
  user: credential("The user name").default(""),
  pass: credential("The password").default(""),
  loginOrigins: loginOrigins.default(""),
  acceptedCertificates: acceptedCertificates.default(""),
  acceptedStatuses: acceptedStatuses.default(""),
  sites: sites.default(""),
  webRtc: flag("WebRTC").default(false),
  proxy: proxy.default(""),
  zoom: whole("The zoom", 25, 500).default(100),
  css: lines("The style sheet", MAX_SOURCE).default(""),
  js: lines("The script", MAX_SOURCE).default(""),
  hideBanners: flag("Hiding cookie banners").default(false),
  hideSelectors: lines("The list of hidden elements", MAX_LIST, selectorsProblem).default(""),
  userAgent: userAgent.default(""),
  language: lines("The language", 200, languageProblem).default(""),
  timeZone: lines("The time zone", 100, timeZoneProblem).default(""),
  colorScheme: z.enum(COLOR_SCHEMES, { error: `colorScheme must be one of ${COLOR_SCHEMES.join(", ")}.` })
    .default("auto"),
  extensions: extensions.default(""),
  extraHeaders: lines("Extra headers", MAX_LIST, headersProblem).default(""),
  extraCookies: lines("Extra cookies", MAX_LIST, cookiesProblem).default(""),
  delay: delay.default(0),
  resolution: size("The display's size", "1920x1080").default("1280x720"),
  scale: size("The picture's size", "1280x720").default("1280x720"),
  fps: whole("Frames per second", 1, 60).default(25),
  bitrate: rate("The bit rate", "1500k").default("1500k"),
  bufsize: rate("The buffer size", "3000k").default("3000k"),
  preset: z.enum(ENCODER_PRESETS, { error: `The preset must be one of ${ENCODER_PRESETS.join(", ")}.` })
    .default("superfast"),
  tune: z.enum(ENCODER_TUNES, { error: `The tune must be one of ${ENCODER_TUNES.join(", ")}.` })
    .default("zerolatency"),
  gop: whole("The GOP", 0, 600).default(0),
  threads: whole("Encoder threads", 0, 64).default(1),
  memoryLimitMb: whole("The memory limit", 300, 65536).default(1500),
  gpu: flag("GPU").default(false),
  audio: flag("Audio").default(true),
  whileBroken: z.enum(WHILE_BROKEN, { error: `whileBroken must be one of ${WHILE_BROKEN.join(", ")}.` })
    .default("last"),
  onDemand: flag("Only while watched").default(false),
  onDemandMinutes: numeric(onDemandMinutes)
    .refine((minutes) => minutes >= 0.1 && minutes <= 1440, onDemandMinutes).default(5),
  rewind: flag("Keeping the past").default(true),
  rewindFor: z.enum(REWIND_FOR, { error: `rewindFor must be one of ${REWIND_FOR.join(", ")}.` })
    .default("operators"),
  pushTo: pushTo.default(""),
  pushKey: pushKey.default(""),
  autoReload: flag("Auto-reload").default(false),
  autoReloadInterval: numeric(interval).refine((minutes) => minutes >= 0.1 && minutes <= 10080, interval)
    .default(
      30,
    ),
});

/** The largest order; a sum with another order is exact far beyond it. */
export const MAX_ORDER = 999_999_999;

const order = `The order must be a whole number up to ${MAX_ORDER}, such as 3.`;

/** The body of POST /api/streams; only name and url are required. */
export const newStream = streamFields.extend({
  id: id.optional(),
  desiredState: z.enum(["running", "stopped"], { error: 'desiredState is "running" or "stopped".' })
    .default("running"),
  /** Whether the page's title becomes the name, since nobody has chosen one. Absent: it does not. */
  nameFollowsTitle: flag("nameFollowsTitle").optional(),
}).loose();

/** A stored stream. `loose`: fields of newer or other versions survive a rewrite. */
export const storedStream = newStream.extend({
  id,
  order: z.number({ error: order }).int(order).min(-MAX_ORDER, order).max(MAX_ORDER, order).optional(),
  /** Counts the changes of the settings, so that two people editing one stream notice each other. */
  revision: z.number().int().min(0).catch(0).default(0),
  /** A person's wish that counts until a time instead of the plan; absent: the plan alone counts. */
  planOverride: z.object({ onAir: z.boolean(), until: z.number().int() }).optional().catch(undefined),
  nameFollowsTitle: z.boolean().optional().catch(undefined),
}).loose();

export type StreamFields = z.output<typeof streamFields>;
/** A stream in a file: the other streams may decide its position. */
export type StoredStream = z.output<typeof storedStream>;
export type Stream = StoredStream & { order: number };

/** A stream as the API shows it: secrets never come back, only whether they are set. */
export type PublicStream =
  & { [Field in keyof StreamFields as Exclude<Field, SecretField>]: StreamFields[Field] }
  & { id: StreamId; order: number; revision: number; desiredState: "running" | "stopped" }
  & { planOverride?: PlanOverride; nameFollowsTitle?: boolean }
  & { [Name in SecretSet]: boolean }
  & Record<string, unknown>;

/** The names of secrets: other tools' fields are stored as they come, and some must not be read from a dashboard. */
const SECRET = /pass|secret|token|key|credential/i;

function holdsSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null &&
    Object.entries(value).some(([name, inner]) => SECRET.test(name) || holdsSecret(inner));
}

/** The fields of other tools with a secret's name, at any depth. They are stored, but never sent out. */
export function hiddenFields(stored: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(stored).filter(([name, value]) =>
      !Object.hasOwn(storedStream.shape, name) && holdsSecret({ [name]: value })
    ),
  );
}

/** The stream without its secrets. */
export function publicStream(stream: Stream): PublicStream {
  // by name, as a `delete` makes objects slow, and a list has a thousand streams
  const { pass, extraHeaders, extraCookies, pushKey, ...shown } = stream;
  const secrets: Record<SecretField, string> = { pass, extraHeaders, extraCookies, pushKey };
  for (const name of Object.keys(hiddenFields(stream))) delete shown[name];
  const sets = SECRET_FIELDS.map((field) => [setName(field), secrets[field] !== ""]);
  return { ...shown, ...Object.fromEntries(sets) } as PublicStream;
}

const SECRET_SETS: readonly string[] = SECRET_FIELDS.map(setName);

/** The stream without other tools' fields, which may be large: the part that a board shows. */
export function withoutForeignFields(stream: PublicStream): PublicStream {
  const own = Object.entries(stream).filter(([name]) =>
    Object.hasOwn(storedStream.shape, name) || SECRET_SETS.includes(name)
  );
  return Object.fromEntries(own) as PublicStream;
}

/** Width and height of "1280x720", in pixels. */
export function parseSize(text: string): { width: number; height: number } {
  const [width, height] = text.split("x").map(Number);
  return { width, height };
}

/** Bits per second of "1500k", "2M" or "800000"; null if it is none of these. */
export function parseBitrate(text: string): number | null {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)([kKmM]?)$/.exec(text);
  if (!match) return null;
  const unit = { "": 1, k: 1e3, m: 1e6 }[match[2].toLowerCase()]!;
  return Math.round(Number(match[1]) * unit);
}

/** Seconds of "15s", "15", "500ms" or "2m"; NaN if it is none of these. */
export function parseSeconds(text: string): number {
  const match = /^(\d{1,7}(?:\.\d{1,3})?)\s*(ms|s|m)?$/.exec(text.trim());
  if (!match) return NaN;
  return Number(match[1]) * { ms: 0.001, s: 1, m: 60 }[match[2] ?? "s"]!;
}

/** The problems of a failed parse, by field; a problem of the whole body is under "". */
export function fieldProblems(error: z.ZodError): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const issue of error.issues) fields[String(issue.path[0] ?? "")] ??= issue.message;
  return fields;
}
