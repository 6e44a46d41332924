/**
 * The page zoo: a page or a server's answer for each kind of address that people put on a screen. A page that finds all as
 * its author meant it is green; it says so itself where only it can know.
 */
import { join } from "node:path";

const FOLDER = new URL("../fixtures/zoo/", import.meta.url).pathname;

/** The colour of a page that is well. */
export const GREEN = [0, 160, 80] as const;
/** The colour of the second page of green.pdf. */
const BLUE = [0, 80, 160] as const;

export interface Kind {
  name: string;
  /** How the page is, as its stream says. */
  state: string;
  /** Whether its picture is green. */
  isGreen: boolean;
  /** The colour of what comes after pageSeconds. */
  next?: readonly number[];
}

type Answer = (request: Request, end: AbortSignal) => Response | Promise<Response>;

const file = (name: string) => Deno.readFile(join(FOLDER, name));
const typed = (name: string, type: string): Answer => async () =>
  new Response(await file(name), { headers: { "content-type": type } });
const html = (body: string, status = 200, headers: Record<string, string> = {}): Answer => () =>
  new Response(`<!doctype html><meta charset="utf-8"><script src="/zoo.js"></script>${body}`, {
    status,
    headers: { "content-type": "text/html", ...headers },
  });

const svg = (attributes: string, size = 'width="160" height="90"') => () =>
  new Response(
    `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect ${size} fill="#00a050"/></svg>`,
    { headers: { "content-type": "image/svg+xml" } },
  );
const SHOWN = "<body><script>good()</script>";
const PLAYLIST =
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/green.ts\n#EXT-X-ENDLIST\n`;

/** Fonts that most style sheets name, with the pixels that zoo.js's line has in them. */
const FONTS: Record<string, [width: number, ...names: string[]]> = {
  "font-arial": [322, "Arial", "Helvetica"],
  "font-times": [285, "Times New Roman", "Times"],
  "font-courier": [422.5, "Courier New"],
  "font-calibri": [289, "Calibri"],
};

const SCRIPTS: Record<string, string[]> = {
  "script-thai": ["สวัสดี"],
  "script-devanagari": ["नमस्ते"],
  "script-bengali": ["নমস্কার"],
  "script-tamil": ["வணக்கம்"],
  "script-khmer": ["ជំរាបសួរ"],
  "script-burmese": ["မင်္ဂလာပါ"],
  "script-arabic": ["مرحبا", "שלום"],
  "script-cjk": ["你好", "こんにちは", "안녕"],
  "script-georgian": ["გამარჯობა", "Բարեւ", "ሰላም", "ສະບາຍດີ", "ආයුබෝවන්"],
  "signs": ["⏻", "☂", "😀"],
};

/** A page for each row of a table. */
function pagesOf<Row>(table: Record<string, Row>, check: (row: Row) => string): Record<string, Answer> {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, html(`<body><script>goodIf(${check(row)})</script>`)]),
  );
}

/** Pictures for as long as somebody looks, as cameras send them. */
const camera: Answer = async (_, end) => {
  const picture = await file("green.jpg");
  const head = `--b\r\nContent-Type: image/jpeg\r\nContent-Length: ${picture.length}\r\n\r\n`;
  const part = await new Blob([head, picture, "\r\n"]).bytes();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(part);
      const timer = setInterval(() => controller.enqueue(part), 200);
      const close = () => {
        stop();
        controller.close();
      };
      end.addEventListener("abort", close);
      stop = () => {
        clearInterval(timer);
        end.removeEventListener("abort", close);
      };
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { "content-type": "multipart/x-mixed-replace; boundary=b" } });
};

/** What never ends, until the server does. */
const never: Answer = (_, end) =>
  new Promise((done) => end.addEventListener("abort", () => done(new Response(null, { status: 503 }))));

const socket: Answer = (request) => {
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = () => socket.send("x");
  return response;
};

/** Kinds that are no file of the zoo. */
const ANSWERS: Record<string, Answer> = {
  ...pagesOf(
    FONTS,
    ([width, ...names]) => `${JSON.stringify(names)}.every((font) => Math.abs(widthOf(font) - ${width}) < 4)`,
  ),
  ...pagesOf(SCRIPTS, (texts) => `${JSON.stringify(texts)}.every(drawn)`),
  "picture-png": typed("green.png", "image/png"),
  "picture-jpeg": typed("green.jpg", "image/jpeg"),
  "picture-gif": typed("green.gif", "image/gif"),
  "picture-webp": typed("green.webp", "image/webp"),
  "picture-svg": svg('viewBox="0 0 160 90"'),
  "picture-svg-of-a-size": svg('width="160" height="90"'),
  "picture-svg-of-a-part": svg('width="100%" height="100%"', 'width="100%" height="100%"'),
  "video-mp4": typed("green.mp4", "video/mp4"),
  "video-webm": typed("green.webm", "video/webm"),
  "video-hls": () => new Response(PLAYLIST, { headers: { "content-type": "application/vnd.apple.mpegurl" } }),
  // an address says by its ending what its server does not
  "video-hls-as-text": () => new Response(null, { status: 302, headers: { location: "/as-text.m3u8?x=1" } }),
  "camera": camera,
  "pdf": typed("green.pdf", "application/pdf"),
  "pdf-in-no-frame": async () =>
    new Response(await file("green.pdf"), {
      headers: { "content-type": "application/pdf", "x-frame-options": "DENY" },
    }),
  "fragment": html(`<body><script>goodIf(location.hash === "#/queues")</script>`),
  "text": () => new Response("Hello", { headers: { "content-type": "text/plain" } }),
  "json": () => Response.json({ hello: "world" }),
  "xml": () => new Response("<a><b>Hello</b></a>", { headers: { "content-type": "application/xml" } }),
  "utf-16": () =>
    new Response(
      Uint8Array.from([0xff, 0xfe, ..."<body bgcolor=#00a050>ü"].flatMap((letter) =>
        typeof letter === "number" ? [letter] : [letter.charCodeAt(0), 0]
      )),
      { headers: { "content-type": "text/html" } },
    ),
  "gzip": async () => {
    const page = new Blob(['<!doctype html><body bgcolor="#00a050">packed']).stream();
    const packed = await new Response(page.pipeThrough(new CompressionStream("gzip"))).bytes();
    return new Response(packed, { headers: { "content-type": "text/html", "content-encoding": "gzip" } });
  },
  "redirects": ({ url }) => {
    const left = Number(new URL(url).searchParams.get("left") ?? 3);
    const to = left > 0 ? `/zoo/redirects?left=${left - 1}` : "/zoo/plain";
    return new Response(null, { status: 302, headers: { location: to } });
  },
  "not-found-accepted": html(SHOWN, 404),
  "forbidden-accepted": html(SHOWN, 403),
  "gone": html(SHOWN, 410),
  "failing": html(SHOWN, 500),
  "wants-a-password": html(SHOWN, 401, { "www-authenticate": 'Basic realm="x"' }),
  "nothing": () => new Response(null, { status: 204 }),
  "download": () => new Response("PK", { headers: { "content-type": "application/zip" } }),
  "video-of-no-type": typed("green.mp4", "application/octet-stream"),
  "pdf-to-save": async () =>
    new Response(await file("green.pdf"), {
      headers: { "content-type": "application/pdf", "content-disposition": "attachment; filename=plan.pdf" },
    }),
  "cut-off": () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } }),
};

/** Those that are not simply shown. */
const OTHERS: Record<string, Partial<Kind>> = {
  "pdf": { next: BLUE },
  "pdf-in-no-frame": { next: BLUE },
  // they have their own look
  ...Object.fromEntries(["text", "json", "xml"].map((name) => [name, { isGreen: false }])),
  "login": { state: "signed-out", isGreen: false },
  "login-first-step": { state: "signed-out", isGreen: false },
  "blank": { state: "blank", isGreen: false },
  "hidden": { state: "blank", isGreen: false },
  "gone": { state: "not-found" },
  "failing": { state: "server-error" },
  "wants-a-password": { state: "needs-login" },
  "nothing": { state: "download", isGreen: false },
  ...Object.fromEntries(
    ["download", "video-of-no-type", "pdf-to-save"].map((
      name,
    ) => [name, { state: "download", isGreen: false }]),
  ),
  "cut-off": { state: "blocked", isGreen: false },
};

/** All kinds, by their names. */
export async function kinds(): Promise<Kind[]> {
  const files = await Array.fromAsync(Deno.readDir(FOLDER), ({ name }) => name);
  const pages = files.filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -5));
  return [...pages, ...Object.keys(ANSWERS)].sort().map((name) => ({
    name,
    state: "ok",
    isGreen: true,
    ...OTHERS[name],
  }));
}

export interface ZooServer extends AsyncDisposable {
  /** The stream's address, which has a fragment. */
  url: string;
  /** What is at the address from now on. */
  show(kind: string): void;
}

/** A web server with one kind at its address. */
export function zooServer(): ZooServer {
  let shown = "plain";
  const end = new AbortController();
  const answerTo = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const name = pathname === "/" ? shown : pathname.replace(/^\/zoo\//, "");
    if (pathname === "/socket") return socket(request, end.signal);
    if (pathname === "/never") return await never(request, end.signal);
    if (pathname === "/events") {
      return new Response("data: x\n\n", { headers: { "content-type": "text/event-stream" } });
    }
    if (pathname === "/zoo.js") return await typed("zoo.js", "text/javascript")(request, end.signal);
    if (pathname === "/green.mp4") return await typed("green.mp4", "video/mp4")(request, end.signal);
    if (pathname === "/green.ts") return await typed("green.ts.segment", "video/mp2t")(request, end.signal);
    if (pathname === "/as-text.m3u8") {
      return new Response(PLAYLIST, { headers: { "content-type": "text/plain" } });
    }
    if (pathname === "/green.m3u8") return await ANSWERS["video-hls"](request, end.signal);
    if (Object.hasOwn(ANSWERS, name)) return await ANSWERS[name](request, end.signal);
    const page = /^[\w-]+$/.test(name) ? await file(`${name}.html`).catch(() => null) : null;
    if (!page) return new Response("none", { status: 404 });
    const policy: Record<string, string> = name === "strict-policy"
      ? { "content-security-policy": "default-src 'none'" }
      : {};
    return new Response(page, { headers: { "content-type": "text/html", ...policy } });
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answerTo);
  return {
    url: `http://127.0.0.1:${server.addr.port}/#/queues`,
    show: (kind) => shown = kind,
    async [Symbol.asyncDispose]() {
      end.abort();
      await server.shutdown();
    },
  };
}
