/** A PDF fills the screen as far as its shape allows, judged by the display's pictures. */
import { strict as assert } from "node:assert";
import { frames, isColour, pixel } from "../../support/media.ts";
import { until } from "../../support/same.ts";
import { sharedService, type TestService } from "../../support/service.ts";

const GREEN = [0x00, 0xa0, 0x40];

/** A PDF of green pages of these sizes, in points. */
function pdf(...sizes: Shape[]): Uint8Array<ArrayBuffer> {
  const kids = sizes.map((_, at) => `${3 + 2 * at} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${sizes.length} >>`,
    ...sizes.flatMap(([width, height], at) => {
      const drawing = `0 0.627 0.251 rg 0 0 ${width} ${height} re f`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${4 + 2 * at} 0 R >>`,
        `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1, table = text.length;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${
    places.join("")
  }trailer\n<< /Size ${size} /Root 1 0 R >>\n`;
  return new TextEncoder().encode(`${text}startxref\n${table}\n%%EOF\n`);
}

type Shape = [width: number, height: number];
const SLIDE: Shape = [1280, 720], A4: Shape = [595, 842], WIDE: Shape = [2560, 720];
const PDFS: Record<string, Uint8Array<ArrayBuffer>> = {
  slide: pdf(SLIDE),
  portrait: pdf(A4),
  wide: pdf(WIDE),
  small: pdf([320, 180]),
  mixed: pdf(A4, SLIDE),
};

let server: Deno.HttpServer<Deno.NetAddr>;
Deno.test.beforeAll(() => {
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const name = new URL(url).pathname.slice(1);
    if (name in PDFS) return new Response(PDFS[name], { headers: { "content-type": "application/pdf" } });
    const frame =
      `<body style="margin:0;background:#000"><iframe src="/slide" style="border:0;width:100vw;height:100vh">`;
    return new Response(frame, { headers: { "content-type": "text/html" } });
  });
});
Deno.test.afterAll(() => server.shutdown());
const address = (name: string) => `http://127.0.0.1:${server.addr.port}/${name}`;

const serviceTest = sharedService({
  streams: { audio: false, fps: 5, resolution: "1280x720", scale: "640x360", pageSeconds: 6 },
});

/** The width and height of what is green, in per cent of the screen: a row near the top, where the viewer begins, and the column in the middle. */
async function shownSize(url: string): Promise<[width: number, height: number]> {
  const [frame] = await frames(url, 320, 180, 1);
  if (!frame) return [0, 0];
  const isGreen = (x: number, y: number) => isColour(pixel(frame, x, y), GREEN);
  const count = (length: number, is: (at: number) => boolean) =>
    Array.from({ length }, (_, at) => at).filter(is).length / length * 100;
  return [count(320, (x) => isGreen(x, 20)), count(180, (y) => isGreen(160, y))];
}

/** Waits until a page of this shape fills the screen as far as it can: the viewer leaves some pixels around it. */
async function untilFills(url: string, [width, height]: Shape): Promise<void> {
  const scale = Math.min(16 / width, 9 / height);
  const wanted = [width * scale / 16 * 100, height * scale / 9 * 100];
  let seen: number[] = [];
  await until(`${wanted.map(Math.round)} per cent of the screen`, async () => {
    seen = await shownSize(url);
    return seen.every((part, at) => Math.abs(part - wanted[at]) < 4);
  }).catch((error) => assert.fail(`${error.message}; it was ${seen}`));
}

const pictureOf = (service: TestService, { id }: { id: string }) =>
  `${service.url}/api/streams/${id}/snapshot.png`;

serviceTest("a PDF of one slide fills the screen", async (service) => {
  await using one = await service.temporaryStream({ name: "Slide", url: address("slide") });
  await untilFills(pictureOf(service, one), SLIDE);
});
