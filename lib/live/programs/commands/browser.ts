/** The stream's Chromium. */
import { join } from "node:path";
import { parseSize } from "../../../model/schema.ts";
import { removeTree } from "../../../machine/os/files.ts";
import { extensionFlags } from "../../../browser/extensions.ts";
import { type Reach, reachFlags } from "../../../reach/browser_flags.ts";
import type { StreamSpec } from "./spec.ts";

/**
 * Features that cost a channel memory and time without use (docs/performance.md, "A browser's start"): a renderer in
 * reserve, and a renderer for the address bar's suggestions, which are drawn without it as well. For media keys, which
 * no keyboard has here, Chromium would ask the desktop, and log that there is no desktop.
 */
const UNUSED_FEATURES = [
  "Translate",
  "MediaRouter",
  "HardwareMediaKeyHandling",
  // a toast over the page, "Enhanced protection is off", now and then
  "BundledSecuritySettings",
  "SpareRendererForSitePerProcess",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/** Flags against the work that a browser does for a person at home, and not for a channel (docs/performance.md). */
const SAVING_FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const FIXED_FLAGS = [
  "--kiosk",
  "--window-position=0,0",
  "--disable-quic",
  "--no-first-run",
  "--no-default-browser-check",
  ...SAVING_FLAGS,
  "--test-type",
  "--noerrdialogs",
  "--hide-crash-restore-bubble",
  "--disable-session-crashed-bubble",
  "--disable-infobars",
  "--autoplay-policy=no-user-gesture-required",
  "--password-store=basic",
  `--disable-features=${UNUSED_FEATURES}`,
  "--hide-scrollbars",
  // the cache, which is evicted first of all stored data of a page (lib/live/programs/profile_quota.ts)
  "--disk-cache-size=104857600",
  "--disable-background-timer-throttling",
  "--disable-renderer-backgrounding",
  "--disable-backgrounding-occluded-windows",
  // as with the mouse of a desktop, whatever X's pointer is: 4 is a fine pointer, 2 is a pointer that can hover
  "--blink-settings=primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2",
];

/** DevTools by the files 3 and 4, so that there is no port for other users of this machine. */
const PIPE_FLAG = "--remote-debugging-pipe";

/**
 * Features that would put a dialog on the air, with or without a person's click; for a page the features do not exist.
 * Names of third_party/blink/renderer/platform/runtime_enabled_features.json5; unknown ones do nothing.
 */
const ABSENT_FEATURES = [
  // navigator.webdriver: sign-ins refuse a browser with this flag, also where a person uses it by VNC
  "AutomationControlled",
  "GetDisplayMedia",
  "WebUSB",
  "WebHID",
  "Serial",
  "WebBluetooth",
  "WebNFC",
  "FileSystemAccess",
  "FileSystemAccessLocal",
  "FileSystemAccessAPIExperimental",
  "PaymentRequest",
  "EyeDropperAPI",
  "FedCm",
  "WebIdentityDigitalCredentials",
  "DigitalCredentials",
  "DirectSockets",
  "DocumentPictureInPictureAPI",
  "ContactsManager",
];

const GPU_FLAGS = [
  "--ignore-gpu-blocklist",
  "--use-gl=angle",
  "--use-angle=gl-egl",
  "--enable-gpu-rasterization",
];

/** Without a GPU a page's WebGL is drawn by the processor, in a process that is there anyway. */
const SOFTWARE_FLAGS = ["--disable-gpu", "--enable-unsafe-swiftshader"];

/** The command line of a Chromium with an empty page and without DevTools: a trial of its start. */
export function trialCommand(resolution: string, profile: string, sandbox: boolean): string[] {
  const { width, height } = parseSize(resolution);
  const own = [`--user-data-dir=${profile}`, `--window-size=${width},${height}`, "--disable-gpu"];
  return [
    "/usr/bin/chromium",
    ...own,
    ...FIXED_FLAGS,
    ...(sandbox ? [] : ["--no-sandbox"]),
    "--",
    "about:blank",
  ];
}

/** Leaves WebRTC only TCP; the extension of without_webrtc.ts takes that as well. */
const WITHOUT_UDP = "--force-webrtc-ip-handling-policy=disable_non_proxied_udp";

/**
 * Chromium's command line. The page's address is not on it: every user of the machine sees it, and addresses may hold
 * secrets. lib/live/page/first_pages.ts opens the page.
 * @param extensions the present extensions of the stream. @param frontSound the folder of the extension that mutes the
 * tabs behind; null: nobody hears the browser. @param withoutWebRtc the folder of the extension that takes
 * WebRTC from pages, by which they send to any address that they name as a STUN or TURN server; null: the kernel judges
 * what they send. Streams that ask for WebRTC keep it.
 */
export function browserCommand(
  spec: StreamSpec,
  profile: string,
  sandbox: boolean,
  reach: Reach,
  extensions: { dir: string; names: readonly string[] } = { dir: "", names: [] },
  frontSound: string | null = null,
  withoutWebRtc: string | null = null,
): string[] {
  const { width, height } = parseSize(spec.stream.resolution);
  const taken = spec.stream.webRtc || withoutWebRtc === null ? [] : [withoutWebRtc];
  return [
    "/usr/bin/chromium",
    `--user-data-dir=${profile}`,
    `--window-size=${width},${height}`,
    ...FIXED_FLAGS,
    PIPE_FLAG,
    `--disable-blink-features=${ABSENT_FEATURES}`,
    ...reachFlags(reach),
    ...(taken.length === 0 ? [] : [WITHOUT_UDP]),
    // scales the whole page, frames too; the window stays as large as the display
    ...(spec.stream.zoom === 100 ? [] : [`--force-device-scale-factor=${spec.stream.zoom / 100}`]),
    ...extensionFlags(extensions.dir, extensions.names, [
      ...(frontSound === null || !spec.stream.audio ? [] : [frontSound]),
      ...taken,
    ]),
    ...(spec.stream.gpu ? GPU_FLAGS : SOFTWARE_FLAGS),
    ...(sandbox ? [] : ["--no-sandbox"]),
    "--",
    "about:blank",
  ];
}

/**
 * Makes the folders of profile and temporary files, and removes the remains of a Chromium that was killed or ran under
 * another host name: its locks, and all its temporary files, with the socket that the locks lead to.
 */
export async function prepareFolders(profile: string, temporary: string): Promise<void> {
  await removeTree(temporary);
  for (const folder of [profile, temporary]) await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of ["SingletonLock", "SingletonSocket", "SingletonCookie"]) {
    await removeTree(join(profile, name));
  }
}
