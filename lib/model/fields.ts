/**
 * The fields of a stream, a row each: the texts for people, the programs that a change restarts, and the form's input. The
 * valid values are in schema.ts, the meanings for programs in lib/reports/openapi/field_meanings.ts. Pure, and light enough for
 * browsers.
 */
import type { StreamFields } from "./schema.ts";

/** The programs that a field's change may restart. */
type Restarted = "display" | "wm" | "browser" | "encoder" | "autologin" | "autoreload" | "push";

export interface FieldRow {
  /** The field's name for people. */
  label: string;
  restarts?: readonly Restarted[];
  /** The text below the field, and the text in the empty field. */
  hint?: string;
  placeholder?: string;
  isNumber?: true;
  /** The folded part of the form with the field; absent: the form places the field itself. */
  section?: "page" | "picture" | "channel";
  /** The field shares its line with its neighbours. */
  isHalf?: true;
  /** The list of the form's options to choose from. */
  choices?: "encoderPresets" | "encoderTunes";
}

/** The rows in the form's order. */
export const FIELD_ROWS: Readonly<Record<keyof StreamFields, FieldRow>> = {
  name: {
    label: "Name",
    placeholder: "Sales dashboard",
  },
  url: {
    label: "Page address",
    restarts: ["browser", "autologin"],
    placeholder: "https://grafana.example.org/d/overview",
  },
  group: { label: "Group", placeholder: "None" },
  channelNumber: {
    label: "Channel number",
    section: "channel",
    isHalf: true,
    isNumber: true,
    hint: "1 to 9999. 0: a new stream gets the next free one",
  },
  channelLogo: {
    label: "Channel logo",
    section: "channel",
    isHalf: true,
    placeholder: "The thumbnail",
    hint: "Address of a PNG or JPEG that the apps can reach",
  },
  morePages: {
    label: "More pages",
  },
  pageSeconds: {
    label: "Seconds a page",
    isNumber: true,
    hint: "For the page above and for each page without its own seconds, 5 to 86400.",
  },
  plan: {
    label: "On the air",
  },
  planTimeZone: {
    label: "Time zone of the plan",
    hint: "Such as Europe/Berlin",
  },
  zoom: {
    label: "Zoom, percent",
    restarts: ["browser"],
    isNumber: true,
    hint: "25 to 500",
  },
  colorScheme: {
    label: "Colours",
    restarts: ["browser"],
    hint: "Pages that have a light and a dark theme use this one.",
  },
  language: {
    label: "Language",
    restarts: ["browser"],
    placeholder: "en-US",
    hint: "Such as de-DE, or de-DE, en",
  },
  timeZone: {
    label: "Time zone",
    restarts: ["browser"],
    placeholder: "This machine's",
    hint: "Such as Europe/Berlin",
  },
  userAgent: {
    label: "User agent",
    restarts: ["browser"],
    placeholder: "Chromium's own",
  },
  hideBanners: {
    label: "Hide cookie banners",
    restarts: ["browser"],
    hint: "Hides the banners of the tools that most sites use. It does not answer them.",
  },
  hideSelectors: {
    label: "Also hide",
    restarts: ["browser"],
    placeholder: "#cookie-banner",
    hint: "CSS selectors, one on each line.",
  },
  css: {
    label: "Style sheet (CSS)",
    restarts: ["browser"],
    placeholder: "body { font-size: 150%; }",
  },
  js: {
    label: "Script (JavaScript)",
    restarts: ["browser"],
    hint:
      "It runs when the document is there. It sees the page, but not the variables of the page's scripts. Its errors are in the stream's events.",
  },
  extensions: {
    label: "Extensions",
    restarts: ["browser"],
  },
  extraHeaders: {
    label: "Extra headers",
    restarts: ["browser"],
    placeholder: "X-Api-Key: 12345",
    hint: "One on each line.",
  },
  extraCookies: {
    label: "Extra cookies",
    restarts: ["browser"],
    placeholder: "session=12345",
    hint:
      "One on each line. Cookies go to the page's own site only. Headers go there and to the other sites of the login.",
  },
  resolution: {
    label: "Browser window, pixels",
    restarts: ["display", "wm", "browser", "encoder"],
    section: "picture",
    isHalf: true,
    hint: "How large the page is drawn.",
  },
  scale: {
    label: "Picture, pixels",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    hint: "How large it is sent.",
  },
  fps: {
    label: "Frames per second",
    restarts: ["browser", "encoder"],
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "1 to 60",
  },
  gop: {
    label: "Frames from keyframe to keyframe",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "0: a keyframe every second",
  },
  bitrate: {
    label: "Bit rate",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    hint: "Such as 1500k or 4M",
  },
  bufsize: {
    label: "Rate buffer",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    hint: "Such as 3000k",
  },
  preset: {
    label: "Encoder preset",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    choices: "encoderPresets",
    hint: "Slower looks better and needs more CPU.",
  },
  tune: {
    label: "Encoder tune",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    choices: "encoderTunes",
    hint: "What the encoder favours.",
  },
  threads: {
    label: "Encoder threads",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "0: automatic",
  },
  memoryLimitMb: {
    label: "Memory limit, MiB",
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "For the page and its picture together",
  },
  gpu: {
    label: "Draw the page with the GPU",
    restarts: ["browser"],
    section: "picture",
    isHalf: true,
  },
  user: {
    label: "User name",
    restarts: ["autologin"],
  },
  pass: {
    label: "Password",
    restarts: ["autologin"],
  },
  loginOrigins: {
    label: "Other sites of the login",
    restarts: ["browser", "autologin"],
    placeholder: "https://sso.example.org",
    hint: "Sites where the page sends people to sign in. The password may be typed there, too.",
  },
  whileBroken: {
    label: "While the page is broken, viewers see",
    restarts: ["autoreload"],
    hint:
      "A page is broken when it cannot be loaded, hangs or has crashed. VNC always shows the page itself.",
  },
  acceptedCertificates: {
    label: "Accepted certificates",
    restarts: ["browser"],
    section: "page",
    placeholder: "None",
    hint:
      "SHA-256 fingerprints of certificates to accept for this page. “Try it” and the card offer the certificate that is not trusted.",
  },
  acceptedStatuses: {
    label: "Accepted statuses",
    restarts: ["autoreload"],
    section: "page",
    isHalf: true,
    placeholder: "None",
    hint: "Such as 404, if the page is right although its server answers with an error.",
  },
  sites: {
    label: "Other sites of the page",
    restarts: ["browser"],
    section: "page",
    isHalf: true,
    placeholder: "https://news.example.org",
    hint: "The page may also show these sites.",
  },
  webRtc: {
    label: "Let the page use WebRTC",
    restarts: ["browser"],
    section: "page",
    hint:
      "Needed for video calls where the service's start says that pages have no WebRTC. Warning: the page then reaches ports of this machine and its network.",
  },
  proxy: {
    label: "Proxy",
    restarts: ["browser"],
    section: "page",
    placeholder: "As the service is set",
    hint: "Load the page through this proxy, such as http://proxy.example.org:3128. “direct” uses none.",
  },
  audio: {
    label: "Send the page's sound",
    restarts: ["encoder"],
  },
  delay: {
    label: "Seconds until it goes on air",
    hint: "Wait before going on air, for example 15, so that viewers do not see the sign-in.",
  },
  onDemand: {
    label: "Run only while somebody watches",
    hint:
      "Its programs end after the last viewer has left. The next viewer waits some seconds for the picture.",
  },
  onDemandMinutes: {
    label: "Minutes after the last viewer",
    isNumber: true,
    hint: "Until its programs end; such as 5",
  },
  rewind: {
    label: "Keep this channel's past",
    hint: "People can look back at what was on the air. What a person does by VNC is not kept.",
  },
  rewindFor: {
    label: "Its past is shown to",
  },
  pushTo: {
    label: "Push to",
    restarts: ["push"],
    placeholder: "rtmp://a.rtmp.youtube.com/live2",
    hint: "An rtmp, rtmps or srt address, without the key. It gets the picture and sound of this channel.",
  },
  pushKey: {
    label: "Stream key",
    restarts: ["push"],
    hint: "From the server. For an SRT address: its passphrase.",
  },
  autoReload: {
    label: "Reload the page regularly",
    restarts: ["autoreload"],
  },
  autoReloadInterval: {
    label: "Minutes between reloads",
    restarts: ["autoreload"],
    isNumber: true,
    hint: "Such as 30; 0.5 is half a minute",
  },
};

export const FIELDS = Object.keys(FIELD_ROWS) as (keyof StreamFields)[];

/** The label that people read for a field; for another tool's field, its name. */
export function labelOf(field: string): string {
  return Object.hasOwn(FIELD_ROWS, field) ? FIELD_ROWS[field as keyof StreamFields].label : field;
}

/** The fields whose change restarts a program. */
export function fieldsRestarting(kind: Restarted): (keyof StreamFields)[] {
  return FIELDS.filter((field) => FIELD_ROWS[field].restarts?.includes(kind));
}
