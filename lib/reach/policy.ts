/**
 * Chromium's managed policies: places that neither a page nor a person in the browser may reach (docs/security.md).
 * Debian's Chromium reads them from /etc/chromium only, so they hold for every Chromium of this machine.
 */
import { join } from "node:path";
import { METADATA_HOSTS } from "./metadata.ts";
import { EXTENSION_POLICIES, WEB_STORE } from "./extension_policy.ts";
import { ensureFolder, removeTree, writeIfChanged } from "../machine/os/files.ts";
import { arePoliciesThere, digestOf, type PromisedPolicies } from "../machine/os/promises.ts";

/**
 * Schemes that `*` does not cover, or not for sure. blob: is always permitted: it has only data of its page.
 * Source: tried with Chromium 156 (docs/decisions/browser-pages.md).
 */
const INTERNAL_SCHEMES = [
  "chrome",
  "chrome-untrusted",
  "chrome-extension",
  "chrome-search",
  "chrome-native",
  "devtools",
  "isolated-app",
  "view-source",
  "javascript",
  "file",
  "filesystem",
  "data",
  "ftp",
];

/** Chromium's own viewer of PDFs, an extension of Chromium: it shows only data of the page. */
const PDF_VIEWER = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai";

/** 2 is "block" wherever a policy begins with Default. */
const BLOCK = 2;

/** The policies by name. Source: https://chromeenterprise.google/policies/ */
export const POLICIES: Readonly<Record<string, unknown>> = {
  URLBlocklist: [
    "*",
    ...INTERNAL_SCHEMES.map((scheme) => `${scheme}://*`),
    ...METADATA_HOSTS,
    ...WEB_STORE,
  ],
  // a longer host in the blocklist wins over these
  URLAllowlist: ["http://*", "https://*", "about:blank", "about:srcdoc", PDF_VIEWER],
  DownloadRestrictions: 3,
  AllowFileSelectionDialogs: false,
  PromptForDownloadLocation: false,
  PrintingEnabled: false,
  // 2 would shut the service's own DevTools out; without devtools: a window of F12 shows nothing
  DeveloperToolsAvailability: 1,
  IncognitoModeAvailability: 1,
  BrowserGuestModeEnabled: false,
  BrowserAddPersonEnabled: false,
  BrowserSignin: 0,
  SyncDisabled: true,
  ...EXTENSION_POLICIES,
  PasswordManagerEnabled: false,
  AutofillAddressEnabled: false,
  AutofillCreditCardEnabled: false,
  PaymentMethodQueryEnabled: false,
  BookmarkBarEnabled: false,
  EditBookmarksEnabled: false,
  TaskManagerEndProcessEnabled: false,
  TranslateEnabled: false,
  SpellCheckServiceEnabled: false,
  SearchSuggestEnabled: false,
  DefaultSearchProviderEnabled: false,
  AlternateErrorPagesEnabled: false,
  MetricsReportingEnabled: false,
  SafeBrowsingProtectionLevel: 0,
  BackgroundModeEnabled: false,
  PromotionsEnabled: false,
  DefaultBrowserSettingEnabled: false,
  HideWebStoreIcon: true,
  ScreenCaptureAllowed: false,
  AudioCaptureAllowed: false,
  VideoCaptureAllowed: false,
  RemoteAccessHostAllowRemoteAccessConnections: false,
  EnableMediaRouter: false,
  WebRtcIPHandling: "default_public_interface_only",
  DefaultPopupsSetting: BLOCK,
  DefaultNotificationsSetting: BLOCK,
  DefaultGeolocationSetting: BLOCK,
  DefaultWebUsbGuardSetting: BLOCK,
  DefaultWebHidGuardSetting: BLOCK,
  DefaultSerialGuardSetting: BLOCK,
  DefaultWebBluetoothGuardSetting: BLOCK,
  DefaultSensorsSetting: BLOCK,
  DefaultLocalFontsSetting: BLOCK,
  DefaultFileSystemReadGuardSetting: BLOCK,
  DefaultFileSystemWriteGuardSetting: BLOCK,
  DefaultClipboardSetting: BLOCK,
  DefaultWindowManagementSetting: BLOCK,
  DefaultIdleDetectionSetting: BLOCK,
  DefaultDirectSocketsSetting: BLOCK,
  DefaultControlledFrameSetting: BLOCK,
  DefaultSubAppsWithoutPromptsSetting: BLOCK,
  DefaultAutomaticDownloadsSetting: BLOCK,
  WebXRImmersiveArEnabled: false,
  // beside the flags of browser_flags.ts, which name the local addresses
  LoopbackNetworkBlockedForUrls: ["*"],
  LocalNetworkBlockedForUrls: ["*"],
};

/** The policy file of a service: each service has its own file, with the same content, and removes it at its end. */
export function policyFile(folder: string, instance: string): string {
  return join(folder, `${instance}.json`);
}

/**
 * The content of the policy file.
 * @param authorities certificates of own issuers, in base64 of DER.
 */
export function policyText(authorities: readonly string[] = []): string {
  // without certificates the name is left out, so that another service's file may have it
  const trusted = authorities.length > 0 ? { CACertificates: authorities } : {};
  return `${JSON.stringify({ ...POLICIES, ...trusted }, null, 2)}\n`;
}

/** Installs the policies. Running browsers take them over. @throws {Error} when the folder cannot be written. */
export async function installPolicies(file: string, text = policyText()): Promise<void> {
  await ensureFolder(join(file, ".."), 0o755, undefined, "followed");
  await writeIfChanged(file, text);
}

/** The file that a person may have installed by hand, beside a service's file. */
export function policyFileByHand(file: string): string {
  return join(file, "..", "browser-stream.json");
}

/** The policies of a service, which root keeps in place. */
export class Policies {
  #file: string;
  #text: string;

  /** @param file of `policyFile`. @param text of `policyText`. */
  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /** The files and digest by which a program sees whether the policies are there. */
  get promised(): PromisedPolicies {
    return { files: [policyFileByHand(this.#file), this.#file], digest: digestOf(this.#text) };
  }

  areThere(): Promise<boolean> {
    return arePoliciesThere(this.promised);
  }

  /** Installs them where they are missing, or others. @returns whether they were. @throws {Error} when it cannot. */
  async look(): Promise<boolean> {
    if (await this.areThere()) return false;
    await installPolicies(this.#file, this.#text);
    return true;
  }
}

/** Removes the file of `installPolicies(file)`. */
export async function removePolicies(file: string): Promise<void> {
  await removeTree(file);
}
