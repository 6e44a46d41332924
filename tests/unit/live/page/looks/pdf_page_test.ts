import assert from "node:assert/strict";
import { countPages } from "../../../../../lib/live/page/looks/pdf_page.ts";
import { root } from "../../../../support/fixture.ts";

const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const page = (id: number) => `${id} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`;
const pages = (words: string) => `2 0 obj\n<< ${words} >>\nendobj\n${page(3)}${page(4)}${page(5)}`;
const KIDS = "/Kids [3 0 R 4 0 R 5 0 R]";
const RESOURCES = "/Resources << /Font << /F1 7 0 R >> /XObject << /Im1 8 0 R >> >>";

/** Objects in a compressed stream, as most programs write them since PDF 1.5. */
async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = await new Response(stream).bytes();
  const content = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `6 0 obj\n<< /Type /ObjStm /N 4 /First 20 /Filter /FlateDecode >>\nstream\n${content}\nendstream\nendobj\n`;
}

const PDFS: Record<string, [text: string, count: number]> = {
  "no page that can be counted": ["%PDF-1.7", 1],
  "a count before its type": [pages(`/Count 3 ${KIDS} /Type /Pages`), 3],
  "dictionaries before the count": [pages(`/Type /Pages ${RESOURCES} ${KIDS} /Count 3`), 3],
  "dictionaries after the count": [pages(`/Count 3 ${RESOURCES} ${KIDS} /Type /Pages ${RESOURCES}`), 3],
  "a count of something in it": [pages(`/Type /Pages /X << /Count 90 >> ${KIDS} /Count 3`), 3],
  "a count that is another object": [pages(`/Type /Pages ${KIDS} /Count 19 0 R`), 3],
  "a tree whose root's count is another object": [
    pages(`/Type /Pages ${KIDS} /Count 9 0 R`) + `8 0 obj\n<< /Type /Pages /Count 2 >>\nendobj\n`,
    3,
  ],
  "a page of an earlier version": [pages(`/Type/Pages${KIDS}/Count 2`), 2],
  "a list of all pages": [
    `<</Type/Pages/Kids[${Array.from({ length: 2000 }, (_, at) => `${at + 9} 0 R`).join(" ")}]/Count 2000>>`,
    2000,
  ],
  "hexadecimal text": [`<</Type/Pages/ID<414>/Count 4/X<FF>>>`, 4],
  "compressed objects": [await packed(pages(`/Type /Pages ${RESOURCES} ${KIDS} /Count 3`)), 3],
  "compressed objects with a count elsewhere": [await packed(pages(`/Type /Pages ${KIDS} /Count 9 0 R`)), 3],
};

Deno.test("the pages of a PDF are counted as it says them, or one by one", async () => {
  const found = await Promise.all(
    Object.entries(PDFS).map(async ([name, [text]]) => [name, await countPages(latin1(text))]),
  );
  assert.deepEqual(found, Object.entries(PDFS).map(([name, [, count]]) => [name, count]));
  const file = await Deno.readFile(`${root}/tests/fixtures/zoo/green.pdf`);
  assert.equal(await countPages(file), 2);
});
