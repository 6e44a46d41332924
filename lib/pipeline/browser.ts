/** The stream's Chromium. */
import { join } from "node:path";
import { parseSize } from "../streams/schema.ts";
import { removeTree } from "../system/files.ts";
import type { StreamSpec } from "./spec.ts";

const FIXED_FLAGS = [
  "--kiosk",
  "--window-position=0,0",
  "--disable-quic",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--test-type",
  "--noerrdialogs",
  "--hide-crash-restore-bubble",
  "--disable-session-crashed-bubble",
  "--disable-infobars",
  "--autoplay-policy=no-user-gesture-required",
  "--password-store=basic",
  "--disable-features=Translate,MediaRouter",
  "--hide-scrollbars",
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--disable-backgrounding-occluded-windows",
  // no --remote-allow-origins: pages must never talk to DevTools
  "--remote-debugging-address=127.0.0.1",
];

const GPU_FLAGS = [
  "--ignore-gpu-blocklist",
  "--use-gl=angle",
  "--use-angle=gl-egl",
  "--enable-gpu-rasterization",
];

/** Chromium's command line; the page's address comes after `--` and can never be read as a flag. */
export function browserCommand(spec: StreamSpec, profile: string, sandbox: boolean): string[] {
  const { width, height } = parseSize(spec.stream.resolution);
  return [
    "/usr/bin/chromium",
    `--user-data-dir=${profile}`,
    `--window-size=${width},${height}`,
    `--remote-debugging-port=${spec.devtoolsPort}`,
    ...FIXED_FLAGS,
    ...(spec.stream.gpu ? GPU_FLAGS : ["--disable-gpu"]),
    ...(sandbox ? [] : ["--no-sandbox"]),
    "--",
    spec.stream.url,
  ];
}

/**
 * Makes the folders of profile and temporary files, and removes what a Chromium left that was killed or ran under
 * another host name: its locks, and all its temporary files, with the socket that the locks lead to.
 */
export async function prepareFolders(profile: string, temporary: string): Promise<void> {
  await removeTree(temporary);
  for (const folder of [profile, temporary]) await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of ["SingletonLock", "SingletonSocket", "SingletonCookie"]) {
    await removeTree(join(profile, name));
  }
}
