/** The operator's own issuers of certificates, which all streams' browsers trust: files of CA_DIR. */
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { openRegular, shortText } from "../machine/os/regular_file.ts";
import { errorText } from "../machine/tools/log.ts";

/** Bytes of a file. */
const MAX_BYTES = 256 * 1024;
const MAX_CERTIFICATES = 100;

export interface Authorities {
  /** The certificates, each in base64 of DER, as the policy CACertificates takes it. */
  certificates: string[];
  /** The left-out files, and the reasons; for people. */
  problems: string[];
}

const PEM = /-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g;

/** The certificates in a PEM file's text. @throws {Error} when a certificate is broken, or no issuer's. */
export function parseAuthorities(text: string): string[] {
  const found = [...text.matchAll(PEM)].map(([pem, body]) => {
    const { ca, subject } = new X509Certificate(pem);
    if (!ca) {
      throw new Error(
        `${subject} is not an issuer's certificate: accept it in the settings of the stream that needs it`,
      );
    }
    return body.replace(/\s/g, "");
  });
  if (found.length === 0) throw new Error("there is no certificate in it (PEM, -----BEGIN CERTIFICATE-----)");
  return found;
}

/** Reads all *.pem and *.crt of a folder; a missing folder has no certificates. */
export async function readAuthorities(dir: string): Promise<Authorities> {
  const certificates = new Set<string>();
  const problems: string[] = [];
  let names: string[] = [];
  try {
    names = (await Array.fromAsync(Deno.readDir(dir), ({ name }) => name)).sort();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) problems.push(`${dir}: ${errorText(error)}`);
  }
  for (const name of names.filter((name) => /\.(pem|crt)$/i.test(name))) {
    const path = join(dir, name);
    try {
      // a link is fine: secrets of containers are mounted so
      using file = openRegular(path, "followed");
      const text = file && shortText(file, MAX_BYTES);
      if (text === null) throw new Error("it is not a file, or it has more than 256 KiB");
      for (const one of parseAuthorities(text)) certificates.add(one);
    } catch (error) {
      problems.push(`${path}: ${errorText(error)}`);
    }
  }
  if (certificates.size > MAX_CERTIFICATES) {
    problems.push(`${dir}: only ${MAX_CERTIFICATES} certificates count`);
  }
  return { certificates: [...certificates].slice(0, MAX_CERTIFICATES), problems };
}

/** The certificates of public issuers, as Debian keeps them. */
const PUBLIC_FILE = "/etc/ssl/certs/ca-certificates.crt";

/** The issuers that programs other than browsers trust, in PEM: the public ones, and own ones, in base64 of DER. */
export async function issuersText(certificates: readonly string[]): Promise<string> {
  const known = await Deno.readTextFile(PUBLIC_FILE).catch(() => "");
  const own = certificates.map((base64) =>
    `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END CERTIFICATE-----\n`
  );
  return [known, ...own].join("");
}
