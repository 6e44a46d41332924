/**
 * The fields of a stream, a row each: the texts for people and programs, the programs that a change restarts, and the
 * form's input. The valid values are in schema.ts. Pure, and light enough for browsers.
 */
import type { StreamFields } from "./schema.ts";

/** The programs that a field's change may restart. */
type Restarted = "display" | "wm" | "browser" | "encoder" | "autologin" | "autoreload" | "push";

export interface FieldRow {
  /** The field's name for people. */
  label: string;
  /** The field's meaning, for a program that sets the field. */
  meaning: string;
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
    meaning: "Of the card and the channel, at most 120 characters.",
    placeholder: "Sales dashboard",
  },
  url: {
    label: "Page address",
    meaning:
      "The page's address, http or https. Without a scheme it is completed. A login in it moves to user and pass.",
    restarts: ["browser", "autologin"],
    placeholder: "https://grafana.example.org/d/overview",
  },
  group: { label: "Group", meaning: "Of the channel in playlists and the guide.", placeholder: "None" },
  channelNumber: {
    label: "Channel number",
    meaning: "Its number in playlists, guide, tuner and TV player, 1 to 9999; 0: the next free one.",
    section: "channel",
    isHalf: true,
    isNumber: true,
    hint: "1 to 9999. 0: a new stream gets the next free one",
  },
  channelLogo: {
    label: "Channel logo",
    meaning: "The http or https address of its logo in playlists and guide. Empty: its thumbnail.",
    section: "channel",
    isHalf: true,
    placeholder: "The thumbnail",
    hint: "Address of a PNG or JPEG that the apps can reach",
  },
  morePages: {
    label: "More pages",
    meaning:
      "Pages that are shown in turn with url: lines of an address and, if it has its own, its seconds.",
  },
  pageSeconds: {
    label: "Seconds a page",
    meaning: "Seconds that a page is shown, where there are more.",
    isNumber: true,
    hint: "For the page above and for each page without its own seconds, 5 to 86400.",
  },
  plan: {
    label: "On the air",
    meaning:
      'When it is on the air: lines such as "Mon-Fri 08:00-18:00", with an address for a page that is then shown alone. ' +
      "The first line that fits counts. Empty: always.",
  },
  planTimeZone: {
    label: "Time zone of the plan",
    meaning: "Of the plan, such as Europe/Berlin. Empty: the service's.",
    hint: "Such as Europe/Berlin",
  },
  zoom: {
    label: "Zoom, percent",
    meaning: "Percent.",
    restarts: ["browser"],
    isNumber: true,
    hint: "25 to 500",
  },
  colorScheme: {
    label: "Colours",
    meaning: "The theme that pages are asked for, where they have a light and a dark one.",
    restarts: ["browser"],
    hint: "Pages that have a light and a dark theme use this one.",
  },
  language: {
    label: "Language",
    meaning: 'The language that pages are asked for, such as "de-DE, en".',
    restarts: ["browser"],
    placeholder: "en-US",
    hint: "Such as de-DE, or de-DE, en",
  },
  timeZone: {
    label: "Time zone",
    meaning: "Of the page's clock, such as Europe/Berlin.",
    restarts: ["browser"],
    placeholder: "This machine's",
    hint: "Such as Europe/Berlin",
  },
  userAgent: {
    label: "User agent",
    meaning: "Instead of Chromium's own.",
    restarts: ["browser"],
    placeholder: "Chromium's own",
  },
  hideBanners: {
    label: "Hide cookie banners",
    meaning: "Hides the cookie banners of the tools that most sites use.",
    restarts: ["browser"],
    hint: "Hides the banners of the tools that most sites use. It does not answer them.",
  },
  hideSelectors: {
    label: "Also hide",
    meaning: "CSS selectors of what else is hidden, one on each line.",
    restarts: ["browser"],
    placeholder: "#cookie-banner",
    hint: "CSS selectors, one on each line.",
  },
  css: {
    label: "Style sheet (CSS)",
    meaning: "A style sheet that is added to the page.",
    restarts: ["browser"],
    placeholder: "body { font-size: 150%; }",
  },
  js: {
    label: "Script (JavaScript)",
    meaning: "A script that runs in the page when its document is there, apart from the page's own scripts.",
    restarts: ["browser"],
    hint:
      "It runs when the document is there. It sees the page, but not the variables of the page's scripts. Its errors are in the stream's events.",
  },
  extensions: {
    label: "Extensions",
    meaning: "Names of own extensions that its browser has, with blanks between them.",
    restarts: ["browser"],
  },
  extraHeaders: {
    label: "Extra headers",
    meaning:
      "Lines of headers, for the page's own origin and loginOrigins. Never sent back, only extraHeadersSet.",
    restarts: ["browser"],
    placeholder: "X-Api-Key: 12345",
    hint: "One on each line.",
  },
  extraCookies: {
    label: "Extra cookies",
    meaning: "Lines of cookies, for the page's own host. Never sent back, only extraCookiesSet.",
    restarts: ["browser"],
    placeholder: "session=12345",
    hint:
      "One on each line. Cookies go to the page's own site only. Headers go there and to the other sites of the login.",
  },
  resolution: {
    label: "Browser window, pixels",
    meaning: "The page's size in pixels, width x height, both even.",
    restarts: ["display", "wm", "browser", "encoder"],
    section: "picture",
    isHalf: true,
    hint: "How large the page is drawn.",
  },
  scale: {
    label: "Picture, pixels",
    meaning: "The channel's size in pixels, width x height, both even.",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    hint: "How large it is sent.",
  },
  fps: {
    label: "Frames per second",
    meaning: "Pictures a second at most.",
    restarts: ["browser", "encoder"],
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "1 to 60",
  },
  gop: {
    label: "Frames between keyframes",
    meaning: "Frames between keyframes; 0 is one second, at most four.",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "0: one second",
  },
  bitrate: {
    label: "Bit rate",
    meaning: 'Bits per second of the video, such as "1500k".',
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    hint: "Such as 1500k or 4M",
  },
  bufsize: {
    label: "Rate buffer",
    meaning: "Of x264's rate control, as bitrate.",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    hint: "Such as 3000k",
  },
  preset: {
    label: "Encoder preset",
    meaning: "x264's.",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    choices: "encoderPresets",
    hint: "Slower looks better and needs more CPU.",
  },
  tune: {
    label: "Encoder tune",
    meaning: "x264's; none for none.",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    choices: "encoderTunes",
    hint: "What the encoder favours.",
  },
  threads: {
    label: "Encoder threads",
    meaning: "Of the encoder; 0 lets x264 choose.",
    restarts: ["encoder"],
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "0: automatic",
  },
  memoryLimitMb: {
    label: "Memory limit, MiB",
    meaning: "MiB that the stream's programs may have together.",
    section: "picture",
    isHalf: true,
    isNumber: true,
    hint: "For the page and its picture together",
  },
  gpu: {
    label: "Draw the page with the GPU",
    meaning: "Chromium's GPU flags.",
    restarts: ["browser"],
    section: "picture",
    isHalf: true,
  },
  user: {
    label: "User name",
    meaning: "Filled into the page's login form, on the page's own origin and on loginOrigins only.",
    restarts: ["autologin"],
  },
  pass: {
    label: "Password",
    meaning: "Filled in like user. It is never sent back, only passSet.",
    restarts: ["autologin"],
  },
  loginOrigins: {
    label: "Other sites of the login",
    meaning: "Other origins that may get user name and password, with blanks between them.",
    restarts: ["browser", "autologin"],
    placeholder: "https://sso.example.org",
    hint: "Sites where the page sends people to sign in. The password may be typed there, too.",
  },
  whileBroken: {
    label: "While the page is broken, viewers see",
    meaning: "What viewers see while the page is broken.",
    restarts: ["autoreload"],
    hint:
      "A page is broken when it cannot be loaded, hangs or has crashed. VNC always shows the page itself.",
  },
  acceptedCertificates: {
    label: "Accepted certificates",
    meaning:
      "SHA-256 fingerprints of certificates that are accepted for the page although no trusted issuer signed them.",
    restarts: ["browser"],
    section: "page",
    placeholder: "None",
    hint:
      "SHA-256 fingerprints of certificates to accept for this page. “Try it” and the card offer the certificate that is not trusted.",
  },
  acceptedStatuses: {
    label: "Accepted statuses",
    meaning: "HTTP statuses of errors, with blanks between them, that the page may have, such as 404.",
    restarts: ["autoreload"],
    section: "page",
    isHalf: true,
    placeholder: "None",
    hint: "Such as 404, if the page is right although its server answers with an error.",
  },
  sites: {
    label: "Other sites of the page",
    meaning: "Other origins that the page goes on to by itself, with blanks between them.",
    restarts: ["browser"],
    section: "page",
    isHalf: true,
    placeholder: "https://news.example.org",
    hint: "Sites that the page may go on to. The service does not go back from them.",
  },
  webRtc: {
    label: "Let the page use WebRTC",
    meaning: "WebRTC, which video calls need, also where the kernel does not judge what it sends.",
    restarts: ["browser"],
    section: "page",
    hint:
      "For video calls. Only needed where the service's start says that pages have no WebRTC: there, a page that has it reaches ports of this machine and its network.",
  },
  proxy: {
    label: "Proxy",
    meaning:
      'The proxy that its pages are loaded by, such as "http://proxy:3128"; "direct" for none. Empty: the service\'s.',
    restarts: ["browser"],
    section: "page",
    placeholder: "As the service is set",
    hint: "The proxy that the page is loaded by, such as http://proxy.example.org:3128. direct: no proxy.",
  },
  audio: {
    label: "Send the page's sound",
    meaning: "The page's sound; silence otherwise.",
    restarts: ["encoder"],
  },
  delay: {
    label: "Seconds until it goes on air",
    meaning:
      'Seconds from the start until the channel goes on air, 0 to 600; texts such as "15s" are read too.',
    hint: "Viewers do not see the sign-in. Such as 15",
  },
  onDemand: {
    label: "Run only while somebody watches",
    meaning: "Run only while somebody watches.",
    hint:
      "Its programs end after the last viewer has left. The next viewer waits some seconds for the picture.",
  },
  onDemandMinutes: {
    label: "Minutes after the last viewer",
    meaning: "Minutes from the last viewer to the end of its programs, 0.1 to 1440.",
    isNumber: true,
    hint: "Until its programs end; such as 5",
  },
  pushTo: {
    label: "Push to",
    meaning: "A server that the channel is sent to as well: an address with rtmp, rtmps or srt. Empty: none.",
    restarts: ["push"],
    placeholder: "rtmp://a.rtmp.youtube.com/live2",
    hint: "An rtmp, rtmps or srt address, without the key. It gets the picture and sound of this channel.",
  },
  pushKey: {
    label: "Stream key",
    meaning:
      "The server's stream key; of an SRT address the passphrase. It is never sent back, only pushKeySet.",
    restarts: ["push"],
    hint: "From the server. For an SRT address: its passphrase.",
  },
  autoReload: {
    label: "Reload the page regularly",
    meaning: "Reload the page regularly.",
    restarts: ["autoreload"],
  },
  autoReloadInterval: {
    label: "Minutes between reloads",
    meaning: "Minutes between two reloads, 0.1 to 10080.",
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
