import type { StreamFields } from "../../model/schema.ts";

/**
 * The meaning of each field of a stream, for people who read docs/api.md and for programs that read the description:
 * sentences in Markdown, with links as they stand in docs/, and without the last full stop. They are here and not in the
 * model's table so that no page loads them.
 */
export const FIELD_MEANINGS: Readonly<Record<keyof StreamFields, string>> = {
  name: "The name of the card and the channel: at most 120 characters",
  url:
    "The page's address, http or https. Without a scheme it is completed: names and addresses of a local network " +
    "get `http://`, all others `https://`. [A login in it](#logins-in-addresses) moves to `user` and `pass`",
  group: "The channel's group in playlists and the guide, such as `Walls`",
  channelNumber:
    "The [channel's number](iptv.md#channel-numbers-and-logos) in playlists, guide, tuner and TV player: 1 to 9999, " +
    "of one stream only. With 0 a stream keeps the number that it has, and a new one gets the next free number",
  channelLogo:
    "The http or https address of [the channel's logo](iptv.md#channel-numbers-and-logos). Empty: the logo is the " +
    "thumbnail",
  morePages: "[Pages that are shown in turn](using.md#several-pages-in-turn) with `url`: at most 30 " +
    "[lines](#pages-and-plan) of an address and, for a page that has its own, its seconds, such as " +
    "`https://status.example.org/ 20`",
  pageSeconds: "Seconds for each page without its own, where there are several pages: 5 to 86400",
  plan:
    "[When the stream is on the air](using.md#a-weekly-plan): at most 50 [lines](#pages-and-plan) such as " +
    "`Mon-Fri 08:00-18:00`, with an address for a page that is then shown alone. The first line that fits counts. " +
    "Empty: the stream is always on the air",
  planTimeZone: "The plan's time zone, such as `Europe/Berlin`. Empty: the service's time zone",
  user:
    "The user name for the page's login form. It is filled in on the page's own origin and on `loginOrigins` only",
  pass: "The password for the page's login form, filled in like `user`. No answer has it, only `passSet`",
  loginOrigins:
    "Other origins that may get user name and password, such as `https://sso.example.org`, with blanks between them. " +
    "A list is taken, too",
  acceptedCertificates:
    "SHA-256 fingerprints of [certificates that the page may have](security.md#certificates) although no trusted " +
    "issuer signed them, with blanks between them. A list is taken, too",
  acceptedStatuses: "HTTP statuses of errors, such as `404 403`, with which the " +
    "[page is right as it is](using.md#pages-that-only-look-wrong). A number and a list are taken, too",
  sites:
    "Other origins that the page goes on to by itself, with blanks between them: the service does not bring " +
    "the page back from there. A list is taken, too",
  webRtc:
    "Lets the page use [WebRTC](security.md#what-is-not-defended), which video calls need, also where the kernel " +
    "does not judge what WebRTC sends",
  proxy:
    "The proxy that [loads the stream's pages](configuration.md#a-companys-proxy-as-the-only-way-out), such as " +
    "`http://proxy:3128`; `direct` uses none. Empty: the service's proxy",
  zoom: "The page's zoom in percent: 25 to 500",
  css: "A style sheet that is [added to the page](using.md#how-a-page-looks): at most 20,000 characters",
  js:
    "A script that runs in the page when its document is there, apart from the page's own scripts: at most 20,000 " +
    "characters",
  hideBanners: "Hides the cookie banners of the tools that most sites use",
  hideSelectors: "CSS selectors of other elements to hide, one on each line",
  userAgent: "The user agent that the browser sends instead of Chromium's own",
  language: "The languages that the browser asks pages for, and that scripts see, such as `de-DE, en`",
  timeZone: "The time zone of the page's clock, such as `Europe/Berlin`",
  colorScheme:
    "The theme that the browser asks pages for, where they have several: `light` or `dark`. `auto` asks for none",
  extensions:
    "Names of [own extensions](using.md#own-extensions) for the stream's browser, with blanks between them. A list is " +
    "taken, too. A name without an extension is a 400",
  extraHeaders:
    "Lines of headers such as `X-Key: 1`, for the page's own origin and `loginOrigins`. No answer has them, only " +
    "`extraHeadersSet`",
  extraCookies:
    "Lines of cookies such as `key=1`, for the page's own host. No answer has them, only `extraCookiesSet`",
  delay:
    "Seconds from the start until the channel goes on air, so that viewers do not see the sign-in: 0 to 600. " +
    "Texts such as `15s` are taken, too",
  resolution: "The page's size in pixels, width x height, both even",
  scale: "The picture's size in pixels, width x height, both even",
  fps: "Pictures a second at most, and the pace at which the page is painted: 1 to 60",
  bitrate: "Bits per second of the video, such as `1500k`",
  bufsize: "The buffer of x264's rate control, written as `bitrate` is",
  preset: "The encoder's preset of x264, `ultrafast` to `placebo`",
  tune: "The encoder's tune of x264; `none` sets no tune",
  gop: "Frames between keyframes, for four seconds at most. 0 is one second",
  threads: "The encoder's threads. With 0 x264 chooses",
  memoryLimitMb:
    "MiB of memory that the stream's programs may have together. A change counts at once, without a restart",
  gpu: "Starts Chromium with its flags for the GPU",
  audio: "Sends the page's sound. Without it the channel is silent",
  whileBroken:
    "What viewers see while the page is broken: the `last` good picture, a `slate` with the channel's name, or the " +
    "`page` as it is",
  onDemand: "Runs the stream [only while somebody watches](using.md#only-while-watched)",
  onDemandMinutes: "Minutes from the last viewer's leaving to the end of the stream's programs: 0.1 to 1440",
  rewind:
    "Keeps [the channel's past](configuration.md#the-channels-past): pictures of what was on the air in the last " +
    "hours. `false` keeps nothing from then on",
  rewindFor:
    "Who may look at that past: `operators` (and admins), or `viewers` too, and [IPTV apps](iptv.md#catch-up). A " +
    "stream's own user may in no case",
  pushTo:
    "[A server that the channel is sent to](iptv.md#push-to-another-server) as well: an address with `rtmp:`, " +
    "`rtmps:` or `srt:`. Empty: none",
  pushKey:
    "The stream key of that server; for an SRT address, its passphrase. No answer has it, only `pushKeySet`",
  autoReload: "Reloads the page regularly",
  autoReloadInterval: "Minutes between two reloads: 0.1 to 10080",
};

/** A field's meaning for a reader without the documents: a sentence whose links are their texts. */
export function plainMeaning(field: keyof StreamFields): string {
  return `${FIELD_MEANINGS[field].replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")}.`;
}
