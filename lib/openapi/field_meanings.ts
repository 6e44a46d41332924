/** What each field of a stream means to a program that sets it. */
import type { StreamFields } from "../streams/schema.ts";

export const FIELD_MEANINGS: Readonly<Record<keyof StreamFields, string>> = {
  name: "Of the card and the channel, at most 120 characters.",
  url: "The page's address, http or https. Without a scheme it is completed.",
  group: "Of the channel in playlists and the guide.",
  user: "Filled into the page's login form, on its own origin and on loginOrigins only.",
  pass: "Likewise. It is never sent back, only passSet.",
  loginOrigins: "Other origins that may get user name and password, with blanks between them.",
  acceptedCertificates:
    "SHA-256 fingerprints of certificates that the page may have although nobody vouches.",
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
  autoReload: "Reload the page regularly.",
  autoReloadInterval: "Every so many minutes, 0.1 to 10080.",
};
