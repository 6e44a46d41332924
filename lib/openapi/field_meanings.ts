/** What each field of a stream means to a program that sets it. */
import type { StreamFields } from "../model/schema.ts";

export const FIELD_MEANINGS: Readonly<Record<keyof StreamFields, string>> = {
  name: "Of the card and the channel, at most 120 characters.",
  url: "The page's address, http or https. Without a scheme it is completed.",
  group: "Of the channel in playlists and the guide.",
  morePages:
    "Pages that are shown in turn with url: lines of an address and, if it has its own, its seconds.",
  pageSeconds: "Seconds that a page is shown, where there are more.",
  plan:
    'When it is on the air: lines such as "Mon-Fri 08:00-18:00", with an address for a page that is then shown alone. ' +
    "The first line counts that fits. Empty: always.",
  planTimeZone: "Of the plan, such as Europe/Berlin. Empty: the service's.",
  user: "Filled into the page's login form, on its own origin and on loginOrigins only.",
  pass: "Likewise. It is never sent back, only passSet.",
  loginOrigins: "Other origins that may get user name and password, with blanks between them.",
  acceptedCertificates:
    "SHA-256 fingerprints of certificates that the page may have although nobody vouches.",
  acceptedStatuses:
    "HTTP statuses of errors, with blanks between them, with which the page is right as it is, such as 404.",
  sites: "Other origins that the page goes on to by itself, with blanks between them.",
  proxy:
    'The proxy that its pages go out by, such as "http://proxy:3128"; "direct" for none. Empty: the service\'s.',
  zoom: "Percent.",
  css: "A style sheet that is added to the page.",
  js: "A script that runs in the page, apart from its own scripts, when its document is there.",
  hideBanners: "Hides the cookie banners of the tools that most sites use.",
  hideSelectors: "CSS selectors of what else is hidden, one on each line.",
  userAgent: "Instead of Chromium's own.",
  language: 'What pages are asked in, and told, such as "de-DE, en".',
  timeZone: "Of the page's clock, such as Europe/Berlin.",
  colorScheme: "What pages that ask are told of the viewer's taste.",
  extensions: "Names of own extensions that its browser has, with blanks between them.",
  extraHeaders:
    "Lines of headers, for the page's own origin and loginOrigins. Never sent back, only extraHeadersSet.",
  extraCookies: "Lines of cookies, for the page's own host. Never sent back, only extraCookiesSet.",
  delay: 'Seconds from the start until the channel goes on air, 0 to 600; texts such as "15s" are read too.',
  resolution: "The page's size in pixels, width x height, both even.",
  scale: "The channel's size in pixels, width x height, both even.",
  fps: "Pictures a second at most.",
  bitrate: 'Bits per second of the video, such as "1500k".',
  bufsize: "Of x264's rate control, as bitrate.",
  preset: "x264's.",
  tune: "x264's; none for none.",
  gop: "Frames between keyframes; 0 is one second, at most four.",
  threads: "Of the encoder; 0 lets x264 choose.",
  memoryLimitMb: "MiB that the stream's programs may have together.",
  gpu: "Chromium's GPU flags.",
  audio: "The page's sound; silence otherwise.",
  whileBroken: "What viewers see while the page is broken.",
  onDemand: "Run only while somebody watches.",
  onDemandMinutes: "Minutes from the last viewer to the end of its programs, 0.1 to 1440.",
  autoReload: "Reload the page regularly.",
  autoReloadInterval: "Every so many minutes, 0.1 to 10080.",
};
