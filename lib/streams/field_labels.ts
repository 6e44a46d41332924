import type { StreamFields } from "./schema.ts";

/** Every field as people read it, in the form's order. */
export const FIELD_LABELS: Record<keyof StreamFields, string> = {
  name: "Name",
  url: "Page address",
  group: "Group",
  resolution: "Browser window, pixels",
  scale: "Picture, pixels",
  fps: "Frames per second",
  gop: "Frames between keyframes",
  bitrate: "Bit rate",
  bufsize: "Rate buffer",
  preset: "Encoder preset",
  tune: "Encoder tune",
  threads: "Encoder threads",
  memoryLimitMb: "Memory limit, MiB",
  gpu: "Draw the page with the GPU",
  user: "User name",
  pass: "Password",
  loginOrigins: "Other sites of the login",
  whileBroken: "While the page is broken, viewers see",
  acceptedCertificates: "Accepted certificates",
  audio: "Send the page's sound",
  delay: "Seconds until it goes on air",
  autoReload: "Reload the page regularly",
  autoReloadInterval: "Minutes between reloads",
};

export const FIELDS = Object.keys(FIELD_LABELS) as (keyof StreamFields)[];
