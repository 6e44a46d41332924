/** The small part of XML-RPC (xmlrpc.com/spec) that supervisord's answers use. */

import { unescapeMarkup } from "../system/entities.ts";

export type XmlValue = string | number | boolean | XmlValue[] | { [name: string]: XmlValue };

const SCALARS = new Set(["<string>", "<int>", "<i4>", "<double>", "<boolean>"]);

/** A fault answered by the server. */
export class XmlRpcFault extends Error {
  override name = "XmlRpcFault";
}

/** The request body of a call without parameters. */
export function methodCall(method: string): string {
  return `<?xml version="1.0"?><methodCall><methodName>${method}</methodName><params/></methodCall>`;
}

/**
 * The value of a methodResponse.
 * @throws {XmlRpcFault} when the server answered a fault. @throws {SyntaxError} when it is no methodResponse.
 */
export function parseResponse(xml: string): XmlValue {
  const tokens = xml.match(/<[^>]+>|[^<]+/g) ?? [];
  let at = tokens.findIndex((token) => token === "<value>");
  if (at < 0) throw new SyntaxError("not an XML-RPC response");

  function skipSpace() {
    while (tokens[at] !== undefined && tokens[at].trim() === "") at++;
  }
  function expect(tag: string) {
    skipSpace();
    if (tokens[at] !== tag) {
      throw new SyntaxError(`XML-RPC: ${tag} expected, found ${tokens[at] ?? "the end"}`);
    }
    at++;
  }
  function text(end: string): string {
    const content = tokens[at] === end ? "" : tokens[at++] ?? "";
    expect(end);
    return unescapeMarkup(content);
  }
  function struct(): XmlValue {
    const members: Record<string, XmlValue> = Object.create(null);
    for (skipSpace(); tokens[at] === "<member>"; skipSpace()) {
      at++;
      expect("<name>");
      const name = text("</name>");
      members[name] = value();
      expect("</member>");
    }
    expect("</struct>");
    return members;
  }
  function array(): XmlValue {
    const items: XmlValue[] = [];
    expect("<data>");
    for (skipSpace(); tokens[at] === "<value>"; skipSpace()) items.push(value());
    expect("</data>");
    expect("</array>");
    return items;
  }
  function typed(): XmlValue {
    const tag = tokens[at++] ?? "the end";
    if (tag === "<struct>") return struct();
    if (tag === "<array>") return array();
    if (!SCALARS.has(tag)) throw new SyntaxError(`XML-RPC: a value expected, found ${tag}`);
    const content = text(tag.replace("<", "</"));
    if (tag === "<int>" || tag === "<i4>" || tag === "<double>") return Number(content);
    return tag === "<boolean>" ? content === "1" : content;
  }
  function value(): XmlValue {
    expect("<value>");
    if (tokens[at] === "</value>") {
      at++;
      return "";
    }
    const isBare = tokens[at] !== undefined && !tokens[at].startsWith("<");
    if (isBare && tokens[at + 1] === "</value>") return text("</value>");
    skipSpace();
    const result = typed();
    expect("</value>");
    return result;
  }

  const result = value();
  if (xml.includes("<fault>")) {
    throw new XmlRpcFault(String((result as Record<string, XmlValue>).faultString));
  }
  return result;
}
