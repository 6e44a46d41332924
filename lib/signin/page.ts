/** Whether a page is a login page instead of the wanted page, by its form and by the rest of the page. */
import { type BrowserControl, DevTools } from "../browser/client.ts";
import type { Connection } from "../browser/connection.ts";
import { type WorldEvaluator, worldOf } from "../browser/document.ts";
import { FIND_FORM, type Form } from "./form.ts";

/** Most frames of other sites that are looked into. */
const MAX_FRAMES = 4;

/** Most characters on a page that shows nothing but a frame. */
const FRAME_TEXT = 600;

/** The part of the window that a frame with a login needs: alone on the page, and beside other frames. */
const [ALONE, LARGE] = [1 / 8, 1 / 2];

/** Whether an origin is another site than a page's, and not the same by https or with "www.". */
export function isElsewhere(origin: string, url: string): boolean {
  if (!URL.canParse(origin) || !URL.canParse(url)) return false;
  const place = ({ hostname, port }: URL) => `${hostname.replace(/^www\./, "")}:${port}`;
  return place(new URL(origin)) !== place(new URL(url));
}

/**
 * Whether a page is there to sign in, and for nothing else. A page of the stream's own may show a list of accounts, or
 * have a form for a new password; a code is asked for by nobody else.
 * @param isAway whether the page is at another site than the stream's.
 */
export function isForLogin({ asks, isBeside, saysLogin }: Partial<Form>, isAway: boolean): boolean {
  if (isBeside || asks === undefined || asks === "nothing" || asks === "loading") return false;
  if (asks === "new-password") return saysLogin === true;
  return asks !== "account" && asks !== "stay" || saysLogin === true || isAway;
}

interface Found {
  form: Partial<Form>;
  origin: string;
  /** The pixels of the document's window. */
  area: number;
  /** The frames of other sites with a part of the window that counts; the characters beside them, if there are any. */
  frames: number;
  length: number;
}

/** Runs in the page's isolated world. */
function surroundings(least: number): Omit<Found, "form"> {
  const area = innerWidth * innerHeight;
  const isLarge = (frame: Element) => {
    const { left, top, right, bottom } = frame.getBoundingClientRect();
    const width = Math.max(0, Math.min(right, innerWidth) - Math.max(left, 0));
    const height = Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
    return frame.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      width * height >= area * least;
  };
  const frames = [...document.querySelectorAll<HTMLIFrameElement>("iframe, frame")]
    .filter((one) => !one.contentDocument && isLarge(one)).length;
  return {
    origin: location.origin,
    area,
    frames,
    length: frames === 0 ? 0 : document.body?.innerText?.length ?? 0,
  };
}

async function surroundingsWith(ask: WorldEvaluator): Promise<Partial<Found>> {
  return Object(await ask(`(${surroundings})(${ALONE})`));
}

async function lookWith(ask: WorldEvaluator): Promise<Partial<Found>> {
  return Object(await ask(`({ form: ${FIND_FORM}, ...(${surroundings})(${ALONE}) })`));
}

export interface LoginQuestion {
  page: DevTools;
  frameId: string;
  /** The stream's page. */
  url: string;
  browser: Pick<BrowserControl, "open">;
  /** Whether a helper signs in on the page: the helper tells how that goes, but sees no frame of another site. */
  hasHelper: boolean;
}

/** Asks a page whose Page domain is enabled. @throws {Error} when the page does not answer, or moves on. */
export async function isLoginPage(
  { page, frameId, url, browser, hasHelper }: LoginQuestion,
): Promise<boolean> {
  const ask = await worldOf(page, frameId, "browser-stream-login");
  const { form = {}, origin = "", frames = 0, length = 0, area = 0 } = hasHelper
    ? await surroundingsWith(ask)
    : await lookWith(ask);
  if (!hasHelper && isForLogin(form, isElsewhere(origin, url))) return true;
  if (frames === 0 || length > FRAME_TEXT) return false;
  const least = area * (frames === 1 ? ALONE : LARGE);
  for (const framed of await framesOf(page, frameId, browser)) {
    if (framed.area !== undefined && framed.area >= least && isForLogin(framed.form ?? {}, true)) return true;
  }
  return false;
}

interface FrameTree {
  frame: { id: string; securityOrigin: string };
  childFrames?: FrameTree[];
}

/** Looks into the frames of other sites: those in the page's own process, and those in processes of their own. */
async function framesOf(
  page: DevTools,
  frameId: string,
  browser: Pick<BrowserControl, "open">,
): Promise<Partial<Found>[]> {
  const { frameTree } = await page.send<{ frameTree: FrameTree }>("Page.getFrameTree");
  const flat = (tree: FrameTree): FrameTree[] => [tree, ...(tree.childFrames ?? []).flatMap(flat)];
  const [main, ...inner] = flat(frameTree);
  const foreign = inner.filter(({ frame }) => frame.securityOrigin !== main.frame.securityOrigin);
  const own = await Promise.all(
    foreign.slice(0, MAX_FRAMES).map(async ({ frame }) =>
      await worldOf(page, frame.id, "browser-stream-login").then(lookWith).catch(() => ({}))
    ),
  );
  await using connection = await browser.open();
  const params = { filter: [{ type: "iframe" }, { type: "page" }] };
  const { targetInfos } = await connection.send<{ targetInfos: unknown }>("Target.getTargets", params);
  const targets = (Array.isArray(targetInfos) ? targetInfos : []) as Record<string, unknown>[];
  const isOnlyPage = targets.filter(({ type }) => type === "page").length === 1;
  const ids = [frameId, ...inner.map(({ frame }) => frame.id)];
  const apart = targets.filter(({ type, parentFrameId }) =>
    type === "iframe" && (parentFrameId === undefined ? isOnlyPage : ids.includes(String(parentFrameId)))
  );
  const others = await Promise.all(
    apart.slice(0, MAX_FRAMES).map(({ targetId }) =>
      lookApart(connection, String(targetId)).catch(() => ({}))
    ),
  );
  return [...own, ...others];
}

/** Looks into a frame that has a process of its own. */
async function lookApart(connection: Connection, id: string): Promise<Partial<Found>> {
  const frame = await DevTools.open(connection, { id });
  await frame.send("Page.enable");
  return await lookWith(await worldOf(frame, id, "browser-stream-login"));
}
