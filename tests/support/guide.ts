/** Programme guides as others read them: epg-parser, which leaves entities as they are written, and xmllint by the DTD. */
import epg from "epg-parser";

/** Of Debian's xmltv-util. */
const DTD = "/usr/share/xmltv/xmltv.dtd";

interface Text {
  value: string;
}

export interface Guide {
  channels: { id: string; displayName: Text[]; icon: { src: string }[] }[];
  programs: {
    channel: string;
    /** As ISO 8601 in UTC. */
    start: string;
    stop: string;
    title: Text[];
    desc: Text[];
    category: Text[];
    icon: { src: string }[];
  }[];
}

/** Reads a guide. @throws {Error} when it is no XML. */
export function parseGuide(xml: string): Guide {
  // the package has no types
  return epg.parse(xml) as unknown as Guide;
}

/** What a program says of a text. */
export async function readBy(program: string, args: string[], text: string) {
  const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped", stderr: "piped" }).spawn();
  const output = child.output();
  const writer = child.stdin.getWriter();
  // one that has ended takes no more
  await writer.write(new TextEncoder().encode(text)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await output;
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** What xmllint has against a guide; "" if nothing. */
export async function guideProblems(xml: string): Promise<string> {
  const { code, stderr } = await readBy("xmllint", ["--nonet", "--noout", "--dtdvalid", DTD, "-"], xml);
  return code === 0 ? "" : stderr || `code ${code}`;
}
